import AFCHTTP
import AFCOrigin
import AFCURL
import NIOCore
import Synchronization
import Testing

@testable import AFCDelivery

/// Host names that weren't found: a name that doesn't exist isn't asked for again, one that may exist is.
struct HostLookUpTests {
    private static let address = try? SocketAddress(ipAddress: "192.0.2.1", port: 443)

    /// The answer of the name server that is asked for the reason.
    enum Answer: Sendable { case known, unknown, none }

    private static let cases: [(answer: Answer, proxied: Bool, words: String, isTransient: Bool)] = [
        (.unknown, false, "the host name does not exist; check its spelling", false),
        (.none, false, "the name server doesn't answer", true),
        (.known, false, "the host name does not exist", true),
        (.unknown, true, "the host name of the proxy proxy.example:3128 does not exist; check its spelling", false),
        (.none, true, "the name server doesn't answer", true),
    ]

    @Test(arguments: cases)
    func `the name server says if a host name may exist`(
        answer: Answer,
        proxied: Bool,
        words: String,
        isTransient: Bool
    ) async throws {
        let asked = Mutex<[String]>([])
        let names = NameLookup { host, _ in
            asked.withLock { $0.append(host) }
            switch answer {
            case .known: return Self.address.map { [$0] } ?? []
            case .unknown: throw NameLookup.Failure.unknownHost
            case .none: throw NameLookup.Failure.unanswered
            }
        }
        var options = PackageDownload.Options.patient(
            userAgent: "test/1",
            now: Timestamp(secondsSinceEpoch: 1_800_000_000)
        )
        if proxied {
            options.servers.access.proxies = try ProxyRules { $0 == "https_proxy" ? "http://proxy.example:3128" : nil }
        }
        let url = try WebURL("https://a.example/d.zip")
        let failure = await ConnectionFailure(ConnectionTrouble.unknownHost, of: url, options, names: names)
        #expect(failure.message == words)
        #expect(failure.isTransient == isTransient)
        #expect(!failure.isTimeout)
        #expect(asked.withLock { $0 } == [proxied ? "proxy.example" : "a.example"])
    }

    @Test func `only an unknown host is looked up again`() async throws {
        let names = NameLookup { host, _ in
            Issue.record("'\(host)' was looked up")
            throw NameLookup.Failure.unknownHost
        }
        let options = PackageDownload.Options.patient(
            userAgent: "test/1",
            now: Timestamp(secondsSinceEpoch: 1_800_000_000)
        )
        let url = try WebURL("https://a.example/d.zip")
        for trouble in [
            ConnectionTrouble.refused, .timeout, .proxyCredentials,
            .untrusted(.expired(Timestamp(secondsSinceEpoch: 0))),
        ] {
            let failure = await ConnectionFailure(trouble, of: url, options, names: names)
            #expect(failure.isTransient == [.refused, .timeout].contains(trouble))
        }
    }
}
