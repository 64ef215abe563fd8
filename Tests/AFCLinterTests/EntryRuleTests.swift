import AFCLinter
import Testing

/// What rules about one line find, and that they find nothing else.
struct EntryRuleTests {
    @Test(arguments: [
        // The query's slashes, dots and percent signs are the page's affair.
        ("http://d.example/a?u=http://e.example//.git/%2541", "text/plain", []),
        ("http://d.example:8080/a", "text/plain", []),
        ("http://192.0.2.7:8080/a", "text/plain", ["url.ip-address"]),
        ("http://[2001:db8::1]/a", "text/plain", ["url.ip-address"]),
        ("http://10.0.0.1/a", "text/plain", ["url.private-host"]),
        ("http://test/a", "text/plain", []),
        ("http://localhost./a", "text/plain", ["url.private-host", "url.trailing-dot"]),
        ("http://d.example/a%2520b/100%25", "text/plain", ["url.double-encoded"]),
        ("http://d.example/a?b=%41", "text/plain", ["url.encoded-unreserved"]),
        ("http://d.example/a?b?", "text/plain", []),
        ("http://d.example//", "text/plain", ["url.empty-segment"]),
        // Where there is no host, slashes separate nothing.
        ("mailto:a//b//c", "text/plain", ["url.not-http"]),
        ("file:////a", "text/plain", ["url.empty-segment", "url.not-http"]),
        ("mailto:a?", "text/plain", ["url.empty-query", "url.not-http"]),
        ("ftp://d.example./a", "text/plain", ["url.not-http", "url.trailing-dot"]),
        ("ftp://192.0.2.7/.svn/a", "text/plain", ["security.private-file", "url.not-http"]),
        ("http://d.example/a;jsessionid=1/b?utm_medium=x", "text/plain", ["url.session-id", "url.tracking-parameter"]),
        ("http://d.example/a?sessionid=", "text/plain", []),
        ("http://d.example/a?ASPSESSIONIDQQ=AB", "text/plain", ["url.session-id"]),
        // A common name is that of a session where nobody would write its value.
        ("http://d.example/a?sid=0123456789abcdef", "text/plain", ["url.session-id"]),
        ("http://d.example/a;S=0123-4567.89ab-cdef", "text/plain", ["url.session-id"]),
        ("http://d.example/a?sid=42", "text/plain", []),
        ("http://d.example/a?s=internationalisation", "text/plain", []),
        ("http://d.example/a?session=2024-05-opening", "text/plain", []),
        ("http://d.example/a?gad_campaignid=1", "text/plain", ["url.tracking-parameter"]),
        ("http://d.example/a?PIWIK_x=1", "text/plain", ["url.tracking-parameter"]),
        ("http://d.example/a?hsCtaTracking=1", "text/plain", ["url.tracking-parameter"]),
        ("http://d.example/a?UTM_Source=1", "text/plain", ["url.tracking-parameter"]),
        ("http://d.example/a;utm_source=1", "text/plain", []),
        ("http://d.example/a?utm=1&product_id=2&gcl=3&ssi=4", "text/plain", []),
        ("http://d.example/a?password=x", "text/plain", ["security.secret-in-url"]),
        ("http://d.example/a?token=next-page-of-the-list-2", "text/plain", []),
        (
            "http://d.example/a?x=eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.0123456789", "text/plain",
            ["security.secret-in-url"]
        ),
        ("http://d.example/.gitignore", "text/plain", []),
        ("http://d.example/.env.local", "text/plain", ["security.private-file"]),
        // A suffix counts in any case, before a query, and only in the last segment.
        ("http://d.example/A.CSS?v=1.png", "text/html", ["type.contradicts-suffix"]),
        ("http://d.example/a.css/b", "text/html", []),
        ("http://d.example/a.webmanifest", "text/html", []),
        ("http://d.example/a.mjs", "application/octet-stream", ["type.generic"]),
        ("http://d.example/a.woff", "application/octet-stream", []),
        ("http://d.example/a.jpg", "image/jpg", ["type.obsolete"]),
    ])
    func `a line has these findings and no others`(url: String, type: String, rules: [String]) throws {
        let line = "\(url) ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; \(type)\n"
        #expect(try LinterTests.lint(Array(line.utf8)).findings.map(\.rule).sorted() == rules)
    }

    @Test func `a parameter's name is reported as it is written`() throws {
        let line = "http://d.example/a?PHPSessID=1&Fbclid=2&Password=3 ; NULL ; NULL ; text/plain\n"
        let findings = try LinterTests.lint(Array(line.utf8)).findings.sorted { $0.rule < $1.rule }
        #expect(findings.map(\.rule) == ["security.secret-in-url", "url.session-id", "url.tracking-parameter"])
        for (finding, name) in zip(findings, ["'Password'", "'PHPSessID'", "'Fbclid'"]) {
            #expect(finding.sentence.contains(name))
        }
    }

    @Test func `a secret is never repeated`() throws {
        let line = "http://d.example/a?api_key=0f1e2d3c4b5a ; NULL ; NULL ; text/plain\n"
        let findings = try LinterTests.lint(Array(line.utf8)).findings
        #expect(findings.map(\.rule) == ["security.secret-in-url"])
        #expect(findings.allSatisfy { !$0.sentence.contains("0f1e2d3c4b5a") })
    }
}
