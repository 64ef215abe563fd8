import AFCURL
import Testing

struct ParseErrorTests {
    @Test(arguments: [
        ("no/scheme", WebURL.ParseError.relativeWithoutBase), ("", .relativeWithoutBase),
        ("//docs.example/", .relativeWithoutBase),
        ("http://", .hostMissing), ("http:///?", .hostMissing), ("https://user@/", .hostMissing),
        ("http://:80/", .hostMissing),
        ("http://a b/", .forbiddenHostCharacter), ("http://a%00b/", .forbiddenHostCharacter),
        ("http://a<b/", .forbiddenHostCharacter), ("other://a b/", .forbiddenHostCharacter),
        ("http://ä\u{0}b/", .forbiddenHostCharacter),
        ("http://\u{FFFD}/", .invalidDomain), ("http://ä.xn--a/", .invalidDomain), ("http://%FF/", .invalidDomain),
        ("http://\u{AD}/", .emptyDomain), ("file://\u{AD}/", .emptyDomain),
        ("http://1.2.3.4.5/", .tooManyIPv4Parts), ("http://1.2.3.256/", .outOfRangeIPv4),
        ("http://256.1/", .outOfRangeIPv4),
        ("http://4294967296/", .outOfRangeIPv4), ("http://a.1/", .invalidIPv4), ("http://1..2/", .invalidIPv4),
        ("http://08/", .invalidIPv4),
        ("http://[::1/", .unclosedIPv6), ("http://[]/", .invalidIPv6), ("http://[1:2]/", .invalidIPv6),
        ("http://[::1%25eth0]/", .invalidIPv6), ("http://[1::2::3]/", .invalidIPv6),
        ("http://[::127.0.0.01]/", .invalidIPv6),
        ("http://docs.example:8a/", .invalidPort), ("http://docs.example:-1/", .invalidPort),
        ("http://docs.example:65536/", .outOfRangePort), ("other://host:99999999999999999999/", .outOfRangePort),
        ("http://\(String(repeating: "ä", count: 2049))/", .tooLong),
    ])
    func `an error in a text is reported`(text: String, expected: WebURL.ParseError) {
        #expect(throws: expected) { try WebURL(text) }
        #expect(throws: expected) { try WebURL.parseWithFragment(text) }
        #expect(throws: expected) { try WebURL(utf8: Array(text.utf8)) }
    }

    @Test func `nothing but a fragment is relative to a URL without a hierarchy`() throws {
        let base = try WebURL("mailto:someone?subject=a")
        #expect(throws: WebURL.ParseError.baseHasOpaquePath) { try WebURL("a", base: base) }
        #expect(throws: WebURL.ParseError.baseHasOpaquePath) { try WebURL("", base: base) }
        #expect(try WebURL("#a", base: base) == base)
    }

    @Test(arguments: WebURL.ParseError.allCases)
    func `its sentence is lower case without a full stop`(error: WebURL.ParseError) throws {
        let first = try #require(error.description.first)
        #expect(first.isLowercase)
        #expect(error.description.last != ".")
    }
}
