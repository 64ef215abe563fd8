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
struct CatalogueTests {
    static let now = InstallTests.now

    static func load(_ body: String, into cache: DiskCache, _ scratch: Scratch) async throws {
        let package = try await InstallTests.package(["http://d.example/a": body], in: scratch)
        _ = try await cache.install(package, now: now)
    }

    @Test func `a reader without write permission sees each change`() async throws {
        let scratch = try Scratch()
        let writer = try DiskCache(path: scratch.path("store"), access: .readWrite)
        try await Self.load("one", into: writer, scratch)
        // A reader takes no lock, which nobody but the owner can open.
        #expect(chmod(scratch.path("store/writer.lock"), 0) == 0)
        let reader = try DiskCache(path: scratch.path("store"), access: .readOnly)
        #expect(try InstallTests.body("http://d.example/a", in: reader) == "one")
        #expect(chmod(scratch.path("store/writer.lock"), 0o600) == 0)
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
        try await Self.load("one", into: try DiskCache(path: scratch.path("store"), access: .readWrite), scratch)
        let before = try FileManager.default.subpathsOfDirectory(atPath: scratch.path("store")).sorted()
        let reader = try DiskCache(path: scratch.path("store"), access: .readOnly)
        _ = try reader.packages()
        _ = try reader.origins()
        _ = try reader.limits()
        #expect(try reader.contains(try WebURL("http://d.example/a")))
        #expect(try FileManager.default.subpathsOfDirectory(atPath: scratch.path("store")).sorted() == before)
    }

    @Test(arguments: ["flipped", "cut", "empty", "link"])
    func `a damaged catalogue is detected, doesn't prevent reading, and is rewritten`(how: String) async throws {
        let scratch = try Scratch()
        let writer = try DiskCache(path: scratch.path("store"), access: .readWrite)
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
        let reader = try DiskCache(path: scratch.path("store"), access: .readOnly)
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
            let writer = try DiskCache(path: scratch.path(name), access: .readWrite)
            try await Self.load(body, into: writer, scratch)
        }
        let reader = try DiskCache(path: scratch.path("store"), access: .readOnly)
        #expect(try InstallTests.body("http://d.example/a", in: reader) == "one")
        try FileManager.default.moveItem(atPath: scratch.path("store"), toPath: scratch.path("old"))
        try FileManager.default.moveItem(atPath: scratch.path("other"), toPath: scratch.path("store"))
        // The file is looked at once a second.
        try await waitUntil("the reader has seen the other cache") {
            try InstallTests.body("http://d.example/a", in: reader) == "two"
        }
    }

    @Test func `a change that another process makes at the same time is noticed before the rename`() async throws {
        let scratch = try Scratch()
        let writer = try DiskCache(path: scratch.path("store"), access: .readWrite)
        try await Self.load("one", into: writer, scratch)
        let package = try await InstallTests.package(["http://d.example/a": "two"], in: scratch)
        let other = try scratch.read("store/catalogue.json")
        var options = InstallOptions()
        // As where the locks of a file system have no effect.
        let (draft, path) = (scratch.path("draft"), scratch.path("store/catalogue.json"))
        options.sourceWithDigest = { digest in
            _ = FileManager.default.createFile(atPath: draft, contents: Data(other))
            _ = rename(draft, path)
            return digest
        }
        let error = await #expect(throws: CacheError.self) {
            try await writer.install(package, options: options, now: Self.now)
        }
        #expect(error?.code == .busy)
        #expect(try scratch.read("store/catalogue.json") == other)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("store/staging")).isEmpty)
        #expect(try InstallTests.body("http://d.example/a", in: writer) == "one")
        #expect(try writer.verify().findings.isEmpty)
        try await Self.load("two", into: writer, scratch)
        #expect(try InstallTests.body("http://d.example/a", in: writer) == "two")
    }

    @Test func `a change of one package leaves the records of others alone`() async throws {
        let scratch = try Scratch()
        try await LostCatalogueTests.made(scratch)
        let cache = try DiskCache(path: scratch.path("store"), access: .existing)
        func records() throws -> [[UInt8]] {
            let folders = try FileManager.default.contentsOfDirectory(atPath: scratch.path("store/packages")).sorted()
            return try folders.map { try scratch.read("store/packages/\($0)/catalogue.json") }
        }
        let before = try records()
        _ = try await cache.update("p", .init(priority: 3))
        // The package has two generations.
        #expect(try zip(before, records()).count { $0 != $1 } == 2)
    }

    @Test func `numbers and names of every kind are read back unchanged`() async throws {
        let scratch = try Scratch()
        let writer = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let bodies = Dictionary(uniqueKeysWithValues: (0..<40).map { ("http://d.example/\($0)", "body \($0)") })
        let package = try await InstallTests.package(bodies, in: scratch)
        var options = InstallOptions()
        options.name = "grüße \"und\" \\ mehr 🙂"
        options.settings.priority = -7
        options.settings.isSeparable = true
        options.source = #"{"url":"https://p.example/ä"}"#
        _ = try await writer.install(package, options: options, now: Self.now)
        _ = try await writer.setLimits(CacheLimits(bytes: 1 << 40, entries: 25), now: Self.now)
        let reader = try DiskCache(path: scratch.path("store"), access: .readOnly)
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
        (#""bodyBytes":6"#, #""bodyBytes":9223372036854775807"#), (#""bodyBytes":6"#, #""bodyBytes":-3"#),
        (#""resources":2,"bodyBytes""#, #""resources":99999999999,"bodyBytes""#),
        (#""loaded":"#, #""loaded":-9223372036854775808,"x":"#), (#""limits":{"#, #""limits":[[[[[{"#),
        (#""file":"evicted-"#, #""file":"../evicted-"#), (#""file":"evicted-"#, #""file":"/etc/evicted-"#),
        (#""entries":1,"bytes":3"#, #""entries":3,"bytes":3"#), (#""entries":1,"bytes":3"#, #""entries":1,"bytes":7"#),
        (#""removed":[]"#, #""removed":[".."]"#), (#""removed":[]"#, #""removed":["../../victim"]"#),
        (#""removed":[]"#, #""removed":{}"#), (#""next":"#, #""next":-"#), (#""change":"#, #""change":-"#),
        (#""generations":["#, #""generations":[],"x":["#), (#""generations":["#, #""generations":[{},"#),
        (#""packages":["#, #""packages":{"x":1},"y":["#), (#""id":1"#, #""id":9223372036854775807"#),
        (#""priority":0"#, #""priority":"x""#), (#""name":"#, #""name":7,"x":"#),
    ])
    func `a catalogue in an unknown form is refused, even if its digest is right`(old: String, new: String)
        async throws
    {
        let scratch = try Scratch()
        let writer = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let bodies = ["http://d.example/a": "one", "http://d.example/b": "two"]
        var options = InstallOptions()
        options.settings.isSeparable = true
        let package = try await InstallTests.package(bodies, in: scratch)
        _ = try await writer.install(package, options: options, now: Self.now)
        _ = try await writer.setLimits(CacheLimits(entries: 1), now: Self.now)
        let kept = try #require(try writer.resources(limit: 2).first?.url)
        let text = String(decoding: try scratch.read("store/catalogue.json"), as: UTF8.self)
        let start = try #require(text.firstRange(of: #","catalogue":"#)).upperBound
        let inner = String(text[start...].dropLast(2))
        let changed = inner.replacingOccurrences(of: old, with: new)
        #expect(changed != inner, "\(inner)")
        try scratch.write(Array(changed.utf8), to: "changed")
        let digest = try Program.run("sha256sum", [scratch.path("changed")]).text.prefix(64)
        let file = #"{"sha256":"\#(digest)","catalogue":\#(changed)}"# + "\n"
        try scratch.write(Array(file.utf8), to: "store/catalogue.json")
        let reader = try DiskCache(path: scratch.path("store"), access: .readOnly)
        #expect(try reader.verify().findings.map(\.kind) == [.catalogueDamaged])
        #expect(try InstallTests.body(kept.description, in: reader) == bodies[kept.description])
        #expect(try reader.info().packages == 1)
    }
}
