import HTTPCaching
import OfflineCache
import PackageFile
import PackageFormat
import TestSupport
import Testing
import URLStandard

@testable import OfflineServer

/// From a package on disk to the bytes on the wire.
@Suite(.timeLimit(.minutes(1)))
struct RealStoreTests {
    private static func store(in folder: String, bodies: [(String, String)]) async throws -> OfflineCache {
        let now = FakeStore.received
        let resources = try bodies.map { url, body in
            let url = try WebURL(url)
            let bytes = Array(body.utf8)
            return PackageWriter.Resource(
                record: ResourceRecord(url: url, fetched: now, size: Int64(bytes.count)),
                entry: ManifestEntry(url: url, lastModified: now, expires: now + 3600, mediaType: "text/plain"),
                body: .bytes(bytes),
                isCompressible: true
            )
        }
        _ = try await PackageWriter.write(
            resources,
            to: folder + "/site.zip",
            options: .init(created: now, generator: "test/1")
        )
        let cache = try OfflineCache(path: folder + "/store", access: .readWrite)
        _ = try await cache.install(folder + "/site.zip", now: now)
        return try OfflineCache(path: folder + "/store", access: .readOnly)
    }

    @Test func `a package that was loaded is served`() async throws {
        let scratch = try Scratch()
        let big = String(repeating: "0123456789", count: 50_000)
        let store = try await Self.store(
            in: scratch.path,
            bodies: [
                ("http://docs.example/", "root"), ("http://docs.example/find?q=1", "query"),
                ("http://docs.example/big", big),
            ]
        )
        try await withServer(store) { port, _ async throws in
            let root = try await RawClient.get(port: port, "/", host: "docs.example.localhost:\(port)")
            #expect(root.text == "root")
            #expect(root["content-type"] == "text/plain")
            #expect(root["last-modified"] == "Sat, 21 Nov 2026 10:00:00 GMT")
            #expect(root["cache-status"] == "afcache; hit; ttl=3540")
            #expect(try await RawClient.get(port: port, "http://docs.example/find?q=1").text == "query")
            #expect(try await RawClient.get(port: port, "/docs.example/big").text == big)
            let range = try await RawClient.get(
                port: port,
                "/big",
                host: "docs.example",
                method: "GET",
                "Range: bytes=499998-"
            )
            #expect(range.status == 206)
            #expect(range.text == "89")
            let tag = try #require(root["etag"])
            let again = try await RawClient.get(
                port: port,
                "/docs.example/",
                host: "localhost",
                method: "GET",
                "If-None-Match: \(tag)"
            )
            #expect(again.status == 304)
            let home = try await RawClient.get(port: port, "/", host: "localhost:\(port)")
            #expect(home.text.contains("<td>site</td>"))
            #expect(home.text.contains("http://docs.example.localhost:\(port)/"))
            #expect(try await RawClient.get(port: port, "/docs.example/gone").status == 504)
        }
    }
}
