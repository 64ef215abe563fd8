import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCURL
import AFCache
import Foundation
import HTTPTypes
import Synchronization
import TestOrigin
import TestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A clock that a test turns.
final class AppClock: Sendable {
    static let start = Date(timeIntervalSince1970: 1_800_000_000)
    private let time = Mutex(AppClock.start)
    var now: Date { time.withLock { $0 } }
    func advance(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }
}

/// The sentences that a cache reports.
final class Troubles: Sendable {
    private let sentences = Mutex<[String]>([])
    var all: [String] { sentences.withLock { $0 } }
    func note(_ sentence: String) { sentences.withLock { $0.append(sentence) } }
}

/// A cache in a folder of its own, with a clock that a test turns.
final class AppBench: Sendable {
    let scratch: Scratch
    let clock = AppClock()
    let cache: AFCache
    let troubles = Troubles()

    init(
        memoryCapacity: Int = 8 << 20,
        diskCapacity: Int = 64 << 20,
        in scratch: Scratch? = nil,
        _ change: (inout AFCache.Configuration) -> Void = { _ in }
    ) throws {
        let scratch = try scratch ?? Scratch()
        self.scratch = scratch
        let clock = clock
        var configuration = AFCache.Configuration()
        configuration.now = { clock.now }
        configuration.memoryPressure = nil
        let troubles = troubles
        configuration.onTrouble = { troubles.note($0) }
        change(&configuration)
        cache = try AFCache(
            memoryCapacity: memoryCapacity,
            diskCapacity: diskCapacity,
            directory: URL(fileURLWithPath: scratch.path("cache")),
            configuration: configuration
        )
    }

    /// Closes the cache before its folder goes.
    func close() async throws {
        try await cache.close()
        withExtendedLifetime(self) {}
    }

    /// Loads a URL, and says what came of it.
    func load(
        _ url: String,
        _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy,
        _ options: AFCache.LoadOptions = AFCache.LoadOptions(),
        fields: [String: String] = [:]
    ) async throws -> String {
        var request = URLRequest(url: try URL.parsed(url), cachePolicy: policy)
        request.allHTTPHeaderFields = fields
        do {
            let loaded = try await cache.load(request, options: options)
            let status = loaded.response.statusCode == 200 ? "" : " \(loaded.response.statusCode)"
            return "\(loaded.source)\(status) \(String(decoding: loaded.data, as: UTF8.self))"
        } catch let error as AFCache.Failure {
            return "error \(error.urlErrorCode.rawValue)"
        }
    }

    /// Writes a package with some bodies.
    static func package(
        _ bodies: [String: String],
        at date: Date = AppClock.start,
        in scratch: Scratch,
        named name: String = "site.zip",
        stating stated: String? = nil,
        signedBy signers: [SigningKey] = []
    ) async throws -> URL {
        let time = Timestamp(secondsSinceEpoch: Int64(date.timeIntervalSince1970))
        let resources = try bodies.sorted { $0.key < $1.key }.map { address, body in
            let url = try WebURL(address)
            return PackageWriter.Resource(
                record: ResourceRecord(url: url, fetched: time),
                entry: ManifestEntry(url: url, lastModified: time - 100, expires: time + 60),
                body: .bytes(Array(body.utf8)),
                isCompressible: true
            )
        }
        let path = scratch.path(name)
        var options = PackageWriter.Options(created: time, generator: "t/1")
        (options.signers, options.name) = (signers, stated)
        _ = try await PackageWriter.write(resources, to: path, options: options)
        return URL(fileURLWithPath: path)
    }
}

extension URL {
    struct Malformed: Error { var text: String }

    static func parsed(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw Malformed(text: text) }
        return url
    }
}

extension TestOrigin.Answer {
    /// An answer that is fresh for some seconds.
    static func fresh(_ body: String, for seconds: Int = 60, _ fields: [(String, String)] = []) -> TestOrigin.Answer {
        TestOrigin.Answer(200, [("Cache-Control", "max-age=\(seconds)")] + fields, body: Array(body.utf8))
    }
}
