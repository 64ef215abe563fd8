import Testing

@testable import AFCServer

/// The clients that are trusted proxies.
struct AddressRangeTests {
    @Test(
        arguments: [
            ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false), ("10.0.0.0/8", "10.255.0.1", true),
            ("10.0.0.0/8", "11.0.0.1", false), ("10.1.128.0/17", "10.1.200.1", true),
            ("10.1.128.0/17", "10.1.127.1", false), ("0.0.0.0/0", "192.0.2.1", true), ("0.0.0.0/0", "::1", false),
            ("127.0.0.1", "::ffff:127.0.0.1", true), ("::1", "::1", true), ("2001:db8::/32", "2001:db8:1::1", true),
            ("2001:db8::/32", "2001:db9::1", false), ("fe80::/10", "fe80::1%lo", true), ("10.0.0.0/8", "", false),
            ("10.0.0.1/8", "10.0.0.1", nil), ("10.0.0.0/33", "10.0.0.1", nil), ("10.0.0.0/", "10.0.0.1", nil),
            ("10.0.0.0/+8", "10.0.0.1", nil), ("docs.example", "10.0.0.1", nil), ("", "10.0.0.1", nil),
            ("10.0.0", "10.0.0.1", nil), ("[::1]", "::1", nil),
        ] as [(String, String, Bool?)]
    )
    func `a range is an address or a block`(_ text: String, _ address: String, _ isIn: Bool?) {
        #expect(AddressRange(text)?.contains(address) == isIn)
    }
}
