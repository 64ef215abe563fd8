import AFCCache
import AFCCaching
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCURL
import Foundation
import TestSupport
import Testing

@testable import AFCProvisioning

/// Local packages whose files change between the comparison with what is loaded and the loading.
struct ReplacedFileTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_800_000_000)
    private static let url = "http://d.example/a"

    private static func write(_ body: String, to path: String) async throws {
        let url = try WebURL(url)
        let resource = PackageWriter.Resource(
            record: ResourceRecord(url: url, fetched: now, size: Int64(body.utf8.count)),
            entry: ManifestEntry(url: url, lastModified: now, mediaType: "text/plain"),
            body: .bytes(Array(body.utf8)),
            isCompressible: false
        )
        _ = try await PackageWriter.write([resource], to: path, options: .init(created: now, generator: "test/1"))
    }

    private static func body(in cache: DiskCache) throws -> String? {
        let response = try cache.respond(to: OfflineRequest(url: try WebURL(url)), now: now, policy: OfflinePolicy())
        guard let body = response.body else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(body.size))
        _ = try bytes.withUnsafeMutableBytes { try body.read(into: $0, at: 0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Loads a file as a synchronization does; a closure runs when its digest is known, if the loaded package is damaged.
    private static func sync(
        _ path: String,
        to cache: DiskCache,
        then change: @escaping @Sendable () -> Void = {}
    ) async throws -> PackageIntake.Outcome {
        var context = IntakeContext(userAgent: "test/1", now: { now })
        context.onEvent = { if case .damaged = $0 { change() } }
        var intake = PackageIntake(store: cache, options: InstallOptions(), context: context)
        intake.skipsKnownFile = true
        return try await intake.run(path, name: "a")
    }

    /// A cache with a package whose only body is gone, and the path of the package's file.
    private static func damaged(_ scratch: Scratch) async throws -> (DiskCache, String) {
        let (cache, path) = (try DiskCache(path: scratch.path("cache"), access: .readWrite), scratch.path("a.zip"))
        try await write("first", to: path)
        _ = try await sync(path, to: cache)
        #expect(try body(in: cache) == "first")
        let files = try #require(FileManager.default.enumerator(atPath: scratch.path("cache")))
        for case let name as String in files {
            let file = scratch.path("cache/" + name)
            if FileManager.default.contents(atPath: file) == Data("first".utf8) {
                try FileManager.default.removeItem(atPath: file)
            }
        }
        return (cache, path)
    }

    @Test func `a file that is replaced after it was compared is loaded as it was`() async throws {
        let scratch = try Scratch()
        let (cache, path) = try await Self.damaged(scratch)
        try await Self.write("second", to: path)
        let other = scratch.path("b.zip")
        try await Self.write("third", to: other)
        let outcome = try await Self.sync(path, to: cache) { rename(other, path) }
        guard case .installed = outcome else { return #expect(Bool(false), "\(outcome)") }
        #expect(!FileManager.default.fileExists(atPath: other))
        #expect(try Self.body(in: cache) == "second")
        // What is remembered of the file is what was loaded, so the new one isn't taken for it.
        guard case .installed = try await Self.sync(path, to: cache) else { return #expect(Bool(false)) }
        #expect(try Self.body(in: cache) == "third")
        guard case .unchanged = try await Self.sync(path, to: cache) else { return #expect(Bool(false)) }
    }

    @Test func `a file that is overwritten after it was compared isn't loaded`() async throws {
        let scratch = try Scratch()
        let (cache, path) = try await Self.damaged(scratch)
        try await Self.write("second", to: path)
        let other = scratch.path("b.zip")
        try await Self.write("the third", to: other)
        let bytes = try #require(FileManager.default.contents(atPath: other))
        let error = await #expect(throws: CacheError.self) {
            _ = try await Self.sync(path, to: cache) {
                guard let file = FileHandle(forWritingAtPath: path) else { return }
                file.write(bytes)
                try? file.truncate(atOffset: UInt64(bytes.count))
                try? file.close()
            }
        }
        #expect(error?.code == .package(.inputOutput))
        #expect(error?.message == "the file changed while it was read; try again")
        guard case .installed = try await Self.sync(path, to: cache) else { return #expect(Bool(false)) }
        #expect(try Self.body(in: cache) == "the third")
    }
}
