import AFCCrawlRules
import AFCCrawler
import AFCPackager
import AFCText
import AFCURL
import Testing

struct GlobTests {
    // What Python's fnmatch.fnmatchcase answers.
    @Test(
        arguments: [
            ("*.html", "a/b.html", true), ("*.html", "a/b.htm", false), ("a/*", "a/b/c", true), ("*", "", true),
            ("", "", true), ("", "a", false), ("?", "ä", true), ("?", "", false), ("a?c", "a/c", true),
            ("[abc].txt", "b.txt", true), ("[!abc].txt", "b.txt", false), ("[a-c]x", "bx", true),
            ("[a-c]x", "dx", false),
            ("[]]", "]", true), ("[!]]", "]", false), ("[!]]", "a", true), ("[abc", "[abc", true), ("[abc", "a", false),
            ("[a-]", "-", true), ("[-a]", "-", true), ("[z-a]", "m", false), ("a[", "a[", true),
            ("**/*.css", "x/y.css", true),
            ("**/*.css", "y.css", false), ("*.HTML", "a.html", false), ("a*b*c", "aXbYc", true),
            ("a*b*c", "aXcYb", false),
            ("*/.git/*", "x/.git/config", true), ("\\*", "\\x", true),
        ]
    ) func `a glob matches like fnmatch`(pattern: String, text: String, expected: Bool) {
        #expect(Glob(pattern).matches(text) == expected)
    }

    @Test func `many stars cost no more than a product of lengths`() {
        let pattern = String(repeating: "*a", count: 200) + "b"
        #expect(!Glob(pattern).matches(String(repeating: "a", count: 2000)))
    }

    @Test(
        arguments: [
            ("/guide/*", "http://docs.example/guide/a?b", true), ("/guide/*", "http://docs.example/x/guide/a", false),
            ("*.pdf", "http://docs.example/a/b.pdf", true), ("*.pdf", "http://docs.example/a.pdf?x", false),
            ("http://docs.example/*", "http://docs.example/a", true),
            ("*://*.example/a", "https://docs.example/a", true),
            ("http://docs.example/*", "http://other.example/a", false),
            ("re:/v[0-9]+/", "http://docs.example/v12/a", true),
            ("re:/v[0-9]+/", "http://docs.example/vx/a", false), ("re:^http://docs", "http://docs.example/", true),
            ("*?page=*", "http://docs.example/a?page=2", true),
        ]
    ) func `a pattern is compared with path and query, or with the whole URL`(
        pattern: String,
        url: String,
        expected: Bool
    ) throws {
        #expect(try URLPattern(pattern).matches(try WebURL(url)) == expected)
    }

    @Test(arguments: ["", "re:(", "re:[a"]) func `an invalid pattern is refused`(text: String) {
        #expect(throws: URLPattern.ParseError.self) { try URLPattern(text) }
    }
}
