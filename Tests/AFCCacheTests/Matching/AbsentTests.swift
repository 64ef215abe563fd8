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

/// The URLs that a package's site doesn't have.
struct AbsentTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_700_000_000)
    private static let image: HTTPFields = [.accept: "image/*"]

    /// Writes and loads a package with pages, and URLs that its site doesn't have.
    private static func load(
        as name: String = "p",
        _ pages: [String],
        absent: [(String, Int)],
        missing: String? = nil,
        into cache: DiskCache,
        _ scratch: Scratch
    ) async throws {
        let resources = try pages.sorted().map { text in
            let url = try WebURL(text)
            return PackageWriter.Resource(
                record: ResourceRecord(url: url, fetched: now),
                entry: ManifestEntry(url: url, lastModified: nil, expires: now + 3600, mediaType: "text/html"),
                body: .bytes(Array(text.utf8)),
                isCompressible: true
            )
        }
        var options = PackageWriter.Options(created: now, generator: "test/1")
        options.absent = AbsentURLs(try absent.compactMap { AbsentURLs.Entry(try WebURL($0.0), status: $0.1) })
        options.fallback = try missing.map { page in
            try FallbackRules(base: WebURL("http://d.example/"), application: nil, missing: WebURL(page))
        }
        _ = try await PackageWriter.write(resources, to: scratch.path(name + ".zip"), options: options)
        _ = try await cache.install(scratch.path(name + ".zip"), now: now)
    }

    private static func ask(
        _ url: String,
        _ cache: some OfflineAnswering,
        _ fields: HTTPFields = image,
        _ matching: QueryMatching = .query,
        _ method: HTTPRequest.Method = .get,
        _ policy: OfflinePolicy = OfflinePolicy()
    ) throws -> CacheAnswer {
        let request = OfflineRequest(method: method, url: try WebURL(url), fields: fields)
        return try cache.respond(to: request, now: now + 60, policy: policy, matching: matching)
    }

    @Test func `what the site doesn't have gets its status, empty, in a cache and in a mounted package`() async throws {
        let (cache, scratch) = try MatchingCache.made()
        try await Self.load(
            ["http://d.example/"],
            absent: [("http://d.example/i.png", 404), ("http://d.example/old", 410)],
            into: cache,
            scratch
        )
        var options = MountedPackages.Options()
        options.indexFolder = scratch.path("mounts")
        options.keptResources = 1
        let stores: [any OfflineAnswering] = [
            cache, try DiskCache(path: scratch.path("store"), access: .readOnly),
            try MountedPackages([scratch.path("p.zip")], options: options, now: Self.now),
            try MountedPackages([scratch.path("p.zip")], options: options, now: Self.now),
        ]
        for store in stores {
            for (path, status) in [("i.png", 404), ("old", 410)] {
                for extra: HTTPFields in [[:], [.range: "bytes=0-1"], [.ifNoneMatch: "*"], [.accept: "text/html"]] {
                    var fields = Self.image
                    for field in extra { fields[field.name] = field.value }
                    let answer = try Self.ask("http://d.example/\(path)", store, fields)
                    #expect(answer.resolution.status.code == status && answer.isAbsent && answer.body == nil)
                    #expect(answer.resolution.fields[.contentLength] == "0" && answer.matched == nil)
                    #expect(answer.resolution.fields[.vary] == "Sec-Fetch-Mode, Accept")
                    #expect(answer.resolution.cacheStatus.detail?.hasSuffix("absent") == true)
                    #expect(answer.package == "p")
                }
            }
            for (url, fields, matching, method) in [
                ("http://d.example/j.png", Self.image, .query, .get),
                ("http://d.example/i.png", Self.image, .exact, .get),
                ("http://d.example/i.png?v=1", Self.image, .query, .get),
                ("https://d.example/i.png", Self.image, .query, .get),
                ("http://e.example/i.png", Self.image, .query, .get),
                ("http://d.example/i.png", [.authorization: "Basic YTpi"], .query, .get),
            ] as [(String, HTTPFields, QueryMatching, HTTPRequest.Method)] {
                let answer = try Self.ask(url, store, fields, matching, method)
                #expect(answer.isUnknown && answer.resolution.status == .gatewayTimeout, "\(url)")
            }
            #expect(
                try Self.ask("http://d.example/i.png", store, Self.image, .query, .post).resolution.status
                    == .methodNotAllowed
            )
            let refused = try Self.ask(
                "http://d.example/i.png",
                store,
                Self.image,
                .query,
                .get,
                OfflinePolicy(expired: .refuse)
            )
            #expect(refused.resolution.verdict == .expiredRefused)
        }
        try cache.close()
    }

    @Test func `a list never hides what any package has, and comes after a fallback`() async throws {
        let (cache, scratch) = try MatchingCache.made()
        try await Self.load(["http://d.example/a", "http://d.example/404.html"], absent: [], into: cache, scratch)
        try await Self.load(
            as: "other",
            ["http://d.example/b", "http://d.example/404.html"],
            absent: [("http://d.example/a", 404), ("http://d.example/c", 410)],
            missing: "http://d.example/404.html",
            into: cache,
            scratch
        )
        #expect(try Self.ask("http://d.example/a", cache).text() == "http://d.example/a")
        #expect(try Self.ask("http://d.example/a?utm_source=x", cache).text() == "http://d.example/a")
        #expect(try Self.ask("http://d.example/c", cache).resolution.status == .gone)
        let page = try Self.ask("http://d.example/c", cache, [.accept: "text/html"])
        #expect(page.fallback == .missing && page.resolution.status == .notFound)
        _ = try await cache.remove("p")
        #expect(try Self.ask("http://d.example/a", cache).isAbsent)
    }

    @Test func `the writer leaves out what the package has, and other origins`() async throws {
        let (cache, scratch) = try MatchingCache.made()
        try await Self.load(
            ["http://d.example/a"],
            absent: [
                ("http://d.example/a", 404), ("http://d.example/b", 404), ("https://d.example/b", 404),
                ("http://e.example/", 404), ("http://d.example:81/", 404),
            ],
            into: cache,
            scratch
        )
        let absent = try PackageReader(path: scratch.path("p.zip")).index.absent
        #expect(absent?.entries.map(\.url.description) == ["http://d.example/b"])
        try await Self.load(
            as: "q",
            ["http://d.example/a"],
            absent: [("http://d.example/a", 404)],
            into: cache,
            scratch
        )
        let none = try PackageReader(path: scratch.path("q.zip"))
        #expect(none.index.absent == nil)
    }

    @Test func `a damaged or foreign file in the cache affects its own hosts only`() async throws {
        let (cache, scratch) = try MatchingCache.made()
        try await Self.load(["http://d.example/"], absent: [("http://d.example/i.png", 404)], into: cache, scratch)
        let packages = scratch.path("store/packages")
        for folder in try FileManager.default.contentsOfDirectory(atPath: packages) {
            let file = packages + "/" + folder + "/absent"
            guard FileManager.default.fileExists(atPath: file) else { continue }
            let text = "404 http://d.example/\n200 http://d.example/x\n404 http://e.example/\nrubbish"
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        }
        let other = try DiskCache(path: scratch.path("store"), access: .readOnly)
        #expect(try Self.ask("http://d.example/", other).resolution.status == .ok)
        for url in ["http://d.example/x", "http://e.example/", "http://d.example/i.png"] {
            #expect(try Self.ask(url, other).isUnknown, "\(url)")
        }
    }
}
