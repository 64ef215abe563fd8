import AFCCredentials
import AFCText
import AFCURL
import Testing

@testable import AFCOrigin

/// Which proxy a request goes through.
struct ProxyRulesTests {
    private static func rules(_ variables: [String: String]) throws(ProxyRules.Malformation) -> ProxyRules {
        try ProxyRules { variables[$0] }
    }

    private static let choices: [([String: String], String, String?)] = [
        (["http_proxy": "http://p:1"], "http://a.example/", "p:1"),
        (["http_proxy": "http://p:1"], "https://a.example/", nil),
        (["https_proxy": "p:2"], "https://a.example/", "p:2"), (["HTTPS_PROXY": "p:2"], "https://a.example/", "p:2"),
        (["HTTP_PROXY": "p:2"], "http://a.example/", nil), (["all_proxy": "http://p"], "http://a.example/", "p:80"),
        (["ALL_PROXY": "p:3", "https_proxy": "q:4"], "https://a.example/", "q:4"),
        (["https_proxy": ""], "https://a.example/", nil),
        (["all_proxy": "p:1"], "http://localhost/", nil), (["all_proxy": "p:1"], "http://127.0.0.1:8/", nil),
        (["all_proxy": "p:1"], "https://docs.localhost:8/", nil),
        (["all_proxy": "p:1"], "http://[::1]/", nil), (["all_proxy": "p:1"], "http://10.0.0.1/", "p:1"),
        (["all_proxy": "p:1", "no_proxy": "*"], "http://a.example/", nil),
        (["all_proxy": "p:1", "no_proxy": "b.example, A.example"], "http://a.example/", nil),
        (["all_proxy": "p:1", "no_proxy": ".example"], "http://a.example/", nil),
        (["all_proxy": "p:1", "NO_PROXY": "*.a.example"], "http://x.a.example/", nil),
        (["all_proxy": "p:1", "no_proxy": "a.example"], "http://xa.example/", "p:1"),
        (["all_proxy": "p:1", "no_proxy": "a.example:81"], "http://a.example/", "p:1"),
        (["all_proxy": "p:1", "no_proxy": "a.example:81"], "http://a.example:81/", nil),
        (["all_proxy": "p:1", "no_proxy": "fe80::2,[fe80::3]:8"], "http://[fe80::2]/", nil),
        (["all_proxy": "p:1", "no_proxy": "[fe80::3]:8"], "http://[fe80::3]:8/", nil),
        (["all_proxy": "p:1", "no_proxy": ",, ."], "http://a.example/", "p:1"),
    ]

    @Test(arguments: choices)
    func `the environment chooses the proxy`(variables: [String: String], url: String, proxy: String?) throws {
        let found = try Self.rules(variables).proxy(for: try WebURL(url))
        #expect(found.map { "\($0.host):\($0.port)" } == proxy)
    }

    @Test(arguments: ["https://p:1", "socks5://p:1", "http://p:1/path", "http://anna:secret@", "p:99999"])
    func `a proxy of another form is refused, without showing it`(value: String) {
        let error = #expect(throws: ProxyRules.Malformation.self) { try Self.rules(["https_proxy": value]) }
        #expect(error?.variable == "https_proxy")
    }

    @Test func `a proxy gets its login, encoded or not`() throws {
        let rules = try Self.rules(["http_proxy": "http://anna:ge%40heim@p:1", "https_proxy": "anna@p:2"])
        #expect(rules.proxy(for: try WebURL("http://a.example/"))?.authorization == Secret("Basic YW5uYTpnZUBoZWlt"))
        #expect(rules.proxy(for: try WebURL("https://a.example/"))?.authorization == Secret("Basic YW5uYTo="))
    }

    @Test(arguments: ["http://a.example/", "https://localhost/", "http://127.0.0.1:8/"])
    func `a proxy for all servers has no exception`(url: String) throws {
        let proxy = OriginProxy(host: "p", port: 1)
        #expect(ProxyRules(all: proxy).proxy(for: try WebURL(url)) == proxy)
        #expect(ProxyRules().proxy(for: try WebURL(url)) == nil)
    }
}
