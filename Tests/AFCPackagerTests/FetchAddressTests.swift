import AFCOrigin
import AFCURL
import NIOCore
import TestOrigin
import TestSupport
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

/// Which hosts a fetch reaches; names are looked up in a table, and lead to this machine where they lead anywhere.
struct FetchAddressTests {
    private typealias Answer = TestOrigin.Answer

    private func withFetcher(
        _ names: [String: [String]],
        asked: Counter = Counter(),
        _ change: (inout HTTPFetcher.Options) -> Void = { _ in },
        _ body: (TestOrigin, HTTPFetcher) async throws -> Void
    ) async throws {
        try await TestOrigin.withOrigin(["/": [.text("x")]]) { origin in
            var options = HTTPFetcher.Options()
            options.localNames = ["news.example", "rebound.example"]
            change(&options)
            try await HTTPFetcher.withFetcher(options: options, names: .table(names, asked: asked)) { fetcher in
                try await body(origin, fetcher)
            }
        }
    }

    /// RFC 1122, 1918, 3927, 4193, 4291, 6052, 6598, 6890.
    @Test(arguments: [
        ["127.0.0.1"], ["10.1.2.3"], ["172.16.0.1"], ["192.168.1.1"], ["169.254.169.254"], ["100.64.0.1"], ["0.0.0.0"],
        ["224.0.0.1"], ["255.255.255.255"], ["::1"], ["::"], ["fe80::1"], ["fc00::1"], ["fdff::1"], ["ff02::1"],
        ["::ffff:127.0.0.1"], ["::ffff:10.0.0.1"], ["64:ff9b::7f00:1"], ["64:ff9b::a9fe:a9fe"], ["2002:7f00:1::"],
        ["2001::1"], ["2001:db8::1"], ["3fff::1"], ["3fff:fff::1"],
        // One is enough, whichever comes first.
        ["93.184.216.34", "10.0.0.1"], ["10.0.0.1", "93.184.216.34"], ["2606:2800:220:1::1", "127.0.0.1"],
    ])
    func `a name that resolves to a private network is refused without a connection`(
        addresses: [String]
    ) async throws {
        try await withFetcher(["news.example": addresses]) { origin, fetcher in
            let url = "http://news.example:\(origin.port)/"
            let failure = try await fetcher.failure(url)
            #expect(failure == .privateAddress)
            #expect(origin.connections == 0)
        }
    }

    @Test func `a name that resolves differently when connecting gets no request`() async throws {
        let names = ["rebound.example": ["93.184.216.34", "2606:2800:220:1::1"]]
        try await withFetcher(names) { origin, fetcher in
            let url = "http://rebound.example:\(origin.port)/"
            let failure = try await fetcher.failure(url)
            #expect(failure == .privateAddress)
            #expect(try await fetcher.failure(url) == .privateAddress)
            try await waitUntil("both connections have reached the origin") { origin.connections == 2 }
            #expect(origin.requests.isEmpty)
        }
    }

    @Test(arguments: [["h2"], ["http/1.1"]])
    func `the same holds over TLS`(protocols: [String]) async throws {
        try await TestOrigin.withSecureOrigin(
            ["/": [.text("x")]],
            host: "rebound.example",
            protocols: protocols
        ) { origin, pem in
            try await withScratchFolder { folder in
                try write(pem, to: folder + "/roots.pem")
                var options = HTTPFetcher.Options()
                options.access.trustRoots = folder + "/roots.pem"
                options.localNames = ["rebound.example"]
                let names = NameLookup.table(["rebound.example": ["93.184.216.34"]])
                try await HTTPFetcher.withFetcher(options: options, names: names) { fetcher in
                    let failure = try await fetcher.failure(origin.base + "/")
                    #expect(failure == .privateAddress)
                    #expect(origin.requests.isEmpty)
                    #expect(try await fetcher.failure(origin.base + "/") == .privateAddress)
                    #expect(origin.requests.isEmpty)
                }
            }
        }
    }

    @Test(arguments: [
        "http://127.0.0.1:%/", "http://2130706433:%/", "http://[::1]:%/", "http://[::ffff:127.0.0.1]:%/",
        "http://localhost:%/", "http://a.localhost:%/", "http://localhost.:%/", "http://0:%/", "http://10.0.0.1:%/",
    ])
    func `a URL that names this machine or a private network is refused without a lookup`(
        url: String
    ) async throws {
        let asked = Counter()
        try await withFetcher([:], asked: asked) { origin, fetcher in
            let failure = try await fetcher.failure(url.replacing("%", with: "\(origin.port)"))
            #expect(failure == .privateAddress)
            #expect(origin.connections == 0)
            #expect(asked.words.isEmpty)
        }
    }

    @Test func `only hosts that the user names may have private addresses`() async throws {
        let asked = Counter()
        let named: (inout HTTPFetcher.Options) -> Void = { $0.namedHosts = ["news.example", "127.0.0.1"] }
        try await withFetcher(["rebound.example": ["127.0.0.1"]], asked: asked, named) { origin, fetcher in
            let fetched = try await fetcher.get("http://news.example:\(origin.port)/")
            #expect(fetched.text == "x")
            #expect(try await fetcher.get(origin.base + "/").text == "x")
            #expect(try await fetcher.failure("http://localhost:\(origin.port)/") == .privateAddress)
            #expect(try await fetcher.failure("http://rebound.example:\(origin.port)/") == .privateAddress)
            #expect(origin.requests.count == 2)
            #expect(asked.words == ["rebound.example"])
        }
    }

    @Test func `everything is reachable if the user allows it`() async throws {
        try await withFetcher([:], { $0.access.allowsPrivate = true }) { origin, fetcher in
            let fetched = try await fetcher.get("http://rebound.example:\(origin.port)/")
            #expect(fetched.text == "x")
            #expect(try await fetcher.get(origin.base + "/").text == "x")
        }
    }

    @Test func `a name is looked up once for many simultaneous requests`() async throws {
        let asked = Counter()
        let slow = NameLookup { host, _ in
            asked.add(host)
            try await waitUntil("the others ask, too") { asked.words.count { $0 == "waiting" } == 19 }
            return [try .init(ipAddress: "10.0.0.1", port: 80)]
        }
        try await HTTPFetcher.withFetcher(options: HTTPFetcher.Options(), names: slow) { fetcher in
            try await withThrowingTaskGroup(of: FetchFailure?.self) { group in
                for number in 0..<20 {
                    if number > 0 { asked.add("waiting") }
                    group.addTask { try await fetcher.failure("http://news.example/\(number)") }
                }
                for try await failure in group { #expect(failure == .privateAddress) }
            }
            #expect(try await fetcher.failure("http://news.example/") == .privateAddress)
            #expect(asked.words.count { $0 == "news.example" } == 1)
        }
    }

    @Test func `a name that doesn't exist, or wasn't answered for, is looked up again`() async throws {
        let asked = Counter()
        let names = NameLookup { host, _ in
            asked.add(host)
            throw host == "unknown.example" ? NameLookup.Failure.unknownHost : NameLookup.Failure.unanswered
        }
        try await HTTPFetcher.withFetcher(options: HTTPFetcher.Options(), names: names) { fetcher in
            #expect(try await fetcher.failure("http://unknown.example/") == .unknownHost)
            let silent = try await fetcher.failure("http://silent.example/")
            #expect(silent?.isTransient == true)
            _ = try await fetcher.failure("http://silent.example/")
            #expect(asked.words == ["unknown.example", "silent.example", "silent.example"])
        }
    }

    @Test(arguments: [
        "8.8.8.8", "93.184.216.34", "2606:2800:220:1::1", "64:ff9b::808:808", "::ffff:8.8.8.8", "3fff:1000::1",
    ])
    func `addresses of the public network are recognized`(address: String) throws {
        let address = try SocketAddress(ipAddress: address, port: 80)
        #expect(AddressRules.isPublic(address))
    }
}
