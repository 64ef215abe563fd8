import AFCCache
import AFCPackageFormat
import AFCText
import AFCURL
import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What readers see of the catalogue, and what they need for it.
struct PublishedCatalogueTests {
    static let now = InstallTests.now

    static func load(_ body: String, into cache: OfflineCache, _ scratch: Scratch) async throws {
        let package = try await InstallTests.package(["http://d.example/a": body], in: scratch)
        _ = try await cache.install(package, now: now)
    }

    @Test func `a reader without write permission sees each change`() async throws {
        let scratch = try Scratch()
        let writer = try OfflineCache(path: scratch.path("store"), access: .readWrite)
        try await Self.load("one", into: writer, scratch)
        // Nobody but the owner reads the database, so that readers can't hold its locks either.
        #expect(chmod(scratch.path("store/index.sqlite"), 0) == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("store")).contains("catalogue.json"))
        let reader = try OfflineCache(path: scratch.path("store"), access: .readOnly)
        #expect(try InstallTests.body("http://d.example/a", in: reader) == "one")
        #expect(chmod(scratch.path("store/index.sqlite"), 0o600) == 0)
        try await Self.load("two", into: writer, scratch)
        try await Self.load("three", into: writer, scratch)
        #expect(try InstallTests.body("http://d.example/a", in: reader) == "three")
        #expect(try reader.packages().map(\.name) == ["site"])
        _ = try await writer.remove("site")
        #expect(try InstallTests.body("http://d.example/a", in: reader) == nil)
        #expect(try reader.packages().isEmpty)
    }

    @Test func `reading creates no file`() async throws {
        let scratch = try Scratch()
        try await Self.load("one", into: try OfflineCache(path: scratch.path("store"), access: .readWrite), scratch)
        let before = try FileManager.default.subpathsOfDirectory(atPath: scratch.path("store")).sorted()
        let reader = try OfflineCache(path: scratch.path("store"), access: .readOnly)
        _ = try reader.packages()
        _ = try reader.origins()
        _ = try reader.limits()
        #expect(try reader.contains(try WebURL("http://d.example/a")))
        #expect(try FileManager.default.subpathsOfDirectory(atPath: scratch.path("store")).sorted() == before)
        #expect(!before.contains("index.sqlite-wal") && !before.contains("index.sqlite-shm"))
    }

    @Test(arguments: ["flipped", "cut", "empty", "link"])
    func `a damaged catalogue is detected, doesn't prevent reading, and is rewritten`(how: String) async throws {
        let scratch = try Scratch()
        let writer = try OfflineCache(path: scratch.path("store"), access: .readWrite)
        try await Self.load("one", into: writer, scratch)
        let path = scratch.path("store/catalogue.json")
        var bytes = try scratch.read("store/catalogue.json")
        switch how {
        case "flipped": bytes[bytes.count / 2] ^= 1
        case "cut": bytes.removeLast(5)
        case "empty": bytes = []
        default:
            #expect(unlink(path) == 0)
            #expect(symlink("/etc/passwd", path) == 0)
        }
        if how != "link" { try scratch.write(bytes, to: "store/catalogue.json") }
        let reader = try OfflineCache(path: scratch.path("store"), access: .readOnly)
        if how == "link" {
            let error = #expect(throws: CacheError.self) { try InstallTests.body("http://d.example/a", in: reader) }
            #expect(error?.subject == path)
        } else {
            #expect(try InstallTests.body("http://d.example/a", in: reader) == "one")
            let findings = try reader.verify().findings
            #expect(findings.map(\.kind) == [.catalogueDamaged])
            #expect(findings.first?.path == path)
        }
        _ = try await writer.repair(from: [])
        #expect(try reader.verify().findings.isEmpty)
        #expect(try InstallTests.body("http://d.example/a", in: reader) == "one")
    }

    @Test func `a cache that replaces this one is noticed and has its own bodies`() async throws {
        let scratch = try Scratch()
        for (name, body) in [("store", "one"), ("other", "two")] {
            let writer = try OfflineCache(path: scratch.path(name), access: .readWrite)
            try await Self.load(body, into: writer, scratch)
        }
        let reader = try OfflineCache(path: scratch.path("store"), access: .readOnly)
        #expect(try InstallTests.body("http://d.example/a", in: reader) == "one")
        try FileManager.default.moveItem(atPath: scratch.path("store"), toPath: scratch.path("old"))
        try FileManager.default.moveItem(atPath: scratch.path("other"), toPath: scratch.path("store"))
        // The file is looked at once a second.
        try await waitUntil("the reader has seen the other cache") {
            try InstallTests.body("http://d.example/a", in: reader) == "two"
        }
    }

    @Test func `a change that readers weren't notified of is seen after the next one`() async throws {
        let scratch = try Scratch()
        let writer = try OfflineCache(path: scratch.path("store"), access: .readWrite)
        try await Self.load("one", into: writer, scratch)
        let first = try scratch.read("store/catalogue.json")
        try await Self.load("two", into: writer, scratch)
        // As where a writer is killed between its transaction and the new file.
        try scratch.write(first, to: "store/catalogue.json")
        let reader = try OfflineCache(path: scratch.path("store"), access: .readOnly)
        #expect(try InstallTests.body("http://d.example/a", in: reader) == "one")
        _ = try await writer.collectGarbage(includingPrevious: false)
        #expect(try InstallTests.body("http://d.example/a", in: reader) == "two")
        #expect(try reader.verify().findings.isEmpty)
    }

    @Test func `numbers and names of every kind are read back unchanged`() async throws {
        let scratch = try Scratch()
        let writer = try OfflineCache(path: scratch.path("store"), access: .readWrite)
        let bodies = Dictionary(uniqueKeysWithValues: (0..<40).map { ("http://d.example/\($0)", "body \($0)") })
        let package = try await InstallTests.package(bodies, in: scratch)
        var options = InstallOptions()
        options.name = "grüße \"und\" \\ mehr 🙂"
        options.settings.priority = -7
        options.settings.isSeparable = true
        options.source = #"{"url":"https://p.example/ä"}"#
        _ = try await writer.install(package, options: options, now: Self.now)
        _ = try await writer.setLimits(CacheLimits(bytes: 1 << 40, entries: 25), now: Self.now)
        let reader = try OfflineCache(path: scratch.path("store"), access: .readOnly)
        let found = try #require(try reader.packages().first)
        #expect(found.name == options.name)
        #expect(found.settings.priority == -7)
        #expect(found.settings.isSeparable)
        #expect(found.source == options.source)
        #expect(try reader.limits() == CacheLimits(bytes: 1 << 40, entries: 25))
        #expect(try reader.info().entries == 25)
        #expect(try reader.resources(limit: 100).count == 25)
        #expect(try reader.verify().findings.isEmpty)
    }

    @Test(arguments: [
        (#""folder":"gen-"#, #""folder":"../gen-"#), (#""folder":"gen-"#, #""folder":"/etc/gen-"#),
        (#""bodyBytes":3"#, #""bodyBytes":9223372036854775807"#), (#""bodyBytes":3"#, #""bodyBytes":-3"#),
        (#""resources":1,"bodyBytes""#, #""resources":99999999999,"bodyBytes""#),
        (#""displaced":"""#, #""displaced":"0-4294967295""#), (#""displaced":"""#, #""displaced":"7-3""#),
        (#""loaded":"#, #""loaded":-9223372036854775808,"x":"#), (#""limits":{"#, #""limits":[[[[[{"#),
    ])
    func `a catalogue in an unknown form is refused, even if its digest is right`(old: String, new: String)
        async throws
    {
        let scratch = try Scratch()
        let writer = try OfflineCache(path: scratch.path("store"), access: .readWrite)
        try await Self.load("one", into: writer, scratch)
        let text = String(decoding: try scratch.read("store/catalogue.json"), as: UTF8.self)
        let start = try #require(text.firstRange(of: #","catalogue":"#)).upperBound
        let inner = String(text[start...].dropLast(2))
        let changed = inner.replacingOccurrences(of: old, with: new)
        #expect(changed != inner, "\(inner)")
        try scratch.write(Array(changed.utf8), to: "changed")
        let digest = try Program.run("sha256sum", [scratch.path("changed")]).text.prefix(64)
        let file = #"{"sha256":"\#(digest)","catalogue":\#(changed)}"# + "\n"
        try scratch.write(Array(file.utf8), to: "store/catalogue.json")
        let reader = try OfflineCache(path: scratch.path("store"), access: .readOnly)
        #expect(try reader.verify().findings.map(\.kind) == [.catalogueDamaged])
        #expect(try InstallTests.body("http://d.example/a", in: reader) == "one")
        #expect(try reader.info().packages == 1)
    }
}
