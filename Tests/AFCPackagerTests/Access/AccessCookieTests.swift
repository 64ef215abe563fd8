import AFCCaching
import AFCHTTP
import AFCURL
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

/// RFC 6265bis, by section; expected fields by hand.
struct AccessCookieTests {
    // 2026-11-21T10:00:00Z, by `date -u -d … +%s`.
    static let now = Timestamp(secondsSinceEpoch: 1_795_255_200)

    struct Case: Sendable, CustomTestStringConvertible {
        var header: String
        var from = "https://www.news.example/a/b/c"
        var sent: [String: String?]
        var testDescription: String { header }
    }

    @Test(arguments: [
        // §5.6.4, §5.8.3: host-only, default path.
        Case(
            header: "a=1",
            sent: [
                "https://www.news.example/a/b/x": "a=1", "https://www.news.example/a/b": "a=1",
                "https://www.news.example/a/bx": nil, "https://www.news.example/a/": nil,
                "https://news.example/a/b/x": nil, "https://x.www.news.example/a/b/x": nil,
                "http://www.news.example:8080/a/b/x": "a=1",
            ]
        ),
        // §5.1.3: Domain with and without a dot, in any case, not for part of a label.
        Case(
            header: "a=1; Domain=.NEWS.example; Path=/",
            sent: [
                "https://news.example/": "a=1", "https://www.news.example/": "a=1", "https://a.b.news.example/": "a=1",
                "https://fakenews.example/": nil, "https://other.example/": nil,
            ]
        ),
        Case(header: "a=1; Domain=www.news.example; Path=/", sent: ["https://x.www.news.example/": "a=1"]),
        Case(
            header: "a=1; Domain=; Path=/",
            sent: ["https://www.news.example/": "a=1", "https://x.www.news.example/": nil]
        ),
        // §5.7: foreign domains, domains below the host, public suffixes.
        Case(
            header: "a=1; Domain=other.example; Path=/",
            sent: ["https://other.example/": nil, "https://www.news.example/": nil]
        ),
        Case(header: "a=1; Domain=x.www.news.example; Path=/", sent: ["https://x.www.news.example/": nil]),
        Case(
            header: "a=1; Domain=ws.example; Path=/",
            sent: ["https://www.news.example/": nil, "https://ws.example/": nil]
        ),
        Case(
            header: "a=1; Domain=example; Path=/",
            sent: ["https://www.news.example/": nil, "https://other.example/": nil]
        ),
        Case(
            header: "a=1; Domain=co.uk; Path=/",
            from: "https://www.news.co.uk/",
            sent: ["https://www.news.co.uk/": nil, "https://other.co.uk/": nil]
        ),
        Case(
            header: "a=1; Domain=github.io; Path=/",
            from: "https://github.io/",
            sent: ["https://github.io/": "a=1", "https://x.github.io/": nil]
        ),
        Case(
            header: "a=1; Domain=localhost; Path=/",
            from: "https://localhost/",
            sent: ["https://localhost/": "a=1", "https://x.localhost/": nil]
        ),
        // §5.1.3: addresses are below nothing.
        Case(
            header: "a=1; Domain=0.0.1; Path=/",
            from: "http://127.0.0.1/",
            sent: ["http://127.0.0.1/": nil, "http://126.0.0.1/": nil]
        ),
        Case(header: "a=1; Domain=127.0.0.1; Path=/", from: "http://127.0.0.1/", sent: ["http://127.0.0.1/": "a=1"]),
        Case(header: "a=1; Path=/", from: "http://[::1]/", sent: ["http://[::1]/": "a=1", "http://[::2]/": nil]),
        // §5.1.4, §5.6.5: Path, the last one, and one that doesn't begin with a slash.
        Case(
            header: "a=1; Path=/x; Path=/a",
            sent: ["https://www.news.example/a": "a=1", "https://www.news.example/x": nil]
        ),
        Case(
            header: "a=1; Path=/a/",
            sent: ["https://www.news.example/a/z": "a=1", "https://www.news.example/a": nil]
        ),
        Case(header: "a=1; Path=a", sent: ["https://www.news.example/a/b/": "a=1", "https://www.news.example/": nil]),
        // §5.6.6, §5.7: Secure, and who may set it.
        Case(
            header: "a=1; Secure; Path=/",
            sent: ["https://www.news.example/": "a=1", "http://www.news.example/": nil]
        ),
        Case(header: "a=1; secure; Path=/", from: "http://www.news.example/", sent: ["https://www.news.example/": nil]),
        Case(header: "a=1; SameSite=None; Path=/", sent: ["https://www.news.example/": nil]),
        Case(header: "a=1; SameSite=None; Secure; Path=/", sent: ["https://www.news.example/": "a=1"]),
        Case(header: "a=1; SameSite=Strict; HttpOnly; Path=/", sent: ["https://www.news.example/": "a=1"]),
        // §5.7 22–24: prefixes, also without a name, in any case.
        Case(header: "__Secure-a=1; Path=/", sent: ["https://www.news.example/": nil]),
        Case(header: "__Secure-a=1; Path=/; Secure", sent: ["https://www.news.example/": "__Secure-a=1"]),
        Case(header: "__host-a=1; Path=/; Secure", sent: ["https://www.news.example/": "__host-a=1"]),
        Case(header: "__Host-a=1; Secure", from: "https://www.news.example/", sent: ["https://www.news.example/": nil]),
        Case(header: "__Host-a=1; Path=/", sent: ["https://www.news.example/": nil]),
        Case(header: "__Host-a=1; Path=/; Secure; Domain=news.example", sent: ["https://www.news.example/": nil]),
        Case(header: "=__Host-a=1; Path=/; Secure", sent: ["https://www.news.example/": nil]),
        // §5.6: names and values.
        Case(header: "  a b = c d ; Path=/", sent: ["https://www.news.example/": "a b=c d"]),
        Case(header: "only; Path=/", sent: ["https://www.news.example/": "only"]),
        Case(header: "=x=y; Path=/", sent: ["https://www.news.example/": "x=y"]),
        Case(header: "a=\"q\"=; Path=/", sent: ["https://www.news.example/": "a=\"q\"="]),
        Case(header: "a=; Path=/", sent: ["https://www.news.example/": "a="]),
        Case(header: "=; Path=/", sent: ["https://www.news.example/": nil]),
        Case(header: "", sent: ["https://www.news.example/": nil]),
        Case(header: "a=1\u{0}; Path=/", sent: ["https://www.news.example/": nil]),
        Case(header: "a=1\r\nX: y; Path=/", sent: ["https://www.news.example/": nil]),
        Case(
            header: "a=\(String(repeating: "x", count: 4095)); Path=/",
            sent: ["https://www.news.example/": "a=\(String(repeating: "x", count: 4095))"]
        ),
        Case(header: "a=\(String(repeating: "x", count: 4096)); Path=/", sent: ["https://www.news.example/": nil]),
        Case(
            header: "a=1; Path=/\(String(repeating: "x", count: 1024)); Path=",
            sent: ["https://www.news.example/a/b/": "a=1"]
        ),
        // §5.6.1, §5.6.2: Max-Age wins, and what is no number doesn't count.
        Case(header: "a=1; Max-Age=0; Path=/", sent: ["https://www.news.example/": nil]),
        Case(header: "a=1; Max-Age=-5; Path=/", sent: ["https://www.news.example/": nil]),
        Case(header: "a=1; Max-Age=x; Path=/", sent: ["https://www.news.example/": "a=1"]),
        Case(header: "a=1; Max-Age=99999999999999999999; Path=/", sent: ["https://www.news.example/": "a=1"]),
        Case(
            header: "a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/",
            sent: ["https://www.news.example/": "a=1"]
        ),
        Case(header: "a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/", sent: ["https://www.news.example/": nil]),
        Case(header: "a=1; Expires=soon; Path=/", sent: ["https://www.news.example/": "a=1"]),
    ])
    func `a cookie is sent where it belongs, and nowhere else`(one: Case) throws {
        var store = CookieStore()
        store.take([one.header], from: try WebURL(one.from), now: Self.now)
        for (url, field) in one.sent {
            #expect(store.field(for: try WebURL(url), now: Self.now) == field, "\(url)")
        }
    }

    /// §5.1.1; expected values by `date -u -d … +%s`.
    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("6 november 94 8:49:37", 784_111_777),
            ("1994/Nov/06 08:49:37 x", 784_111_777), ("08:49:37abc 6x Nov99 1994z", 784_111_777),
            ("Wed, 09-Jun-2027 10:18:14 GMT", 1_812_536_294), ("01 Jan 69 00:00:00", 3_124_224_000),
            ("01 Jan 70 00:00:00", 0), ("29 Feb 2028 00:00:00", 1_835_395_200), ("29 Feb 2027 00:00:00", nil),
            ("31 Apr 2027 00:00:00", nil), ("00 Jan 2027 00:00:00", nil), ("01 Jan 2027 24:00:00", nil),
            ("01 Jan 2027 00:60:00", nil), ("01 Jan 2027", nil), ("01 Jan 1600 00:00:00", nil), ("", nil),
            ("Jan 2027 00:00:00", nil), ("001 Jan 2027 00:00:00", nil), ("01 Jan 20270 00:00:00", nil),
        ] as [(String, Int64?)]
    )
    func `dates are read whatever the order of their parts`(text: String, seconds: Int64?) {
        #expect(CookieDate.parse(text)?.secondsSinceEpoch == seconds)
    }

    @Test func `a cookie expires when it says, but after at most 400 days`() throws {
        let url = try WebURL("https://news.example/")
        var store = CookieStore()
        let fields = ["a=1; Max-Age=60", "b=2; Max-Age=99999999", "c=3; Expires=Fri, 31 Dec 2100 00:00:00 GMT", "d=4"]
        store.take(fields, from: url, now: Self.now)
        #expect(store.field(for: url, now: Self.now + 59) == "a=1; b=2; c=3; d=4")
        #expect(store.field(for: url, now: Self.now + 60) == "b=2; c=3; d=4")
        #expect(store.field(for: url, now: Self.now + 400 * 86_400 - 1) == "b=2; c=3; d=4")
        #expect(store.field(for: url, now: Self.now + 400 * 86_400) == "d=4")
    }

    @Test func `longer paths come first, then older cookies, and a new value keeps its place`() throws {
        let url = try WebURL("https://news.example/a/b/c")
        var store = CookieStore()
        for field in ["a=1; Path=/", "b=2; Path=/a", "c=3; Path=/", "d=4; Path=/a/b", "a=5; Path=/"] {
            store.take([field], from: url, now: Self.now)
        }
        #expect(store.field(for: url, now: Self.now) == "d=4; b=2; a=5; c=3")
        store.take(["b=; Path=/a; Max-Age=0"], from: url, now: Self.now)
        #expect(store.field(for: url, now: Self.now) == "d=4; a=5; c=3")
        #expect(store.count == 3)
    }

    /// §5.7 15.
    @Test func `http doesn't replace a cookie that https set`() throws {
        let (secure, plain) = (try WebURL("https://news.example/a/"), try WebURL("http://www.news.example/a/"))
        var store = CookieStore()
        store.take(["a=1; Secure; Domain=news.example; Path=/a"], from: secure, now: Self.now)
        store.take(
            ["a=2; Domain=news.example; Path=/a", "a=3; Path=/a/b", "a=4; Path=/", "b=5; Path=/a"],
            from: plain,
            now: Self.now
        )
        #expect(store.field(for: plain, now: Self.now) == "b=5; a=4")
        #expect(store.field(for: secure, now: Self.now) == "a=1")
    }

    @Test func `a site has a bounded number of cookies, and many hosts displace no other's`() throws {
        let mine = try WebURL("https://mine.example/")
        var store = CookieStore()
        store.take(["session=1"], from: mine, now: Self.now)
        for number in 0..<100 {
            let url = try WebURL("https://h\(number).flood.example/")
            store.take(["a\(number)=1; Domain=flood.example"], from: url, now: Self.now)
        }
        let flood = store.field(for: try WebURL("https://flood.example/"), now: Self.now) ?? ""
        #expect(flood.split(separator: "; ").count == 50)
        #expect(flood.hasPrefix("a50=1; "))
        for number in 0..<100 {
            let url = try WebURL("https://s\(number).example/")
            store.take((0..<50).map { "b\($0)=1" }, from: url, now: Self.now)
        }
        #expect(store.count == 3000)
        #expect(store.field(for: mine, now: Self.now) == "session=1")
    }

    @Test func `a field has a bounded length`() throws {
        let url = try WebURL("https://news.example/")
        var store = CookieStore()
        let value = String(repeating: "x", count: 4000)
        store.take((0..<10).map { "a\($0)=\(value)" } + ["z=1"], from: url, now: Self.now)
        let field = store.field(for: url, now: Self.now) ?? ""
        #expect(field.utf8.count <= 16 << 10)
        #expect(field.split(separator: "; ").count == 5)
        #expect(field.hasSuffix("; z=1"))
    }
}
