import AFCCache
import AFCCaching
import AFCHTTP
import AFCResolver
import AFCTime
import AFCURL
import NIOCore

// The code of docs/reference/library.md and docs/reference/mounting.md.

func offline() async throws {
    let cache = try DiskCache(path: "store", access: .readWrite)
    let now = Timestamp.now  // AFCTime
    _ = try await cache.install("docs.zip", now: now)  // completely, or not at all

    let request = OfflineRequest(url: try WebURL("https://docs.example/"))
    let response = try cache.respond(to: request, now: now)
    print(response.resolution.status, response.resolution.verdict)  // 200 OK fresh
}

func mounted(_ request: OfflineRequest, _ now: Timestamp) throws -> [UInt8]? {
    let packages = try MountedPackages(["docs.zip"], now: now)
    let response = try packages.respond(to: request, now: now, policy: OfflinePolicy())
    let bytes = try response.body?.contents(upTo: 1 << 20)
    return bytes
}

/// docs/reference/mounting.md.
func mountWithIndex(now: Timestamp) throws -> MountedPackages {
    var options = MountedPackages.Options()
    options.indexes = ["site.index"]
    let packages = try MountedPackages(["site.zip"], options: options, now: now)
    return packages
}

func mountedSite(_ request: OfflineRequest, _ now: Timestamp) throws -> CacheAnswer {
    let packages = try MountedPackages(["site.zip"], now: now)
    let response = try packages.respond(to: request, now: now, policy: OfflinePolicy())
    return response
}

func resolved(folder: String, address: String, clock: @escaping @Sendable () -> Timestamp) async throws {
    let store = try DiskCache(path: folder, access: .readWrite)
    let transport = QueuedTransport(DirectTransport(), limit: 6)
    let resolver = Resolver(store: store, transport: transport, configuration: .library(now: clock))

    let request = ResolverRequest(url: try WebURL(address))
    let response = try await resolver.response(for: request, policy: .returnCacheDataElseLoad, priority: .high)
    let text = try await response.bytes(upTo: 1 << 20)
    print(response.status, response.source, text.readableBytes)
    await resolver.shutDown()  // ends requests to origins and closes their connections
    try store.close()  // writes pending changes to the disk
}

func resolvedTwice(_ resolver: Resolver, _ request: ResolverRequest, show: (ByteBuffer) -> Void) async throws {
    for try await response in resolver.responses(for: request) { show(try await response.bytes(upTo: 1 << 20)) }
}

/// What docs/reference/library.md names without showing it.
func named(_ store: DiskCache, _ request: ResolverRequest, clock: @escaping @Sendable () -> Timestamp) async throws {
    var configuration = Resolver.Configuration.library(now: clock)
    configuration.rules.defaultLifetime = 60
    configuration.rules.assignedLifetime = 60
    configuration.memoryOnlyBytes = 1 << 20
    configuration.finishingBytes = 1 << 16
    configuration.onStoring = { proposal in
        proposal.place = .memory
        proposal.userInfo = [1]
        proposal.assignedLifetime = 60
    }
    configuration.onChange = { url in print(url) }
    let resolver = Resolver(store: store, transport: DirectTransport(), configuration: configuration)
    var request = request
    request.assignedLifetime = 60
    request.storingPlace = .nowhere
    request.userInfo = [1]
    for policy in ResourcePolicy.allCases {
        let options: ResourceOptions = [
            .invalidate, .returnThenRevalidate, .neverRevalidate, .revalidateEvenOffline, .headOnly,
        ]
        let response = try await resolver.response(
            for: request,
            policy: policy,
            options: options,
            priority: .low,
            progress: { progress in print(progress.received, progress.expected ?? 0) }
        )
        print(response.userInfo ?? [], response.storedBody?.path ?? "", response.expectedBytes ?? 0)
        for try await piece in response.pieces { print(piece.readableBytes) }
    }
    _ = try await store.response(for: request, through: DirectTransport(), now: clock)
    let found = try store.respond(to: .init(url: request.url), now: clock(), policy: .init(), .matching(.query))
    print(found?.matched ?? request.url, found?.fallback == nil)
}
