import AFCCache
import AFCPackageFormat
import AFCText
import AFCURL
import Foundation
import TestSupport
import Testing

/// What lies in a cache's folder, or in a folder that is taken for one, and isn't afcache's.
struct StrangerTests {
    static let now = PackagesTests.now

    /// What is in a folder that holds no cache.
    @Test(arguments: [
        ["packages/app/x.js"], ["staging/x"], ["staging/gen-1/x"], ["packages/gen-0123456789abcdef/x"], ["notes.txt"],
        ["catalogue.json", "packages/app/x.js"],
        ["index.sqlite"], ["changes", "writer.lock", "downloads/x", "src/main.c"],
        ["packages", "notes.txt"],
    ])
    func `a folder that contains other files isn't made a cache, and is unchanged`(names: [String]) async throws {
        let scratch = try Scratch()
        for name in names { try scratch.write([], to: "store/" + name) }
        let before = try FileManager.default.subpathsOfDirectory(atPath: scratch.path("store")).sorted()
        do throws(CacheError) {
            _ = try DiskCache(path: scratch.path("store"), access: .readWrite)
            Issue.record("it was made a cache")
        } catch {
            #expect(error.code == .noCache)
            #expect(error.subject == scratch.path("store"))
            #expect(error.message.hasSuffix("use a cache, or a new or empty folder"))
        }
        #expect(try FileManager.default.subpathsOfDirectory(atPath: scratch.path("store")).sorted() == before)
    }

    @Test(arguments: [[], ["lost+found"], ["packages", "staging"], ["staging/tmp-0123456789abcdef"]])
    func `an empty folder, or one that a killed creation left, becomes a cache`(folders: [String]) async throws {
        let scratch = try Scratch()
        for folder in folders + [""] {
            let path = scratch.path("store/" + folder)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        _ = try await cache.install(
            try await PackagesTests.package("p", ["a": .init("a")], in: scratch),
            now: Self.now
        )
        #expect(try cache.verify().findings.isEmpty)
    }

    @Test func `an empty path isn't a folder`() throws {
        for access in [DiskCache.Access.readOnly, .existing, .readWrite] {
            let error = #expect(throws: CacheError.self) { try DiskCache(path: "", access: access) }
            #expect(error?.code == .badPath)
        }
    }

    @Test func `no change removes foreign files, and verify reports them`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        func load(_ text: String) async throws {
            let package = try await PackagesTests.package("p", ["a": .init(text)], in: scratch)
            _ = try await cache.install(package, now: Self.now)
        }
        try await load("first")
        let names = [
            "notes.txt", "packages/abc/index", "packages/app/x.js", "packages/gen-0123456789abcdef/index", "packages/x",
            "received/ab/notes.txt", "received/notes", "staging/gen-1.note", "staging/left/over", "staging/repair/x",
            "evicted/notes", "evicted/evicted-1",
        ]
        for name in names { try scratch.write([1], to: "store/" + name) }
        try await load("second")
        try await load("third")
        _ = try await cache.rollBack("p")
        _ = try await cache.setLimits(CacheLimits(entries: 5), now: Self.now)
        _ = try await cache.update("p", .init(isPinned: true))
        _ = try await cache.collectGarbage(includingPrevious: true, now: Self.now)
        _ = try await cache.repair(from: [])
        _ = try await cache.clearReceived()
        _ = try await cache.remove("p")
        for name in names { #expect(try scratch.read("store/" + name) == [1]) }
        let found = try cache.verify().findings
        #expect(found.allSatisfy { $0.kind == .fileUnknown })
        let expected = [
            "evicted/evicted-1", "evicted/notes", "notes.txt", "packages/abc", "packages/app",
            "packages/gen-0123456789abcdef", "packages/x",
            "received/ab/notes.txt", "received/notes", "staging/gen-1.note", "staging/left", "staging/repair",
        ]
        #expect(found.map(\.path).sorted() == expected.map { scratch.path("store/" + $0) })
        #expect(try await cache.repair(from: []).remaining == found)
    }

    @Test func `no maintenance removes foreign files among received bodies`() async throws {
        let scratch = try Scratch()
        let url = try WebURL("http://d.example/a")
        do {
            let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
            try Receiving.put(cache, url, String(repeating: "large ", count: 10_000))
            try cache.close()
        }
        let names = ["received/notes", "received/ab/notes.txt", "received/other/0123456789abcdef"]
        for name in names { try scratch.write([1], to: "store/" + name) }
        let own = "store/received/ab/ab23456789abcdef"
        try scratch.write([1], to: own)
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        #expect(try cache.verify().findings.count == 4)
        #expect(try await cache.repair(from: []).repaired.map(\.path) == [scratch.path(own)])
        _ = try await cache.collectGarbage(includingPrevious: false, now: Self.now)
        // A database that is damaged leaves with its bodies.
        try scratch.write(Array("no database at all".utf8), to: "store/received.sqlite")
        _ = try await cache.repair(from: [])
        for name in names { #expect(try scratch.read("store/" + name) == [1]) }
        let expected = ["received/ab/notes.txt", "received/notes", "received/other"]
        #expect(try cache.verify().findings.map(\.path) == expected.map { scratch.path("store/" + $0) })
    }
}
