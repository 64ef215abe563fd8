import AFCCacheKit
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let cache = try AFCache(directory: URL(fileURLWithPath: "cache"))

guard let page = URL(string: "http://localhost:8000/") else { fatalError("not a URL") }
let loaded = try await cache.load(URLRequest(url: page))
print(loaded.source, loaded.data.count)

try await cache.close()
