import AFCCache
import AFCCaching
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCURL
import HTTPTypes
import NIOCore
import Synchronization
import TestSupport

@testable import AFCResolver

/// A program's cache over a scratch store and an origin that a test plays.
struct LibraryBench: Sendable {
    static let noon = Timestamp(secondsSinceEpoch: 1_800_000_000)

    /// What the store has: the body `old`, received 100 seconds before noon.
    enum Stored: String, CaseIterable, Sendable {
        case nothing
        case fresh
        case stale
        /// Stale, and never to be served so.
        case mustRevalidate
        /// Stale, from a package.
        case package
    }

    /// The way to the origin.
    enum Link: String, CaseIterable, Sendable {
        case online
        case down
        case offline
    }

    let scratch: Scratch
    let origin: FakeOrigin
    let resolver: Resolver
    let store: DiskCache
    let url: WebURL

    /// The origin confirms what is stored, and answers `new` to who has nothing.
    init(
        _ stored: Stored = .nothing,
        _ link: Link = .online,
        limit: Int = 100,
        _ answer: @escaping @Sendable (TransportRequest, Int) -> FakeOrigin.Answer = LibraryBench.confirming
    ) async throws {
        scratch = try Scratch()
        origin = FakeOrigin { request, number in
            link == .down
                ? FakeOrigin.Answer(failure: TransportFailure(.unreachable, "nobody there")) : answer(request, number)
        }
        url = try WebURL("http://docs.example/a")
        store = try DiskCache(path: scratch.path("store"), access: .readWrite)
        var configuration = Resolver.Configuration.library(now: { LibraryBench.noon })
        if link == .offline { configuration.rules.connectivity = .offline(OfflinePolicy()) }
        let transport = QueuedTransport(origin, limit: limit)
        resolver = Resolver(store: store, transport: transport, configuration: configuration)
        try await put(stored)
    }

    static func confirming(_ request: TransportRequest, _ number: Int) -> FakeOrigin.Answer {
        let isValidation = request.fields[.ifNoneMatch] == "\"v1\"" || request.fields[.ifModifiedSince] != nil
        return isValidation
            ? FakeOrigin.Answer(status: 304)
            : FakeOrigin.Answer(fields: [("Cache-Control", "max-age=60"), ("ETag", "\"v2\"")], body: ["new"])
    }

    private func put(_ stored: Stored) async throws {
        switch stored {
        case .nothing: return
        case .fresh: try receive("max-age=1000")
        case .stale: try receive("max-age=60")
        case .mustRevalidate: try receive("max-age=60, must-revalidate")
        case .package:
            let received = Self.noon - 100
            let resource = PackageWriter.Resource(
                record: ResourceRecord(url: url, fetched: received),
                entry: ManifestEntry(url: url, lastModified: received - 100, expires: received + 60),
                body: .bytes(Array("old".utf8)),
                isCompressible: true
            )
            let path = scratch.path("site.zip")
            _ = try await PackageWriter.write([resource], to: path, options: .init(created: received, generator: "t/1"))
            _ = try await store.install(path, now: received)
        }
    }

    private func receive(_ control: String) throws {
        var fields = HTTPFields()
        fields[.cacheControl] = control
        fields[.eTag] = "\"v1\""
        let response = StoredResponse(
            status: 200,
            fields: fields,
            size: 0,
            received: Self.noon - 100,
            requested: Self.noon - 100,
            source: .received
        )
        let body = try store.receive(response, for: url)
        try Array("old".utf8).withUnsafeBytes { try body.write($0) }
        _ = try body.finish()
    }

    /// Asks, and says what came of it: source, body and requests to the origin, or status and requests for a refusal.
    func ask(
        _ policy: ResourcePolicy = .useProtocolCachePolicy,
        _ options: ResourceOptions = [],
        _ fields: HTTPFields = [:]
    ) async throws -> String {
        let response = try await resolver.response(
            for: ResolverRequest(url: url, fields: fields),
            policy: policy,
            options: options
        )
        return try await said(response)
    }

    func said(_ response: ResolverResponse) async throws -> String {
        let body = String(buffer: try await response.bytes(upTo: 1 << 20))
        guard response.source != .refused else { return "\(response.status.code) after \(origin.count)" }
        return "\(response.source) \(body.isEmpty ? "-" : body) after \(origin.count)"
    }
}
