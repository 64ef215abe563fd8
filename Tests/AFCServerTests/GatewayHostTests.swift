import Testing

@testable import AFCServer

/// Which names a gateway answers for (docs/reference/serve.md); a page whose name leads to this machine must not be
/// among them.
struct GatewayHostTests {
    @Test(
        arguments: [
            ("docs.example", "docs.example", true), ("docs.example", "DOCS.example.", true),
            ("docs.example", "a.docs.example", false), ("docs.example", "evil.example", false),
            ("*.docs.example", "a.docs.example", true), ("*.docs.example", "a.b.docs.example", true),
            ("*.docs.example", "docs.example", false), ("*.docs.example", "evildocs.example", false),
            ("*", "evil.example", true), ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
            ("2001:DB8::1", "[2001:db8::1]", true), ("[2001:db8::1]", "[2001:db8:0::1]", true),
            ("bücher.example", "xn--bcher-kva.example", nil), ("xn--bcher-kva.example", "xn--bcher-kva.example", true),
            ("docs.example:80", "docs.example", nil), ("http://docs.example", "docs.example", nil), ("", "a", nil),
            ("a*", "ab", nil), ("*a", "ba", nil), ("*.", "a", nil), ("a/b", "a", nil),
        ] as [(String, String, Bool?)]
    )
    func `a pattern means a host, or those below it`(_ pattern: String, _ host: String, _ isMatch: Bool?) throws {
        let read = HostPattern(pattern)
        #expect((read != nil) == (isMatch != nil))
        guard let read, let isMatch else { return }
        let asked = try #require(Authority(host)).host
        #expect(read.matches(HostNames.withoutDot(asked)) == isMatch)
    }

    @Test(arguments: [
        ("localhost", true), ("a.localhost", true), ("127.0.0.1", true), ("127.255.0.9", true), ("[::1]", true),
        ("127.evil.example", false), ("localhost.evil.example", false), ("evillocalhost", false), ("[::2]", false),
        ("128.0.0.1", false),
    ])
    func `loopback names resolve to this machine without a lookup`(_ host: String, _ isLoopback: Bool) {
        #expect(HostNames.isLoopback(host) == isLoopback)
    }

    @Test(arguments: [
        (UInt16(443), true, true), (80, true, true), (8443, true, true), (25, false, false), (22, false, false),
        (1023, false, false), (8080, true, false), (6379, true, false), (0, false, false),
    ])
    func `a proxy connects to the ports of websites`(_ port: UInt16, _ request: Bool, _ tunnel: Bool) {
        let rules = PortRules()
        #expect(rules.allowsRequests(to: port) == request)
        #expect(rules.allowsTunnels(to: port) == tunnel)
        let more = PortRules(additional: [25...25, 6000...7000])
        #expect(more.allowsRequests(to: port) == (request || port == 25))
        #expect(more.allowsTunnels(to: port) == (tunnel || port == 25 || port == 6379))
        let high = PortRules(allowsHighTunnels: true)
        #expect(high.allowsTunnels(to: port) == (tunnel || port >= 1024))
    }
}
