import AFCAuthority
import AFCText
import Testing

struct CertifiedHostTests {
    /// What is given, and the host that it means.
    @Test(arguments: [
        ("docs.example", "docs.example"), ("Docs.EXAMPLE.", "docs.example"), ("localhost", "localhost"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("a-b.c--d.example", "a-b.c--d.example"),
        ("1.docs.example", "1.docs.example"), ("0x7g.example", "0x7g.example"),
        ("127.0.0.1", "127.0.0.1"), ("[::1]", "::1"), ("2001:DB8:0:0::1", "2001:db8::1"),
        (String(repeating: "a", count: 63) + ".example", String(repeating: "a", count: 63) + ".example"),
    ])
    func `a name or an address is accepted, and has one form`(text: String, host: String) throws {
        #expect(try CertifiedHost(text).description == host)
    }

    @Test(arguments: [
        ("", "the host is empty"), (".", "the host is empty"), ("*.docs.example", "so wildcards are not allowed"),
        ("bücher.example", "Punycode"), ("a..example", "1 to 63 bytes"), (".docs.example", "1 to 63 bytes"),
        ("docs.example..", "1 to 63 bytes"), (String(repeating: "a", count: 64) + ".example", "1 to 63 bytes"),
        (String(repeating: "a.", count: 126) + "aa", "at most 253 bytes"),
        ("-a.example", "hyphens"), ("a-.example", "hyphens"), ("a_b.example", "hyphens"),
        ("docs.example:443", "hyphens"), ("docs.example\0.evil.example", "hyphens"), ("docs.example\n", "hyphens"),
        ("http://docs.example", "hyphens"), ("a b", "hyphens"), ("127.0.0.1\0", "hyphens"), ("[127.0.0.1]", "hyphens"),
        ("fe80::1%eth0", "hyphens"), ("[::1", "hyphens"), ("::g", "hyphens"),
        ("1.2.3", "neither a name nor an IP address"), ("0x7f.0x1", "neither a name nor an IP address"),
        ("256.0.0.1", "neither a name nor an IP address"), ("127.1", "neither a name nor an IP address"),
        ("a.0x", "neither a name nor an IP address"),
    ])
    func `an invalid host is refused with the reason`(text: String, reason: String) {
        let error = #expect(throws: AuthorityError.self) { try CertifiedHost(text) }
        #expect(error?.code == .badHost)
        #expect(error?.subject == text)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test func `a name may have 253 bytes`() throws {
        let name = String(repeating: "a.", count: 126) + "a"
        #expect(name.utf8.count == 253)
        #expect(try CertifiedHost(name + ".").description == name)
    }
}
