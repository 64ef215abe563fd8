import AFCCredentials
import AFCOrigin
import AFCText
import AFCURL
import HTTPTypes
import TestOrigin
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

struct FetchProxyTests {
    private typealias Answer = TestOrigin.Answer

    // "Aladdin:open sesame" of RFC 7617 §2.
    private static let authorization = "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="

    private func options(_ proxy: String, credentials: String? = nil) throws -> HTTPFetcher.Options {
        var options = HTTPFetcher.Options.patient()
        options.access.proxies = ProxyRules(
            all: try OriginProxy(proxy, credentials: credentials.map { try BasicCredentials($0) })
        )
        return options
    }

    @Test func `https goes through the proxy's tunnel, also with HTTP/2`() async throws {
        try await TestOrigin.withSecureOrigin(["/a": [.text("a")]]) { origin, pem in
            try await withScratchFolder { folder in
                try write(pem, to: folder + "/roots.pem")
                try await ConnectProxy.withProxy(authorization: Self.authorization) { proxy in
                    var options = try options(proxy.base, credentials: "Aladdin:open sesame")
                    options.access.trustRoots = folder + "/roots.pem"
                    // No name is looked up here: the proxy does that.
                    try await HTTPFetcher.withFetcher(options: options, names: .table([:])) { fetcher in
                        let fetched = try await fetcher.get(origin.base + "/a")
                        #expect(fetched.text == "a")
                    }
                    #expect(proxy.heads.map(\.first) == ["CONNECT docs.example:\(origin.port) HTTP/1.1"])
                    #expect(origin.requests.map(\.version) == ["HTTP/2"])
                    #expect(
                        !origin.requests.contains { $0.fields.contains { $0.lowercased().contains("authorization") } }
                    )
                }
            }
        }
    }

    @Test(arguments: [("192.0.2.7", true), ("127.0.0.1", false), ("192.0.2.8", false)])
    func `the certificate must name the origin's address, not the proxy's`(
        host: String,
        isTrusted: Bool
    ) async throws {
        try await TestOrigin.withSecureOrigin(["/a": [.text("a")]], host: host) { origin, pem in
            try await withScratchFolder { folder in
                try write(pem, to: folder + "/roots.pem")
                try await ConnectProxy.withProxy { proxy in
                    var options = try options(proxy.base)
                    options.access.trustRoots = folder + "/roots.pem"
                    try await HTTPFetcher.withFetcher(options: options, names: .table([:])) { fetcher in
                        let url = "https://192.0.2.7:\(origin.port)/a"
                        if isTrusted {
                            let fetched = try await fetcher.get(url)
                            #expect(fetched.text == "a")
                        } else {
                            let failure = try await fetcher.failure(url)
                            #expect(
                                failure
                                    == .tls(
                                        "the server's certificate is for another host: for '\(host)'; use its name, or tell the server's operator"
                                    )
                            )
                        }
                    }
                }
            }
        }
    }

    @Test func `http is forwarded in absolute form`() async throws {
        let routes = ["http://docs.example/a%zz?b=|": [Answer.text("a")], "http://other.example:81/": [.text("b")]]
        try await TestOrigin.withOrigin(routes) { proxy in
            let options = try options(proxy.base, credentials: "Aladdin:open sesame")
            try await HTTPFetcher.withFetcher(options: options, names: .table([:])) { fetcher in
                let fetched = try await fetcher.get("http://docs.example/a%zz?b=|")
                #expect(fetched.text == "a")
                #expect(try await fetcher.get("http://other.example:81/").text == "b")
            }
            // The second request may come before the first connection is back among those that idle.
            #expect(proxy.connections <= 2)
            #expect(proxy.requests.first?.fields.contains("Host: docs.example") == true)
            #expect(proxy.requests.last?.fields.contains("Host: other.example:81") == true)
            let sent = proxy.requests.map { $0.fields.filter { $0.hasPrefix("Proxy-Authorization") } }
            #expect(
                sent == [
                    ["Proxy-Authorization: " + Self.authorization], ["Proxy-Authorization: " + Self.authorization],
                ]
            )
        }
    }

    /// Of the port 1 of this machine it is known that nobody listens; the other name is known to nobody (RFC 6761 §6.4).
    @Test(
        arguments: [
            ("http://127.0.0.1:1", "127.0.0.1:1 refused the connection"),
            ("http://proxy.invalid:3128", "proxy.invalid:3128 has a host name that could not be resolved"),
        ],
        ["http://docs.example/", "https://docs.example/"]
    )
    func `an unreachable proxy is reported as the cause`(proxy: (String, String), url: String) async throws {
        let options = try options(proxy.0)
        try await HTTPFetcher.withFetcher(options: options, names: .table([:])) { fetcher in
            let failure = try await fetcher.failure(url)
            #expect(failure == .proxy(proxy.1))
        }
    }

    @Test func `rejected proxy credentials are a failure of their own`() async throws {
        try await ConnectProxy.withProxy(authorization: "Basic eDp5") { proxy in
            let options = try options(proxy.base, credentials: "Aladdin:open sesame")
            try await HTTPFetcher.withFetcher(options: options, names: .table([:])) { fetcher in
                let failure = try await fetcher.failure("https://docs.example/")
                let address = proxy.base.dropFirst("http://".count)
                #expect(failure == .proxy("\(address) wants a login, or refuses the one that was given"))
                #expect(failure?.isTransient == false)
            }
        }
    }

    @Test(
        arguments: [
            ("http://proxy.example:3128", "proxy.example", 3128), ("proxy.example:3128", "proxy.example", 3128),
            ("http://proxy.example", "proxy.example", 80), ("http://[::1]:8080/", "[::1]", 8080),
        ] as [(String, String, UInt16)]
    )
    func `a proxy is named by a URL`(text: String, host: String, port: UInt16) throws {
        let proxy = try OriginProxy(text)
        #expect(proxy.host == host)
        #expect(proxy.port == port)
    }

    @Test(arguments: [
        ("https://proxy.example", "'https://proxy.example' isn't of the form http://host:port"),
        ("http://proxy.example/a", "'http://proxy.example/a' isn't of the form http://host:port"),
        ("socks5://proxy.example:1080", "'socks5://proxy.example:1080' isn't of the form http://host:port"),
        ("", "'' isn't of the form http://host:port"),
        (
            "http://user:hunter2@proxy.example:80",
            "other users can see a password in it; put 'user:password' in AFCACHE_PROXY_BASIC"
        ),
        (
            "user:hunter2@proxy.example:x",
            "other users can see a password in it; put 'user:password' in AFCACHE_PROXY_BASIC"
        ),
    ])
    func `an invalid proxy is refused with the remedy, without its password`(text: String, message: String) {
        let error = #expect(throws: PackagingError.self) { try OriginProxy(text) }
        #expect(error?.message == message)
    }
}
