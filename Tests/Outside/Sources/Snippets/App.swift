import AFCCacheKit
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// The code of docs/app.md.

func start(folder: URL) throws -> URLSession {
    AFCache.shared = try AFCache(memoryCapacity: 32 << 20, diskCapacity: 512 << 20, directory: folder)
    let session = URLSession(configuration: AFCache.shared.urlSessionConfiguration())
    return session
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

/// What docs/app.md names without showing it.
func named(_ cache: AFCache, _ request: URLRequest, _ url: URL, package: URL) async throws {
    let configuration = URLSessionConfiguration.default
    cache.configure(configuration)
    var options = LoadOptions([.returnThenRevalidate], lifetime: 60, storagePolicy: .allowedInMemoryOnly)
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
