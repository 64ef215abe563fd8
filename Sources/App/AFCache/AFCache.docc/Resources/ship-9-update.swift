import AFCache
import Foundation

guard let package = Bundle.module.url(forResource: "garden", withExtension: "zip") else {
    throw CocoaError(.fileNoSuchFile)
}

let version = "2"
let cache = try AFCache(directory: URL(fileURLWithPath: "cache"))
if UserDefaults.standard.string(forKey: "garden") != version {
    try await cache.install(package, isPinned: true)
    UserDefaults.standard.set(version, forKey: "garden")
}

cache.isOffline = true
guard let oak = URL(string: "https://garden.example/trees/oak.html") else { throw URLError(.badURL) }
let (page, _) = try await cache.data(from: oak)
print(String(decoding: page, as: UTF8.self))

try await cache.close()
