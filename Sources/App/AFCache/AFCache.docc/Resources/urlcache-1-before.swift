import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

func start() -> URLSession {
    URLCache.shared = URLCache(memoryCapacity: 32 << 20, diskCapacity: 512 << 20, diskPath: "cache")
    return URLSession(configuration: .default)
}

func load(_ url: URL, with session: URLSession) async throws -> Data {
    try await session.data(from: url).0
}
