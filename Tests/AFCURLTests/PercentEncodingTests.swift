import AFCURL
import Testing

/// https://url.spec.whatwg.org/#percent-encoded-bytes: each set as the standard spells it.
struct PercentEncodingTests {
    private static let controls = (0...0x1F).map { UInt8($0) } + [0x7F]

    @Test(arguments: [
        (PercentEncodeSet.c0Control, ""), (.fragment, " \"<>`"), (.query, " \"#<>"), (.specialQuery, " \"#<>'"),
        (.path, " \"#<>?^`{}"), (.userinfo, " \"#<>?^`{}/:;=@[\\]|"), (.component, " \"#<>?^`{}/:;=@[\\]|$%&+,"),
        (.pathPart, " \"#<>?^`{}/%\\"),
        (.reserved, " !\"#$%&'()*+,/:;<=>?@[\\]^`{|}"),
    ])
    func `a set contains the characters that the standard lists`(set: PercentEncodeSet, characters: String) {
        let expected = Set(Self.controls + characters.utf8)
        for byte in UInt8.min...UInt8.max {
            #expect(set.contains(byte) == (byte >= 0x80 || expected.contains(byte)), "\(byte)")
        }
    }

    @Test func `file names become parts of paths`() throws {
        let part = PercentEncodeSet.pathPart.encode("50% of a#b?c/ä.html")
        #expect(part == "50%25%20of%20a%23b%3Fc%2F%C3%A4.html")
        #expect(try WebURL("http://docs.example/\(part)").pathSegments.last.map { String($0) } == part)
        #expect(part.percentDecoded == Array("50% of a#b?c/ä.html".utf8))
    }

    @Test func `bytes that are not UTF-8 can be encoded`() {
        #expect(PercentEncodeSet.pathPart.encode([0xFF, 0x61, 0x00] as [UInt8]) == "%FFa%00")
    }

    @Test(
        arguments: [
            ("a%20b", Array("a b".utf8)), ("%C3%a4", [0xC3, 0xA4]), ("%", [0x25]), ("%2", [0x25, 0x32]),
            ("%zz", [0x25, 0x7A, 0x7A]),
            ("%%41", [0x25, 0x41]), ("%FF%00", [0xFF, 0x00]), ("", []), ("a+b", Array("a+b".utf8)),
            ("%25%34%31", Array("%41".utf8)),
        ] as [(String, [UInt8])]
    )
    func `percent-decoding replaces only complete escapes, once`(text: String, bytes: [UInt8]) {
        #expect(text.percentDecoded == bytes)
        #expect(PercentDecoding.decode(Array(text.utf8)) == bytes)
    }

    @Test func `a byte is written in two hexadecimal digits`() {
        let digits = Array("0123456789ABCDEFabcdef".utf8)
        for byte in UInt8.min...UInt8.max {
            #expect((PercentDecoding.byte(UInt8(ascii: "0"), byte) != nil) == digits.contains(byte), "\(byte)")
            #expect((PercentDecoding.byte(byte, UInt8(ascii: "0")) != nil) == digits.contains(byte), "\(byte)")
        }
        #expect(PercentDecoding.byte(UInt8(ascii: "9"), UInt8(ascii: "f")) == 0x9F)
        #expect(PercentDecoding.byte(UInt8(ascii: "A"), UInt8(ascii: "0")) == 0xA0)
    }

    @Test func `letters, digits and four marks are unreserved (RFC 3986 §2.3)`() {
        let unreserved = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        for byte in UInt8.min...UInt8.max {
            #expect(PercentDecoding.isUnreserved(byte) == unreserved.contains(byte), "\(byte)")
        }
    }
}
