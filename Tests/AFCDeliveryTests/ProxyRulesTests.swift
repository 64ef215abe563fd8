import AFCCredentials
import AFCHTTP
import AFCOrigin
import AFCText
import AFCURL
import TestOrigin
import TestSupport
import Testing

@testable import AFCDelivery

/// Which proxy a download goes through.
struct ProxyRulesTests {
    private static func rules(_ variables: [String: String]) throws(DeliveryError) -> ProxyRules {
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
        do throws(DeliveryError) {
            _ = try Self.rules(["https_proxy": value])
            Issue.record("it was taken")
        } catch {
            #expect(error.code == .badURL && error.subject == "https_proxy")
            #expect(!error.message.contains("secret"))
        }
    }

    @Test func `a proxy gets its login, encoded or not`() throws {
        let rules = try Self.rules(["http_proxy": "http://anna:ge%40heim@p:1", "https_proxy": "anna@p:2"])
        #expect(rules.proxy(for: try WebURL("http://a.example/"))?.authorization == Secret("Basic YW5uYTpnZUBoZWlt"))
        #expect(rules.proxy(for: try WebURL("https://a.example/"))?.authorization == Secret("Basic YW5uYTo="))
    }

    @Test func `a proxy that refuses the password is asked once`() async throws {
        let refusal = "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"
        try await FaultyOrigin.run(answer: { _, _ in [.text(refusal)] }) { proxy in
            let address = "http://anna:wrong@" + proxy.base.dropFirst("http://".count)
            let rules = try Self.rules(["https_proxy": address])
            let options = Fetching.options { $0.servers.proxies = rules }
            let scratch = try Scratch()
            let url = "https://packages.example/p.zip"
            let error = try await Fetching.failure(from: url, scratch.path("d"), options: options)
            #expect(error?.message == "the proxy doesn't accept the credentials")
            #expect(proxy.requests.count == 1)
        }
    }

    @Test func `a host name that doesn't exist is no temporary failure`() {
        let failure = ConnectionFailure(ConnectionTrouble.unknownHost)
        #expect(!failure.isTransient && failure.message == "the host name does not exist")
    }

    @Test func `a download over http goes through the proxy`() async throws {
        let body = Array("any bytes".utf8)
        let target = "http://packages.example/p.zip"
        try await TestOrigin.withOrigin([target: [TestOrigin.Answer(200, [], body: body)]]) { proxy in
            var options = PackageDownload.Options(userAgent: "test", now: Timestamp(secondsSinceEpoch: 1_800_000_000))
            options.servers.allowsPlainHTTP = true
            options.servers.proxies = try Self.rules([
                "http_proxy": "http://a:b@" + proxy.base.dropFirst("http://".count)
            ])
            let scratch = try Scratch()
            let url = try WebURL(target)
            guard
                case .arrived(let package) = try await PackageDownload.fetch(
                    url,
                    into: scratch.path("d"),
                    options: options
                )
            else {
                Issue.record("nothing arrived")
                return
            }
            #expect(try scratch.read(String(package.path.dropFirst(scratch.path.count + 1))) == body)
            package.discard()
            #expect(proxy.requests[0].target == target)
            #expect(proxy.requests[0].fields.contains("Proxy-Authorization: Basic YTpi"))
            #expect(proxy.requests[0].fields.contains("Host: packages.example"))
        }
    }
}
