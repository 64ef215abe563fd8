import AFCache
import Foundation
import TestOrigin
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.serialized, .timeLimit(.minutes(5)))
struct OptionsTests {
    /// A stored response that is stale, an origin that has a newer one, and what an option makes of it.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var reuse: AFCache.LoadOptions.Reuse
        var isOffline = false
        /// The answer, and the one to a later plain request.
        var expected: [String]
        /// The methods of the requests that the origin gets because of the option.
        var methods: [String]
        var testDescription: String { name }
    }

    @Test(arguments: [
        Case(name: "none", reuse: [], expected: ["miss new", "hit new"], methods: ["GET"]),
        Case(name: "invalidate", reuse: .invalidate, expected: ["miss new", "hit new"], methods: ["GET"]),
        Case(name: "never", reuse: .neverRevalidate, expected: ["stale old", "miss new"], methods: []),
        Case(name: "first", reuse: .returnThenRevalidate, expected: ["stale old", "hit new"], methods: ["GET"]),
        Case(
            name: "even offline",
            reuse: .revalidateEvenOffline,
            isOffline: true,
            expected: ["miss new", "hit new"],
            methods: ["GET"]
        ),
        Case(name: "head", reuse: .headOnly, expected: ["miss ", "miss new"], methods: ["HEAD"]),
    ])
    func `AFCache's request options have their meaning`(_ sample: Case) async throws {
        let new = TestOrigin.Answer.fresh("new", for: 600, [("ETag", "\"2\"")])
        let old = TestOrigin.Answer.fresh("old", for: 60, [("ETag", "\"1\"")])
        // A response to HEAD has no body.
        var head = TestOrigin.Answer.fresh("", for: 600, [("ETag", "\"2\"")])
        head.fields.append(("Content-Length", "3"))
        let second = sample.reuse == .headOnly ? [head, new] : [new]
        try await TestOrigin.withOrigin(["/a": [old] + second]) { origin in
            let bench = try AppBench()
            let url = origin.base + "/a"
            #expect(try await bench.load(url) == "miss old")
            bench.clock.advance(100)
            bench.cache.isOffline = sample.isOffline
            let answer = try await bench.load(url, .useProtocolCachePolicy, AFCache.LoadOptions(sample.reuse))
            #expect(answer == sample.expected[0])
            if sample.reuse == .returnThenRevalidate {
                try await waitUntil("the new response is stored") {
                    try await bench.load(url, .returnCacheDataDontLoad) == "hit new"
                }
            }
            #expect(origin.requests.dropFirst().map(\.method) == sample.methods)
            #expect(try await bench.load(url) == sample.expected[1])
            try await bench.close()
        }
    }
}
