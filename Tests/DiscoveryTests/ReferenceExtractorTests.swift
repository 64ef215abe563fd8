import Testing
import URLStandard

@testable import Discovery

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

    @Test func `what isn't asked for over HTTP is listed or left out`() throws {
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

    @Test func `a style sheet's addresses are relative to the style sheet`() throws {
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

    @Test func `what the document says of itself is passed on`() throws {
        let result = try found(Array("<meta name=robots content=noindex,nofollow>".utf8))
        #expect(result.isNofollow && result.isNoindex && !result.isTruncated)
    }
}
