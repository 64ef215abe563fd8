import AFCURL
import Testing

@testable import AFCPackageFormat

/// The list of URLs that a site doesn't have, `.afcache/absent`.
struct AbsentURLsTests {
    private static func entry(_ url: String, _ status: Int = 404) throws -> AbsentURLs.Entry {
        try #require(AbsentURLs.Entry(try WebURL(url), status: status))
    }

    @Test func `entries are written sorted, each once, and read again`() throws {
        let entries = try [
            Self.entry("http://d.example/b"), Self.entry("http://d.example/a", 410),
            Self.entry("http://d.example/b", 410),
            Self.entry("http://c.example/z?q=%20#f"),
        ]
        let absent = AbsentURLs(entries)
        let text = "404 http://c.example/z?q=%20\n410 http://d.example/a\n404 http://d.example/b\n"
        #expect(String(decoding: absent.bytes, as: UTF8.self) == text)
        #expect(try AbsentURLs(absent.bytes) == absent)
        #expect(
            absent.entries.map(\.url.description) == [
                "http://c.example/z?q=%20", "http://d.example/a", "http://d.example/b",
            ]
        )
        #expect(absent.entries.map(\.status) == [404, 410, 404])
        #expect(Array(absent.filter { $0.host == "c.example" }.entries) == [entries[3]])
    }

    @Test func `each URL is found, and no other`() throws {
        for count in [0, 1, 2, 3, 7, 100] {
            let absent = AbsentURLs(
                try (0..<count).map { try Self.entry("http://d.example/\($0)", $0.isMultiple(of: 3) ? 410 : 404) }
            )
            for number in 0..<count {
                #expect(absent.status(of: "http://d.example/\(number)") == (number.isMultiple(of: 3) ? 410 : 404))
                #expect(absent.status(of: "http://d.example/\(number)x") == nil)
            }
            for other in ["", "http://d.example/", "http://e.example/0", "a", "http://d.example/\(count)", "\n"] {
                #expect(absent.status(of: other) == nil)
            }
        }
    }

    @Test(arguments: [
        (200, "http://d.example/"), (403, "http://d.example/"), (404, "afcpkg://localhost/"),
        (404, "http://a:b@d.example/"),
    ])
    func `other statuses and other URLs are no entries`(_ status: Int, _ url: String) throws {
        #expect(AbsentURLs.Entry(try WebURL(url), status: status) == nil)
    }

    @Test(
        arguments: [
            ("404 http://d.example/a", "the last line has no end"), ("hello\n", "line 1 isn't"), ("\n", "line 1 isn't"),
            ("404 http://d.example/a\n\n", "line 2 isn't"), ("404  http://d.example/a\n", "line 1 isn't"),
            ("404 http://d.example/a\r\n", "line 1 isn't"), ("200 http://d.example/a\n", "line 1 isn't"),
            ("404 HTTP://d.example/a\n", "line 1 isn't"), ("404 http://d.example\n", "line 1 isn't"),
            ("404 http://d.example/a#f\n", "line 1 isn't"), ("404 file:///etc/passwd\n", "line 1 isn't"),
            ("404 http://u:p@d.example/\n", "line 1 isn't"), ("404 /a\n", "line 1 isn't"),
            ("404 http://d.example/b\n404 http://d.example/a\n", "line 2 isn't sorted"),
            ("404 http://d.example/a\n410 http://d.example/a\n", "line 2 isn't sorted"),
            ("404 http://d.example/\u{0}\n", "line 1 isn't"),
            ("404 http://d.example/" + String(repeating: "a", count: 8 << 10) + "\n", "line 1 isn't"),
        ]
    )
    func `a malformed list is refused with its line`(_ text: String, _ reason: String) throws {
        let error = #expect(throws: AbsentURLs.Malformation.self) { try AbsentURLs(Array(text.utf8)) }
        #expect(error?.reason.hasPrefix(reason) == true, "\(error?.reason ?? "")")
    }

    @Test func `a list has at most 65,536 lines, and a longer one is cut by its writer`() throws {
        let entries = try (0...AbsentURLs.countLimit).map { try Self.entry("http://d.example/\(1_000_000 + $0)") }
        let absent = AbsentURLs(entries)
        #expect(absent.entries.map(\.url).last?.path == "/1065535")
        let text = absent.bytes + Array("404 http://d.example/2\n".utf8)
        #expect(throws: AbsentURLs.Malformation(reason: "there are more than 65536 lines")) { try AbsentURLs(text) }
        let long = String(repeating: "a", count: 8000)
        let large = AbsentURLs(try (0..<1000).map { try Self.entry("http://d.example/\(long)\($0)") })
        #expect(large.bytes.count <= 4 << 20 && large.bytes.count > 4 << 20 - 9000)
    }

    @Test func `bytes that aren't a list find nothing, or what their lines say`() {
        for text in [
            "\n\n\n", "404", "404 ", "xxx http://d.example/a\n", "405 http://d.example/a\n", "404 http://d.example/a",
        ] {
            let absent = AbsentURLs(unchecked: Array(text.utf8))
            let found = absent.status(of: "http://d.example/a")
            #expect(found == (text.hasPrefix("404 http") ? 404 : nil), "\(text)")
            #expect(absent.status(of: "") == nil || text.hasPrefix("404 "))
        }
    }
}
