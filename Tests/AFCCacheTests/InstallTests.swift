import AFCCache
import AFCCaching
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCURL
import Foundation
import HTTPTypes
import TestSupport
import Testing

struct InstallTests {
    static let now = Timestamp(secondsSinceEpoch: 1_790_000_000)

    static func package(_ bodies: [String: String], in scratch: Scratch, named name: String = "site.zip") async throws
        -> String
    {
        let resources = try bodies.map { url, body in
            let url = try WebURL(url)
            let bytes = Array(body.utf8)
            return PackageWriter.Resource(
                record: ResourceRecord(url: url, fetched: now, size: Int64(bytes.count)),
                entry: ManifestEntry(url: url, lastModified: now, mediaType: "text/plain"),
                body: .bytes(bytes),
                isCompressible: true
            )
        }
        let path = scratch.path(name)
        _ = try await PackageWriter.write(resources, to: path, options: .init(created: now, generator: "test/1"))
        return path
    }

    static func body(_ url: String, in cache: DiskCache) throws -> String? {
        let response = try cache.respond(to: OfflineRequest(url: try WebURL(url)), now: now, policy: OfflinePolicy())
        guard let body = response.body else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(body.size))
        let count = try bytes.withUnsafeMutableBytes { try body.read(into: $0, at: 0) }
        #expect(count == bytes.count)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `a package's resources are served after loading`() async throws {
        let scratch = try Scratch()
        let package = try await Self.package(
            ["http://d.example/": "root", "http://d.example/a?b=c": "query"],
            in: scratch
        )
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let loaded = try await cache.install(package, now: Self.now)
        #expect(loaded.package.name == "site")
        #expect(loaded.package.resources == 2)
        #expect(loaded.package.bodyBytes == 9)
        let reader = try DiskCache(path: scratch.path("store"), access: .readOnly)
        #expect(try Self.body("http://d.example/", in: reader) == "root")
        #expect(try Self.body("http://d.example/a?b=c", in: reader) == "query")
        #expect(try Self.body("http://d.example/a", in: reader) == nil)
        #expect(try reader.packages().map(\.name) == ["site"])
        #expect(try reader.origins().map(\.origin) == ["http://d.example"])
        #expect(
            try reader.resources(limit: 10).map(\.url.description) == ["http://d.example/", "http://d.example/a?b=c"]
        )
    }

    @Test func `bodies are written to their folders whatever their order`() async throws {
        let scratch = try Scratch()
        let names = ["a/1", "a/b/1", "a/2", "1", "a/b/c/1", "a/b/2", "2", "b/1"]
        func package(_ text: String) async throws -> String {
            let bodies = names.map { ("http://d.example/\($0)", $0 == "a/2" ? text : $0) }
            return try await Self.package(Dictionary(uniqueKeysWithValues: bodies), in: scratch)
        }
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        _ = try await cache.install(try await package("old"), now: Self.now)
        let update = try await cache.install(try await package("new"), now: Self.now)
        #expect(update.writtenBodies == 1)
        #expect(update.sharedBodies == names.count - 1)
        for name in names {
            #expect(try Self.body("http://d.example/\(name)", in: cache) == (name == "a/2" ? "new" : name))
        }
    }

    @Test func `a newer package of the same name replaces the older one entirely`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let first = try await Self.package(["http://d.example/a": "old", "http://d.example/gone": "x"], in: scratch)
        _ = try await cache.install(first, now: Self.now)
        let second = try await Self.package(["http://d.example/a": "new"], in: scratch)
        _ = try await cache.install(second, now: Self.now)
        #expect(try Self.body("http://d.example/a", in: cache) == "new")
        #expect(try Self.body("http://d.example/gone", in: cache) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("store/packages")).count == 2)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("store/staging")).isEmpty)
    }

    @Test func `a body that is being read stays whole while its package is replaced`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        _ = try await cache.install(try await Self.package(["http://d.example/a": "first"], in: scratch), now: Self.now)
        let request = OfflineRequest(url: try WebURL("http://d.example/a"))
        let response = try cache.respond(to: request, now: Self.now, policy: OfflinePolicy())
        _ = try await cache.install(try await Self.package(["http://d.example/a": "other"], in: scratch), now: Self.now)
        var bytes = [UInt8](repeating: 0, count: 5)
        _ = try bytes.withUnsafeMutableBytes { try #require(response.body).read(into: $0, at: 0) }
        #expect(String(decoding: bytes, as: UTF8.self) == "first")
    }

    @Test func `a damaged package changes nothing`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let package = try await Self.package(["http://d.example/a": "good"], in: scratch)
        _ = try await cache.install(package, now: Self.now)
        let good = try scratch.read("site.zip")
        for position in stride(from: 0, to: good.count, by: 7) {
            var bytes = good
            bytes[position] ^= 0x55
            try scratch.write(bytes, to: "site.zip")
            // Some bytes don't matter, as those of a time; whatever loads must still be right.
            do throws(CacheError) {
                _ = try await cache.install(package, now: Self.now)
            } catch {
                #expect(!error.message.isEmpty)
            }
            #expect(try Self.body("http://d.example/a", in: cache) == "good")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("store/staging")).isEmpty)
    }

    @Test func `a package with a wrong digest is refused`() async throws {
        let scratch = try Scratch()
        let url = try WebURL("http://d.example/a")
        let record = ResourceRecord(url: url, size: 4, sha256: String(repeating: "00", count: 32))
        let resource = PackageWriter.Resource(
            record: record,
            entry: ManifestEntry(url: url),
            body: .bytes(Array("body".utf8)),
            isCompressible: false
        )
        let path = scratch.path("x.zip")
        _ = try await PackageWriter.write([resource], to: path, options: .init(created: Self.now, generator: "test/1"))
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        do throws(CacheError) {
            _ = try await cache.install(path, now: Self.now)
            Issue.record("it was loaded")
        } catch {
            #expect(error.code == .package(.invalidPackage(rule: "sidecar.digest")))
        }
        #expect(try cache.packages().isEmpty)
    }

    @Test func `files of a killed load are removed by the next one`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        try scratch.write([1], to: "store/staging/gen-0123456789abcdef/files/over")
        try scratch.write([1], to: "store/staging/tmp-0123456789abcdef/x")
        try scratch.write([], to: "store/staging/gen-fedcba9876543210.note")
        try scratch.write([1], to: "store/packages/gen-fedcba9876543210/x")
        _ = try await cache.install(try await Self.package(["http://d.example/a": "x"], in: scratch), now: Self.now)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("store/staging")).isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("store/packages")).count == 1)
    }

    @Test func `a folder without a cache is reported, and so is a newer cache`() async throws {
        let scratch = try Scratch()
        #expect(throws: CacheError.self) { try DiskCache(path: scratch.path("none"), access: .readOnly) }
        do {
            _ = try DiskCache(path: scratch.path("store"), access: .readWrite)
        }
        let text = String(decoding: try scratch.read("store/catalogue.json"), as: UTF8.self)
        let newer = text.replacingOccurrences(of: #""version":2"#, with: #""version":99"#)
        try scratch.write(Array(newer.utf8), to: "store/catalogue.json")
        do throws(CacheError) {
            _ = try DiskCache(path: scratch.path("store"), access: .readOnly)
            Issue.record("it was opened")
        } catch {
            #expect(error.code == .newerCache)
        }
    }

    @Test func `if two packages contain a URL, the newer Last-Modified is served`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let url = "http://d.example/a"
        for (name, seconds) in [("new", Int64(2000)), ("old", 1000)] {
            let resource = PackageWriter.Resource(
                record: ResourceRecord(url: try WebURL(url), fetched: Self.now),
                entry: ManifestEntry(url: try WebURL(url), lastModified: Timestamp(secondsSinceEpoch: seconds)),
                body: .bytes(Array(name.utf8)),
                isCompressible: false
            )
            let path = scratch.path(name + ".zip")
            _ = try await PackageWriter.write(
                [resource],
                to: path,
                options: .init(created: Self.now, generator: "test/1")
            )
            _ = try await cache.install(path, now: Self.now)
        }
        #expect(try Self.body(url, in: cache) == "new")
        #expect(try cache.resources(limit: 5).map(\.package) == ["new"])
    }

    /// What afcpkg.py and AFCache 0.13's packager wrote: names as on disk, `GMT+00:00`, no last line end, a header line.
    @Test(arguments: [
        "URL ; Sat, 27 Mar 2004 18:43:30 GMT+00:00 ; Sat, 27 Mar 2004 19:43:30 GMT+00:00",
        "URL ; Sat, 27 Mar 2004 18:43:30 GMT+00:00 ; Sat, 27 Mar 2004 19:43:30 GMT+00:00 ; text/html",
        "URL ; Sat, 27 Mar 2004 18:43:30 GMT+00:00 ; Sat, 27 Mar 2004 19:43:30 GMT+00:00 ; ",
        "baseURL = http://www.example\nURL ; Sat, 27 Mar 2004 19:43:30 GMT+01:00 ; Sat, 27 Mar 2004 20:43:30 GMT+01:00 ; text/html ; MEMBER\n",
    ])
    func `a package made by AFCache's packagers loads`(template: String) async throws {
        let scratch = try Scratch()
        try scratch.write(Array("<p>".utf8), to: "in/www.example/a b/ä.html")
        let lines = template.replacingOccurrences(of: "URL ;", with: "http://www.example/a b/ä.html ;")
            .replacingOccurrences(of: "MEMBER", with: "www.example/a b/ä.html")
        try scratch.write(Array(lines.utf8), to: "in/manifest.afcache")
        let script = "cd in && python3 -m zipfile -c ../old.zip www.example manifest.afcache"
        #expect(try Program.run("sh", ["-c", script], in: scratch.path).status == 0)
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        _ = try await cache.install(scratch.path("old.zip"), now: Self.now)
        #expect(try Self.body("http://www.example/a%20b/%C3%A4.html", in: cache) == "<p>")
        let request = OfflineRequest(url: try WebURL("http://www.example/a b/ä.html"))
        let response = try cache.respond(to: request, now: Self.now, policy: OfflinePolicy())
        let fields = response.resolution.fields
        #expect(fields[.expires] == "Sat, 27 Mar 2004 19:43:30 GMT")
        #expect(fields[.lastModified] == "Sat, 27 Mar 2004 18:43:30 GMT")
        #expect(fields[.contentType] == (template.contains("text/html") ? "text/html" : "application/octet-stream"))
        #expect(response.resolution.verdict == .stale)
    }
}
