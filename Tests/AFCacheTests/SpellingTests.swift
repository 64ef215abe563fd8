import AFCache
import Foundation
import TestOrigin
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Spellings of one URL, for which the same response is stored (RFC 9111 §2, RFC 9110 §4.2.3).
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SpellingTests {
    /// A way to write a URL other than the one that the URL Standard serializes.
    enum Spelling: String, CaseIterable, Sendable {
        case noSlash = ""
        case fragment = "/spell#top"
        case emptyFragment = "/spell#"
        case upperScheme = "HTTP /spell"
        case dot = "/./spell"
        case parent = "/other/../spell"
        case escape = "/%73pell"
        case lowerEscape = "/caf%c3%a9"
        case shortAddress = "127.1 /spell"

        /// The target that the origin is asked for.
        var target: String {
            switch self {
            case .noSlash: "/"
            case .escape, .lowerEscape: rawValue
            default: "/spell"
            }
        }

        /// The URL in this spelling.
        func url(_ base: String) throws -> URL {
            switch self {
            case .upperScheme: try URL.parsed("HTTP" + base.dropFirst(4) + "/spell")
            case .shortAddress: try URL.parsed(base.replacingOccurrences(of: "127.0.0.1", with: "127.1") + "/spell")
            default: try URL.parsed(base + rawValue)
            }
        }

        /// The URL as most write it.
        func plain(_ base: String) throws -> URL {
            switch self {
            case .noSlash: try URL.parsed(base + "/")
            case .lowerEscape: try URL.parsed(base + "/caf%C3%A9")
            default: try URL.parsed(base + "/spell")
            }
        }
    }

    private static let numbers = (1...9).map { TestOrigin.Answer.fresh("\($0)", for: 600) }
    private static let routes = Dictionary(
        uniqueKeysWithValues: ["/", "/spell", "/%73pell", "/caf%c3%a9", "/caf%C3%A9"].map { ($0, numbers) }
    )

    /// Runs an origin whose answers are numbers that increase, and a cache, which the body closes.
    private func withCache(_ spelling: Spelling, _ body: (AppBench, URL, URL) async throws -> Void) async throws {
        try await TestOrigin.withOrigin(Self.routes) { origin in
            let bench = try AppBench()
            try await body(bench, try spelling.url(origin.base), try spelling.plain(origin.base))
        }
    }

    private func load(
        _ bench: AppBench,
        _ url: URL,
        _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) async throws -> String { try await bench.load(url.absoluteString, policy) }

    @Test(arguments: Spelling.allCases)
    func `a reload of a URL replaces what is in memory for another spelling`(_ spelling: Spelling) async throws {
        try await withCache(spelling) { bench, url, plain in
            #expect(try await load(bench, plain) == "miss 1")
            for _ in 0..<3 { #expect(try await load(bench, url) == "hit 1") }
            #expect(bench.cache.memoryHits.hits > 0)
            #expect(try await load(bench, plain, .reloadIgnoringLocalCacheData) == "miss 2")
            for _ in 0..<2 { #expect(try await load(bench, url) == "hit 2") }
            let session = URLSession(configuration: bench.cache.urlSessionConfiguration())
            defer { session.invalidateAndCancel() }
            #expect(try await session.data(from: url).0 == Data("2".utf8))
            try await bench.close()
        }
    }

    @Test(arguments: Spelling.allCases)
    func `what is removed or reloaded by its own spelling isn't served again`(_ spelling: Spelling) async throws {
        try await withCache(spelling) { bench, url, plain in
            for expected in ["miss 1", "hit 1", "hit 1"] { #expect(try await load(bench, url) == expected) }
            try bench.cache.removeCachedResponse(for: url)
            #expect(try await load(bench, url, .returnCacheDataDontLoad) == "error -1008")
            for expected in ["miss 2", "hit 2", "hit 2"] { #expect(try await load(bench, url) == expected) }
            #expect(try await load(bench, url, .reloadIgnoringLocalCacheData) == "miss 3")
            for _ in 0..<2 { #expect(try await load(bench, url) == "hit 3") }
            for _ in 0..<2 { #expect(try await load(bench, plain) == "hit 3") }
            try bench.cache.removeCachedResponse(for: plain)
            for one in [url, plain] {
                #expect(try await load(bench, one, .returnCacheDataDontLoad) == "error -1008")
            }
            try await bench.close()
        }
    }

    @Test(arguments: Spelling.allCases)
    func `a reload replaces what another spelling has stored`(_ spelling: Spelling) async throws {
        try await withCache(spelling) { bench, url, plain in
            for expected in ["miss 1", "hit 1", "hit 1"] { #expect(try await load(bench, url) == expected) }
            let reloaded = try await load(bench, plain, .reloadIgnoringLocalCacheData).dropFirst("miss ".count)
            for _ in 0..<2 { #expect(try await load(bench, url) == "hit \(reloaded)") }
            try await bench.close()
        }
    }

    @Test(arguments: Spelling.allCases)
    func `a POST invalidates all spellings`(_ spelling: Spelling) async throws {
        try await withCache(spelling) { bench, url, plain in
            _ = try await load(bench, plain)
            for _ in 0..<3 { #expect(try await load(bench, url) == "hit 1") }
            var post = URLRequest(url: plain)
            post.httpMethod = "POST"
            post.httpBody = Data("x".utf8)
            _ = try await bench.cache.load(post)
            #expect(try await load(bench, url).hasPrefix("miss"))
            try await bench.close()
        }
    }

    @Test(arguments: Spelling.allCases)
    func `decoded values are those of all spellings`(_ spelling: Spelling) async throws {
        try await withCache(spelling) { bench, url, plain in
            func text(_ url: URL, _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy) async throws -> String {
                try await bench.cache.object(for: url, policy: policy) { String(decoding: $0, as: UTF8.self) }
            }
            for _ in 0..<2 { for one in [plain, url] { #expect(try await text(one) == "1") } }
            #expect(bench.cache.cachedObject(for: url, as: String.self) == "1")
            #expect(try await text(plain, .reloadIgnoringLocalCacheData) == "2")
            for one in [url, plain] { #expect(try await text(one) == "2") }
            bench.cache.removeObjects(for: url)
            for one in [url, plain] { #expect(bench.cache.cachedObject(for: one, as: String.self) == nil) }
            try await bench.close()
        }
    }

    @Test func `a response from memory has the URL of its own request`() async throws {
        try await withCache(.fragment) { bench, _, plain in
            for _ in 0..<2 {
                for fragment in ["", "#home", "#search"] {
                    let url = try URL.parsed(plain.absoluteString + fragment)
                    let loaded = try await bench.cache.load(URLRequest(url: url))
                    #expect(loaded.response.url == url)
                    #expect(loaded.url == url)
                }
            }
            #expect(bench.cache.memoryHits.hits > 0)
            try await bench.close()
        }
    }
}
