import AFCURL
import Testing

@testable import AFCDiscovery

struct ReferenceExtractorTests {
    private func found(
        _ bytes: [UInt8],
        _ type: String = "text/html",
        _ charset: String? = "utf-8",
        _ url: String = "http://docs.example/a/b.html?q"
    ) throws -> DiscoveredReferences {
        ReferenceExtractor.references(in: bytes, mediaType: type, charset: charset, url: try WebURL(url))
    }

    private func urls(_ text: String, _ type: String = "text/html") throws -> [String] {
        try found(Array(text.utf8), type).references.map(\.url.description)
    }

    @Test(arguments: [
        ("<a href=c>", "http://docs.example/a/c"), ("<a href=/c#d>", "http://docs.example/c"),
        ("<a href='\tc\n d '>", "http://docs.example/a/c%20d"), ("<a href='\\c'>", "http://docs.example/c"),
        ("<a href=//h.example>", "http://h.example/"), ("<a href='?é'>", "http://docs.example/a/b.html?%C3%A9"),
        ("<a href=''>", "http://docs.example/a/b.html?q"), ("<a href='#x'>", "http://docs.example/a/b.html?q"),
        ("<base href=/x/><a href=c>", "http://docs.example/x/c"),
        ("<a href=c><base href=../x/>", "http://docs.example/x/c"),
        ("<base href=//[><a href=c>", "http://docs.example/a/c"),
        ("<base href=data:,x><a href=c>", "http://docs.example/a/c"),
        ("<base href=/x/><iframe srcdoc='<base href=y/><img src=c>'>", "http://docs.example/x/y/c"),
        ("<base href=/x/><iframe srcdoc='<img src=c>'>", "http://docs.example/x/c"),
        (
            "<iframe srcdoc='<base href=y/><iframe srcdoc=&quot;&lt;base href=z/>&lt;img src=c>&quot;>'>",
            "http://docs.example/a/y/z/c"
        ),
        ("<p style='a:url(c)'>", "http://docs.example/a/c"),
    ])
    func `references are resolved as the document has it`(markup: String, expected: String) throws {
        #expect(try urls(markup) == [expected])
    }

    /// What Chromium 156 asks for: it makes most URLs where their elements stand, and those of links, icons, web app manifests
    /// and `background` once the page is read.
    @Test(arguments: [
        ("<img src=c>", "a/c"), ("<img srcset='c 1x'>", "a/c"), ("<img loading=lazy src=c>", "a/c"),
        ("<picture><source srcset=c></picture>", "a/c"), ("<iframe src=c></iframe>", "a/c"),
        ("<iframe srcdoc='<img src=c>'></iframe>", "a/c"), ("<iframe srcdoc='<a href=c>'></iframe>", "a/c"),
        ("<video poster=c></video>", "a/c"), ("<object data=c></object>", "a/c"), ("<input type=image src=c>", "a/c"),
        ("<svg><image href=c /></svg>", "a/c"), ("<svg><use href=c#d /></svg>", "a/c"),
        ("<script src=c></script>", "a/c"), ("<script type=module>import './c'</script>", "a/c"),
        ("<script>import('./c')</script>", "a/c"), ("<link rel=stylesheet href=c>", "a/c"),
        ("<link rel=preload as=image href=c>", "a/c"), ("<link rel=modulepreload href=c>", "a/c"),
        ("<link rel=prefetch href=c>", "a/c"), ("<style>p{background:url(c)}</style>", "a/c"),
        ("<p style='background:url(c)'>", "a/c"), ("<meta http-equiv=refresh content='9;url=c'>", "a/c"),
        ("<script type=importmap>{\"imports\":{\"m\":\"./c\"}}</script>", "a/c"),
        ("<a href=c>", "x/c"), ("<area href=c>", "x/c"), ("<svg><a href=c></a></svg>", "x/c"),
        ("<link rel=next href=c>", "x/c"), ("<link rel=icon href=c>", "x/c"), ("<link rel=manifest href=c>", "x/c"),
        ("<table background=c><tr><td>d</table>", "x/c"),
        ("<iframe srcdoc='<base href=y/><img src=c>'></iframe>", "a/y/c"),
        ("<iframe srcdoc='<img src=c><base href=y/>'></iframe>", "a/c"),
    ])
    func `a base applies to earlier references only where a browser waits for it`(markup: String, expected: String)
        throws
    {
        #expect(try urls(markup + "<base href=/x/><base href=/y/>") == ["http://docs.example/" + expected])
    }

    @Test func `a base applies to everything after it`() throws {
        let map = "<script type=importmap>{\"imports\":{\"m\":\"./m.js\",\"n\":\"/n.js\"}}</script>"
        let markup =
            map + "<img src=a><base href=/x/><img src=b><script type=module>import 'm'; import './c.js'</script>"
        #expect(
            try urls(markup)
                == ["a/m.js", "n.js", "a/a", "x/b", "a/m.js", "x/c.js"].map { "http://docs.example/" + $0 }
        )
    }

    @Test func `with scripts enabled, a base within noscript is ignored`() throws {
        let markup = "<noscript><base href=/x/><img src=a></noscript><img src=b><a href=c></a>"
        #expect(try urls(markup) == ["a", "b", "c"].map { "http://docs.example/a/" + $0 })
        #expect(try urls("<noscript></noscript><base href=/x/><a href=c>") == ["http://docs.example/x/c"])
    }

    /// From Chromium 156: a style sheet's queries are in its encoding, those of an attribute, of `srcdoc` and of what is
    /// imported are in UTF-8.
    @Test func `queries of parts of a page have their own encoding`() throws {
        func found(_ markup: String, _ type: String = "text/html") throws -> [String] {
            let page = ReferenceExtractor.references(
                in: Array(markup.utf8.map { $0 == UInt8(ascii: "*") ? 0xE9 : $0 }),
                mediaType: type,
                charset: "windows-1251",
                url: try WebURL("http://docs.example/")
            )
            return page.references.map { String($0.url.description.dropFirst(20)) }
        }
        #expect(try found("<a href='?*'>") == ["?%E9"])
        #expect(try found("<style>p{a:url('?*')}</style>") == ["?%E9"])
        #expect(try found("<style>@import '?*'</style>") == ["?%D0%B9"])
        #expect(try found("<p style='a:url(?*)'>") == ["?%D0%B9"])
        #expect(try found("<iframe srcdoc='<img src=?*>'></iframe>") == ["?%D0%B9"])
        #expect(try found("@import '?*'; p{a:url('?*')}", "text/css") == ["?%D0%B9", "?%E9"])
        #expect(try found("<svg><image href='?*'/></svg>", "image/svg+xml") == ["?%E9"])
        #expect(try found("<a href='?* \t'>") == ["?%E9"])
    }

    @Test func `references that aren't http or https are listed or ignored`() throws {
        let markup =
            "<a href=ftp://h.example/x><a href=http://[><a href=mailto:a@b.example><a href=&#100;ata:,x><a href=ok>"
        let result = try found(Array(markup.utf8))
        #expect(result.references.map(\.url.description) == ["http://docs.example/a/ok"])
        #expect(result.unresolved.map(\.reference.text) == ["ftp://h.example/x", "http://["])
        #expect(result.unresolved.first?.reason == .notHTTP)
    }

    @Test(arguments: [
        ("text/html; charset=x", "<img src=c>", 1), ("TEXT/HTML", "<img src=c>", 1),
        ("application/xhtml+xml", "<img src='c'/>", 1),
        ("image/svg+xml", "<image href='c'/>", 1), ("text/css", "a{b:url(c)}", 1), ("text/plain", "<img src=c>", 0),
        ("text/javascript; charset=utf-8", "import './c'", 1), ("application/json", "{}", 0),
        ("", "<p ><img src=c>", 1), ("application/manifest+json", "{\"start_url\":\"c\"}", 1),
        ("application/rss+xml", "<rss><link>c</link></rss>", 1), ("image/png", "<img src=c>", 0),
    ])
    func `the media type decides how a body is read`(type: String, text: String, count: Int) throws {
        #expect(try urls(text, type).count == count)
        #expect(ReferenceExtractor.isSearched(mediaType: type) == (count > 0))
    }

    /// MIME Sniffing §7.1; what a type says isn't doubted.
    @Test(arguments: [
        ("", "<!DOCTYPE html><img src=c>", 1), ("", " \n<HTML><img src=c>", 1), ("*/*", "<p ><img src=c>", 1),
        ("unknown/unknown", "<!--x--><img src=c>", 1), ("application/unknown", "<a href=c>", 1),
        ("html", "<b><a href=c>", 1),
        ("", "\u{FEFF}<?xml version='1.0'?><svg><image href='c'/></svg>", 1),
        ("", "<urlset><url><loc>c</loc></url></urlset>", 0),
        ("", "x<html><img src=c>", 0), ("", "<pre><img src=c>", 0), ("", "<svg><image href=c /></svg>", 0), ("", "", 0),
        ("text/plain", "<!DOCTYPE html><img src=c>", 0), ("application/octet-stream", "<html><img src=c>", 0),
    ])
    func `a resource without a type is sniffed`(type: String, text: String, count: Int) throws {
        #expect(try urls(text, type).count == count)
    }

    @Test(arguments: [
        ("", "a{b:url(c)}", Destination.style, 1), ("text/plain", "a{b:url(c)}", .style, 1),
        ("text/html", "a{b:url(c)}", .style, 0),
        ("text/css", "a{b:url(c)}", .image, 0), ("text/css", "a{b:url(c)}", .other, 1),
        ("", "a{b:url(c)}", .other, 0),
        ("text/javascript", "import './c'", .module, 1), ("text/javascript", "import './c'", .script, 0),
        ("text/javascript", "import('./c')", .script, 1), ("text/plain", "import('./c')", .script, 1),
        ("application/json", "import('./c')", .script, 1), ("image/png", "import('./c')", .script, 0),
        ("text/csv", "import('./c')", .script, 0), ("text/plain", "import './c'", .module, 0),
        ("", "import './c'", .module, 0),
        ("image/svg+xml", "<image href='c'/>", .image, 1), ("text/javascript", "import './c'", .font, 0),
        ("", "<p><img src=c>", .document, 1), ("", "<p><img src=c>", .other, 1),
    ])
    func `the destination decides if the type is ambiguous`(
        type: String,
        text: String,
        destination: Destination,
        count: Int
    ) throws {
        let url = try WebURL("http://docs.example/a/")
        let bytes = Array(text.utf8)
        let found = ReferenceExtractor.references(
            in: bytes,
            mediaType: type,
            charset: nil,
            url: url,
            destination: destination
        )
        #expect(found.references.count == count)
        if count > 0 { #expect(ReferenceExtractor.isSearched(mediaType: type, destination: destination)) }
    }

    /// A page that answers a request for something else isn't searched; feeds and sitemaps: MIME Sniffing §7.3.
    @Test(arguments: [
        ("text/html", "<img src=c>", Destination.document, 1, false), ("text/html", "<img src=c>", .feed, 1, false),
        ("text/html", "<img src=c>", .image, 0, true), ("text/html", "<img src=c>", .font, 0, true),
        ("text/html", "<img src=c>", .media, 0, true), ("text/html", "<img src=c>", .style, 0, true),
        ("text/html", "<img src=c>", .module, 0, true), ("text/html", "<img src=c>", .script, 0, true),
        ("text/html", "\n<!doctype html><img src=c>", .script, 0, true),
        ("text/html", "import('./c')", .script, 1, false), ("text/html", "import('./c')", .module, 0, true),
        ("text/html", "<!-- hidden\nimport('./c')\n// -->", .script, 1, false),
        ("text/html", "<!-- a comment -->\n<html><img src=c>", .script, 0, true),
        ("text/html", "<urlset><url><loc>c</loc></url></urlset>", .script, 0, true),
        ("text/html", "<rss><channel><link>c</link></channel></rss>", .script, 0, true),
        ("text/html", "<img src=c>", .manifest, 0, true), ("text/html", "{\"start_url\":\"c\"}", .manifest, 0, true),
        ("text/html", "<img src=c>", .other, 1, false), ("text/html", "<!DOCTYPE html><img src=c>", .other, 0, true),
        ("application/xhtml+xml", "<html><img src='c'/></html>", .image, 0, true),
        ("", "<html ><img src=c>", .image, 0, true), ("", "<html ><img src=c>", .document, 1, false),
        ("", "<?xml version='1.0'?><svg><image href='c'/></svg>", .image, 1, false),
        ("text/html", "<urlset><url><loc>c</loc></url></urlset>", .sitemap, 1, false),
        ("text/html", "<?xml version='1.0'?><!-- x --><sitemapindex><sitemap><loc>c</loc>", .sitemap, 1, false),
        ("text/html", "http://docs.example/a/c\n", .sitemap, 1, false),
        ("text/html", "<!DOCTYPE html><a href=c>", .sitemap, 0, true),
        ("text/html", "<urlset><url><loc>c</loc></url></urlset>", .document, 0, false),
        ("text/html", "<?xml version='1.0'?><rss><channel><link>c</link></channel></rss>", .feed, 1, false),
        ("text/html", "<feed><entry><link href='c'/></entry></feed>", .document, 1, false),
        ("text/html", "<p>&lt;rss><link>c</link>", .feed, 0, false),
    ])
    func `a page is searched only where browsers show it as one`(
        type: String,
        text: String,
        destination: Destination,
        count: Int,
        isMisplaced: Bool
    ) throws {
        let found = ReferenceExtractor.references(
            in: Array(text.utf8),
            mediaType: type,
            charset: nil,
            url: try WebURL("http://docs.example/a/"),
            destination: destination
        )
        #expect(found.references.count == count)
        #expect(found.isMisplacedPage == isMisplaced)
        if count > 0 { #expect(ReferenceExtractor.isSearched(mediaType: type, destination: destination)) }
    }

    /// HTML §8.1.6.2.
    @Test(arguments: [
        ("{\"imports\":{\"x\":\"./m.js\"}}", "x", ["m.js", "m.js"]),
        ("{\"imports\":{\"x/\":\"/m/\"}}", "x/y.js", ["/m/y.js"]),
        ("{\"imports\":{\"x/\":\"/m/\",\"x/y/\":\"/n/\"}}", "x/y/z.js", ["/n/z.js"]),
        ("{\"imports\":{\"./x.js\":\"/m.js\"}}", "/a/x.js", ["/m.js", "/m.js"]),
        ("{\"imports\":{\"x\":\"/m.js\"},\"scopes\":{\"/a/\":{\"x\":\"/n.js\"}}}", "x", ["/m.js", "/n.js", "/n.js"]),
        ("{\"imports\":{\"x\":\"/m.js\"},\"scopes\":{\"/b/\":{\"x\":\"/n.js\"}}}", "x", ["/m.js", "/n.js", "/m.js"]),
        ("{\"imports\":{\"x\":\"m.js\"}}", "x", []), ("{\"imports\":{\"x\":null}}", "x", []),
        ("{\"imports\":{\"y\":\"./m.js\"}}", "x", ["m.js"]), ("{\"imports\":[\"./m.js\"]}", "x", []),
        ("{\"x\":\"./m.js\"}", "x", []), ("{", "./x", ["x"]), ("{}", "x", []), ("{}", "http://docs.example/a/x", ["x"]),
    ])
    func `specifiers are resolved by the page's import map`(map: String, specifier: String, expected: [String]) throws {
        let markup = "<script type=importmap>\(map)</script><script type=module>import '\(specifier)'</script>"
        let expected = expected.map { "http://docs.example" + ($0.hasPrefix("/") ? $0 : "/a/" + $0) }
        #expect(try urls(markup) == expected)
    }

    @Test func `a long base doesn't multiply a document's size`() throws {
        let long = String(repeating: "x", count: 9000)
        #expect(try urls("<base href='/\(long)/'><a href=c>") == ["http://docs.example/a/c"])
        let links = (0..<100).map { "<a href=\($0)>" }.joined()
        let markup = "<base href='/\(long.prefix(8000))/'>" + links
        var limits = DiscoveryLimits()
        limits.urlBytes = 100_000
        let result = ReferenceExtractor.references(
            in: Array(markup.utf8),
            mediaType: "text/html",
            charset: nil,
            url: try WebURL("http://docs.example/"),
            limits: limits
        )
        #expect(result.references.count == 12 && result.isTruncated)
    }

    @Test(arguments: [(10, []), (11, [.references])] as [(Int, Set<DiscoveryCut>)])
    func `more different references than the limit are cut off`(count: Int, cuts: Set<DiscoveryCut>) throws {
        var limits = DiscoveryLimits()
        limits.references = 10
        // One that comes again takes no place.
        let links = (0..<count).map { "<a href=\($0)><a href=0>" }.joined()
        let result = ReferenceExtractor.references(
            in: Array(links.utf8),
            mediaType: "text/html",
            charset: nil,
            url: try WebURL("http://docs.example/"),
            limits: limits
        )
        #expect(result.references.count == 10)
        #expect(Set(result.cuts) == cuts)
    }

    @Test func `a scope's name isn't stored for each of its entries`() throws {
        let scope = String(repeating: "x", count: 60_000)
        let entries = (0..<5000).map { "\"\($0)\":\"/m\($0)\"" }.joined(separator: ",")
        let map = "<script type=importmap>{\"scopes\":{\"\(scope)\":{\(entries)}}}</script>"
        #expect(try urls(map).count == 5000)
        let result = references(map)
        #expect(result.importMap.scopes.count == 1 && result.importMap.entries.count == 5000)
    }

    @Test func `a style sheet's URLs are relative to the style sheet`() throws {
        #expect(
            try urls("@import 'x.css';a{b:url(../c)}", "text/css") == [
                "http://docs.example/a/x.css", "http://docs.example/c",
            ]
        )
    }

    @Test func `in a legacy encoding a query keeps the document's bytes and a path doesn't`() throws {
        // é in windows-1252, and two bytes of Shift_JIS.
        let latin = try found(
            Array("<a href='/".utf8) + [0xE9] + Array("?".utf8) + [0xE9] + Array("'>".utf8),
            "text/html",
            "latin1"
        )
        #expect(latin.references.map(\.url.description) == ["http://docs.example/%C3%A9?%E9"])
        let japanese = try found(Array("<a href='?".utf8) + [0x93, 0xFA] + Array("'>".utf8), "text/html", "shift_jis")
        #expect(japanese.references.map(\.url.query) == ["%93%FA"])
        let other = try found(Array("<a href='?&#1078;'>".utf8), "text/html", "latin1")
        #expect(other.references.map(\.url.query) == ["%26%231078%3B"])
        let style = try found(Array("<p style='a:url(?".utf8) + [0xE9] + Array(")'>".utf8), "text/html", "latin1")
        #expect(style.references.map(\.url.query) == ["%C3%A9"])
    }

    @Test func `a meta element beyond the prescan still counts`() throws {
        let padding = String(repeating: " ", count: 2000)
        let result = try found(Array("\(padding)<meta charset=utf-8><a href='/é'>".utf8), "text/html", nil)
        #expect(result.encoding == .utf8)
        #expect(result.references.map(\.url.path) == ["/%C3%A9"])
    }

    @Test func `UTF-16 is read`() throws {
        let bytes = "<a href='/é?é'>".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let result = try found([0xFF, 0xFE] + bytes, "text/html", nil)
        #expect(result.references.map(\.url.description) == ["http://docs.example/%C3%A9?%C3%A9"])
    }

    @Test func `what the document says about itself is passed on`() throws {
        let result = try found(Array("<meta name=robots content=noindex,nofollow>".utf8))
        #expect(result.isNofollow && result.isNoindex && !result.isTruncated)
    }
}
