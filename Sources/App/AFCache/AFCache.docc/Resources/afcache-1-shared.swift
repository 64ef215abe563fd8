import AFCache
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

func start() throws {
    AFCache.shared = try AFCache(directory: URL(fileURLWithPath: "cache"))
}
