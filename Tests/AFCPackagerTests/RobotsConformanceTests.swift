import AFCCrawlRules
import AFCCrawler
import AFCPackager
import AFCURL
import Testing

/// RFC 9309 section by section.
///
/// Where Google's published test cases ask the same, the expectation is theirs, too; what is Google's own there (a missing
/// colon, `index.html` for `/`) is not obeyed.
struct RobotsConformanceTests {
    private func isAllowed(_ target: String, _ text: String, token: String = "foobot") throws -> Bool {
        RobotsRules(parsing: Array(text.utf8), productToken: token).isAllowed(
            try WebURL("http://docs.example" + target)
        )
    }

    // §5.1.
    private let example = """
        User-Agent: *
        Disallow: *.gif$
        Disallow: /example/
        Allow: /publications/

        User-Agent: foobot
        Disallow:/
        Allow:/example/page.html
        Allow:/example/allowed.gif

        User-Agent: barbot
        User-Agent: bazbot
        Disallow: /example/page.html

        User-Agent: quxbot

        EOF
        """

    @Test(
        arguments: [
            ("other", "/publications/a", true), ("other", "/example/a", false), ("other", "/a/b.gif", false),
            ("other", "/publications/a.gif", true), ("other", "/a.gif?b", true),
            ("foobot", "/example/page.html", true), ("foobot", "/example/allowed.gif", true), ("foobot", "/a", false),
            ("foobot", "/publications/", false), ("barbot", "/example/page.html", false), ("barbot", "/example/", true),
            ("bazbot", "/example/page.html5", false), ("bazbot", "/b.gif", true), ("quxbot", "/example/", true),
            ("quxbot", "/a.gif", true),
        ]
    ) func `the RFC's example reads as the RFC says`(token: String, target: String, expected: Bool) throws {
        #expect(try isAllowed(target, example, token: token) == expected)
    }

    @Test(
        arguments: [
            // §2.2: names in any case, white space, comments, and lines that are none.
            ("USER-AGENT: FooBot\nDISALLOW: /a", "/a", false), ("uSeR-aGeNt:foobot\ndIsAlLoW:/a", "/a", false),
            (" \tuser-agent \t: \tfoobot \t# x\n\tdisallow\t:\t/a\t# y", "/a", false),
            ("user-agent foobot\ndisallow /", "/a", true), ("foo: foobot\nbar: /", "/a", true),
            ("user-agent: foobot\nnoise\n:\n: /\ndisallow: /a", "/a", false),
            ("user-agent: foobot\ndisallow: /a#b", "/a", false), ("user-agent: foobot\n#disallow: /a", "/a", true),
            // §2.2: line ends.
            ("user-agent: foobot\rdisallow: /a\r\r", "/a", false), ("user-agent: foobot\r\ndisallow: /a", "/a", false),
            ("user-agent: foobot\n\r\n\rdisallow: /a", "/a", false),
            ("\u{FEFF}user-agent: foobot\ndisallow: /a", "/a", false),
            // §2.2.1: groups.
            ("allow: /a\nuser-agent: foobot\ndisallow: /", "/a", false),
            ("user-agent: foobot\n\n\nuser-agent: x\n\ndisallow: /a", "/a", false),
            ("user-agent: foobot\ndisallow: /b\nuser-agent: x\ndisallow: /a", "/a", true),
            ("user-agent: x\ndisallow: /\nuser-agent: foobot", "/a", true),
            ("user-agent: foobot\ndisallow:\nuser-agent: x\ndisallow: /", "/a", true),
            (
                "user-agent: foobot\ndisallow: /x\nuser-agent: *\ndisallow: /\nuser-agent: FOOBOT\ndisallow: /a", "/a",
                false
            ),
            ("user-agent: *\ndisallow: /a\nuser-agent: x\ndisallow: /\nuser-agent: *\ndisallow: /b", "/a", false),
            ("user-agent: *\ndisallow: /a\nuser-agent: x\ndisallow: /\nuser-agent: *\ndisallow: /b", "/c", true),
            ("user-agent: *\nallow: /\nuser-agent: foobot\ndisallow: /", "/a", false),
            ("user-agent: *\ndisallow: /\nuser-agent: foo bot\nallow: /", "/a", false),
            ("user-agent: foobot images\ndisallow: /", "/a", false),
            ("user-agent: foobot/2.1\ndisallow: /", "/a", false),
            ("user-agent: foobot*\ndisallow: /", "/a", false), ("user-agent: foobots\ndisallow: /", "/a", true),
            ("user-agent: foo\ndisallow: /", "/a", true), ("user-agent: *bot\ndisallow: /", "/a", true),
            ("user-agent: * x\ndisallow: /", "/a", false), ("user-agent:\ndisallow: /", "/a", true),
            // §2.2.4: other records end no group and mean nothing to it.
            ("user-agent: foobot\nsitemap: /s\nuser-agent: x\ndisallow: /a", "/a", false),
            ("user-agent: foobot\ncrawl-delay: 1\nuser-agent: x\ndisallow: /a", "/a", false),
            ("user-agent: foobot\nnoindex: /\nhost: x\ndisallow: /a", "/b", true),
        ]
    ) func `lines and groups are read as the RFC says`(text: String, target: String, expected: Bool) throws {
        #expect(try isAllowed(target, text) == expected)
    }

    @Test(
        arguments: [
            // §2.2.2: the most octets, and of equally many allow.
            ("disallow: /x/page.html\nallow: /x/", "/x/page.html", false),
            ("allow: /x/page.html\ndisallow: /x/", "/x/page.html", true),
            ("allow: /x/page.html\ndisallow: /x/", "/x/", false), ("disallow:\nallow:", "/x", true),
            ("disallow: /\nallow: /", "/x", true), ("disallow: /x\nallow: /x/", "/x", false),
            ("disallow: /x\nallow: /x/", "/x/", true), ("allow: /page\ndisallow: /*.html", "/page.html", false),
            ("allow: /x/page.\ndisallow: /*.html", "/x/page.html", true), ("allow: /p\ndisallow: /", "/page", true),
            ("allow: /folder\ndisallow: /folder", "/folder/page", true),
            ("allow: /page\ndisallow: /*.htm", "/page.htm", false), ("allow: /$\ndisallow: /", "/", true),
            ("allow: /$\ndisallow: /", "/page.htm", false), ("disallow: /x/", "/X/", true),
            ("allow: /robots\ndisallow: /", "/robots.txt", true), ("disallow: /robots.txt", "/robots.txt", true),
            ("disallow: /", "/robots.txt?a", true), ("disallow: /", "/robots.txt/a", false),
            // §2.2.2: percent-encoding, and the table there.
            ("disallow: /foo/bar?baz=quz", "/foo/bar?baz=quz", false),
            ("disallow: /foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", false),
            ("disallow: /foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar", false),
            ("disallow: /foo/bar?baz=https%3a%2f%2Ffoo.bar", "/foo/bar?baz=https%3A%2F%2ffoo.bar", false),
            ("disallow: /*=https%3A%2F%2Ffoo", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", false),
            ("disallow: /*=https://foo", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", false),
            ("disallow: /a?b%26c", "/a?b&c", true), ("disallow: /a?b&c", "/a?b%26c", true),
            ("disallow: /foo/bar/ツ", "/foo/bar/%E3%83%84", false), ("disallow: /foo/bar/ツ", "/foo/bar/ツ", false),
            ("disallow: /foo/bar/%E3%83%84", "/foo/bar/%e3%83%84", false),
            ("disallow: /foo/bar/%62%61%7A", "/foo/bar/baz", false),
            ("disallow: /foo/bar/baz", "/foo/bar/%62%61%7A", false),
            ("disallow: /a%2Fb", "/a/b", true), ("disallow: /a/b", "/a%2Fb", true), ("disallow: /a%3Db", "/a=b", true),
            ("disallow: /a%3cd.html", "/a%3Cd.html", false), ("disallow: /a%zz", "/a%zz", false),
            ("disallow: /a b", "/a%20b", false), ("disallow: /~joe/", "/%7Ejoe/", false),
            ("disallow: /a|b", "/a|b", false),
            // §2.2.3: special characters, and the same escaped.
            ("disallow: /path/file-with-a-%2A.html", "/path/file-with-a-*.html", false),
            ("disallow: /path/file-with-a-%2A.html", "/path/file-with-a-x.html", true),
            ("disallow: /path/file-with-a-*.html", "/path/file-with-a-*.html", false),
            ("disallow: /path/foo-%24", "/path/foo-$", false), ("disallow: /path/foo-%24", "/path/foo-$/a", false),
            ("disallow: /path/foo-$", "/path/foo-", false), ("disallow: /path/foo-$", "/path/foo-$", true),
            ("disallow: /a$b", "/a$b/c", false), ("disallow: /a$b", "/a", true), ("disallow: /a$$", "/a$", false),
            ("disallow: *", "/a", false), ("disallow: *$", "/a", false), ("disallow: $", "/a", true),
            ("disallow: /a**b", "/axxb", false), ("disallow: /*/b/*/d", "/a/b/c/d", false),
            ("disallow: /foo/bar$", "/foo/bar", false), ("disallow: /foo/bar$", "/foo/bar/", true),
            // Google's table of paths.
            ("disallow: /fish", "/fish.html?id=anything", false), ("disallow: /fish", "/?id=fish", true),
            ("disallow: /fish", "/catfish", true), ("disallow: /fish*", "/fishheads/yummy.html", false),
            ("disallow: /fish/", "/fish/?salmon", false), ("disallow: /fish/", "/fish", true),
            ("disallow: /*.php", "/folder/any.php.file.html", false),
            ("disallow: /*.php", "/index?f=filename.php/", false),
            ("disallow: /*.php", "/index?php", true), ("disallow: /*.php", "/windows.PHP", true),
            ("disallow: /*.php$", "/filename.php", false), ("disallow: /*.php$", "/filename.php?p", true),
            ("disallow: /*.php$", "/filename.php5", true), ("disallow: /*.php$", "/aaaphpaaa", true),
            ("disallow: /fish*.php", "/fishheads/catfish.php?p", false), ("disallow: /fish*.php", "/Fish.PHP", true),
        ]
    ) func `rules match as the RFC says`(lines: String, target: String, expected: Bool) throws {
        #expect(try isAllowed(target, "user-agent: foobot\n" + lines) == expected)
    }

    @Test func `a rule that is cut off at 500 KiB is ignored`() throws {
        // §2.5. Half of it would forbid everything.
        let head = "user-agent: foobot\ndisallow: /a\n"
        let tail = "disallow: /"
        let padding =
            String(repeating: "#", count: RobotsRules.byteLimit - head.utf8.count - tail.utf8.count - 1) + "\n"
        let text = head + padding + tail + "b\n"
        #expect(try isAllowed("/a", text) == false)
        #expect(try isAllowed("/b", text))
        #expect(try isAllowed("/c", text))
    }

    @Test func `a URL that a malicious robots.txt makes slow to compare is forbidden`() throws {
        let slow = "disallow: /*" + String(repeating: "a", count: 4000) + "b\n"
        let text = "user-agent: foobot\nallow: /x$\n" + String(repeating: slow, count: 120)
        #expect(try isAllowed("/x", text))
        #expect(try isAllowed("/" + String(repeating: "a", count: 8000), text) == false)
    }

    @Test func `long files of plain rules are compared to the end`() throws {
        let lines = (0..<20_000).map { "disallow: /folder/\($0)/\n" }.joined()
        #expect(try isAllowed("/folder/19999/a", "user-agent: foobot\n" + lines) == false)
        #expect(try isAllowed("/folder/20000/a", "user-agent: foobot\n" + lines))
    }

    @Test(
        arguments: [
            ("crawl-delay: 2\ncrawl-delay: 1", 2000), ("crawl-delay: .5", 500), ("crawl-delay: 1.25 # s", 1250),
            ("crawl-delay: 0", 0), ("crawl-delay: inf", nil), ("crawl-delay:", nil), ("crawl-delay: 2s", nil),
            ("disallow: /\ncrawl-delay: 3", 3000), ("user-agent: x\ncrawl-delay: 3", 3000),
            ("disallow: /\nuser-agent: x\ncrawl-delay: 3", nil),
        ] as [(String, Int?)]
    ) func `a crawl delay belongs to its group`(lines: String, expected: Int?) {
        let rules = RobotsRules(parsing: Array("user-agent: foobot\n\(lines)".utf8), productToken: "FooBot")
        #expect(rules.crawlDelay == expected)
    }

    @Test func `a token with more than letters is cut off as in the file`() throws {
        #expect(try isAllowed("/a", "user-agent: foobot\ndisallow: /", token: "FooBot/1.0") == false)
        #expect(try isAllowed("/a", "user-agent: my2bot\ndisallow: /", token: "my2bot") == false)
        #expect(try isAllowed("/a", "user-agent: \ndisallow: /", token: "7"))
    }

    @Test func `no more sitemaps are kept than allowed`() {
        let text = String(repeating: "sitemap: /s\n", count: RobotsRules.sitemapLimit + 5) + "sitemap:\n"
        let rules = RobotsRules(parsing: Array(text.utf8), productToken: "foobot")
        #expect(rules.sitemaps.count == RobotsRules.sitemapLimit)
        #expect(rules.sitemaps.first == "/s")
    }
}
