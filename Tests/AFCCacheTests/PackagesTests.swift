import AFCCache
import AFCCaching
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCURL
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Packages as units: updates, rollback, removal, priorities, limits.
struct PackagesTests {
    static let now = Timestamp(secondsSinceEpoch: 1_700_000_000)

    struct Resource {
        var text: String
        var modified: Int64?
        var expires: Int64?

        init(_ text: String, modified: Int64? = nil, expires: Int64? = nil) {
            self.text = text
            self.modified = modified
            self.expires = expires
        }
    }

    static func package(_ name: String, _ resources: [String: Resource], in scratch: Scratch) async throws -> String {
        let made = try resources.map { path, resource in
            let url = try WebURL("http://d.example/" + path)
            return PackageWriter.Resource(
                record: ResourceRecord(url: url, fetched: now),
                entry: ManifestEntry(
                    url: url,
                    lastModified: resource.modified.map { Timestamp(secondsSinceEpoch: $0) },
                    expires: resource.expires.map { Timestamp(secondsSinceEpoch: $0) }
                ),
                body: .bytes(Array(resource.text.utf8)),
                isCompressible: true
            )
        }
        let path = scratch.path(name + ".zip")
        _ = try await PackageWriter.write(made, to: path, options: .init(created: now, generator: "test/1"))
        return path
    }

    static func body(_ path: String, in cache: DiskCache, at time: Timestamp = now) throws -> String? {
        let request = OfflineRequest(url: try WebURL("http://d.example/" + path))
        guard let body = try cache.respond(to: request, now: time, policy: OfflinePolicy()).body else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(body.size))
        let count = try bytes.withUnsafeMutableBytes { try body.read(into: $0, at: 0) }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    static func options(_ change: (inout InstallOptions) -> Void) -> InstallOptions {
        var options = InstallOptions()
        change(&options)
        return options
    }

    private static func links(_ scratch: Scratch, _ name: String) throws -> [Int] {
        let packages = scratch.path("store/packages")
        return try FileManager.default.contentsOfDirectory(atPath: packages).sorted().compactMap { generation in
            let path = "\(packages)/\(generation)/files/d.example/\(name)"
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            return attributes?[.referenceCount] as? Int
        }
    }

    /// A request, and whether its answer takes no wait once everything is in memory.
    static let requests: [(OfflineRequest, Bool)] = {
        func request(_ url: String, _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:]) -> OfflineRequest {
            guard let url = try? WebURL(url) else { preconditionFailure("'\(url)' is not a URL") }
            return OfflineRequest(method: method, url: url, fields: fields)
        }
        return [
            (request("http://d.example/a/page"), true), (request("http://d.example/a/page", .head), true),
            (request("http://d.example/a/page", .get, [.range: "bytes=2-3"]), true),
            (request("http://d.example/a/page", .get, [.range: "bytes=900-"]), true),
            (request("http://d.example/a/page", .get, [.ifModifiedSince: "Tue, 14 Nov 2023 22:13:20 GMT"]), true),
            (request("http://d.example/empty"), true), (request("http://d.example/old"), true),
            (request("http://d.example/missing"), true), (request("https://d.example/a/page"), true),
            (request("http://other.example/"), true),
            // Another spelling is searched for where waiting is allowed.
            (request("http://d.example/%61/page"), false),
        ]
    }()

    @Test(arguments: requests)
    func `an answer from memory is the same as one that may wait`(_ request: OfflineRequest, _ isAtOnce: Bool)
        async throws
    {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let resources = [
            "a/page": Resource("0123456789", modified: 1_000_000_000), "empty": Resource(""),
            "old": Resource("old", expires: 1_000_000_000),
        ]
        _ = try await cache.install(try await Self.package("p", resources, in: scratch), now: Self.now)
        #expect(
            try cache.respond(to: request, now: Self.now, policy: OfflinePolicy(), .urlAtOnce) == nil,
            "nothing is in memory"
        )
        // The state of the cache is examined once a second, which takes a wait.
        var (answer, expected) = (CacheAnswer?.none, CacheAnswer?.none)
        try await waitUntil("an answer is in memory") {
            for _ in 0..<40 { expected = try cache.respond(to: request, now: Self.now, policy: OfflinePolicy()) }
            answer = try cache.respond(to: request, now: Self.now, policy: OfflinePolicy(), .urlAtOnce)
            return answer != nil || !isAtOnce
        }
        guard isAtOnce, let answer, let expected else { return #expect(answer == nil) }
        #expect(answer.resolution == expected.resolution)
        #expect(answer.isUnknown == expected.isUnknown)
        #expect(answer.package == expected.package)
        #expect(try answer.body.map(Self.bytes) == expected.body.map(Self.bytes))
    }

    private static func bytes(_ body: StoredBody) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(body.size))
        let count = try bytes.withUnsafeMutableBytes { try body.read(into: $0, at: 0) }
        #expect(count == bytes.count)
        return bytes
    }

    @Test func `an answer from memory is never that of a replaced package`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let request = OfflineRequest(url: try WebURL("http://d.example/a"))
        for version in 0..<8 {
            let package = try await Self.package("p", ["a": Resource("version \(version)")], in: scratch)
            _ = try await cache.install(package, options: Self.options { $0.name = "p" }, now: Self.now)
            if let body = try cache.respond(to: request, now: Self.now, policy: OfflinePolicy(), .urlAtOnce)?.body {
                #expect(try Self.bytes(body) == Array("version \(version)".utf8))
            }
            for _ in 0..<40 { #expect(try Self.body("a", in: cache) == "version \(version)") }
        }
    }

    @Test func `a body that isn't as stored, or is verified, isn't given at once`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let resources = ["short": Resource("0123456789"), "link": Resource("link"), "gone": Resource("gone")]
        _ = try await cache.install(try await Self.package("p", resources, in: scratch), now: Self.now)
        let verifying = try DiskCache(path: scratch.path("store"), access: .readOnly, verifiesBodies: true)
        func atOnce(_ path: String, in cache: DiskCache) throws -> CacheAnswer? {
            let request = OfflineRequest(url: try WebURL("http://d.example/" + path))
            return try cache.respond(to: request, now: Self.now, policy: OfflinePolicy(), .urlAtOnce)
        }
        func warm(_ cache: DiskCache, until isReached: () throws -> Bool) async throws {
            try await waitUntil("the index is in memory") {
                for _ in 0..<40 { _ = try Self.body("short", in: cache) }
                return try isReached()
            }
        }
        try await warm(cache) { try atOnce("short", in: cache) != nil }
        try await warm(verifying) { true }
        let files = try #require(
            try FileManager.default.contentsOfDirectory(atPath: scratch.path("store/packages")).first
        )
        let folder = scratch.path("store/packages/\(files)/files/d.example")
        #expect(truncate(folder + "/short", 5) == 0)
        try FileManager.default.removeItem(atPath: folder + "/gone")
        try FileManager.default.removeItem(atPath: folder + "/link")
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder + "/short")
        for path in ["short", "gone", "link"] {
            #expect(try atOnce(path, in: cache) == nil)
            #expect(throws: CacheError.self) { try Self.body(path, in: cache) }
        }
        #expect(try atOnce("link", in: verifying) == nil)
    }

    @Test func `an update writes changed files and shares the rest`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let large = String(repeating: "large ", count: 100_000)
        let first = try await Self.package(
            "p",
            ["a": .init("same"), "b": .init("old!"), "c": .init(large)],
            in: scratch
        )
        _ = try await cache.install(first, now: Self.now)
        let second = try await Self.package(
            "p",
            ["a": .init("same"), "b": .init("new!"), "c": .init(large)],
            in: scratch
        )
        let report = try await cache.install(second, now: Self.now)
        #expect(report.isUpdate)
        #expect(report.writtenBodies == 1)
        #expect(report.sharedBodies == 2)
        #expect(try Self.links(scratch, "a") == [2, 2])
        #expect(try Self.links(scratch, "b") == [1, 1])
        #expect(try Self.links(scratch, "c") == [2, 2])
        #expect(report.package.storedBytes == Int64(4 + 4 + 4 + large.utf8.count))
        #expect(try cache.info().bodyBytes == report.package.storedBytes)
    }

    @Test func `a body that was damaged on disk is not shared`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let package = try await Self.package("p", ["a": .init("right")], in: scratch)
        _ = try await cache.install(package, now: Self.now)
        let generation = try FileManager.default.contentsOfDirectory(atPath: scratch.path("store/packages"))[0]
        try scratch.write(Array("wrong".utf8), to: "store/packages/\(generation)/files/d.example/a")
        let report = try await cache.install(package, now: Self.now)
        #expect(report.writtenBodies == 1)
        #expect(try Self.body("a", in: cache) == "right")
    }

    @Test func `rollback returns to the previous generation, and a second one undoes it`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let reader = try DiskCache(path: scratch.path("store"), access: .readOnly)
        for text in ["first", "second"] {
            _ = try await cache.install(try await Self.package("p", ["a": .init(text)], in: scratch), now: Self.now)
            #expect(try Self.body("a", in: reader) == text)
        }
        _ = try await cache.rollBack("p")
        #expect(try Self.body("a", in: reader) == "first")
        #expect(try Self.body("a", in: cache) == "first")
        _ = try await cache.rollBack("p")
        #expect(try Self.body("a", in: reader) == "second")
        _ = try await cache.install(try await Self.package("p", ["a": .init("third")], in: scratch), now: Self.now)
        _ = try await cache.rollBack("p")
        #expect(try Self.body("a", in: reader) == "second")
        let report = try await cache.collectGarbage(includingPrevious: true)
        #expect(report.previousGenerations == ["p"])
        await #expect(throws: CacheError.self) { try await cache.rollBack("p") }
        await #expect(throws: CacheError.self) { try await cache.rollBack("none") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("store/packages")).count == 1)
    }

    @Test func `the loser returns when the winner leaves`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let old = try await Self.package(
            "old",
            ["a": .init("old", modified: 1000), "b": .init("only old")],
            in: scratch
        )
        let new = try await Self.package("new", ["a": .init("new", modified: 2000)], in: scratch)
        let undated = try await Self.package("undated", ["a": .init("undated")], in: scratch)
        for package in [new, old, undated] { _ = try await cache.install(package, now: Self.now) }
        #expect(try Self.body("a", in: cache) == "new")
        _ = try await cache.update("old", .init(priority: 1))
        #expect(try Self.body("a", in: cache) == "old")
        #expect(try cache.resources(limit: 10).map(\.package) == ["old", "old"])
        _ = try await cache.remove("old")
        #expect(try Self.body("a", in: cache) == "new")
        #expect(try Self.body("b", in: cache) == nil)
        #expect(try cache.resources(limit: 10).map(\.package) == ["new"])
        _ = try await cache.remove("new")
        #expect(try Self.body("a", in: cache) == "undated")
        #expect(try cache.packages().map(\.name) == ["undated"])
    }

    @Test func `priority and pin are kept when an update doesn't mention them`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let package = try await Self.package("p", ["a": .init("a")], in: scratch)
        _ = try await cache.install(
            package,
            options: Self.options {
                $0.settings.priority = 7; $0.settings.isPinned = true
            },
            now: Self.now
        )
        let kept = try await cache.install(package, now: Self.now).package
        #expect(kept.settings.priority == 7)
        #expect(kept.settings.isPinned)
        let changed = try await cache.install(
            package,
            options: Self.options { $0.settings.isPinned = false },
            now: Self.now
        )
        #expect(!changed.package.settings.isPinned)
    }

    @Test func `a clock that jumps back doesn't change the order`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let first = try await Self.package("first", ["a": .init("first")], in: scratch)
        let second = try await Self.package("second", ["a": .init("second")], in: scratch)
        _ = try await cache.install(first, now: Self.now)
        _ = try await cache.install(second, now: Timestamp(secondsSinceEpoch: 5))
        #expect(try Self.body("a", in: cache, at: Timestamp(secondsSinceEpoch: 1)) == "second")
        _ = try await cache.install(second, now: Timestamp(secondsSinceEpoch: -5))
        #expect(try Self.body("a", in: cache) == "second")
        #expect(try cache.verify().findings.isEmpty)
    }

    // MARK: Limits

    @Test func `a full cache evicts the least recently used packages, but never pinned ones`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        for (place, name) in ["one", "two", "three"].enumerated() {
            let package = try await Self.package(name, [name: .init(String(repeating: "x", count: 1000))], in: scratch)
            _ = try await cache.install(package, now: Self.now + Int64(place))
        }
        // 'one' was used last, 'two' is pinned, so 'three' has to leave.
        #expect(try Self.body("one", in: cache, at: Self.now + 3600) != nil)
        _ = try await cache.update("two", .init(isPinned: true))
        let left = try await cache.setLimits(CacheLimits(bytes: 2500), now: Self.now + 7200)
        #expect(left == ["'three'"])
        #expect(try cache.packages().map(\.name) == ["one", "two"])
        let large = try await Self.package("large", ["l": .init(String(repeating: "y", count: 1400))], in: scratch)
        let report = try await cache.install(large, now: Self.now + 7300)
        #expect(report.evicted == ["'one'"])
        #expect(try cache.packages().map(\.name) == ["large", "two"])
        let tooLarge = try await Self.package("huge", ["h": .init(String(repeating: "z", count: 1600))], in: scratch)
        do throws(CacheError) {
            _ = try await cache.install(tooLarge, now: Self.now)
            Issue.record("it was loaded")
        } catch {
            #expect(error.code == .full)
        }
        #expect(try cache.packages().map(\.name) == ["large", "two"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("store/packages")).count == 2)
    }

    @Test func `entries of a separable package are evicted one by one, expired ones first`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let future = Self.now.secondsSinceEpoch + 1_000_000
        let package = try await Self.package(
            "p",
            [
                "a": .init("aaaa", expires: future), "b": .init("bbbb", expires: 1_600_000_000),
                "c": .init("cccc", expires: future), "d": .init("dddd", expires: future),
            ],
            in: scratch
        )
        _ = try await cache.install(package, options: Self.options { $0.settings.isSeparable = true }, now: Self.now)
        for used in ["a", "d"] { #expect(try Self.body(used, in: cache, at: Self.now + 600) != nil) }
        let left = try await cache.setLimits(CacheLimits(entries: 2), now: Self.now + 1200)
        #expect(left == ["2 entries of 'p'"])
        #expect(try ["a", "b", "c", "d"].map { try Self.body($0, in: cache) } == ["aaaa", nil, nil, "dddd"])
        #expect(try cache.resources(limit: 9).map(\.url.path) == ["/a", "/d"])
        #expect(try cache.info().entries == 2)
        #expect(try cache.info().bodyBytes == 8)
        #expect(try cache.verify().findings.isEmpty)
        let reader = try DiskCache(path: scratch.path("store"), access: .readOnly)
        #expect(try Self.body("b", in: reader) == nil)
    }

    @Test func `a body that entries share stays until the last of them is evicted`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let text = String(repeating: "shared ", count: 200)
        let member = PackageDigest.Member(name: "", body: Array(text.utf8))
        let resources = try ["a", "b", "c"].map { name in
            let url = try WebURL("http://d.example/" + name)
            return PackageWriter.Resource(
                record: ResourceRecord(url: url, fetched: Self.now, size: member.size, sha256: member.sha256),
                entry: ManifestEntry(url: url),
                body: .bytes(Array(text.utf8)),
                isCompressible: true
            )
        }
        let path = scratch.path("p.zip")
        _ = try await PackageWriter.write(resources, to: path, options: .init(created: Self.now, generator: "test/1"))
        _ = try await cache.install(path, options: Self.options { $0.settings.isSeparable = true }, now: Self.now)
        #expect(try cache.verify().findings.isEmpty)
        let names = try Program.run("find", [scratch.path("store/packages"), "-path", "*/files/*", "-type", "f"])
        #expect(names.text.split(separator: "\n").map { $0.suffix(12) } == ["/d.example/a"])
        _ = try Self.body("b", in: cache, at: Self.now + 600)
        _ = try await cache.setLimits(CacheLimits(entries: 1), now: Self.now + 1200)
        #expect(try ["a", "b", "c"].map { try Self.body($0, in: cache) } == [nil, text, nil])
        #expect(try cache.verify().findings.isEmpty)
        _ = try await cache.setLimits(CacheLimits(entries: 0), now: Self.now + 1300)
        let left = try Program.run("find", [scratch.path("store/packages"), "-path", "*/files/*", "-type", "f"])
        #expect(left.text.isEmpty)
    }

    // MARK: Verify and repair

    static func files(_ scratch: Scratch) throws -> String {
        "store/packages/" + (try FileManager.default.contentsOfDirectory(atPath: scratch.path("store/packages"))[0])
    }

    @Test func `damage is found, and repaired from the package`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let package = try await Self.package(
            "p",
            ["a": .init("aaaa"), "b": .init("bbbb"), "c/d": .init("dddd"), "e": .init("eeee")],
            in: scratch
        )
        _ = try await cache.install(package, now: Self.now)
        let folder = try Self.files(scratch)
        #expect(try cache.verify().findings.isEmpty)
        try scratch.write(Array("AAAA".utf8), to: folder + "/files/d.example/a")
        try scratch.write(Array("b".utf8), to: folder + "/files/d.example/b")
        try FileManager.default.removeItem(atPath: scratch.path(folder + "/files/d.example/c"))
        try scratch.write([1], to: folder + "/files/d.example/stranger")
        let kinds = try cache.verify().findings.map(\.kind)
        #expect(kinds == [.bodyDamaged, .bodyDamaged, .bodyMissing, .fileUnknown])
        #expect(try cache.verify(isQuick: true).findings.map(\.kind) == [.bodyDamaged, .bodyMissing, .fileUnknown])
        #expect(throws: CacheError.self) { try Self.body("c/d", in: cache) }
        let other = try await Self.package("other", ["x": .init("x")], in: scratch)
        let report = try await cache.repair(from: [other, package])
        #expect(report.repaired.count == 3)
        #expect(report.remaining.map(\.kind) == [.fileUnknown])
        #expect(try cache.verify().findings == report.remaining)
        #expect(try scratch.read(folder + "/files/d.example/stranger") == [1])
        #expect(try Self.body("c/d", in: cache) == "dddd")
    }

    @Test func `a damaged index is detected, and rebuilt from the package`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let package = try await Self.package("p", ["a": .init("aaaa")], in: scratch)
        _ = try await cache.install(package, now: Self.now)
        let index = try Self.files(scratch) + "/index"
        var bytes = try scratch.read(index)
        bytes[100] ^= 1
        try scratch.write(bytes, to: index)
        #expect(try cache.verify().findings.map(\.kind) == [.indexDamaged])
        #expect(try await cache.repair(from: []).remaining.map(\.kind) == [.indexDamaged])
        #expect(try await cache.repair(from: [package]).remaining.isEmpty)
        #expect(try cache.verify().findings.isEmpty)
    }

    @Test func `a body is restored from another package that has the same bytes`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let one = try await Self.package("one", ["a": .init("shared bytes")], in: scratch)
        _ = try await cache.install(one, now: Self.now)
        let folder = try Self.files(scratch)
        let two = try await Self.package("two", ["b": .init("shared bytes")], in: scratch)
        _ = try await cache.install(two, now: Self.now)
        try FileManager.default.removeItem(atPath: scratch.path(folder + "/files/d.example/a"))
        let report = try await cache.repair(from: [])
        #expect(report.repaired.map(\.kind) == [.bodyMissing])
        #expect(try Self.body("a", in: cache) == "shared bytes")
        #expect(try cache.verify().findings.isEmpty)
    }
}
