extension RuleFixture {
    /// Fixtures of rules about the sidecar.
    static let sidecar: [RuleFixture] = [
        RuleFixture(
            rule: "sidecar.patch",
            bad: .package([".afcache/delta": "{}", "d.example/a": "body", "manifest.afcache": line("a")]),
            good: .package(["d.example/a": "body", "manifest.afcache": line("a")])
        ),
        RuleFixture(rule: "sidecar.missing", bad: .site([text]), good: .site([text], info: #"{"format":1}"#)),
        RuleFixture(
            rule: "sidecar.record-missing",
            bad: .site([text, SiteBody("http://d.example/b", "text/plain", "body")], records: [record()]),
            good: .site([text], records: [record()])
        ),
        RuleFixture(
            rule: "sidecar.created-in-future",
            bad: .site([text], info: created("2026-09-21T14:13:21Z")),
            good: .site([text], info: created("2026-09-21T14:13:20Z"))
        ),
        RuleFixture(
            rule: "sidecar.fetched-in-future",
            bad: .site([text], records: [record(#","fetched":"2026-09-21T14:13:21Z""#)]),
            good: .site([text], records: [record(#","fetched":"2026-09-21T14:13:20Z""#)])
        ),
        RuleFixture(
            rule: "sidecar.wrong-counts",
            bad: .site([text], info: #"{"format":1,"resources":2,"redirects":0}"#),
            good: .site([text], info: #"{"format":1,"resources":1,"redirects":0}"#)
        ),
        RuleFixture(
            rule: "sidecar.bad-name",
            bad: .site([text], info: #"{"format":1,"name":"../docs"}"#),
            good: .site([text], info: #"{"format":1,"name":"docs..1"}"#)
        ),
        RuleFixture(rule: "sidecar.bad-crawl", bad: crawl(of: "0"), good: crawl(of: digest)),
        RuleFixture(
            rule: "sidecar.error-status",
            bad: .site([text], records: [record(status: 503)]),
            good: .site([text], records: [record(status: 203)])
        ),
        pair("sidecar.vary-any", #"["vary","accept-encoding, *"]"#, #"["vary","accept-encoding"]"#),
        pair(
            "sidecar.no-store",
            #"["cache-control","max-age=0, No-Store"]"#,
            #"["cache-control","no-store, must-understand"]"#
        ),
        RuleFixture(
            rule: "sidecar.disallowed-usage",
            bad: .site([text], records: [record(#","robotsUsage":"ai-train=n""#)]),
            good: .site([text], records: [record(#","robotsUsage":"ai-train=y, search=n""#)])
        ),
        pair("sidecar.private", #"["cache-control","private"]"#, #"["cache-control","private=\"set-cookie\""]"#),
        pair("sidecar.content-encoding", #"["content-encoding","br"]"#, #"["content-encoding","identity"]"#),
        pair("sidecar.content-length", #"["content-length","5"]"#, #"["content-length","4"]"#),
        pair("sidecar.connection-field", #"["transfer-encoding","chunked"]"#, #"["accept-ranges","bytes"]"#),
        RuleFixture(
            rule: "date.no-validator",
            bad: .package([
                "d.example/a": "body", ".afcache/resources.jsonl": record() + "\n",
                "manifest.afcache": "http://d.example/a ; NULL ; NULL ; text/plain\n",
            ]),
            good: .package([
                "d.example/a": "body", ".afcache/resources.jsonl": record(fields: #"["etag","\"1\""]"#) + "\n",
                "manifest.afcache": "http://d.example/a ; NULL ; NULL ; text/plain\n",
            ])
        ),
        RuleFixture(
            rule: "sidecar.redirect-loop",
            bad: .site([text], records: [redirect("b", to: "/c"), redirect("c", to: "/b")]),
            good: .site([text], records: [redirect("b", to: "/c"), redirect("c", to: "/a")])
        ),
        RuleFixture(
            rule: "completeness.redirect-target",
            bad: .site([text], records: [redirect("b", to: "/c")]),
            good: .site([text], records: [redirect("b", to: "http://e.example/c")])
        ),
    ]

    private static let text = SiteBody("http://d.example/a", "text/plain", "body")

    // printf 'http://d.example/a\n' | sha256sum
    private static let digest = "2babae186acf999b945a3d7b492df47e2d82e2ef7fbbbe97d00f683796c687b8"

    private static func crawl(of resources: String) -> Sample {
        .package([
            "d.example/a": "body", "manifest.afcache": "http://d.example/a ; NULL ; NULL ; text/plain\n",
            ".afcache/crawl.json":
                #"{"resources":"\#(resources)","options":"0","robots":{},"failed":[],"skipped":{}}"#,
        ])
    }

    private static func record(status: Int = 200, fields: String = "", _ more: String = "") -> String {
        #"{"url":"http://d.example/a","status":\#(status),"fields":[\#(fields)]\#(more)}"#
    }

    private static func record(_ more: String) -> String { record(status: 200, fields: "", more) }

    private static func redirect(_ path: String, to target: String) -> String {
        #"{"url":"http://d.example/\#(path)","status":302,"fields":[["location","\#(target)"]]}"#
    }

    private static func created(_ time: String) -> String { #"{"format":1,"created":"\#(time)"}"# }

    /// A record with one field or another.
    private static func pair(_ rule: String, _ bad: String, _ good: String) -> RuleFixture {
        RuleFixture(
            rule: rule,
            bad: .site([text], records: [record(fields: bad)]),
            good: .site([text], records: [record(fields: good)])
        )
    }
}
