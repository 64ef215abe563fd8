import AFCache
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

func start() throws -> URLSession {
    let folder = URL(fileURLWithPath: "cache")
    var settings = AFCache.Configuration()
    settings.willCacheResponse = { proposed in
        if proposed.response.mimeType == "video/mp4" { proposed.storagePolicy = .notAllowed }
    }
    settings.defaultLifetime = 3600
    AFCache.shared = try AFCache(
        memoryCapacity: 32 << 20,
        diskCapacity: 512 << 20,
        directory: folder,
        configuration: settings
    )
    return URLSession(configuration: AFCache.shared.urlSessionConfiguration())
}

func load(_ url: URL, with session: URLSession) async throws -> Data {
    let request = URLRequest(url: url, cachePolicy: .returnCacheDataElseLoad)
    return try await session.data(for: request).0
}

func forget(_ request: URLRequest) {
    AFCache.shared.urlCache.removeCachedResponse(for: request)
}
