import AFCache
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// The code of docs/reference/app.md.

func start(folder: URL) throws -> URLSession {
    AFCache.shared = try AFCache(memoryCapacity: 32 << 20, diskCapacity: 512 << 20, directory: folder)
    let session = URLSession(configuration: AFCache.shared.urlSessionConfiguration())
    return session
}

func open(folder: URL) throws -> AFCache {
    var configuration = AFCache.Configuration()
    configuration.objectCapacity = 64 << 20
    configuration.onTrouble = { print($0) }
    let cache = try AFCache(directory: folder, configuration: configuration)
    return cache
}

func load(_ url: URL) async throws -> Int {
    let (data, response) = try await AFCache.shared.data(from: url)
    return data.count + response.statusCode
}

struct Picture: Sendable {
    var bytes: Int

    init(_ data: Data) throws { bytes = data.count }
}

func decode(_ cache: AFCache, _ url: URL) async throws -> Picture {
    let picture = try await cache.object(for: url) { data in try Picture(data) }
    return picture
}

func thumbnail(_ cache: AFCache, _ url: URL, side: Int) async throws -> Picture {
    let thumbnail = try await cache.object(for: url, variant: side) { data in try Picture(data) }
    return thumbnail
}

func copy(_ cache: AFCache, _ request: URLRequest, to output: FileHandle) async throws -> Int {
    let (bytes, response) = try await cache.bytes(for: request)
    for try await piece in bytes { try output.write(contentsOf: piece) }
    return response.statusCode
}

func pin(_ pins: Set<String>) -> AFCache.Configuration {
    var configuration = AFCache.Configuration()
    configuration.acceptsServer = { server in
        server.host != "api.example" || pins.contains(server.publicKeyPin)
    }
    return configuration
}

func follow(_ cache: AFCache, _ url: URL, key: String) async throws -> Int64 {
    let update = try await cache.followChannel(url, options: AFCache.ChannelOptions(keys: [key]))
    return update.version
}

/// What docs/reference/app.md says of packages without showing it.
func named(_ cache: AFCache, channel: URL, package: URL) async throws {
    var options = AFCache.PackageDownloadOptions()
    options.name = "docs"
    options.sha256 = String(repeating: "0", count: 64)
    options.digest = String(repeating: "0", count: 64)
    options.allowsOlder = true
    let installed = try await cache.installPackage(from: package, options: options) { print($0.received) }
    print(installed.package.name)
    switch try await cache.updatePackage("docs") {
    case .installed(let package), .updated(let package), .unchanged(let package): print(package.resources)
    }
    try await cache.setPackageUserData("read", for: "docs", key: "state")
    print(try cache.packageUserData("docs", key: "state") ?? "")
    var following = AFCache.ChannelOptions(keys: [])
    following.name = "docs"
    following.threshold = 2
    following.device = "kiosk-7"
    let update = try await cache.followChannel(channel, options: following) { print($0.received) }
    for failure in update.failures { print(failure.name, failure.error, update.expires as Any, update.packages.count) }
    print(try await cache.exportPackage(to: package) { $0.status == 200 })
    print(cache.reachability)
    for await state in cache.reachabilityChanges { print(state) }
    for await change in cache.packageChanges { print(change) }
}

/// What docs/reference/app.md names without showing it.
func named(_ cache: AFCache, _ request: URLRequest, _ url: URL, package: URL) async throws {
    let configuration = URLSessionConfiguration.default
    cache.configure(configuration)
    var options = AFCache.LoadOptions([.returnThenRevalidate], lifetime: 60, storagePolicy: .allowedInMemoryOnly)
    options.userInfo = ["key": "value"]
    let loaded = try await cache.load(request, options: options) { progress in print(progress.received) }
    print(loaded.source, loaded.userInfo, cache.urlCache)
    _ = try cache.cachedResponse(for: request)
    try cache.store(loaded.response, loaded.data, for: request, options: options)
    try cache.removeCachedResponse(for: url)
    cache.isOffline.toggle()
    _ = try await cache.install(package, name: "docs", isPinned: true, priority: 1)
    for package in try cache.packages() { print(package.name) }
    try await cache.removePackage("docs")
    _ = try await cache.rollBackPackage("docs")
    _ = try await cache.prefetch([url], atOnce: 2)
    for await change in cache.changes { print(change as Any) }
    cache.relieveMemory(.warning)
    print(cache.memoryHits, AFCache.bypassing(request))
    print(cache.cachedObject(for: url, as: Picture.self)?.bytes ?? 0)
    try await cache.close()
}

func mount(_ cache: AFCache, packageInBundle: URL, indexInBundle: URL) async throws {
    try await cache.mount(packageInBundle, index: indexInBundle)
}
