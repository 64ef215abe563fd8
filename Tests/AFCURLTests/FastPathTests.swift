import AFCURL
import Testing

/// The short cuts for URLs in normal form and for plain references give what the whole parser gives.
///
/// ``WebURL/parseWithFragment(_:base:)`` takes none of them.
struct FastPathTests {
    private static let parts = [
        "/", "//", ".", "..", "./", "../", "a", "b.html", ".a", "..b", "%2e", "%2E.", "%20", "%", "a:b", ":", "?",
        "?q='",
        "#f", " ", "\\", "ä", "\t", "^", "|", "'", "@", "[", ";=,", "http:", "//host.example", "\u{0}",
    ]

    private static func check(_ text: String, _ base: WebURL?) {
        let whole = Result { try WebURL.parseWithFragment(text, base: base).url }
        let short = Result { try WebURL(text, base: base) }
        let bytes = Result { try WebURL(utf8: Array(text.utf8), base: base) }
        switch (whole, short, bytes) {
        case (.success(let whole), .success(let short), .success(let bytes)):
            #expect(whole == short && whole == bytes, "\(text)")
            #expect(whole.path == short.path && whole.query == short.query && whole.host == short.host, "\(text)")
            #expect(whole.port == short.port && whole.origin == short.origin, "\(text)")
        case (.failure(let whole), .failure(let short), .failure(let bytes)):
            #expect(whole as? WebURL.ParseError == short as? WebURL.ParseError, "\(text)")
            #expect(whole as? WebURL.ParseError == bytes as? WebURL.ParseError, "\(text)")
        default:
            Issue.record("\(text) fails one way only")
        }
    }

    @Test(arguments: [
        "http://docs.example/", "https://docs.example:8443/a/b/c.html?q", "http://user:secret@docs.example/a//b/",
        "http://127.0.0.1/x/y", "file:///C:/a/b", "other://host/a/b", "other:/a/b", "mailto:someone",
    ])
    func `every reference made of such parts resolves the same`(base: String) throws {
        let base = try WebURL(base)
        for first in Self.parts {
            for second in Self.parts {
                for third in ["", "..", "/b", "%2e", "?", "#"] { Self.check(first + second + third, base) }
            }
        }
    }

    @Test(arguments: ["http", "https", "HTTP", "httpx", "ws", "file"])
    func `every absolute URL parses the same`(scheme: String) {
        let hosts = [
            "docs.example", "docs.example.", "EXAMPLE", "a..b", ".a", "a_b", "-", "", "1.2.3.4", "0x7f.1", "a.1",
            "a.1b",
            "xn--nxa.example", "xn--a", "a%62", "user@host", "a:b@c", "[::1]", "b\u{AD}",
        ]
        let ports = ["", ":", ":80", ":443", ":8080", ":08080", ":65535", ":65536", ":99999999999", ":8a"]
        for host in hosts {
            for port in ports {
                for path in ["", "/"] + Self.parts.map({ "/a/" + $0 }) {
                    Self.check(scheme + "://" + host + port + path, nil)
                }
            }
        }
    }
}
