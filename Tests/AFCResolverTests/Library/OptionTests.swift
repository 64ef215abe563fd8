import AFCCache
import AFCCaching
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@testable import AFCResolver

@Suite struct OptionTests {
    @Test(arguments: [LibraryBench.Stored.fresh, .package])
    func `an invalidated response is validated before its next use`(_ stored: LibraryBench.Stored) async throws {
        let bench = try await LibraryBench(stored)
        #expect(try await bench.ask(.useProtocolCachePolicy, .invalidate) == "revalidated old after 1")
        let down = try await LibraryBench(stored, .down)
        #expect(try await down.ask(.useProtocolCachePolicy, .invalidate) == "504 after 1")
        #expect(try await down.ask() == "504 after 2")
    }

    @Test func `an invalidated response isn't served, however stale it may be`() async throws {
        let bench = try await LibraryBench(.fresh)
        #expect(try await bench.ask(.returnCacheDataDontLoad, .invalidate) == "504 after 0")
        #expect(try await bench.ask(.returnCacheDataElseLoad) == "miss new after 1")
        #expect(try await bench.ask(.returnCacheDataDontLoad) == "hit new after 1")
    }

    @Test func `a read-only cache can't invalidate`() async throws {
        let bench = try await LibraryBench(.fresh)
        try bench.store.close()
        let store = try DiskCache(path: bench.scratch.path("store"), access: .readOnly)
        let resolver = Resolver(
            store: store,
            transport: bench.origin,
            configuration: .library(now: { LibraryBench.noon })
        )
        await #expect(throws: CacheError.self) {
            try await resolver.response(for: ResolverRequest(url: bench.url), options: .invalidate)
        }
    }

    @Test(arguments: [
        (LibraryBench.Stored.fresh, "hit old after 0"), (.stale, "stale old after 0"),
        (.mustRevalidate, "stale old after 0"), (.package, "stale old after 0"), (.nothing, "miss new after 1"),
    ])
    func `a stored response isn't validated if the policy doesn't ask for it`(
        _ stored: LibraryBench.Stored,
        _ expected: String
    ) async throws {
        let bench = try await LibraryBench(stored)
        #expect(try await bench.ask(.useProtocolCachePolicy, .neverRevalidate) == expected)
    }

    @Test func `a policy without validation causes no background validation either`() async throws {
        let bench = try await LibraryBench { _, number in
            FakeOrigin.Answer(
                fields: [("Cache-Control", "max-age=1, stale-while-revalidate=600"), ("Age", "10")],
                body: ["answer \(number)"]
            )
        }
        _ = try await bench.ask()
        for _ in 0..<3 {
            #expect(try await bench.ask(.useProtocolCachePolicy, .neverRevalidate) == "stale answer 1 after 1")
        }
    }

    @Test func `a HEAD is requested from the origin, or served from the cache`() async throws {
        let bench = try await LibraryBench(.fresh)
        #expect(try await bench.ask(.useProtocolCachePolicy, .headOnly) == "hit - after 0")
        _ = try await bench.ask(.reloadIgnoringLocalCacheData, .headOnly)
        #expect(bench.origin.requests.map(\.method) == [.head])
    }

    // MARK: Offline

    @Test func `offline, a request may go to the origin if it says so explicitly`() async throws {
        for (stored, expected) in [
            (LibraryBench.Stored.nothing, "miss new after 1"), (.fresh, "revalidated old after 1"),
            (.mustRevalidate, "revalidated old after 1"), (.package, "revalidated old after 1"),
        ] {
            let bench = try await LibraryBench(stored, .offline)
            #expect(try await bench.ask(.useProtocolCachePolicy, .revalidateEvenOffline) == expected, "\(stored)")
            #expect(try await bench.ask(.returnCacheDataDontLoad, .revalidateEvenOffline).hasSuffix("after 1"))
        }
    }

    @Test func `if the origin fails, the cache answers as it does offline`() async throws {
        for (stored, expected) in [
            (LibraryBench.Stored.nothing, "504 after 1"), (.fresh, "hit old after 1"), (.stale, "stale old after 1"),
            (.mustRevalidate, "504 after 1"), (.package, "stale old after 1"),
        ] {
            let bench = try await LibraryBench(stored, .offline) { _, _ in
                FakeOrigin.Answer(failure: TransportFailure(.timedOut, "too slow"))
            }
            #expect(try await bench.ask(.useProtocolCachePolicy, .revalidateEvenOffline) == expected, "\(stored)")
        }
    }

    // MARK: Now and then

    @Test func `a stored response is served at once, and validated in the background`() async throws {
        let gate = Gate()
        let bench = try await LibraryBench(.mustRevalidate) { _, _ in
            FakeOrigin.Answer(fields: [("Cache-Control", "max-age=60")], body: ["new"], headGate: gate)
        }
        let response = try await bench.resolver.response(
            for: ResolverRequest(url: bench.url),
            options: .returnThenRevalidate
        )
        #expect(response.source == .stale)
        #expect(String(buffer: try await response.bytes(upTo: 3)) == "old")
        try await bench.origin.waitUntilAsked()
        #expect(bench.origin.requests[0].fields[.ifNoneMatch] == "\"v1\"")
        gate.open()
        try await waitUntil("the new response is stored") {
            try await bench.ask(.returnCacheDataDontLoad) == "hit new after 1"
        }
    }

    private func answers(_ bench: LibraryBench, _ policy: ResourcePolicy = .useProtocolCachePolicy) async throws
        -> [String]
    {
        var all: [String] = []
        for try await response in bench.resolver.responses(for: ResolverRequest(url: bench.url), policy: policy) {
            all.append(try await bench.said(response))
        }
        return all
    }

    @Test func `a second response follows if the origin's differs`() async throws {
        for stored in [LibraryBench.Stored.fresh, .mustRevalidate, .package] {
            let bench = try await LibraryBench(stored) { _, _ in
                FakeOrigin.Answer(fields: [("Cache-Control", "max-age=60"), ("ETag", "\"v2\"")], body: ["new"])
            }
            let first = stored == .fresh ? "hit old after 0" : "stale old after 0"
            #expect(try await answers(bench) == [first, "miss new after 1"], "\(stored)")
            #expect(try await bench.ask() == "hit new after 1")
        }
    }

    @Test func `no second response follows if the origin's is the same`() async throws {
        let confirmed = try await LibraryBench(.stale)
        #expect(try await answers(confirmed) == ["stale old after 0"])
        #expect(confirmed.origin.count == 1)
        #expect(try await confirmed.ask() == "hit old after 1")
        let whole = try await LibraryBench(.stale) { _, _ in
            FakeOrigin.Answer(fields: [("Cache-Control", "max-age=60"), ("ETag", "\"v1\"")], body: ["old"])
        }
        #expect(try await answers(whole) == ["stale old after 0"])
        #expect(try await whole.ask() == "hit old after 1")
    }

    @Test(arguments: [
        (LibraryBench.Stored.nothing, LibraryBench.Link.online, ["miss new after 1"], 1),
        (.nothing, .down, ["504 after 1"], 1), (.stale, .down, ["stale old after 0"], 1),
        (.stale, .offline, ["stale old after 0"], 0), (.nothing, .offline, ["504 after 0"], 0),
    ])
    func `without a second response there is one`(
        _ stored: LibraryBench.Stored,
        _ link: LibraryBench.Link,
        _ expected: [String],
        _ requests: Int
    ) async throws {
        let bench = try await LibraryBench(stored, link)
        #expect(try await answers(bench) == expected)
        #expect(bench.origin.count == requests)
    }

    @Test func `offline, a second response follows if the request may go to the origin`() async throws {
        let request = { (bench: LibraryBench) in ResolverRequest(url: bench.url) }
        for (status, expected) in [(200, ["hit old after 0", "miss new after 1"]), (503, ["hit old after 0"])] {
            let bench = try await LibraryBench(.fresh, .offline) { _, _ in
                status == 200
                    ? FakeOrigin.Answer(body: ["new"])
                    : FakeOrigin.Answer(failure: TransportFailure(.timedOut, "too slow"))
            }
            var said: [String] = []
            for try await response in bench.resolver.responses(for: request(bench), options: .revalidateEvenOffline) {
                said.append(try await bench.said(response))
            }
            #expect(said == expected)
            #expect(bench.origin.count == 1)
        }
    }

    @Test(arguments: [
        (ResourcePolicy.reloadIgnoringLocalCacheData, "miss new after 1"),
        (.reloadRevalidatingCacheData, "revalidated old after 1"), (.returnCacheDataDontLoad, "stale old after 0"),
    ])
    func `a policy that asks for one response gets one`(_ policy: ResourcePolicy, _ expected: String) async throws {
        let bench = try await LibraryBench(.stale)
        #expect(try await answers(bench, policy) == [expected])
    }
}
