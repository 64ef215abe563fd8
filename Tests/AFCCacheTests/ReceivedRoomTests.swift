import AFCCache
import AFCCaching
import AFCHTTP
import AFCText
import AFCURL
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// What removing received responses gives back to the disk, and which of them go first.
struct ReceivedRoomTests {
    static let now = PackagesTests.now
    static let writer = (Program.afcache as NSString).deletingLastPathComponent + "/receivingwriter"

    private static func url(_ number: Int) throws -> WebURL { try WebURL("http://r.example/\(number)") }

    /// A cache with 300 responses of 14 kB, which are in the database.
    private static func filled(_ scratch: Scratch) throws -> DiskCache {
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        for number in 0..<300 { try Receiving.put(cache, try url(number), String(repeating: "x", count: 14_000)) }
        try cache.close()
        return cache
    }

    private static func size(_ scratch: Scratch) throws -> Int {
        try ["", "-wal"].reduce(0) { sum, suffix in
            let path = scratch.path("store/received.sqlite" + suffix)
            guard FileManager.default.fileExists(atPath: path) else { return sum }
            return sum + (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0)
        }
    }

    @Test func `a cache that never had a package has a reserve for a full disk, too`() throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        try cache.startReceiving()
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("store/reserve")).count == 4)
        try cache.close()
    }

    @Test(arguments: ["limit", "clear", "clear host", "clear while another receives", "gc"])
    func `what is removed makes the database smaller`(way: String) async throws {
        let scratch = try Scratch()
        let cache = try Self.filled(scratch)
        #expect(try Self.size(scratch) > 4_000_000)
        switch way {
        case "limit":
            let words = try await cache.setLimits(CacheLimits(bytes: 200_000), now: Self.now)
            #expect(words == ["286 received responses"])
        case "clear": #expect(try await cache.clearReceived().responses == 300)
        case "clear host": #expect(try await cache.clearReceived(host: "r.example").responses == 300)
        case "gc":
            for number in 0..<300 {
                try Receiving.put(
                    cache,
                    try Self.url(number),
                    String(repeating: "y", count: 14_000),
                    fields: [.cacheControl: "max-age=1"]
                )
            }
            try cache.close()
            #expect(try await cache.collectGarbage(includingPrevious: false, now: Self.now + 60).received == 300)
        default:
            let other = try RunningProgram(Self.writer, ["hold", scratch.path("store")])
            #expect(try await other.firstLine() == "ready")
            #expect(try await cache.clearReceived().responses == 300)
            _ = other.stop(SIGKILL)
        }
        #expect(try Self.size(scratch) < 1_000_000)
        #expect(try cache.verify().findings == [])
        #expect(try cache.info().received == (way == "limit" ? 14 : 0))
    }

    @Test func `a process that reads sees at once that everything was cleared, and what is stored then`() async throws {
        let scratch = try Scratch()
        let cache = try Self.filled(scratch)
        let reader = try DiskCache(path: scratch.path("store"), access: .readOnly)
        let old = try #require(try reader.candidates(for: try Self.url(1)).first)
        _ = try await cache.clearReceived()
        #expect(try reader.candidates(for: try Self.url(1)).isEmpty)
        try Receiving.put(cache, try Self.url(2), "new")
        try cache.flushReceived()
        try await waitUntil("the reader sees the new database") {
            try Receiving.answer(reader, try Self.url(2)).text == "new"
        }
        // A number that someone remembers never means another response.
        #expect(try reader.candidates(for: try Self.url(2)).first?.origin != old.origin)
        #expect(try reader.candidates(for: try Self.url(1)).isEmpty)
    }

    @Test func `an error of eviction is reported, by a limit as the result, by a load beside it`() async throws {
        let scratch = try Scratch()
        let package = try await PackagesTests.package("p", ["a": .init("packaged")], in: scratch)
        let cache = try Self.filled(scratch)
        try scratch.write(Array("no database at all".utf8), to: "store/received.sqlite")
        let limits = CacheLimits(bytes: 100_000)
        let error = await #expect(throws: CacheError.self) { try await cache.setLimits(limits, now: Self.now) }
        #expect(error?.code == .damaged)
        #expect(try cache.limits() == limits)
        let report = try await cache.install(package, now: Self.now)
        #expect(report.evictionFailure?.code == .damaged)
        #expect(try PackagesTests.body("a", in: cache) == "packaged")
    }

    @Test func `a use in the future, from a clock that was wrong, counts as none`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let wrong = Self.now + 36 * 365 * 86_400
        for name in ["a", "b"] {
            let package = try await PackagesTests.package(name, [name: .init(name)], in: scratch)
            _ = try await cache.install(package, now: name == "a" ? wrong : Self.now)
        }
        try Receiving.put(cache, try Self.url(1), "wrong", at: wrong)
        try Receiving.put(cache, try Self.url(2), "right", at: Self.now)
        try cache.close()
        // An hour later, what was loaded an hour ago is still more recent.
        let later = Self.now + 3600
        #expect(try await cache.setLimits(CacheLimits(entries: 3), now: later) == ["1 received response"])
        #expect(try cache.candidates(for: try Self.url(1)).isEmpty)
        #expect(try Receiving.bodies(cache, try Self.url(2)) == ["right"])
        #expect(try await cache.setLimits(CacheLimits(entries: 1), now: later) == ["1 received response", "'a'"])
    }
}
