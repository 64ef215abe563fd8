import AFCache
import Foundation

guard let package = Bundle.module.url(forResource: "garden", withExtension: "zip") else {
    throw CocoaError(.fileNoSuchFile)
}

let cache = try AFCache(directory: URL(fileURLWithPath: "cache"))
let installed = try cache.packages().contains { $0.name == "garden" }
if !installed { try await cache.install(package, isPinned: true) }

cache.isOffline = true
guard let oak = URL(string: "https://garden.example/trees/oak.html") else { throw URLError(.badURL) }
let (page, _) = try await cache.data(from: oak)
print(String(decoding: page, as: UTF8.self))

try await cache.close()
