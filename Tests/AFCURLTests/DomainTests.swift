import AFCURL
import Testing

/// UTS 46 as the URL Standard uses it; expected values from the standards' rules and Python's `idna` and `punycode`.
struct DomainTests {
    @Test(arguments: [
        ("Bücher.example", "xn--bcher-kva.example"), ("bu\u{308}cher.example", "xn--bcher-kva.example"),
        ("faß.example", "xn--fa-hia.example"), ("ẞ.example", "xn--zca.example"), ("例え。例", "xn--r8jz45g.xn--fsq"),
        ("♥.example", "xn--g6h.example"), ("＝\u{338}.example", "xn--1ch.example"), ("ａ．example", "a.example"),
        ("\u{1100}\u{1161}\u{11A8}.example", "xn--p39a.example"), ("ㄱㅏㄱ.example", "xn--ypd3740f.example"),
        ("Ⴀ.example", "xn--rkj.example"), ("㈀.example", "xn--()-dmk.example"),
        ("\u{1FAE8}.example", "xn--929h.example"), ("Σίσυφος.example", "xn--kxa6ajbbmh.example"),
    ])
    func `a name becomes ASCII`(name: String, expected: String) throws {
        #expect(try WebURL("http://\(name)/").host == expected)
    }

    @Test(arguments: [
        "\u{301}a", "a.\u{301}ä", "ä\u{FFFD}", "ä\u{202E}", "ä.xn--", "ä.xn--a", "ä.xn--aaa-", "ä.xn--zn7c",
        "ä\u{E000}",
        "ä\u{378}", "xn--ä", "⒈ä", "ä.xn--1ug",
    ])
    func `a name that UTS 46 disallows is refused`(name: String) {
        #expect(throws: WebURL.ParseError.invalidDomain) { try WebURL("http://\(name)/") }
    }

    /// RFC 5893 §2: the six rules, and names that are not bidirectional.
    @Test(arguments: [
        ("אב.example", true), ("אבa.example", false), ("1א.example", false), ("א1.example", true), ("א٠.example", true),
        ("א1٠.example", false), ("א-.example", false), ("א.1.example", false), ("aא.example", false),
        ("א.a1.example", true),
        ("א.a-.example", false), ("א\u{5B0}.example", true), ("ä1.1.example", true), ("א.a♥.example", false),
        ("٠.example", false),
    ])
    func `directions are mixed only as RFC 5893 allows`(name: String, isValid: Bool) {
        if isValid {
            #expect(throws: Never.self) { try WebURL("http://\(name)/") }
        } else {
            #expect(throws: WebURL.ParseError.invalidDomain) { try WebURL("http://\(name)/") }
        }
    }

    /// RFC 5892 appendices A.1 and A.2.
    @Test(arguments: [
        ("a\u{200D}b", false), ("a\u{200C}b", false), ("\u{915}\u{94D}\u{200D}\u{937}", true),
        ("\u{915}\u{94D}\u{200C}\u{937}", true),
        ("\u{628}\u{200C}\u{628}", true), ("\u{628}\u{64E}\u{200C}\u{64E}\u{628}", true),
        ("\u{628}\u{200D}\u{628}", false),
        ("\u{627}\u{200C}\u{628}", false), ("\u{628}\u{200C}", false), ("\u{200C}\u{628}", false),
        ("\u{628}\u{200C}♥", false),
    ])
    func `joiners are allowed only where they join`(label: String, isValid: Bool) {
        let host = try? WebURL("http://\(label).example/").host
        #expect((host != nil) == isValid)
    }

    @Test func `a name may be longer than DNS allows`() throws {
        let label = String(repeating: "x", count: 62) + "ä"
        let host = try #require(
            try WebURL("http://\([label, label, label, label, label].joined(separator: "."))/").host
        )
        #expect(host.utf8.count > 5 * 67)
        #expect(host.hasPrefix("xn--" + String(repeating: "x", count: 62) + "-"))
    }

    @Test func `a name in ASCII is only lowercased`() throws {
        #expect(try WebURL("http://XN--A.example/").host == "xn--a.example")
        #expect(try WebURL("http://%41.example/").host == "a.example")
    }
}
