import AFCache
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let cache = try AFCache(directory: URL(fileURLWithPath: "cache"))
cache.isOffline = CommandLine.arguments.contains("--offline")

guard let page = URL(string: "http://localhost:8000/") else { throw URLError(.badURL) }
let anHour = AFCache.LoadOptions(lifetime: 3600)
let loaded = try await cache.load(URLRequest(url: page), options: anHour)
print(loaded.source, loaded.data.count)

let session = URLSession(configuration: cache.urlSessionConfiguration())
let (data, _) = try await session.data(from: page)
print("session", data.count)

session.invalidateAndCancel()
try await cache.close()
