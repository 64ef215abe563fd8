import AFCCaching
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCURL
import Foundation
import TestSupport
import Testing

@testable import AFCCache

/// Earlier versions of packages: which are kept, and what they answer.
struct KeptVersionsTests {
    private static let now = PackagesTests.now

    /// A package with one page, made and loaded at a time.
    static func load(
        _ text: String,
        at time: Timestamp,
        made: Timestamp? = nil,
        named name: String = "p",
        page: String = "http://d.example/a",
        into cache: DiskCache,
        _ scratch: Scratch
    ) async throws {
        let url = try WebURL(page)
        let resource = PackageWriter.Resource(
            record: ResourceRecord(url: url, fetched: time),
            entry: ManifestEntry(url: url, lastModified: time, expires: time + 60, mediaType: "text/html"),
            body: .bytes(Array(text.utf8)),
            isCompressible: true
        )
        let path = scratch.path("package.zip")
        _ = try await PackageWriter.write([resource], to: path, options: .init(created: made ?? time, generator: "t/1"))
        var options = InstallOptions()
        options.name = name
        _ = try await cache.install(path, options: options, now: time)
    }

    private static func keep(_ retention: PackageSettings.Retention?, _ cache: DiskCache, at time: Timestamp)
        async throws
        -> InstalledPackage
    {
        var change = PackageSettings.Change()
        change.retention = .some(retention)
        return try await cache.update("p", change, now: time)
    }

    private static func texts(_ cache: DiskCache) throws -> [String] {
        let url = try WebURL("http://d.example/a")
        return try cache.versions(of: url).map { version in
            let view = try cache.packages(at: version.time)
            let answer = try view.respond(
                to: OfflineRequest(url: url),
                now: now + 1_000_000,
                policy: OfflinePolicy(expired: .always)
            )
            return String(decoding: try #require(try answer.body?.contents(upTo: 100)), as: UTF8.self)
        }
    }

    @Test(
        arguments: [
            (nil, ["8", "9"]), (.versions(1), ["9"]), (.versions(2), ["8", "9"]), (.versions(4), ["6", "7", "8", "9"]),
            (.versions(100), (0..<10).map(String.init)),
            // Loaded every ten seconds: a version is kept until so long after the next one was loaded.
            (.seconds(1), ["8", "9"]), (.seconds(10), ["7", "8", "9"]), (.seconds(35), ["5", "6", "7", "8", "9"]),
            (.seconds(1 << 60), (0..<10).map(String.init)),
        ] as [(PackageSettings.Retention?, [String])]
    )
    func `so many versions are kept`(retention: PackageSettings.Retention?, kept: [String]) async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        for number in 0..<10 {
            try await Self.load("\(number)", at: Self.now + Int64(10 * number), into: cache, scratch)
            if number == 0 { _ = try await Self.keep(retention, cache, at: Self.now) }
        }
        #expect(try Self.texts(cache) == kept)
        #expect(try cache.packages().first?.versions.count == kept.count)
        #expect(try cache.verify().findings.isEmpty)
        // The same after the cache is opened again.
        try cache.close()
        #expect(try Self.texts(DiskCache(path: scratch.path("store"), access: .readOnly)) == kept)
    }

    @Test func `fewer versions are kept at once, and by garbage collection`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        try await Self.load("0", at: Self.now, into: cache, scratch)
        #expect(try await Self.keep(.seconds(50), cache, at: Self.now).versions.count == 1)
        for number in 1..<6 { try await Self.load("\(number)", at: Self.now + Int64(number), into: cache, scratch) }
        #expect(try cache.packages().first?.versions.count == 6)
        _ = try await cache.collectGarbage(includingPrevious: false, now: Self.now + 53)
        #expect(try Self.texts(cache) == ["2", "3", "4", "5"])
        #expect(try await Self.keep(.versions(3), cache, at: Self.now + 60).versions.count == 3)
        #expect(try await Self.keep(nil, cache, at: Self.now + 60).versions.count == 2)
        #expect(try Self.texts(cache) == ["4", "5"])
    }

    @Test func `a full cache loses the oldest versions first, one by one`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        for number in 0..<5 {
            let text = String(repeating: "\(number)", count: 100)
            try await Self.load(text, at: Self.now + Int64(number), into: cache, scratch)
            if number == 0 { _ = try await Self.keep(.versions(9), cache, at: Self.now) }
        }
        #expect(try cache.bodyBytes() == 500)
        let left = try await cache.setLimits(CacheLimits(bytes: 320, entries: nil), now: Self.now + 9)
        #expect(left == ["an earlier version of 'p'", "an earlier version of 'p'"])
        #expect(try Self.texts(cache).map { $0.prefix(1) } == ["2", "3", "4"])
        #expect(try cache.bodyBytes() == 300)
        try await Self.load(String(repeating: "5", count: 100), at: Self.now + 10, into: cache, scratch)
        #expect(try Self.texts(cache).map { $0.prefix(1) } == ["3", "4", "5"])
    }

    @Test func `a rollback keeps all versions, and the next load too`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        for number in 0..<3 {
            try await Self.load("\(number)", at: Self.now + Int64(number), into: cache, scratch)
            if number == 0 { _ = try await Self.keep(.versions(9), cache, at: Self.now) }
        }
        _ = try await cache.rollBack("p")
        #expect(try PackagesTests.body("a", in: cache) == "1")
        #expect(try Self.texts(cache) == ["0", "1", "2"])
        try await Self.load("3", at: Self.now + 5, into: cache, scratch)
        #expect(try Self.texts(cache) == ["0", "1", "2", "3"])
        _ = try await cache.rollBack("p")
        #expect(try PackagesTests.body("a", in: cache) == "1", "what was current before")
    }

    @Test func `versions of one time are told apart by when they were loaded`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let made = Self.now - 1000
        for number in 0..<3 {
            try await Self.load("\(number)", at: Self.now + Int64(10 * number), made: made, into: cache, scratch)
            if number == 0 { _ = try await Self.keep(.versions(9), cache, at: Self.now) }
        }
        let url = try WebURL("http://d.example/a")
        #expect(try cache.versions(of: url).map(\.time) == [Self.now, Self.now + 10, Self.now + 20])
        #expect(try Self.texts(cache) == ["0", "1", "2"])
    }

    @Test func `versions of one second have times of their own`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        for number in 0..<4 {
            try await Self.load("\(number)", at: Self.now, into: cache, scratch)
            if number == 0 { _ = try await Self.keep(.versions(9), cache, at: Self.now) }
        }
        #expect(try Self.texts(cache) == ["0", "1", "2", "3"])
        #expect(try cache.packages().first?.versions == (0..<4).map { Self.now + $0 })
    }

    @Test func `a version counts as current until the next one that was`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        try await Self.load("1", at: Self.now, into: cache, scratch)
        _ = try await Self.keep(.seconds(4), cache, at: Self.now)
        try await Self.load("2", at: Self.now + 1, into: cache, scratch)
        _ = try await cache.rollBack("p")
        // Now "1" is current until these, and "2" isn't for a long time.
        try await Self.load("3", at: Self.now + 20, into: cache, scratch)
        try await Self.load("4", at: Self.now + 21, into: cache, scratch)
        #expect(try Self.texts(cache) == ["1", "3", "4"])
        let url = try WebURL("http://d.example/a")
        #expect(try cache.versions(of: url).map(\.isCurrent) == [false, false, true])
        _ = try await cache.rollBack("p")
        #expect(try cache.versions(of: url).map(\.isCurrent) == [false, true, false])
    }

    @Test func `garbage collection spares what the user wants to be kept`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        for number in 0..<3 {
            let (time, page) = (Self.now + Int64(number), "http://q.example/\(number)")
            try await Self.load("\(number)", at: time, into: cache, scratch)
            try await Self.load("q", at: time, named: "q", page: page, into: cache, scratch)
            if number == 0 { _ = try await Self.keep(.versions(9), cache, at: Self.now) }
        }
        let report = try await cache.collectGarbage(includingPrevious: true, now: Self.now + 9)
        #expect(report.previousGenerations == ["q"])
        #expect(try Self.texts(cache) == ["0", "1", "2"])
        #expect(try cache.packages().map(\.versions.count) == [3, 1])
    }

    @Test func `a damaged version is left out, and the others are served`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        for number in 0..<4 {
            try await Self.load("\(number)", at: Self.now + Int64(number), into: cache, scratch)
            if number == 0 { _ = try await Self.keep(.versions(9), cache, at: Self.now) }
        }
        let earlier = try cache.earlierGenerations(of: "p").map(\.folder)
        try scratch.write(Array("damaged".utf8), to: "store/packages/\(earlier[0])/index")
        #expect(try Self.texts(cache) == ["0", "1", "3"])
        try FileManager.default.removeItem(atPath: scratch.path("store/packages/\(earlier[1])/index"))
        #expect(try Self.texts(cache) == ["0", "3"])
        #expect(try PackagesTests.body("a", in: cache) == "3")
    }

    @Test func `of several packages, the one that is served at a time has the version`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        func set(_ name: String, priority: Int) async throws {
            var change = PackageSettings.Change(priority: priority)
            change.retention = .some(.versions(9))
            _ = try await cache.update(name, change)
        }
        for (name, text, offset) in [("low", "L1", 0), ("high", "H1", 10), ("low", "L2", 20), ("high", "H2", 30)] {
            try await Self.load(text, at: Self.now + Int64(offset), named: name, into: cache, scratch)
            try await set(name, priority: name == "low" ? 0 : 5)
        }
        // Before its first version, a package counts with that.
        #expect(try Self.texts(cache) == ["H1", "H2"])
        try await set("low", priority: 9)
        #expect(try Self.texts(cache) == ["L1", "L2"], "the views follow the settings")
    }

    @Test func `records have a constant size, and a lost catalogue is restored with all versions`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        for number in 0..<12 {
            try await Self.load("\(number)", at: Self.now + Int64(number), into: cache, scratch)
            if number == 0 { _ = try await Self.keep(.versions(10), cache, at: Self.now) }
        }
        try cache.close()
        let folders = try FileManager.default.contentsOfDirectory(atPath: scratch.path("store/packages"))
        let sizes = try folders.map { try scratch.read("store/packages/\($0)/catalogue.json").count }
        #expect(sizes.count == 10 && (sizes.max() ?? 0) < 3_000, "\(sizes)")
        for name in ["catalogue.json", "catalogue.copy"] { try scratch.write(Array("x".utf8), to: "store/" + name) }
        let repaired = try DiskCache(path: scratch.path("store"), access: .repairing)
        _ = try await repaired.repair(from: [])
        #expect(try Self.texts(repaired) == (2..<12).map(String.init))
        #expect(try repaired.packages().first?.settings.retention == .versions(10))
        #expect(try repaired.verify().findings.isEmpty)
    }

    @Test(
        arguments: [(-100, "0"), (0, "0"), (9, "0"), (10, "1"), (19, "1"), (20, "2"), (1000, "2")] as [(Int64, String)]
    )
    func `each time has the version of then`(offset: Int64, text: String) async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        for number in 0..<3 {
            try await Self.load("\(number)", at: Self.now + Int64(10 * number), into: cache, scratch)
            if number == 0 { _ = try await Self.keep(.versions(9), cache, at: Self.now) }
        }
        try await Self.load("other", at: Self.now + 15, named: "q", page: "http://q.example/", into: cache, scratch)
        let view = try cache.packages(at: Self.now + offset)
        let answer = try view.respond(
            to: OfflineRequest(url: WebURL("http://d.example/a")),
            now: Self.now,
            policy: OfflinePolicy(expired: .always)
        )
        #expect(try answer.body?.contents(upTo: 10) == Array(text.utf8))
        #expect(view.time(of: "p") == Self.now + 10 * (try #require(Int64(text))))
        // The first version of what didn't exist then.
        #expect(try view.contains(WebURL("http://q.example/")) && view.origins().count == 2)
        #expect(try view === cache.packages(at: Self.now + offset), "views are kept")
        let generation = try cache.generation(of: "p", at: Self.now + offset)
        #expect(generation.date == view.time(of: "p"))
        #expect(throws: CacheError.self) { try cache.generation(of: "missing", at: nil) }
    }

    @Test(
        arguments: [
            #"{"versions":0}"#, #"{"versions":1001}"#, #"{"versions":"2"}"#, #"{"seconds":0}"#, #"{"seconds":-1}"#,
            "{}",
            "7", "null",
        ]
    )
    func `a setting that no cache writes is damage`(text: String) throws {
        #expect(PackageSettings(try JSONValue(parsing: Array(#"{"keep":\#(text)}"#.utf8))) == nil)
    }

    @Test(arguments: [nil, .versions(1), .versions(1000), .seconds(1)] as [PackageSettings.Retention?])
    func `the setting is read as it was written`(retention: PackageSettings.Retention?) {
        var settings = PackageSettings()
        settings.retention = retention
        #expect(PackageSettings(.object(settings.json)) == settings)
    }
}
