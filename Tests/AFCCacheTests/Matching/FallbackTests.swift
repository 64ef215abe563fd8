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

/// The pages that packages send for navigations to URLs that they don't have.
struct FallbackTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_700_000_000)
    private static let navigation: HTTPFields = [.accept: "text/html,application/xhtml+xml,*/*;q=0.8"]

    /// Writes and loads a package with pages of d.example, whose bodies are the name of the package and their path.
    private static func load(
        as name: String = "p",
        _ paths: [String],
        base: String = "/",
        application: String? = nil,
        missing: String? = nil,
        fields: HTTPFields = HTTPFields(),
        priority: Int = 0,
        into cache: DiskCache,
        _ scratch: Scratch
    ) async throws {
        func url(_ path: String) throws -> WebURL { try WebURL("http://d.example" + path) }
        let resources = try paths.sorted().map { path in
            PackageWriter.Resource(
                record: ResourceRecord(url: try url(path), fields: fields, fetched: now),
                entry: ManifestEntry(
                    url: try url(path),
                    lastModified: now,
                    expires: now + 3600,
                    mediaType: "text/html"
                ),
                body: .bytes(Array("\(name) \(path)".utf8)),
                isCompressible: true
            )
        }
        var options = PackageWriter.Options(created: now, generator: "test/1")
        if application != nil || missing != nil {
            options.fallback = try FallbackRules(
                base: url(base),
                application: application.map(url),
                missing: missing.map(url)
            )
        }
        _ = try await PackageWriter.write(resources, to: scratch.path(name + ".zip"), options: options)
        var install = InstallOptions()
        install.settings.priority = priority
        _ = try await cache.install(scratch.path(name + ".zip"), options: install, now: now)
    }

    private static func ask(
        _ path: String,
        _ cache: DiskCache,
        _ fields: HTTPFields = navigation,
        _ matching: QueryMatching = .query,
        _ method: HTTPRequest.Method = .get
    ) throws -> CacheAnswer {
        let request = OfflineRequest(method: method, url: try WebURL("http://d.example" + path), fields: fields)
        return try cache.respond(to: request, now: now + 60, policy: OfflinePolicy(), matching: matching)
    }

    @Test func `the page for missing URLs is sent with status 404, whole, and says that it depends on the request`()
        async throws
    {
        let (cache, scratch) = try MatchingCache.made()
        try await Self.load(["/404.html", "/a.html"], missing: "/404.html", into: cache, scratch)
        let conditions: [HTTPFields] = [
            [:], [.range: "bytes=0-1"], [.ifNoneMatch: "*"], [.ifModifiedSince: HTTPDate.format(Self.now + 9)],
        ]
        for condition in conditions {
            var fields = Self.navigation
            fields.append(contentsOf: condition)
            let answer = try Self.ask("/none", cache, fields)
            #expect(answer.resolution.status == .notFound)
            #expect(try answer.text() == "p /404.html")
            #expect(answer.matched?.description == "http://d.example/404.html" && answer.fallback == .missing)
            #expect(answer.resolution.fields[.vary] == "Sec-Fetch-Mode, Accept")
            let status = try #require(answer.resolution.fields[.cacheStatus])
            #expect(status.hasSuffix(#"; key="http://d.example/404.html"; detail=fallback-missing"#), "\(status)")
        }
        let head = try Self.ask("/none", cache, Self.navigation, .query, .head)
        #expect(head.resolution.status == .notFound && head.body == nil)
        #expect(head.resolution.fields[.contentLength] == "11")
        // The page itself is a resource like any other.
        let page = try Self.ask("/404.html", cache)
        #expect(page.resolution.status == .ok && page.fallback == nil && page.resolution.fields[.vary] == nil)
    }

    @Test func `the page of an application is sent as it is, with conditions and ranges`() async throws {
        let (cache, scratch) = try MatchingCache.made()
        try await Self.load(["/index.html"], application: "/index.html", into: cache, scratch)
        let whole = try Self.ask("/users/5", cache)
        #expect(whole.resolution.status == .ok && whole.fallback == .application)
        #expect(try whole.text() == "p /index.html")
        #expect(whole.resolution.cacheStatus.detail == "fallback-application")
        var fields = Self.navigation
        fields[.ifModifiedSince] = HTTPDate.format(Self.now)
        let unchanged = try Self.ask("/users/5", cache, fields)
        #expect(unchanged.resolution.status == .notModified)
        #expect(unchanged.resolution.fields[.vary] == "Sec-Fetch-Mode, Accept")
        fields[.ifModifiedSince] = nil
        fields[.range] = "bytes=0-1"
        #expect(try Self.ask("/users/5", cache, fields).resolution.status == .partialContent)
        #expect(try Self.ask("/users/5.txt", cache).isUnknown)
    }

    @Test(
        arguments: [
            ([.accept: "text/html"], true), ([.accept: "application/xhtml+xml"], true), ([:], false),
            ([.accept: "*/*"], false), ([.accept: "image/avif,image/webp,*/*;q=0.8"], false),
            ([.secFetchMode: "navigate"], true), ([.secFetchMode: "navigate", .accept: "*/*"], true),
            ([.secFetchMode: "no-cors", .accept: "text/html"], false),
            ([.secFetchMode: "cors", .accept: "text/html"], false), ([.secFetchMode: "", .accept: "text/html"], false),
            ([.accept: "text/html", .authorization: "Basic YTpi"], false),
        ] as [(HTTPFields, Bool)]
    )
    func `only navigations get a fallback`(_ fields: HTTPFields, _ isSent: Bool) async throws {
        let (cache, scratch) = try MatchingCache.made()
        try await Self.load(["/404.html"], missing: "/404.html", into: cache, scratch)
        #expect(try (Self.ask("/none", cache, fields).fallback == .missing) == isSent)
    }

    @Test func `what is stored, and a query that makes no difference, come first`() async throws {
        let (cache, scratch) = try MatchingCache.made()
        try await Self.load(["/index.html", "/a.html", "/b"], application: "/index.html", into: cache, scratch)
        for (path, body) in [
            ("/a.html", "/a.html"), ("/a.html?q=1", "/a.html"), ("/%62", "/b"), ("/c?q=1", "/index.html"),
        ] {
            #expect(try Self.ask(path, cache).text() == "p " + body)
        }
        let exact = try Self.ask("/c", cache, Self.navigation, .exact)
        #expect(exact.isUnknown && exact.resolution.status == .gatewayTimeout)
        #expect(try Self.ask("/c", cache, Self.navigation, .query, .post).resolution.status == .methodNotAllowed)
    }

    @Test func `of several packages, the longest base decides, then priority, then the one loaded last`() async throws {
        let (cache, scratch) = try MatchingCache.made()
        try await Self.load(as: "site", ["/404.html"], missing: "/404.html", priority: 9, into: cache, scratch)
        try await Self.load(as: "old", ["/404.html"], missing: "/404.html", into: cache, scratch)
        try await Self.load(
            as: "docs",
            ["/docs/404.html", "/404.html"],
            base: "/docs/",
            missing: "/docs/404.html",
            into: cache,
            scratch
        )
        try await Self.load(as: "plain", ["/x.html"], priority: 99, into: cache, scratch)
        #expect(try Self.ask("/none", cache).text() == "site /404.html")
        #expect(try Self.ask("/docs/none", cache).text() == "docs /docs/404.html")
        #expect(try Self.ask("/docs", cache).text() == "site /404.html")
        _ = try await cache.remove("site")
        #expect(try Self.ask("/none", cache).text() == "old /404.html")
    }

    @Test func `a private page, and a damaged file in the cache, are no fallbacks`() async throws {
        let (cache, scratch) = try MatchingCache.made()
        let fields: HTTPFields = [.cacheControl: "private"]
        try await Self.load(["/404.html"], missing: "/404.html", fields: fields, into: cache, scratch)
        #expect(try Self.ask("/none", cache).isUnknown)
        try await Self.load(["/404.html"], missing: "/404.html", into: cache, scratch)
        #expect(try Self.ask("/none", cache).fallback == .missing)
        let packages = scratch.path("store/packages")
        var damaged = 0
        for folder in try FileManager.default.contentsOfDirectory(atPath: packages) {
            let file = packages + "/" + folder + "/fallback.json"
            guard FileManager.default.fileExists(atPath: file) else { continue }
            // A cache that someone else made may name any page.
            try Data(#"{"base":"http://d.example/","missing":"http://d.example/secret.html"}"#.utf8)
                .write(to: URL(fileURLWithPath: file))
            damaged += 1
        }
        #expect(damaged > 0)
        let other = try DiskCache(path: scratch.path("store"), access: .readOnly)
        #expect(try Self.ask("/none", other).isUnknown)
        #expect(try Self.ask("/404.html", other).resolution.status == .ok)
    }
}
