import AFCCrawlRules
import AFCCrawler
import AFCPackager
import AFCURL
import Testing

struct RobotsRulesTests {
    private func rules(_ text: String, token: String = "afcache") -> RobotsRules {
        RobotsRules(parsing: Array(text.utf8), productToken: token)
    }

    private func isAllowed(_ path: String, _ text: String, token: String = "afcache") throws -> Bool {
        rules(text, token: token).isAllowed(try WebURL("http://docs.example" + path))
    }

    @Test(
        arguments: [
            // RFC 9309 §2.2.2: the most specific match decides.
            ("/example/page/", "Disallow: /example/page/disallowed.gif\nAllow: /example/page/", true),
            ("/example/page/disallowed.gif", "Disallow: /example/page/disallowed.gif\nAllow: /example/page/", false),
            // Of two equally long rules the one that allows.
            ("/page", "Disallow: /page\nAllow: /page", true),
            ("/page", "Allow: /page\nDisallow: /page", true),
            // Nothing matches, or there is no rule.
            ("/other", "Disallow: /page", true),
            ("/other", "Disallow:", true),
            ("/", "Disallow: /", false),
            ("/robots.txt", "Disallow: /", true),
            // Case matters in paths.
            ("/Page", "Disallow: /page", true),
            // §2.2.3: wildcards and the end of the match.
            ("/a/b.gif", "Disallow: *.gif$", false),
            ("/a/b.gif?x", "Disallow: *.gif$", true),
            ("/a/b.gif?x", "Disallow: *.gif", false),
            ("/example/x/yy/page", "Disallow: /example/*/page", false),
            ("/example/page", "Disallow: /example/*/page", true),
            ("/fish", "Disallow: /fish$", false),
            ("/fish/", "Disallow: /fish$", true),
            ("/fish.asp", "Disallow: /fish*.php", true),
            ("/fishheads/catfish.php?q", "Disallow: /fish*.php", false),
            ("/a$b", "Disallow: /a$b", false),
            ("/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", "Disallow: /*a*a*a*a*a*a*a*a*a*b", true),
            // The query is part of what is compared.
            ("/find?q=1", "Disallow: /find?q", false),
            ("/find", "Disallow: /find?", true),
            // §2.2.2: percent-encoding is compared as in the RFC's table.
            ("/foo/bar/%E3%83%84", "Disallow: /foo/bar/ツ", false),
            ("/foo/bar/%E3%83%84", "Disallow: /foo/bar/%e3%83%84", false),
            ("/foo/bar/bar%62az", "Disallow: /foo/bar/barbaz", false),
            ("/foo/bar/barbaz", "Disallow: /foo/bar/%62arbaz", false),
            ("/foo%2Fbar", "Disallow: /foo/bar", true),
            ("/foo/bar?baz=https://foo.bar", "Disallow: /foo/bar?baz=https://foo.bar", false),
            // A rule without its slash, spaces, comments, tabs.
            ("/page", "Disallow: page", false),
            ("/page", "  disallow\t:  /page  # why", false),
            ("/page", "Disallow: # nothing", true),
        ]
    ) func `a path is allowed as RFC 9309 says`(path: String, lines: String, expected: Bool) throws {
        #expect(try isAllowed(path, "User-agent: *\n" + lines) == expected)
    }

    @Test(
        arguments: [
            // §2.2.1: the group of the token, else that of the star; groups of one token are put together.
            ("User-agent: afcache\nDisallow: /a\n\nUser-agent: *\nDisallow: /b", false, true),
            ("User-agent: AFCache/2.1\nDisallow: /a", false, true),
            ("User-agent: other\nDisallow: /a\nUser-agent: *\nDisallow: /b", true, false),
            ("User-agent: afcache-news\nDisallow: /a", true, true),
            (
                "User-agent: afcache\nDisallow: /a\nUser-agent: x\nDisallow: /\nUser-agent: afcache\nDisallow: /b",
                false, false
            ),
            ("User-agent: x\nUser-agent: afcache\nDisallow: /a", false, true),
            ("User-agent: afcache\nSitemap: http://docs.example/s.xml\nUser-agent: x\nDisallow: /a", false, true),
            ("User-agent: afcache\nAllow: /\nUser-agent: *\nDisallow: /", true, true),
            ("Disallow: /a", true, true),
            ("\u{FEFF}User-agent: *\r\nDisallow: /a\rDisallow: /b", false, false),
            ("User-agent: afcache\nUser-agent: *\nDisallow: /a", false, true),
            ("<html>no robots</html>", true, true),
            ("", true, true),
        ]
    ) func `the crawler's own group takes precedence over the general one`(text: String, a: Bool, b: Bool) throws {
        #expect(try isAllowed("/a", text) == a)
        #expect(try isAllowed("/b", text) == b)
    }

    @Test(
        arguments: [
            (Int?.some(404), true), (403, true), (401, true), (410, true), (429, true), (302, true), (500, false),
            (503, false), (nil, false),
        ]
    ) func `an unavailable robots.txt allows everything with 4xx, and nothing otherwise`(status: Int?, expected: Bool)
        throws
    {
        // RFC 9309 §2.3.1.3 and §2.3.1.4.
        #expect(RobotsRules(unavailableWith: status).isAllowed(try WebURL("http://docs.example/a")) == expected)
    }

    @Test func `text beyond 500 KiB is not read`() throws {
        let padding = String(repeating: "#2345678\n", count: RobotsRules.byteLimit / 9)
        let text = "User-agent: *\nDisallow: /a\n" + padding + "\nDisallow: /b\n"
        #expect(try isAllowed("/a", text) == false)
        #expect(try isAllowed("/b", text))
    }

    @Test(
        arguments: [("2", 2000), ("0.5", 500), ("1e9", 3_600_000), ("-1", nil), ("soon", nil), ("nan", nil)]
            as [(String, Int?)]
    ) func `a crawl delay is read in seconds`(text: String, expected: Int?) {
        #expect(rules("User-agent: *\nCrawl-delay: \(text)\n").crawlDelay == expected)
    }

    @Test func `sitemaps are collected from every group`() {
        let rules = rules(
            "Sitemap: http://docs.example/1.xml\nUser-agent: x\nDisallow: /\nsitemap:http://docs.example/2.xml"
        )
        #expect(rules.sitemaps == ["http://docs.example/1.xml", "http://docs.example/2.xml"])
    }
}
