import AFCCaching
import AFCHTTP
import HTTPTypes
import Testing

@testable import AFCResolver

/// One line of the table in docs/reference/library.md.
struct PolicyCase: Sendable {
    var policy: ResourcePolicy
    var stored: LibraryBench.Stored
    /// What comes online, when the origin is down, and offline.
    var expected: [String]

    init(_ policy: ResourcePolicy, _ stored: LibraryBench.Stored, _ expected: String...) {
        (self.policy, self.stored, self.expected) = (policy, stored, expected)
    }
}

@Suite struct PolicyTests {
    private static let table = [
        PolicyCase(.useProtocolCachePolicy, .nothing, "miss new after 1", "504 after 1", "504 after 0"),
        PolicyCase(.useProtocolCachePolicy, .fresh, "hit old after 0", "hit old after 0", "hit old after 0"),
        PolicyCase(
            .useProtocolCachePolicy,
            .stale,
            "revalidated old after 1",
            "stale old after 1",
            "stale old after 0"
        ),
        PolicyCase(.useProtocolCachePolicy, .mustRevalidate, "revalidated old after 1", "504 after 1", "504 after 0"),
        PolicyCase(
            .useProtocolCachePolicy,
            .package,
            "revalidated old after 1",
            "stale old after 1",
            "stale old after 0"
        ),

        PolicyCase(.reloadIgnoringLocalCacheData, .nothing, "miss new after 1", "504 after 1", "504 after 0"),
        PolicyCase(.reloadIgnoringLocalCacheData, .fresh, "miss new after 1", "504 after 1", "504 after 0"),
        PolicyCase(.reloadIgnoringLocalCacheData, .stale, "miss new after 1", "504 after 1", "504 after 0"),
        PolicyCase(.reloadIgnoringLocalCacheData, .mustRevalidate, "miss new after 1", "504 after 1", "504 after 0"),
        PolicyCase(.reloadIgnoringLocalCacheData, .package, "miss new after 1", "504 after 1", "504 after 0"),

        PolicyCase(.reloadIgnoringLocalAndRemoteCacheData, .nothing, "miss new after 1", "504 after 1", "504 after 0"),
        PolicyCase(.reloadIgnoringLocalAndRemoteCacheData, .fresh, "miss new after 1", "504 after 1", "504 after 0"),
        PolicyCase(.reloadIgnoringLocalAndRemoteCacheData, .stale, "miss new after 1", "504 after 1", "504 after 0"),
        PolicyCase(
            .reloadIgnoringLocalAndRemoteCacheData,
            .mustRevalidate,
            "miss new after 1",
            "504 after 1",
            "504 after 0"
        ),
        PolicyCase(.reloadIgnoringLocalAndRemoteCacheData, .package, "miss new after 1", "504 after 1", "504 after 0"),

        PolicyCase(.returnCacheDataElseLoad, .nothing, "miss new after 1", "504 after 1", "504 after 0"),
        PolicyCase(.returnCacheDataElseLoad, .fresh, "hit old after 0", "hit old after 0", "hit old after 0"),
        PolicyCase(.returnCacheDataElseLoad, .stale, "stale old after 0", "stale old after 0", "stale old after 0"),
        PolicyCase(
            .returnCacheDataElseLoad,
            .mustRevalidate,
            "stale old after 0",
            "stale old after 0",
            "stale old after 0"
        ),
        PolicyCase(.returnCacheDataElseLoad, .package, "stale old after 0", "stale old after 0", "stale old after 0"),

        PolicyCase(.returnCacheDataDontLoad, .nothing, "504 after 0", "504 after 0", "504 after 0"),
        PolicyCase(.returnCacheDataDontLoad, .fresh, "hit old after 0", "hit old after 0", "hit old after 0"),
        PolicyCase(.returnCacheDataDontLoad, .stale, "stale old after 0", "stale old after 0", "stale old after 0"),
        PolicyCase(
            .returnCacheDataDontLoad,
            .mustRevalidate,
            "stale old after 0",
            "stale old after 0",
            "stale old after 0"
        ),
        PolicyCase(.returnCacheDataDontLoad, .package, "stale old after 0", "stale old after 0", "stale old after 0"),

        PolicyCase(.reloadRevalidatingCacheData, .nothing, "miss new after 1", "504 after 1", "504 after 0"),
        PolicyCase(.reloadRevalidatingCacheData, .fresh, "revalidated old after 1", "504 after 1", "504 after 0"),
        PolicyCase(.reloadRevalidatingCacheData, .stale, "revalidated old after 1", "504 after 1", "504 after 0"),
        PolicyCase(
            .reloadRevalidatingCacheData,
            .mustRevalidate,
            "revalidated old after 1",
            "504 after 1",
            "504 after 0"
        ),
        PolicyCase(.reloadRevalidatingCacheData, .package, "revalidated old after 1", "504 after 1", "504 after 0"),
    ]

    @Test(arguments: table)
    func `a policy decides whether the cache or the origin answers`(_ line: PolicyCase) async throws {
        for (link, expected) in zip(LibraryBench.Link.allCases, line.expected) {
            let bench = try await LibraryBench(line.stored, link)
            let said = try await bench.ask(line.policy)
            #expect(said == expected, "\(link)")
        }
    }

    @Test func `the response to a reload is served from then on`() async throws {
        for stored in LibraryBench.Stored.allCases {
            let bench = try await LibraryBench(stored)
            #expect(try await bench.ask(.reloadIgnoringLocalCacheData) == "miss new after 1")
            #expect(try await bench.ask() == "hit new after 1", "\(stored)")
        }
    }

    @Test func `a reload tells intermediate caches to revalidate`() async throws {
        let bench = try await LibraryBench(.fresh)
        for policy in [
            ResourcePolicy.reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData,
            .reloadRevalidatingCacheData,
        ] {
            _ = try await bench.ask(policy)
        }
        let requests = bench.origin.requests
        #expect(requests.map { $0.fields[.cacheControl] } == [nil, "no-cache", "no-cache"])
        #expect(requests.map { $0.fields[.pragma] } == [nil, "no-cache", nil])
        #expect(requests.map { $0.fields[.ifNoneMatch] } == [nil, nil, "\"v2\""])
        #expect(requests.allSatisfy { !$0.fields.contains { $0.name.canonicalName == "via" } })
    }

    @Test(arguments: [ResourcePolicy.reloadIgnoringLocalCacheData, .reloadRevalidatingCacheData])
    func `a reload gets the origin's error, not the stored response`(_ policy: ResourcePolicy) async throws {
        let bench = try await LibraryBench(.fresh) { _, _ in FakeOrigin.Answer(status: 503, body: ["down"]) }
        #expect(try await bench.ask(policy) == "miss down after 1")
        #expect(try await bench.ask() == "hit old after 1")
    }

    @Test func `a response served regardless of its age says so`() async throws {
        for (stored, expected) in [
            (LibraryBench.Stored.fresh, "afcache; hit; ttl=900"), (.stale, "afcache; hit; ttl=-40; detail=any-age"),
            (.mustRevalidate, "afcache; hit; ttl=-40; detail=any-age"),
        ] {
            let bench = try await LibraryBench(stored)
            let response = try await bench.resolver.response(
                for: ResolverRequest(url: bench.url),
                policy: .returnCacheDataElseLoad
            )
            #expect(response.fields[.cacheStatus] == expected)
        }
    }

    @Test func `a request with other values for Vary's fields goes to the origin or fails`() async throws {
        let bench = try await LibraryBench { _, number in
            FakeOrigin.Answer(
                fields: [("Cache-Control", "max-age=60"), ("Vary", "Accept-Language")],
                body: ["answer \(number)"]
            )
        }
        #expect(try await bench.ask(.useProtocolCachePolicy, [], [.acceptLanguage: "de"]) == "miss answer 1 after 1")
        #expect(try await bench.ask(.returnCacheDataDontLoad, [], [.acceptLanguage: "en"]) == "504 after 1")
        #expect(try await bench.ask(.returnCacheDataElseLoad, [], [.acceptLanguage: "en"]) == "miss answer 2 after 2")
        #expect(try await bench.ask(.returnCacheDataElseLoad, [], [.acceptLanguage: "de"]) == "hit answer 1 after 2")
    }

    @Test func `an old error response is fetched again`() async throws {
        let bench = try await LibraryBench { _, number in
            FakeOrigin.Answer(
                status: number == 1 ? 503 : 200,
                fields: [("Cache-Control", "max-age=1"), ("Age", "10"), ("ETag", "\"e\(number)\"")],
                body: ["answer \(number)"]
            )
        }
        #expect(try await bench.ask() == "miss answer 1 after 1")
        #expect(try await bench.ask(.returnCacheDataElseLoad) == "miss answer 2 after 2")
    }

    @Test func `a reload doesn't wait for other clients' transfers`() async throws {
        let gate = Gate()
        let bench = try await LibraryBench { _, number in
            FakeOrigin.Answer(
                fields: [("Cache-Control", "max-age=60")],
                body: ["answer \(number)"],
                headGate: number == 1 ? gate : nil
            )
        }
        async let first = bench.ask()
        try await bench.origin.waitUntilAsked()
        #expect(try await bench.ask(.reloadIgnoringLocalCacheData) == "miss answer 2 after 2")
        gate.open()
        _ = try await first
    }
}
