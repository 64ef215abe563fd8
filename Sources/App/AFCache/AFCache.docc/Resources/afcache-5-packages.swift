import AFCache
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

func start() throws {
    AFCache.shared = try AFCache(directory: URL(fileURLWithPath: "cache"))
}

func load(_ url: URL) async throws -> Data {
    let options = AFCache.LoadOptions(.returnThenRevalidate, lifetime: 3600)
    let loaded = try await AFCache.shared.load(URLRequest(url: url), options: options) { progress in
        print(progress.received)
    }
    return loaded.data
}

func stored(_ url: URL) throws -> Data? {
    let request = URLRequest(url: url, cachePolicy: .returnCacheDataDontLoad)
    return try AFCache.shared.cachedResponse(for: request)?.data
}

func add(_ data: Data, for url: URL) throws {
    let fields = ["Content-Type": "text/plain"]
    guard let head = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields) else {
        return
    }
    try AFCache.shared.store(head, data, for: URLRequest(url: url))
}

func install(_ package: URL) async throws {
    let installed = try await AFCache.shared.install(package, isPinned: true)
    print("installed", installed.name)
    for package in try AFCache.shared.packages() { print(package.name) }
}
