extension RuleFixture {
    /// Fixtures of rules about what pages refer to, and about what should be in a package.
    static let reference: [RuleFixture] = [
        page("completeness.missing-requisite", "<img src=a.png>", "<a href=a.html>a</a>"),
        page(
            "completeness.missing-script-resource",
            "<script>s({bundlePath:'/pagefind/'})</script>",
            "<script>fetch('/a.json')</script>"
        ),
        page("completeness.untitled-page", "<!DOCTYPE html><title> </title>x", "<!DOCTYPE html><title>News</title>x"),
        page("completeness.missing-link", "<a href=a.html>a</a>", "<a href=http://e.example/a.html>a</a>"),
        RuleFixture(
            rule: "completeness.missing-seed",
            bad: .site([.page("x")], info: #"{"format":1,"seeds":["http://d.example/"]}"#),
            good: .site(
                [.page("x")],
                records: [#"{"url":"http://d.example/","status":301,"fields":[["location","/p"]]}"#],
                info: #"{"format":1,"seeds":["http://d.example/"]}"#
            )
        ),
        RuleFixture(
            rule: "completeness.needs-scripts",
            bad: .site(
                [
                    .page("<p>x<script src=a.js></script>"),
                    SiteBody("http://d.example/a.js", "text/javascript", "fetch('/api/'+a)"),
                ],
                info: #"{"format":1,"seeds":["http://d.example/p"]}"#
            ),
            good: .site(
                [
                    SiteBody("http://d.example/a.js", "text/javascript", "fetch('/api/'+a)"),
                    SiteBody("http://d.example/api/b", "text/plain", "x"), .page("<p>x<script src=a.js></script>"),
                ],
                info: #"{"format":1,"seeds":["http://d.example/p"]}"#
            )
        ),
        RuleFixture(
            rule: "completeness.no-page",
            bad: .site([SiteBody("http://d.example/a", "image/svg+xml", "<svg/>")]),
            good: .site([.page("x")])
        ),
        page(
            "security.mixed-content",
            "<script src=http://e.example/a.js></script>",
            "<a href=http://e.example/a>a</a>",
            at: "https://d.example/p"
        ),
        page(
            "security.credentials-in-page",
            "<a href=https://u:p@e.example/>a</a>",
            "<a href=https://e.example/@u:p>a</a>"
        ),
        RuleFixture(
            rule: "type.contradicts-use",
            bad: .site([
                SiteBody("http://d.example/a.txt", "text/plain", "x"),
                .page("<script type=module src=a.txt></script>"),
            ]),
            good: .site([
                SiteBody("http://d.example/a.txt", "text/plain", "x"),
                .page("<script src=a.txt></script>"),
            ])
        ),
    ]

    private static func page(
        _ rule: String,
        _ bad: String,
        _ good: String,
        at url: String = "http://d.example/p"
    ) -> RuleFixture {
        RuleFixture(rule: rule, bad: .site([.page(bad, at: url)]), good: .site([.page(good, at: url)]))
    }
}
