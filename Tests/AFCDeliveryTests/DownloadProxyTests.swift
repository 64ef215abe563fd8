import AFCCredentials
import AFCHTTP
import AFCOrigin
import AFCText
import AFCURL
import TestOrigin
import TestSupport
import Testing

@testable import AFCDelivery

/// Downloads through proxies.
struct DownloadProxyTests {
    private static func rules(_ variables: [String: String]) throws(ProxyRules.Malformation) -> ProxyRules {
        try ProxyRules { variables[$0] }
    }

    @Test func `a proxy that refuses the password is asked once`() async throws {
        let refusal = "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"
        try await FaultyOrigin.run(answer: { _, _ in [.text(refusal)] }) { proxy in
            let address = "http://anna:wrong@" + proxy.base.dropFirst("http://".count)
            let rules = try Self.rules(["https_proxy": address, "http_proxy": address])
            let options = Fetching.options { $0.servers.access.proxies = rules }
            let scratch = try Scratch()
            let url = "https://packages.example/p.zip"
            let error = try await Fetching.failure(from: url, scratch.path("d"), options: options)
            let name = proxy.base.dropFirst("http://".count)
            let refused = "the proxy \(name) refuses the login that was given; check its user and password"
            #expect(error?.message == refused)
            #expect(proxy.requests.count == 1)
            // For http, the proxy answers itself.
            let plain = Fetching.options {
                $0.servers.allowsPlainHTTP = true
                $0.servers.access.proxies = rules
            }
            let http = "http://packages.example/p.zip"
            let forwarded = try await Fetching.failure(from: http, scratch.path("d"), options: plain)
            #expect(forwarded?.message == refused)
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
            var options = PackageDownload.Options.patient(
                userAgent: "test",
                now: Timestamp(secondsSinceEpoch: 1_800_000_000)
            )
            options.servers.allowsPlainHTTP = true
            options.servers.access.proxies = try Self.rules([
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
