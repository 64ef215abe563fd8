import AFCCache
import AFCCaching
import AFCText
import AFCURL
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// What a killed process, a damaged disk or a foreign hand leaves of received responses: never a wrong byte.
struct ReceivedFaultTests {
    static let now = PackagesTests.now
    static let writer = (Program.afcache as NSString).deletingLastPathComponent + "/receivingwriter"

    private static func isWhole(_ bytes: [UInt8], _ number: Int) -> Bool {
        guard bytes.count == (number % 10 == 0 ? 40_000 : 500) else { return false }
        let round = bytes[1]
        return bytes.indices.allSatisfy { bytes[$0] == ($0 % 2 == 0 ? UInt8(truncatingIfNeeded: number) : round) }
    }

    @Test func `a process that is killed in the middle of a body leaves no response`() async throws {
        let scratch = try Scratch()
        let writer = try RunningProgram(Self.writer, ["half", scratch.path("store")])
        #expect(try await writer.firstLine() == "ready")
        let url = try WebURL("http://r.example/0")
        let reader = try DiskCache(path: scratch.path("store"), access: .readOnly)
        #expect(try reader.candidates(for: url).isEmpty)
        #expect(try reader.verify().findings.isEmpty, "what is being written is no leftover")
        #expect(writer.stop(SIGKILL) == -SIGKILL, "it was writing when it was killed")
        #expect(Receiving.files(scratch).count == 1)
        #expect(try reader.candidates(for: url).isEmpty)
        #expect(try reader.verify().findings.map(\.kind) == [.fileUnknown])
        let next = try DiskCache(path: scratch.path("store"), access: .existing)
        try next.startReceiving()
        #expect(Receiving.files(scratch).isEmpty)
        #expect(try next.verify().findings.isEmpty)
    }

    @Test func `a process that is killed at any time leaves complete responses`() async throws {
        let scratch = try Scratch()
        for round in 0..<6 {
            let writer = try RunningProgram(Self.writer, ["stream", scratch.path("store")])
            #expect(try await writer.firstLine() == "ready")
            // Another moment each time; none is better than another.
            try await Task.sleep(for: .milliseconds(5 + round * 37))
            #expect(writer.stop(SIGKILL) == -SIGKILL, "it was writing when it was killed")
            let cache = try DiskCache(path: scratch.path("store"), access: .existing)
            var found = 0
            for number in 0..<300 {
                for candidate in try cache.candidates(for: try WebURL("http://r.example/\(number)")) {
                    #expect(Self.isWhole(try Receiving.bytes(cache, candidate), number), "\(round) \(number)")
                    found += 1
                }
            }
            #expect(found > 0)
            try cache.startReceiving()
            #expect(try cache.verify().findings == [])
        }
    }

    @Test(arguments: [0.1, 0.35, 0.6, 0.85, 0.99])
    func `a power failure that loses the log's end restores an earlier state, and no wrong body`(part: Double) throws {
        let scratch = try Scratch()
        do {
            let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
            for round in 0..<20 {
                for number in 0..<20 {
                    let body = try Receiving.begin(cache, try WebURL("http://r.example/\(number)"))
                    let size = number % 10 == 0 ? 40_000 : 500
                    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 % 2 == 0 ? number : round) }
                    try Receiving.write(bytes, to: body)
                    _ = try body.finish()
                }
                try cache.flushReceived()
            }
            try FileManager.default.copyItem(atPath: scratch.path("store"), toPath: scratch.path("cut"))
            try cache.close()
        }
        let log = scratch.path("cut/received.sqlite-wal")
        let bytes = try scratch.read("cut/received.sqlite-wal")
        try Data(bytes[..<Int(Double(bytes.count) * part)]).write(to: URL(fileURLWithPath: log))
        try FileManager.default.removeItem(atPath: scratch.path("cut/received.sqlite-shm"))
        let cache = try DiskCache(path: scratch.path("cut"), access: .existing)
        try cache.startReceiving()
        for number in 0..<20 {
            let url = try WebURL("http://r.example/\(number)")
            let response = try cache.respond(to: OfflineRequest(url: url), now: Self.now, policy: OfflinePolicy())
            guard let body = response.body else { continue }
            var read = [UInt8](repeating: 0, count: Int(body.size))
            let count = try read.withUnsafeMutableBytes { try body.read(into: $0, at: 0) }
            #expect(Self.isWhole(Array(read[..<count]), number))
        }
        try cache.flushReceived()
        #expect(try cache.verify().findings.isEmpty, "what was found damaged was dropped")
    }

    private static func damaged(_ scratch: Scratch, _ damage: (String) throws -> Void) throws -> DiskCache {
        do {
            let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
            try Receiving.put(cache, try WebURL("http://r.example/large"), String(repeating: "large ", count: 9000))
            try Receiving.put(cache, try WebURL("http://r.example/small"), "small text")
            try cache.close()
        }
        try damage(try #require(Receiving.files(scratch).first))
        return try DiskCache(path: scratch.path("store"), access: .existing)
    }

    @Test func `a truncated body is never served, is detected, and is removed`() async throws {
        let scratch = try Scratch()
        let cache = try Self.damaged(scratch) { #expect(truncate($0, 100) == 0) }
        let url = try WebURL("http://r.example/large")
        #expect(try cache.verify().findings.map(\.kind) == [.bodyDamaged])
        #expect(try cache.verify(isQuick: true).findings.map(\.kind) == [.bodyDamaged])
        let candidate = try #require(try cache.candidates(for: url).first)
        #expect(throws: CacheError.self) { try cache.body(of: candidate) }
        #expect(try Receiving.answer(cache, url) == .init(status: 504))
        #expect(try Receiving.answer(cache, try WebURL("http://r.example/small")).text == "small text")
        let report = try await cache.repair(from: [])
        #expect(report.repaired.count == 1)
        #expect(report.remaining.isEmpty)
        #expect(try cache.info().received == 1)
        #expect(Receiving.files(scratch).isEmpty)
    }

    @Test func `a missing body is detected, and a receiving process drops it at once`() throws {
        let scratch = try Scratch()
        let cache = try Self.damaged(scratch) { #expect(unlink($0) == 0) }
        let url = try WebURL("http://r.example/large")
        #expect(try cache.verify().findings.map(\.kind) == [.bodyMissing])
        try cache.startReceiving()
        let candidate = try #require(try cache.candidates(for: url).first)
        #expect(throws: CacheError.self) { try cache.body(of: candidate) }
        #expect(try cache.candidates(for: url).isEmpty)
        try cache.flushReceived()
        #expect(try cache.verify().findings == [])
        #expect(try cache.info().received == 1)
    }

    @Test func `a flipped byte of a large body is found by its digest`() async throws {
        let scratch = try Scratch()
        let cache = try Self.damaged(scratch) { path in
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            try file.seek(toOffset: 3000)
            try file.write(contentsOf: [0])
            try file.close()
        }
        #expect(try cache.verify(isQuick: true).findings.isEmpty)
        #expect(try cache.verify().findings.map(\.url) == ["http://r.example/large"])
        #expect(try await cache.repair(from: []).remaining.isEmpty)
        #expect(try cache.candidates(for: try WebURL("http://r.example/large")).isEmpty)
    }

    @Test func `a flipped byte of a small body is never served`() async throws {
        let scratch = try Scratch()
        let cache = try Self.damaged(scratch) { _ in
            var bytes = try scratch.read("store/received.sqlite")
            let text = Array("small text".utf8)
            let place = try #require(bytes.indices.first { bytes[$0...].starts(with: text) })
            bytes[place] = UInt8(ascii: "X")
            try scratch.write(bytes, to: "store/received.sqlite")
        }
        let url = try WebURL("http://r.example/small")
        #expect(try cache.candidates(for: url).isEmpty)
        #expect(try Receiving.answer(cache, url) == .init(status: 504))
        #expect(try cache.verify().findings.map(\.kind) == [.bodyDamaged])
        #expect(try await cache.repair(from: []).remaining.isEmpty)
        #expect(try cache.verify().findings == [])
    }

    @Test func `removing the database removes the responses, and their files`() throws {
        let scratch = try Scratch()
        let cache = try Self.damaged(scratch) { _ in
            try FileManager.default.removeItem(atPath: scratch.path("store/received.sqlite"))
        }
        let url = try WebURL("http://r.example/large")
        #expect(try cache.candidates(for: url).isEmpty)
        try cache.startReceiving()
        #expect(Receiving.files(scratch).isEmpty)
        try Receiving.put(cache, url, "new")
        #expect(try Receiving.bodies(cache, url) == ["new"])
    }

    @Test(arguments: ["no database at all", ""])
    func `an invalid database doesn't prevent serving packages, and repair removes it`(content: String)
        async throws
    {
        let scratch = try Scratch()
        let package = try await PackagesTests.package("p", ["a": .init("packaged")], in: scratch)
        let cache = try Self.damaged(scratch) { _ in
            try scratch.write(Array(content.utf8), to: "store/received.sqlite")
        }
        _ = try await cache.install(package, now: Self.now)
        #expect(try PackagesTests.body("a", in: cache) == "packaged")
        if !content.isEmpty { #expect(throws: CacheError.self) { try cache.startReceiving() } }
        #expect(try cache.verify().findings.map(\.kind) == [.catalogueDamaged])
        #expect(try await cache.repair(from: []).remaining.isEmpty)
        #expect(try cache.verify().findings == [])
        try cache.startReceiving()
        #expect(Receiving.files(scratch).isEmpty)
    }

    @Test func `a newer program's cache is served and cleared, but receives nothing`() async throws {
        let scratch = try Scratch()
        let package = try await PackagesTests.package("p", ["a": .init("packaged")], in: scratch)
        let cache = try Self.damaged(scratch) { _ in
            // user_version is the big-endian number at offset 60 of an SQLite file.
            var bytes = try scratch.read("store/received.sqlite")
            bytes[63] = 9
            try scratch.write(bytes, to: "store/received.sqlite")
        }
        _ = try await cache.install(package, now: Self.now)
        #expect(try PackagesTests.body("a", in: cache) == "packaged")
        let error = #expect(throws: CacheError.self) { try cache.startReceiving() }
        #expect(error?.code == .newerCache)
        _ = try await cache.clearReceived()
        try cache.startReceiving()
    }

    @Test func `a failed write is reported to the next writer, and nothing of it is served`() throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let url = try WebURL("http://r.example/large")
        try cache.startReceiving()
        // Nothing can be made below a file.
        try FileManager.default.removeItem(atPath: scratch.path("store/received"))
        try scratch.write([1], to: "store/received")
        let body = try Receiving.begin(cache, url)
        #expect(throws: CacheError.self) { try Receiving.write([UInt8](repeating: 1, count: 20_000), to: body) }
        #expect(throws: CacheError.self) { try body.finish() }
        #expect(try cache.candidates(for: url).isEmpty)
        try FileManager.default.removeItem(atPath: scratch.path("store/received"))
        try Receiving.put(cache, url, String(repeating: "x", count: 20_000))
        try cache.flushReceived()
        #expect(try cache.verify().findings == [])
    }

    @Test func `a read-only cache serves received responses`() throws {
        let scratch = try Scratch()
        _ = try Self.damaged(scratch) { _ in }
        let folder = scratch.path("store")
        let paths = [folder] + (FileManager.default.subpaths(atPath: folder) ?? []).map { folder + "/" + $0 }
        for path in paths { chmod(path, 0o555) }
        defer { for path in paths { chmod(path, 0o755) } }
        let cache = try DiskCache(path: folder, access: .readOnly)
        #expect(try Receiving.answer(cache, try WebURL("http://r.example/small")).text == "small text")
        #expect(try Receiving.bodies(cache, try WebURL("http://r.example/large"))[0].count == 54_000)
        #expect(throws: CacheError.self) { try cache.startReceiving() }
        #expect(try cache.verify().findings == [])
    }

    @Test func `a full disk loses responses, reports it, and serves none of the lost ones`() throws {
        let scratch = try Scratch()
        let result = try Program.run(Self.writer, ["full", scratch.path("store")])
        #expect(result.text == "some failed, some left\n", "\(result.errors)")
        #expect(result.status == 0)
        let cache = try DiskCache(path: scratch.path("store"), access: .existing)
        for number in 0..<2000 {
            let found = try cache.candidates(for: try WebURL("http://r.example/\(number)"))
            for candidate in found { #expect(Self.isWhole(try Receiving.bytes(cache, candidate), number)) }
            #expect(found.count == 1 || number >= 100)
        }
        try cache.startReceiving()
        #expect(try cache.verify().findings == [])
    }

    /// Takes the lock of those who receive.
    ///
    /// A program that another test has just started shares the last owner's until it has become that program.
    private static func startReceiving(_ cache: DiskCache) async throws {
        try await waitUntil("nobody else receives") { (try? cache.startReceiving()) != nil }
    }

    @Test func `closing a cache at any moment writes everything`() async throws {
        let scratch = try Scratch()
        let url = try WebURL("http://r.example/a")
        for round in 0..<12 {
            let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
            try await Self.startReceiving(cache)
            try Receiving.put(cache, url, "round \(round)")
            // A batch is written after 100 ms, or before when the cache is closed; the moments lie around that time.
            try await Task.sleep(for: .milliseconds(94 + round))
            try cache.close()
            let next = try DiskCache(path: scratch.path("store"), access: .existing)
            try await Self.startReceiving(next)
            #expect(try Receiving.bodies(next, url) == ["round \(round)"])
            try next.close()
        }
    }

    @Test func `closing saves what was used and received, lets others receive, and isn't final`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let package = try await PackagesTests.package("p", ["a": .init("packaged")], in: scratch)
        _ = try await cache.install(package, now: Self.now)
        #expect(try PackagesTests.body("a", in: cache) == "packaged")
        let url = try WebURL("http://r.example/a")
        try Receiving.put(cache, url, "received")
        try cache.close()
        let files = FileManager.default.subpaths(atPath: scratch.path("store/packages")) ?? []
        #expect(files.contains { $0.hasSuffix("/recency") })
        let other = try DiskCache(path: scratch.path("store"), access: .existing)
        #expect(try Receiving.bodies(other, url) == ["received"])
        try await Self.startReceiving(other)
        try other.close()
        try Receiving.put(cache, url, "again")
        try cache.close()
        try cache.close()
        #expect(try Receiving.bodies(other, url) == ["again"])
    }
}
