import Foundation
import TestOrigin
import TestSupport
import Testing

/// Updates of packages from a server with ranges, by the built program.
struct UpdateTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Packs a page, and 200,000 bytes that stay the same and can't be compressed.
    private func package(_ page: String) throws -> [UInt8] {
        var state: UInt32 = 1
        let noise = (0..<200_000).map { _ -> UInt8 in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
        try scratch.write(noise, to: "site/noise.bin")
        try scratch.write(Array(page.utf8), to: "site/index.html")
        let pack = ["pack", "--folder", "site", "--base-url", "http://d.example", "--name", "d", "-o", "p.zip"]
        let epoch = ["SOURCE_DATE_EPOCH": "1700000000"]
        let result = try Program.run(Program.afcache, pack, in: scratch.path, environment: epoch)
        #expect(result.status == 0, "\(result.errors)")
        let bytes = try scratch.read("p.zip")
        try FileManager.default.removeItem(atPath: scratch.path("p.zip"))
        return bytes
    }

    private func part(_ range: Range<Int>, of bytes: [UInt8], tag: String) -> TestOrigin.Answer {
        let place = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)"
        return TestOrigin.Answer(206, [("ETag", tag), ("Content-Range", place)], body: Array(bytes[range]))
    }

    /// The place of the page, which the package has under two URLs, before the body that stays the same.
    private func page(in package: [UInt8]) throws -> Range<Int> {
        let name = try #require(Data(package).range(of: Data("d.example/noise.bin".utf8)))
        // A local header has 30 bytes before the name.
        return 0..<(name.lowerBound - 30)
    }

    private func load(_ origin: TestOrigin) throws -> ProgramResult {
        let load = ["load", origin.base + "/d.zip", "--cache", "store"]
        return try Program.run(Program.afcache, load, in: scratch.path)
    }

    private func range(_ request: TestOrigin.Request) -> String? {
        request.fields.first { $0.lowercased().hasPrefix("range: ") }.map { String($0.dropFirst("range: ".count)) }
    }

    @Test func `the same content is not called an update, even if two entries share a body`() throws {
        func make(_ text: String) throws {
            let manifest = """
                http://d.example/ ; NULL ; NULL ; text/html ; d.example/index.html
                http://d.example/a ; NULL ; NULL ; text/plain
                http://d.example/index.html ; NULL ; NULL ; text/html

                """
            try scratch.write(Array(manifest.utf8), to: "in/manifest.afcache")
            let info = #"{"format":1,"created":"2026-01-01T00:00:00Z"}"#
            try scratch.write(Array(info.utf8), to: "in/.afcache/package.json")
            try scratch.write(Array("<p>one</p>".utf8), to: "in/d.example/index.html")
            try scratch.write(Array(text.utf8), to: "in/d.example/a")
            let zip = ["-q", "-r", "-FS", scratch.path("d.zip"), "manifest.afcache", ".afcache", "d.example"]
            try #require(Program.run("zip", zip, in: scratch.path("in")).status == 0)
        }
        func run(_ arguments: String...) throws -> ProgramResult {
            try Program.run(Program.afcache, arguments + ["--cache", "store"], in: scratch.path)
        }
        try make("one")
        #expect(try run("load", "d.zip").text.hasPrefix("loaded 'd': 3 resources, "))
        let again = try run("load", "d.zip")
        #expect(again.text.hasPrefix("loaded 'd' again: 3 resources, "), "\(again.text)\(again.errors)")
        #expect(again.text.hasSuffix("; the contents are the same\n"))
        let rollback = try run("cache", "rollback", "d")
        #expect(rollback.errors.contains("the cache has no previous generation of 'd'"), "\(rollback.errors)")
        try make("three")
        #expect(try run("load", "d.zip").text.hasSuffix("; 1 new, 2 unchanged\n"))
        #expect(try run("cache", "rollback", "d").status == 0)
    }

    @Test func `an update requests the end of the package, and then only what is new`() async throws {
        let (old, new) = (try package("<p>one</p>"), try package("<p>two, which is longer</p>"))
        let page = try page(in: new)
        let answers = [
            TestOrigin.Answer(200, [("ETag", "\"1\"")], body: old),
            part((new.count - 65_536)..<new.count, of: new, tag: "\"2\""), part(page, of: new, tag: "\"2\""),
            TestOrigin.Answer(304),
        ]
        try await TestOrigin.withOrigin(["/d.zip": answers]) { origin in
            #expect(try load(origin).status == 0)
            let update = try load(origin)
            #expect(update.status == 0, "\(update.errors)")
            #expect(
                update.text.hasPrefix("updated 'd'") && update.text.contains("2 new, 1 unchanged"),
                "\(update.text)"
            )
            #expect(try load(origin).text.hasPrefix("unchanged 'd'"))
            let ranges = origin.requests.map { range($0) }
            #expect(ranges == [nil, "bytes=-65536", "bytes=0-\(page.count - 1)", "bytes=-65536"])
            let get = ["get", "http://d.example/index.html", "--cache", "store"]
            #expect(try Program.run(Program.afcache, get, in: scratch.path).text == "<p>two, which is longer</p>")
            let verify = try Program.run(Program.afcache, ["cache", "verify", "--cache", "store"], in: scratch.path)
            #expect(verify.status == 0, "\(verify.text)")
        }
    }

    @Test func `a body that the cache no longer holds unchanged costs the whole package`() async throws {
        let (old, new) = (try package("<p>one</p>"), try package("<p>two</p>"))
        let page = try page(in: new)
        let answers = [
            TestOrigin.Answer(200, [("ETag", "\"1\"")], body: old),
            part((new.count - 65_536)..<new.count, of: new, tag: "\"2\""), part(page, of: new, tag: "\"2\""),
            TestOrigin.Answer(200, [("ETag", "\"2\"")], body: new),
        ]
        try await TestOrigin.withOrigin(["/d.zip": answers]) { origin in
            #expect(try load(origin).status == 0)
            let packages = scratch.path("store/packages")
            let generation = try #require(try FileManager.default.contentsOfDirectory(atPath: packages).first)
            let name = "store/packages/\(generation)/files/d.example/noise.bin"
            var noise = try scratch.read(name)
            let whole = noise
            noise[1000] ^= 1
            try scratch.write(noise, to: name)
            let update = try load(origin)
            #expect(update.status == 0, "\(update.errors)")
            #expect(origin.requests.map { range($0) }.last == .some(nil), "\(origin.requests)")
            let get = ["get", "http://d.example/noise.bin", "--cache", "store"]
            let read = try Program.run(Program.afcache, get, in: scratch.path).output
            #expect(read.elementsEqual(whole))
        }
    }
}
