import AFCache
import Foundation

guard let package = Bundle.module.url(forResource: "garden", withExtension: "zip") else {
    throw CocoaError(.fileNoSuchFile)
}

let cache = try AFCache(directory: URL(fileURLWithPath: "cache"))
let installed = try cache.packages().contains { $0.name == "garden" }
if !installed { try await cache.install(package, isPinned: true) }

try await cache.close()
