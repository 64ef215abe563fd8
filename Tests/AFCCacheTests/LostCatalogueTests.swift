import AFCCache
import AFCPackageFormat
import AFCText
import Foundation
import TestSupport
import Testing

/// Caches whose catalogue, its copy, or the records of generations are lost, damaged or older than the packages.
struct LostCatalogueTests {
    static let now = PackagesTests.now

    /// What becomes of a file.
    enum Loss: String, CaseIterable {
        case removed, emptied, garbage, cut, flipped

        func strike(_ scratch: Scratch, _ file: String) throws {
            var bytes = try scratch.read("store/" + file)
            switch self {
            case .removed: return try FileManager.default.removeItem(atPath: scratch.path("store/" + file))
            case .emptied: bytes = []
            case .garbage: bytes = Array(repeating: 7, count: 9000)
            case .cut: bytes = Array(bytes.prefix(bytes.count / 2))
            case .flipped: bytes[bytes.count * 3 / 4] ^= 1
            }
            try scratch.write(bytes, to: "store/" + file)
        }
    }

    /// The places in which the catalogue is kept.
    enum Book: String, CaseIterable {
        case catalogue, copy, records

        func files(_ scratch: Scratch) throws -> [String] {
            switch self {
            case .catalogue: ["catalogue.json"]
            case .copy: ["catalogue.copy"]
            case .records: try generations(scratch).map { "packages/\($0)/catalogue.json" }
            }
        }
    }

    /// Any one and any two of the books.
    static let losses: [[Book]] = [
        [.catalogue], [.copy], [.records], [.catalogue, .copy], [.catalogue, .records], [.copy, .records],
    ]

    /// A cache with two packages: one with a previous generation, rolled back, and one with entries that were evicted.
    static func made(_ scratch: Scratch) async throws {
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        func load(_ name: String, _ texts: [String: String], _ change: (inout InstallOptions) -> Void) async throws {
            let resources = texts.mapValues { PackagesTests.Resource($0) }
            let package = try await PackagesTests.package(name, resources, in: scratch)
            _ = try await cache.install(package, options: PackagesTests.options(change), now: now)
        }
        try await load("p", ["a": "first", "b": "same"]) {
            $0.settings.priority = 7
            $0.source = "somewhere"
        }
        try await load("p", ["a": "second", "b": "same"]) { $0.settings.isPinned = true }
        try await load("q", ["a": "other", "c": "c", "d": "d", "e": "e"]) { $0.settings.isSeparable = true }
        _ = try await cache.rollBack("p")
        _ = try await cache.setLimits(CacheLimits(bytes: 1 << 30, entries: 5), now: now)
    }

    private static func generations(_ scratch: Scratch) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: scratch.path("store/packages")).sorted()
    }

    /// What a cache holds.
    struct Content: Equatable {
        var packages: [InstalledPackage]
        var origins: [OriginSummary]
        var limits: CacheLimits
        var resources: [ResourceSummary]
    }

    static func content(_ cache: DiskCache) throws -> Content {
        Content(
            packages: try cache.packages(),
            origins: try cache.origins(),
            limits: try cache.limits(),
            resources: try cache.resources(limit: 10)
        )
    }

    @Test(arguments: Loss.allCases, losses)
    func `any one and any two of the books may be lost`(loss: Loss, books: [Book]) async throws {
        let scratch = try Scratch()
        try await Self.made(scratch)
        let store = scratch.path("store")
        let before = try Self.content(DiskCache(path: store, access: .readOnly))
        let generations = try Self.generations(scratch)
        #expect(generations.count == 3)
        for file in try books.flatMap({ try $0.files(scratch) }) { try loss.strike(scratch, file) }
        let isLost = books == [.catalogue, .copy]
        if isLost {
            // What no catalogue knows stays.
            let package = try await PackagesTests.package("r", ["r": .init("r")], in: scratch)
            for access in [DiskCache.Access.existing, .readWrite] {
                let error = await #expect(throws: CacheError.self) {
                    _ = try await DiskCache(path: store, access: access).install(package, now: Self.now)
                }
                #expect(error?.code == .damaged)
                let isRepair = if case .repairCache = error?.remedy { true } else { false }
                #expect(isRepair, "\(error?.message ?? "")")
            }
            #expect(throws: CacheError.self) { try DiskCache(path: store, access: .readOnly).packages() }
        } else {
            let reader = try DiskCache(path: store, access: .readOnly)
            #expect(try Self.content(reader) == before)
            #expect(try reader.verify().findings.allSatisfy { $0.kind == .catalogueDamaged })
        }
        #expect(try Self.generations(scratch) == generations)
        let cache = try DiskCache(path: store, access: .repairing)
        let report = try await cache.repair(from: [])
        #expect(report.remaining == [])
        #expect(report.repaired.allSatisfy { $0.kind == .catalogueDamaged })
        #expect(!report.repaired.isEmpty || !books.contains(.catalogue))
        #expect(try Self.content(cache) == before)
        #expect(try cache.verify().findings == [])
        #expect(try PackagesTests.body("a", in: cache) == "first")
        _ = try await cache.rollBack("p")
        #expect(try PackagesTests.body("a", in: cache) == "second")
        _ = try await cache.collectGarbage(includingPrevious: true)
        #expect(try cache.verify().findings == [])
        let left = try FileManager.default.contentsOfDirectory(atPath: store)
        #expect(!left.contains { $0.hasPrefix("damaged-") })
        #expect(try Self.generations(scratch).count == 2)
    }

    @Test(arguments: Loss.allCases, [[.catalogue], [.copy], [.records], [.copy, .records]] as [[Book]])
    func `the next change writes again what is lost`(loss: Loss, books: [Book]) async throws {
        let scratch = try Scratch()
        try await Self.made(scratch)
        for file in try books.flatMap({ try $0.files(scratch) }) { try loss.strike(scratch, file) }
        let cache = try DiskCache(path: scratch.path("store"), access: .existing)
        _ = try await cache.update("p", .init(priority: 8))
        _ = try await cache.update("q", .init(priority: 9))
        #expect(try cache.packages().map(\.settings.priority) == [8, 9])
        #expect(try cache.verify().findings == [])
        let catalogue = try scratch.read("store/catalogue.json")
        #expect(try scratch.read("store/catalogue.copy") == catalogue)
    }

    @Test func `a package that an older catalogue doesn't list is restored`() async throws {
        let scratch = try Scratch()
        let store = scratch.path("store")
        do { _ = try DiskCache(path: store, access: .readWrite) }
        let empty = try scratch.read("store/catalogue.json")
        try await Self.made(scratch)
        let before = try DiskCache(path: store, access: .readOnly).packages()
        try scratch.write(empty, to: "store/catalogue.json")
        let cache = try DiskCache(path: store, access: .repairing)
        #expect(try cache.packages().isEmpty)
        // One package has two generations.
        #expect(try cache.verify().findings.map(\.kind) == Array(repeating: .catalogueDamaged, count: 3))
        let report = try await cache.repair(from: [])
        #expect(report.remaining == [] && report.repaired.compactMap(\.package) == ["p", "q"])
        #expect(try cache.packages() == before)
        #expect(try cache.verify().findings == [])
    }

    @Test(arguments: Loss.allCases)
    func `a lost list of evicted entries is made again from the bodies`(loss: Loss) async throws {
        let scratch = try Scratch()
        try await Self.made(scratch)
        let store = scratch.path("store")
        let before = try Self.content(DiskCache(path: store, access: .readOnly))
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: store + "/evicted").first)
        try loss.strike(scratch, "evicted/" + name)
        let reader = try DiskCache(path: store, access: .readOnly)
        #expect(try Self.content(reader) == before)
        #expect(try reader.verify().findings.map(\.path) == [store + "/evicted/" + name])
        let cache = try DiskCache(path: store, access: .existing)
        let report = try await cache.repair(from: [])
        #expect(report.remaining == [] && report.repaired.map(\.path) == [store + "/evicted/" + name])
        #expect(try Self.content(cache) == before)
        #expect(try cache.verify().findings == [])
        let left = try FileManager.default.contentsOfDirectory(atPath: store + "/evicted")
        #expect(left.count == 1 && left != [name])
    }

    @Test func `without records the indices show the content`() async throws {
        let scratch = try Scratch()
        try await Self.made(scratch)
        let store = scratch.path("store")
        for file in try Book.allCases.flatMap({ try $0.files(scratch) }) { try Loss.removed.strike(scratch, file) }
        let cache = try DiskCache(path: store, access: .repairing)
        #expect(try cache.packages().map(\.name) == ["d.example", "d.example-2"])
        #expect(try cache.packages().map { $0.previousLoaded != nil }.contains(true))
        #expect(["first", "second", "other"].contains(try PackagesTests.body("a", in: cache)))
        #expect(try PackagesTests.body("b", in: cache) == "same")
        #expect(try cache.origins().map(\.origin) == ["http://d.example"])
        #expect(try Self.generations(scratch).count == 3)
        #expect(try cache.verify().findings == [])
    }

    @Test func `a folder that isn't a cache isn't repaired into one`() async throws {
        let scratch = try Scratch()
        try scratch.write([1], to: "store/packages/My App/index")
        try scratch.write([1], to: "store/notes")
        for name in ["none", "store"] {
            let error = #expect(throws: CacheError.self) {
                try DiskCache(path: scratch.path(name), access: .repairing)
            }
            #expect(error?.code == .noCache)
        }
        let left = try FileManager.default.subpathsOfDirectory(atPath: scratch.path("store")).sorted()
        #expect(left == ["notes", "packages", "packages/My App", "packages/My App/index"])
    }

    @Test(arguments: ["catalogue.json", "catalogue.copy", "index.sqlite"])
    func `another program's catalogue isn't repaired into a cache`(name: String) throws {
        let scratch = try Scratch()
        let before = Array(#"{"books":[]}"#.utf8)
        try scratch.write(before, to: "store/" + name)
        for access in [DiskCache.Access.repairing, .readWrite, .readOnly] {
            let error = #expect(throws: CacheError.self) {
                try DiskCache(path: scratch.path("store"), access: access).packages()
            }
            #expect(error?.code == .noCache, "\(String(describing: error))")
        }
        #expect(try scratch.read("store/" + name) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("store")) == [name])
    }

    @Test func `a sound catalogue isn't rebuilt`() async throws {
        let scratch = try Scratch()
        try await Self.made(scratch)
        let before = try scratch.read("store/catalogue.json")
        let cache = try DiskCache(path: scratch.path("store"), access: .repairing)
        #expect(try scratch.read("store/catalogue.json") == before)
        let report = try await cache.repair(from: [])
        #expect(report.repaired.isEmpty && report.remaining.isEmpty)
    }

    @Test(arguments: [[], [1, 2, 3]] as [[UInt8]])
    func `a damaged record of a generation is found, and written again`(bytes: [UInt8]) async throws {
        let scratch = try Scratch()
        try await Self.made(scratch)
        for generation in try Self.generations(scratch) {
            try scratch.write(bytes, to: "store/packages/\(generation)/catalogue.json")
        }
        let cache = try DiskCache(path: scratch.path("store"), access: .existing)
        #expect(try cache.verify().findings.map(\.kind) == Array(repeating: .catalogueDamaged, count: 3))
        let report = try await cache.repair(from: [])
        #expect(report.repaired.count == 3 && report.remaining.isEmpty)
        #expect(try cache.verify().findings == [])
    }
}
