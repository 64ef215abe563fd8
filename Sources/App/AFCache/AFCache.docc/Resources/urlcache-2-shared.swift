import AFCache
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

func start() throws -> URLSession {
    let folder = URL(fileURLWithPath: "cache")
    AFCache.shared = try AFCache(memoryCapacity: 32 << 20, diskCapacity: 512 << 20, directory: folder)
    return URLSession(configuration: AFCache.shared.urlSessionConfiguration())
}

func load(_ url: URL, with session: URLSession) async throws -> Data {
    try await session.data(from: url).0
}
