import AFCCache
import AFCPackageFormat
import AFCText
import Foundation
import TestSupport
import Testing

/// Caches whose catalogue is lost, empty, damaged or older than their packages.
struct LostCatalogueTests {
    static let now = PackagesTests.now

    /// What becomes of `index.sqlite`.
    enum Loss: String, CaseIterable {
        case removed, emptied, garbage, cut, withoutRows

        func strike(_ scratch: Scratch) throws {
            let path = scratch.path("store/index.sqlite")
            for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
            switch self {
            case .removed: try FileManager.default.removeItem(atPath: path)
            case .emptied: try scratch.write([], to: "store/index.sqlite")
            case .garbage: try scratch.write(Array(repeating: 7, count: 9000), to: "store/index.sqlite")
            case .cut:
                try scratch.write(Array(try scratch.read("store/index.sqlite").prefix(5000)), to: "store/index.sqlite")
            case .withoutRows:
                let script = """
                    import sqlite3, sys
                    c = sqlite3.connect(sys.argv[1])
                    for table in ["package", "origin", "displaced", "generation"]: c.execute("DELETE FROM " + table)
                    c.commit()
                    """
                try #require(try Program.run("python3", ["-c", script, path]).status == 0)
            }
        }
    }

    /// A cache with two packages: one with a previous generation, rolled back, and one with entries that were evicted.
    private static func made(_ scratch: Scratch) async throws {
        let cache = try OfflineCache(path: scratch.path("store"), access: .readWrite)
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

    @Test(arguments: Loss.allCases, [true, false])
    func `a lost catalogue removes nothing, and is rebuilt with the same content`(loss: Loss, isPublished: Bool)
        async throws
    {
        let scratch = try Scratch()
        try await Self.made(scratch)
        let store = scratch.path("store")
        let (packages, origins, limits) = try {
            let cache = try OfflineCache(path: store, access: .readOnly)
            return (try cache.packages(), try cache.origins(), try cache.limits())
        }()
        let listing = try OfflineCache(path: store, access: .readOnly).resources(limit: 10)
        let generations = try Self.generations(scratch)
        #expect(generations.count == 3)
        if !isPublished { try FileManager.default.removeItem(atPath: store + "/catalogue.json") }
        try loss.strike(scratch)
        // What the catalogue doesn't know stays.
        if loss != .withoutRows {
            let package = try await PackagesTests.package("r", ["r": .init("r")], in: scratch)
            for access in [OfflineCache.Access.existing, .readWrite] {
                let error = await #expect(throws: CacheError.self) {
                    _ = try await OfflineCache(path: store, access: access).install(package, now: Self.now)
                }
                #expect(error?.code == .damaged)
                let isRepair = if case .repairCache = error?.remedy { true } else { false }
                #expect(isRepair, "\(error?.message ?? "")")
            }
        }
        #expect(try Self.generations(scratch) == generations)
        let cache = try OfflineCache(path: store, access: .repairing)
        let report = try await cache.repair(from: [])
        #expect(report.remaining == [])
        #expect(report.repaired.allSatisfy { $0.kind == .catalogueDamaged })
        #expect(!report.repaired.isEmpty)
        #expect(try cache.packages() == packages)
        #expect(try cache.origins() == origins)
        #expect(try cache.resources(limit: 10) == listing)
        if loss != .withoutRows { #expect(try cache.limits() == limits) }
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

    @Test func `without records the indices show the content`() async throws {
        let scratch = try Scratch()
        try await Self.made(scratch)
        let store = scratch.path("store")
        for generation in try Self.generations(scratch) {
            try FileManager.default.removeItem(atPath: "\(store)/packages/\(generation)/catalogue.json")
        }
        try FileManager.default.removeItem(atPath: store + "/catalogue.json")
        try Loss.removed.strike(scratch)
        let cache = try OfflineCache(path: store, access: .repairing)
        #expect(try cache.packages().map(\.name) == ["d.example", "d.example-2"])
        #expect(try cache.packages().map { $0.previousLoaded != nil }.contains(true))
        #expect(["first", "second", "other"].contains(try PackagesTests.body("a", in: cache)))
        #expect(try PackagesTests.body("b", in: cache) == "same")
        #expect(try cache.origins().map(\.origin) == ["http://d.example"])
        #expect(try Self.generations(scratch).count == 3)
    }

    @Test func `a folder that isn't a cache isn't repaired into one`() async throws {
        let scratch = try Scratch()
        try scratch.write([1], to: "store/packages/My App/index")
        try scratch.write([1], to: "store/notes")
        for name in ["none", "store"] {
            let error = #expect(throws: CacheError.self) {
                try OfflineCache(path: scratch.path(name), access: .repairing)
            }
            #expect(error?.code == .noCache)
        }
        let left = try FileManager.default.subpathsOfDirectory(atPath: scratch.path("store")).sorted()
        #expect(left == ["notes", "packages", "packages/My App", "packages/My App/index"])
    }

    @Test func `another program's database isn't repaired into a cache`() throws {
        let scratch = try Scratch()
        try scratch.write([], to: "store/.keep")
        let path = scratch.path("store/index.sqlite")
        let script = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript('CREATE TABLE notes(a)')"
        #expect(try Program.run("python3", ["-c", script, path]).status == 0)
        let before = try scratch.read("store/index.sqlite")
        for access in [OfflineCache.Access.repairing, .readWrite, .readOnly] {
            let error = #expect(throws: CacheError.self) {
                try OfflineCache(path: scratch.path("store"), access: access).packages()
            }
            #expect(error?.code == .noCache, "\(String(describing: error))")
        }
        #expect(try scratch.read("store/index.sqlite") == before)
    }

    @Test func `a sound catalogue isn't rebuilt`() async throws {
        let scratch = try Scratch()
        try await Self.made(scratch)
        let before = try scratch.read("store/index.sqlite")
        let cache = try OfflineCache(path: scratch.path("store"), access: .repairing)
        #expect(try scratch.read("store/index.sqlite") == before)
        let report = try await cache.repair(from: [])
        #expect(report.repaired.isEmpty && report.remaining.isEmpty)
    }

    // MARK: Contradictions

    @Test(arguments: [
        "UPDATE package SET current = previous WHERE previous IS NOT NULL",
        "UPDATE package SET settings = '{\"priority\":9}'", "UPDATE generation SET resources = resources + 1",
    ])
    func `a changed row, which SQLite doesn't notice, is found by comparison and repaired`(change: String) async throws
    {
        let scratch = try Scratch()
        try await Self.made(scratch)
        let before = try OfflineCache(path: scratch.path("store"), access: .readOnly).packages()
        let script = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()"
        try #require(
            try Program.run("python3", ["-c", script, scratch.path("store/index.sqlite"), change]).status == 0
        )
        let cache = try OfflineCache(path: scratch.path("store"), access: .existing)
        #expect(try cache.verify().findings.map(\.kind) == [.catalogueDamaged])
        let repairing = try OfflineCache(path: scratch.path("store"), access: .repairing)
        let report = try await repairing.repair(from: [])
        #expect(report.repaired.map(\.kind) == [.catalogueDamaged])
        #expect(report.remaining.isEmpty)
        #expect(try repairing.verify().findings == [])
        #expect(try repairing.packages() == before)
    }

    @Test(arguments: [[], [1, 2, 3]] as [[UInt8]])
    func `a damaged record of a generation is found, and written again`(bytes: [UInt8]) async throws {
        let scratch = try Scratch()
        try await Self.made(scratch)
        for generation in try Self.generations(scratch) {
            try scratch.write(bytes, to: "store/packages/\(generation)/catalogue.json")
        }
        let cache = try OfflineCache(path: scratch.path("store"), access: .existing)
        #expect(try cache.verify().findings.map(\.kind) == Array(repeating: .catalogueDamaged, count: 3))
        let report = try await cache.repair(from: [])
        #expect(report.repaired.count == 3 && report.remaining.isEmpty)
        #expect(try cache.verify().findings == [])
    }
}
