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
