import AFCURL
import Testing

struct HostTests {
    @Test(
        arguments: [
            ("http://docs.example/", WebURL.HostKind.domain), ("http://1.2.3.4.example/", .domain),
            ("http://127.1/", .ipv4),
            ("http://0x7f000001./", .ipv4), ("http://[::1]/", .ipv6), ("other://[::1]/", .ipv6),
            ("other://127.0.0.1/", .opaque),
            ("other:///a", .empty), ("file:///a", .empty), ("file://server/a", .domain), ("mailto:someone", nil),
        ] as [(String, WebURL.HostKind?)]
    )
    func `the kind of host is recognized`(text: String, kind: WebURL.HostKind?) throws {
        #expect(try WebURL(text).hostKind == kind)
    }

    /// RFC 1122 §3.2.1.3, RFC 1918 §3, RFC 3927 §2.1, RFC 6598 §7, RFC 6761 §6.3.
    @Test(arguments: [
        "localhost", "LOCALHOST.", "a.localhost", "a.b.localhost.", "127.0.0.1", "127.1", "0x7f.1", "2130706433",
        "127.255.255.255", "0.0.0.0", "0", "10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.1",
        "169.254.169.254",
        "100.64.0.0", "100.127.255.255", "127.0.0.1.", "１２７.0.0.1",
    ])
    func `a name or IPv4 address of this machine or a private network is recognized`(host: String) throws {
        #expect(try WebURL("http://\(host)/").hostIsLoopbackOrPrivate)
    }

    /// RFC 4193 §3.1, RFC 4291 §2.5.
    @Test(arguments: [
        "::", "::1", "fe80::1", "febf::", "fc00::", "fdff::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:c0a8:1",
        "::127.0.0.1",
        "0:0:0:0:0:0:0:1",
    ])
    func `an IPv6 address of this machine or a private network is recognized`(address: String) throws {
        #expect(try WebURL("http://[\(address)]/").hostIsLoopbackOrPrivate)
    }

    @Test(arguments: [
        "docs.example", "localhost.example", "mylocalhost", "8.8.8.8", "9.255.255.255", "11.0.0.0", "172.15.255.255",
        "172.32.0.0",
        "192.167.255.255", "192.169.0.0", "169.253.0.1", "100.63.255.255", "100.128.0.0", "128.0.0.1", "[2001:db8::1]",
        "[fec0::1]", "[fbff::]", "[::ffff:8.8.8.8]", "[1::1]", "[::1:0:0]",
    ])
    func `a host of the public Internet isn't reported as private`(host: String) throws {
        #expect(try !WebURL("http://\(host)/").hostIsLoopbackOrPrivate)
    }

    @Test(arguments: [
        ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("0:0:1:0:0:0:1:0", "0:0:1::1:0"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
        ("1:0:0:2:3:0:0:4", "1::2:3:0:0:4"), ("0:1:2:3:4:5:6:7", "0:1:2:3:4:5:6:7"), ("1::", "1::"), ("::", "::"),
        ("::1:2:3:4:5:6:7", "0:1:2:3:4:5:6:7"), ("2001:DB8::00AB", "2001:db8::ab"), ("::1.2.3.4", "::102:304"),
        ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
    ])
    func `an IPv6 address is written as RFC 5952 says`(text: String, expected: String) throws {
        #expect(try WebURL("http://[\(text)]/").host == "[\(expected)]")
    }

    @Test(arguments: [
        "1", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", ":1::", "1:", "1::2:", "12345::", "g::",
        ":::", "::1.2.3",
        "::1.2.3.4.5", "::256.1.1.1", "::01.1.1.1", "1:2:3:4:5:6:7:1.2.3.4", "::1.2.3.4:5", "::.1.2.3",
    ])
    func `an invalid IPv6 address is refused`(text: String) {
        #expect(throws: WebURL.ParseError.invalidIPv6) { try WebURL("http://[\(text)]/") }
    }
}
