import AFCache
import Foundation
import TestOrigin
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A package of a site in an app, compared with the site's own server.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct SiteTests {
    /// The fields that may differ, as docs/reference/app.md explains.
    static let own: Set<String> = ["age", "cache-status", "accept-ranges", "date", "connection", "keep-alive"]

    struct Answer: Equatable {
        var status: Int
        var fields: [String: String]
        var data: Data
    }

    /// Loads all URLs with many tasks at a time; nil for an error.
    private static func loadAll(
        _ session: URLSession,
        _ urls: [URL],
        _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) async -> [URL: Answer] {
        await withTaskGroup(of: (URL, Answer?).self) { group in
            var rest = urls[...]
            func next() {
                guard let url = rest.popFirst() else { return }
                group.addTask {
                    guard
                        let (data, response) = try? await session.data(for: URLRequest(url: url, cachePolicy: policy)),
                        let head = response as? HTTPURLResponse
                    else { return (url, nil) }
                    let fields = head.allHeaderFields.reduce(into: [String: String]()) { fields, field in
                        let name = "\(field.key)".lowercased()
                        if !own.contains(name) { fields[name] = "\(field.value)" }
                    }
                    return (url, Answer(status: head.statusCode, fields: fields, data: data))
                }
            }
            for _ in 0..<50 { next() }
            var all: [URL: Answer] = [:]
            for await (url, answer) in group {
                all[url] = answer
                next()
            }
            return all
        }
    }

    /// Returns the URLs whose answers differ, with a sentence each.
    private static func differences(_ live: [URL: Answer], _ ours: [URL: Answer]) -> [String] {
        live.sorted { $0.key.absoluteString < $1.key.absoluteString }.compactMap { url, one in
            guard let two = ours[url] else { return "\(url): no answer" }
            if one.status != two.status { return "\(url): status \(two.status), not \(one.status)" }
            if one.data != two.data { return "\(url): another body of \(two.data.count), not \(one.data.count) bytes" }
            // The manifest of a package states the end of each lifetime, which becomes the field where there was none.
            let isMade = one.fields["expires"] == nil && one.fields["cache-control"]?.contains("max-age") == true
            let names = Set(one.fields.keys).union(two.fields.keys).filter { name in
                one.fields[name] != two.fields[name] && !(isMade && name == "expires")
            }.sorted()
            let fields = names.map { "\($0): \(two.fields[$0] ?? "none"), not \(one.fields[$0] ?? "none")" }
            return fields.isEmpty ? nil : "\(url): \(fields.joined(separator: "; "))"
        }
    }

    /// Installs a package, and loads all URLs from it, offline.
    private static func offline(_ package: URL, _ urls: [URL]) async throws -> [URL: Answer] {
        let bench = try AppBench(diskCapacity: 4 << 30) { $0.now = { Date() } }
        try await bench.cache.install(package)
        bench.cache.isOffline = true
        let configuration = URLSessionConfiguration.ephemeral
        bench.cache.configure(configuration)
        let session = URLSession(configuration: configuration)
        let answers = await loadAll(session, urls)
        session.invalidateAndCancel()
        try await bench.close()
        return answers
    }

    @Test func `a session gets an exported site of 300 URLs from its package as from the live server`() async throws {
        var routes: [String: [TestOrigin.Answer]] = [:]
        for number in 0..<300 {
            let size = [0, 1, 700, 16_384, 70_000][number % 5]
            let type = ["text/html; charset=utf-8", "text/css", "image/png", "application/octet-stream"][number % 4]
            let target = ["/p/\(number).html", "/q?id=\(number)", "/caf%C3%A9/\(number)", "/d/\(number)/"][
                number / 2 % 4
            ]
            routes[target] = [
                TestOrigin.Answer(
                    200,
                    [
                        ("Content-Type", type), ("ETag", "\"\(number)-x\""), ("Cache-Control", "max-age=600"),
                        ("Last-Modified", "Sat, 27 Mar 2004 18:43:30 GMT"), ("Server", "test/1"),
                    ],
                    body: (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number &* 7) }
                )
            ]
        }
        try await TestOrigin.withOrigin(routes) { origin in
            let urls = try routes.keys.sorted().map { try URL.parsed(origin.base + $0) }
            let plain = URLSession(configuration: .ephemeral)
            let live = await Self.loadAll(plain, urls)
            plain.invalidateAndCancel()
            let maker = try AppBench()
            try await maker.cache.prefetch(urls, atOnce: 8)
            let package = URL(fileURLWithPath: maker.scratch.path("site.zip"))
            #expect(try await maker.cache.exportPackage(to: package) == urls.count)
            try await maker.close()
            let asked = origin.requests.count
            let different = Self.differences(live, try await Self.offline(package, urls))
            #expect(different.isEmpty, "\(different.count) differ: \(different.prefix(3))")
            #expect(live.count == urls.count)
            #expect(origin.requests.count == asked)
        }
    }

    private static let environment = ProcessInfo.processInfo.environment

    /// For scripts/test-app-site, which serves a folder, packs it, and ends the server when it is asked to.
    @Test(.enabled(if: environment["AFCACHE_SITE"] != nil))
    func `a session gets a packed site as from its live server`() async throws {
        let folder = URL(fileURLWithPath: try #require(Self.environment["AFCACHE_SITE"]))
        let urls = try String(contentsOf: folder.appendingPathComponent("urls"), encoding: .utf8).split(separator: "\n")
            .map { try URL.parsed(String($0)) }
        let bare = URLCache(memoryCapacity: 1 << 30, diskCapacity: 0, diskPath: nil)
        let configuration = URLSessionConfiguration.default
        configuration.urlCache = bare
        let session = URLSession(configuration: configuration)
        let live = await Self.loadAll(session, urls)
        #expect(live.count == urls.count)
        // Asks the script to end the server, and waits until it has.
        try Data().write(to: folder.appendingPathComponent("stop"))
        let stopped = folder.appendingPathComponent("stopped").path
        try await waitUntil("the server has ended") { FileManager.default.fileExists(atPath: stopped) }
        let stored = urls.count { bare.cachedResponse(for: URLRequest(url: $0)) != nil }
        let again = await Self.loadAll(session, urls, .returnCacheDataElseLoad)
        session.invalidateAndCancel()
        let ours = try await Self.offline(folder.appendingPathComponent("site.zip"), urls)
        let different = Self.differences(live, ours)
        let bytes = live.values.reduce(0) { $0 + $1.data.count }
        print("site: \(urls.count) URLs, \(bytes) bytes")
        print("site: AFCache offline, 50 tasks at a time: \(ours.count) answered, \(different.count) differ")
        for line in different.prefix(20) { print("site: \(line)") }
        print("site: bare URLCache, server ended: \(stored) stored, \(again.count) answered")
        #expect(different.isEmpty)
    }
}
