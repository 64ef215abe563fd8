import AFCCache
import AFCText
import AFCURL
import Foundation
import TestSupport
import Testing

/// Caches whose folder is removed, emptied, or made again while a process uses them.
struct VanishedCacheTests {
    /// What is lost.
    enum Loss: CaseIterable {
        case folder, contents, catalogue, database, bodies

        func strike(_ scratch: Scratch) throws {
            let files = FileManager.default
            let store = scratch.path("store")
            switch self {
            case .folder: try files.removeItem(atPath: store)
            case .contents:
                for name in try files.contentsOfDirectory(atPath: store) {
                    try files.removeItem(atPath: store + "/" + name)
                }
            case .catalogue:
                for name in ["catalogue.json", "catalogue.copy"] { try files.removeItem(atPath: store + "/" + name) }
            case .database: try files.removeItem(atPath: store + "/received.sqlite")
            case .bodies: try files.removeItem(atPath: store + "/received")
            }
        }
    }

    @Test(arguments: Loss.allCases)
    func `a process that receives responses goes on, and others see what it stores`(loss: Loss) async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        _ = try await cache.setLimits(CacheLimits(bytes: 50_000_000, entries: nil), now: PackagesTests.now)
        try cache.startReceiving()
        let (small, large) = (try WebURL("http://r.example/small"), try WebURL("http://r.example/large"))
        let body = String(repeating: "x", count: 40_000)
        func put(_ text: String) throws {
            try Receiving.put(cache, small, text)
            try Receiving.put(cache, large, text + body)
            try cache.flushReceived()
        }
        try put("one")
        try loss.strike(scratch)
        try await waitUntil("responses are stored again") {
            do {
                try put("two")
            } catch let error as CacheError {
                // Until the loss is noticed, which takes at most a second.
                #expect(error.code != .damaged, "\(error)")
                return false
            }
            let other = try? DiskCache(path: scratch.path("store"), access: .readOnly)
            return try [small, large].allSatisfy { try other?.candidates(for: $0).count == 1 }
        }
        #expect(try Receiving.bodies(cache, small) == ["two"])
        #expect(try Receiving.bodies(cache, large) == ["two" + body])
        #expect(try cache.limits().bytes == 50_000_000)
        #expect(try cache.verify().findings == [])
        try cache.close()
    }

    @Test(arguments: [Loss.folder, .contents])
    func `a reader finds nothing, and then what is made in its place`(loss: Loss) async throws {
        let scratch = try Scratch()
        let package = try await PackagesTests.package("p", ["a": .init("one")], in: scratch)
        let again = try await PackagesTests.package("q", ["a": .init("two")], in: scratch)
        func load(_ package: String) async throws {
            let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
            _ = try await cache.install(package, now: PackagesTests.now)
        }
        try await load(package)
        let reader = try DiskCache(path: scratch.path("store"), access: .readOnly)
        #expect(try PackagesTests.body("a", in: reader) == "one")
        try loss.strike(scratch)
        try await waitUntil("the reader notices") { try reader.packages().isEmpty }
        #expect(try reader.resources(limit: 10).isEmpty)
        #expect(try reader.candidates(for: WebURL("http://d.example/a")).isEmpty)
        try await load(again)
        try await waitUntil("the new package is found") { try reader.packages().map(\.name) == ["q"] }
        #expect(try PackagesTests.body("a", in: reader) == "two")
    }

    @Test func `packages without their catalogue are still an error`() async throws {
        let scratch = try Scratch()
        let package = try await PackagesTests.package("p", ["a": .init("one")], in: scratch)
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        _ = try await cache.install(package, now: PackagesTests.now)
        try Loss.catalogue.strike(scratch)
        try await waitUntil("the loss is noticed") {
            do {
                return try cache.packages().isEmpty
            } catch is CacheError {
                return true
            }
        }
        #expect(throws: CacheError.self) { try cache.packages() }
    }
}
