import AFCache
import Foundation

guard let package = Bundle.module.url(forResource: "garden", withExtension: "zip"),
    let keyFile = Bundle.module.url(forResource: "team", withExtension: "pub"),
    let channel = URL(string: "http://localhost:8000/garden.channel")
else { throw CocoaError(.fileNoSuchFile) }

let cache = try AFCache(directory: URL(fileURLWithPath: "cache"))
let installed = try cache.packages().contains { $0.name == "garden" }
if !installed { try await cache.install(package) }

do {
    let key = try String(contentsOf: keyFile, encoding: .utf8)
    try await cache.followChannel(channel, options: AFCache.ChannelOptions(keys: [key]))
} catch {
    print("no update: \(error)")
}

cache.isOffline = true
guard let oak = URL(string: "https://garden.example/trees/oak.html") else { throw URLError(.badURL) }
let (page, _) = try await cache.data(from: oak)
print(String(decoding: page, as: UTF8.self))

try await cache.close()
