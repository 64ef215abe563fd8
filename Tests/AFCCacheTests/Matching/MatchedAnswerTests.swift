import AFCCaching
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCURL
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AFCCache

/// Answers from a cache for URLs that differ from the stored ones in their query.
struct MatchedAnswerTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_700_000_000)

    /// Writes and loads a package: targets of d.example with their bodies, types and further fields.
    private static func load(
        as name: String = "p",
        _ resources: [(target: String, body: String)],
        type: String = "text/html",
        fields: HTTPFields = HTTPFields(),
        rules: String? = nil,
        expires: Timestamp? = nil,
        priority: Int = 0,
        into cache: DiskCache,
        _ scratch: Scratch
    ) async throws {
        var made: [PackageWriter.Resource] = []
        for (target, body) in resources.sorted(by: { $0.target < $1.target }) {
            let url = try WebURL("http://d.example" + target)
            var record = ResourceRecord(url: url, fetched: now)
            record.fields = fields
            made.append(
                PackageWriter.Resource(
                    record: record,
                    entry: ManifestEntry(url: url, lastModified: nil, expires: expires, mediaType: type),
                    body: .bytes(Array(body.utf8)),
                    isCompressible: true
                )
            )
        }
        var options = PackageWriter.Options(created: now, generator: "test/1")
        options.matchRules = try rules.map { try MatchRules(Array($0.utf8)) }
        _ = try await PackageWriter.write(made, to: scratch.path(name + ".zip"), options: options)
        var install = InstallOptions()
        install.settings.priority = priority
        _ = try await cache.install(scratch.path(name + ".zip"), options: install, now: now)
    }

    private static func ask(
        _ target: String,
        _ cache: DiskCache,
        _ matching: QueryMatching = .query,
        _ method: HTTPRequest.Method = .get,
        _ fields: HTTPFields = HTTPFields(),
        policy: OfflinePolicy = OfflinePolicy()
    ) throws -> CacheAnswer {
        let request = OfflineRequest(method: method, url: try WebURL("http://d.example" + target), fields: fields)
        return try cache.respond(to: request, now: now + 60, policy: policy, matching: matching)
    }

    @Test func `a query that the path doesn't use leads to the page, and Cache-Status says so`() async throws {
        let (cache, scratch) = try MatchingCache.made()
        try await Self.load(resources, into: cache, scratch)
        let answer = try Self.ask("/search.html?q=word", cache)
        #expect(answer.resolution.status == .ok)
        #expect(try answer.text() == "search")
        #expect(answer.matched?.description == "http://d.example/search.html")
        let status = try #require(answer.resolution.fields[.cacheStatus])
        #expect(status.contains(#"; key="http://d.example/search.html"; detail="#), "\(status)")
        #expect(status.hasSuffix("query-ignored"), "\(status)")
        #expect(answer.resolution.cacheStatus.description == status)
        let head = try Self.ask("/search.html?q=word", cache, .query, .head)
        #expect(head.resolution.status == .ok && head.body == nil)
        let hit = try Self.ask("/search.html", cache)
        #expect(hit.matched == nil && hit.resolution.cacheStatus.key == nil)
    }

    private var resources: [(target: String, body: String)] {
        [
            ("/search.html", "search"), ("/a.css?v=1", "css"), ("/list?page=1", "one"), ("/list", "list"),
            ("/~user/x.html", "x"),
        ]
    }

    @Test(
        arguments: [
            ("/a.css?v=2", "css"), ("/a.css", "css"), ("/list?utm_source=n", "list"), ("/list?page=1&_=5", "one"),
            ("/list?page=2", nil), ("/none?q=1", nil), ("/none", nil), ("/%7Euser/x.html?q=1", "x"),
            ("/search.htm?q=1", nil), ("/search.html/?q=1", nil),
        ] as [(String, String?)]
    )
    func `one stored URL answers, or none`(_ target: String, _ expected: String?) async throws {
        let (cache, scratch) = try MatchingCache.made()
        try await Self.load(resources, into: cache, scratch)
        #expect(try Self.ask(target, cache).text() == expected)
        let exact = try Self.ask(target, cache, .exact)
        #expect(exact.resolution.status == .gatewayTimeout && exact.isUnknown && exact.matched == nil)
    }

    @Test func `a packaged response with No-Vary-Search answers equivalent queries, and Cache-Status says so`()
        async throws
    {
        let (cache, scratch) = try MatchingCache.made()
        try await Self.load(
            [("/api?id=1&page=a", "one"), ("/api?id=2&page=a", "two")],
            type: "application/json",
            fields: [.noVarySearch: "params, except=(\"id\")"],
            into: cache,
            scratch
        )
        let answer = try Self.ask("/api?page=b&id=2", cache)
        #expect(try answer.text() == "two")
        let detail = try #require(answer.resolution.cacheStatus.detail)
        #expect(detail.hasSuffix("no-vary-search"))
        #expect(answer.resolution.fields[.noVarySearch] == "params, except=(\"id\")")
        #expect(try Self.ask("/api?id=3", cache).resolution.status == .gatewayTimeout)
        #expect(try Self.ask("/api?page=b&id=2", cache, .exact).resolution.status == .gatewayTimeout)
    }

    @Test(arguments: [("/a.html", "key-order, params=(\"from\")"), ("/b.html", nil)])
    func `an answer knows what the rule of its package says of the URL`(target: String, expected: String?) async throws
    {
        let (cache, scratch) = try MatchingCache.made()
        let rules = "{\"rules\": [{\"path\": \"/a.html\", \"ignore\": [\"from\"]}]}"
        try await Self.load([("/a.html", "a"), ("/b.html", "b")], rules: rules, into: cache, scratch)
        #expect(try Self.ask(target, cache).variance?.description == expected)
    }

    @Test func `another method, credentials, and what is private find only what they name`() async throws {
        let (cache, scratch) = try MatchingCache.made()
        try await Self.load([("/a.html", "a")], into: cache, scratch)
        try await Self.load(
            as: "private",
            [("/b.html", "b")],
            fields: [.cacheControl: "private, max-age=60"],
            into: cache,
            scratch
        )
        #expect(try Self.ask("/a.html?q=1", cache, .query, .post).resolution.status == .methodNotAllowed)
        let credentials: HTTPFields = [.authorization: "Basic YTpi"]
        #expect(try Self.ask("/a.html?q=1", cache, .query, .get, credentials).resolution.status == .gatewayTimeout)
        #expect(try Self.ask("/b.html", cache).text() == "b")
        #expect(try Self.ask("/b.html?q=1", cache).resolution.status == .gatewayTimeout)
    }

    @Test func `ranges and conditions are those of the stored response`() async throws {
        let (cache, scratch) = try MatchingCache.made()
        try await Self.load([("/a.html", "0123456789")], fields: [.eTag: "\"x\""], into: cache, scratch)
        let part = try Self.ask("/a.html?q=1", cache, .query, .get, [.range: "bytes=2-4"])
        #expect(part.resolution.status == .partialContent && part.resolution.body == .range(2..<5))
        let same = try Self.ask("/a.html?q=1", cache, .query, .get, [.ifNoneMatch: "\"x\""])
        #expect(same.resolution.status == .notModified)
    }

    @Test func `a stored response that has expired is refused as under its own URL`() async throws {
        let (cache, scratch) = try MatchingCache.made()
        try await Self.load([("/a.html", "a")], expires: Self.now + 10, into: cache, scratch)
        let served = try Self.ask("/a.html?q=1", cache)
        #expect(served.resolution.cacheStatus.detail == "offline+query-ignored")
        let refused = try Self.ask("/a.html?q=1", cache, policy: OfflinePolicy(expired: .refuse))
        #expect(refused.resolution.verdict == .expiredRefused)
    }

    @Test func `all packages count, in the order of an exact look-up`() async throws {
        let (cache, scratch) = try MatchingCache.made()
        try await Self.load(as: "one", [("/a.html", "one")], priority: 1, into: cache, scratch)
        try await Self.load(as: "two", [("/a.html", "two")], into: cache, scratch)
        #expect(try Self.ask("/a.html?q=1", cache).text() == "one")
        try await Self.load(as: "three", [("/a.html?q=2", "three")], into: cache, scratch)
        #expect(try Self.ask("/a.html?q=1", cache).text() == nil)
        #expect(try Self.ask("/a.html?q=2&_=1", cache).text() == "three")
        _ = try await cache.remove("three")
        #expect(try Self.ask("/a.html?q=1", cache).text() == "one")
        try await Self.load(as: "one", [("/b.html", "b")], priority: 1, into: cache, scratch)
        #expect(try Self.ask("/a.html?q=1", cache).text() == "two")
        _ = try await cache.rollBack("one")
        #expect(try Self.ask("/a.html?q=1", cache).text() == "one")
    }

    @Test func `more than 64 stored URLs of a path are a miss`() async throws {
        let (cache, scratch) = try MatchingCache.made()
        let pages = (0..<64).map { (target: "/list?page=\($0)", body: "\($0)") }
        try await Self.load(as: "one", pages, into: cache, scratch)
        #expect(try Self.ask("/list?page=7&_=1", cache).text() == "7")
        try await Self.load(as: "two", [("/list?page=64", "64")], into: cache, scratch)
        #expect(try Self.ask("/list?page=7&_=1", cache).text() == nil)
        #expect(try Self.ask("/list?page=7", cache).text() == "7")
    }

    @Test func `the rules of a package count where they are asked for, after each update and repair`() async throws {
        let (cache, scratch) = try MatchingCache.made()
        let rules = #"{"rules":[{"path":"/api/*","ignore":["nonce"]}]}"#
        let resources = [(target: "/api/a?id=1&nonce=x", body: "a"), (target: "/b?id=1&nonce=x", body: "b")]
        try await Self.load(resources, type: "application/json", rules: rules, into: cache, scratch)
        let target = "/api/a?nonce=y&id=1"
        #expect(try Self.ask(target, cache).text() == nil)
        let answer = try Self.ask(target, cache, .loose)
        #expect(try answer.text() == "a")
        #expect(answer.resolution.cacheStatus.detail?.hasSuffix("query-rule") == true)
        #expect(try Self.ask("/b?nonce=y&id=1", cache, .loose).text() == nil)
        #expect(try cache.verify().findings.isEmpty)
        // A cache that is opened later reads them from its folder.
        let reader = try DiskCache(path: scratch.path("store"), access: .readOnly)
        #expect(try Self.ask(target, reader, .loose).text() == "a")
        try await Self.load(resources, type: "application/json", into: cache, scratch)
        #expect(try Self.ask(target, cache, .loose).text() == nil)
    }

    @Test func `rules that are damaged in the cache count as none, and a repair restores them`() async throws {
        let (cache, scratch) = try MatchingCache.made()
        let rules = #"{"rules":[{"path":"/*","ignore":["nonce"]}]}"#
        try await Self.load([("/a?nonce=x", "a"), ("/b", "b")], type: "text/plain", rules: rules, into: cache, scratch)
        let packages = scratch.path("store/packages")
        let folder = try #require(try FileManager.default.contentsOfDirectory(atPath: packages).first)
        try scratch.write(Array("{".utf8), to: "store/packages/\(folder)/match.json")
        try scratch.write(Array("x".utf8), to: "store/packages/\(folder)/files/d.example/b")
        let reader = try DiskCache(path: scratch.path("store"), access: .readOnly)
        #expect(try Self.ask("/a?nonce=y", reader, .loose).text() == nil)
        _ = try await cache.repair(from: [scratch.path("p.zip")])
        let later = try DiskCache(path: scratch.path("store"), access: .readOnly)
        #expect(try Self.ask("/a?nonce=y", later, .loose).text() == "a")
    }

    @Test(arguments: [0, 1, 2, 9, 500])
    func `the URLs that begin with a text are found in any index`(count: Int) throws {
        let scratch = try Scratch()
        let generation = GenerationIndexTests.generation(scratch)
        let urls = (0..<count).map { "http://d.example/p\(1000 + $0)?x=\($0 % 3)" }
        _ = try GenerationIndexTests.write(
            urls.enumerated().map { GenerationIndexTests.resource($0.offset, url: $0.element) },
            to: generation.index
        )
        let index = try GenerationIndex(generation)
        for prefix in ["http://d.example/p1007?", "http://d.example/p12", "http://d.example/z", "a", urls.last ?? "z"] {
            let found = try index.resources(beginningWith: prefix, limit: 7).map(\.url)
            #expect(found == Array(urls.filter { $0.hasPrefix(prefix) }.prefix(7)), "\(prefix)")
        }
    }
}
