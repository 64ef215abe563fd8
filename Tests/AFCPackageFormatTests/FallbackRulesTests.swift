import AFCPackageFormat
import AFCURL
import Testing

/// `.afcache/fallback.json` as docs/reference/format.md specifies it.
struct FallbackRulesTests {
    private static func rules(_ text: String) throws(FallbackRules.Malformation) -> FallbackRules {
        try FallbackRules(Array(text.utf8))
    }

    private static let both = """
        {"base":"https://d.example/app/","application":"https://d.example/app/index.html",
         "missing":"https://d.example/app/404.html","note":[1]}
        """

    @Test(
        arguments: [
            ("https://d.example/app/", "index.html"), ("https://d.example/app/users", "index.html"),
            ("https://d.example/app/users/", "index.html"), ("https://d.example/app/v1.2/users", "index.html"),
            ("https://d.example/app/users?file=a.png", "index.html"), ("https://d.example:443/app/x", "index.html"),
            ("https://d.example/app/a.b/../x", "index.html"), ("https://d.example/app/x.png", "404.html"),
            ("https://d.example/app/jane.doe", "404.html"), ("https://d.example/app/.well-known", "404.html"),
            ("https://d.example/app/v1.2", "404.html"), ("https://d.example/app", nil), ("https://d.example/", nil),
            ("https://d.example/application", nil), ("https://d.example/app/../x", nil),
            ("https://d.example/APP/x", nil), ("http://d.example/app/x", nil), ("https://d.example:8443/app/x", nil),
            ("https://www.d.example/app/x", nil), ("https://other.example/app/x", nil),
        ] as [(String, String?)]
    )
    func `the last segment decides which page answers, and only below the base`(_ url: String, _ page: String?) throws {
        let rules = try Self.rules(Self.both)
        let found = rules.page(for: try WebURL(url))
        #expect(found?.url.description == page.map { "https://d.example/app/" + $0 })
        #expect(found?.kind == page.map { $0 == "404.html" ? .missing : .application })
    }

    @Test func `one page alone answers what it is for`() throws {
        let missing = try Self.rules(#"{"base":"http://d.example/","missing":"http://d.example/404.html"}"#)
        #expect(missing.page(for: try WebURL("http://d.example/users"))?.kind == .missing)
        let application = try Self.rules(#"{"base":"http://d.example/","application":"http://d.example/"}"#)
        #expect(application.page(for: try WebURL("http://d.example/users"))?.kind == .application)
        #expect(application.page(for: try WebURL("http://d.example/users.txt")) == nil)
    }

    @Test func `what is written is what was read`() throws {
        let rules = try Self.rules(Self.both)
        let text = """
            {
              "base": "https://d.example/app/",
              "application": "https://d.example/app/index.html",
              "missing": "https://d.example/app/404.html"
            }

            """
        #expect(String(decoding: rules.bytes, as: UTF8.self) == text)
        #expect(try FallbackRules(rules.bytes) == rules)
    }

    @Test(arguments: [
        ("hello", "the fallbacks are not JSON at byte 0"), ("[]", "the member must be a JSON object with 'base'"),
        ("{}", "the member must be a JSON object with 'base'"), (#"{"base":1}"#, "'base' is not an absolute URL"),
        (#"{"base":"/"}"#, "'base' is not an absolute URL"),
        (#"{"base":"http://d.example/"}"#, "the member must name a page"),
        (#"{"base":"http://d.example/a","missing":"http://d.example/a"}"#, "'base' must have a host"),
        (#"{"base":"http://d.example/?q","missing":"http://d.example/a"}"#, "'base' must have a host"),
        (#"{"base":"http://u@d.example/","missing":"http://d.example/a"}"#, "'base' must have a host"),
        (#"{"base":"data:/","missing":"data:/"}"#, "'base' must have a host"),
        (#"{"base":"http://d.example/","missing":"404.html"}"#, "'missing' is not an absolute URL"),
        (#"{"base":"http://d.example/","missing":null}"#, "'missing' is not an absolute URL"),
        (#"{"base":"http://d.example/","missing":"http://e.example/"}"#, "'missing' must be a URL below the base"),
        (#"{"base":"http://d.example/","missing":"https://d.example/"}"#, "'missing' must be a URL below the base"),
        (#"{"base":"http://d.example/a/","application":"http://d.example/b"}"#, "'application' must be a URL below"),
        (
            #"{"base":"http://d.example/a/","application":"http://d.example/a/../b"}"#,
            "'application' must be a URL below"
        ),
        (#"{"base":"http://d.example/","missing":"http://u:p@d.example/x"}"#, "'missing' must be a URL below the base"),
    ])
    func `a member that isn't as documented is refused`(_ text: String, _ reason: String) throws {
        let error = try #require(throws: FallbackRules.Malformation.self) { try Self.rules(text) }
        #expect(error.reason.hasPrefix(reason), "\(error.reason)")
    }
}
