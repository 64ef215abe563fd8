import AFCache
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let cache = try AFCache(directory: URL(fileURLWithPath: "cache"))

try await cache.close()
