import AFCCache
import AFCDelivery
import AFCPackageFile
import AFCPackageFormat
import AFCZip
import Foundation
import Synchronization
import TestSupport
import Testing

/// Updates of packages whose directory is larger than what the first request brings.
struct PartialDirectoryTests {
    typealias Shop = RangedDownloadTests.Shop

    /// Small bodies by their long paths, some of them at URLs whose members need a name of their own.
    private static func bodies(_ count: Int, _ shop: inout Shop) -> [String: [UInt8]] {
        var bodies: [String: [UInt8]] = [:]
        for number in 0..<count {
            let folder = "\(number % 10)/" + String(repeating: "f", count: 80) + "/" + String(repeating: "g", count: 60)
            let path = "\(folder)/page-\(number)" + (number % 50 == 0 ? "?q=\(number)" : "")
            bodies[path] = shop.body(number % 97 == 0 ? 1_500 : 40)
        }
        return bodies
    }

    /// The place of a package's directory.
    private static func directory(_ bytes: [UInt8]) -> Range<Int> {
        let start = (0..<4).reduce(0) { $0 | Int(bytes[bytes.count - 6 + $1]) << (8 * $1) }
        return start..<(bytes.count - 22)
    }

    /// How an update changes a package, and from where on the directory is then requested.
    enum Change: String, CaseIterable, Sendable {
        case aFew, aThird, scattered, none, removed, withUserData, added, shared, moved
    }

    @Test(arguments: Change.allCases)
    func `of a large directory, only the end is requested that has the entries of bodies that are new`(change: Change)
        async throws
    {
        var shop = try Shop(5)
        var bodies = Self.bodies(1_100, &shop)
        _ = try await shop.write(bodies, "old.zip")
        let cache = try await shop.cache("old.zip", "store")
        var (dates, userData) = ([String: Int64](), [String]())
        let paths = bodies.keys.sorted()
        func renew(_ path: String, dated: Bool) {
            bodies[path] = shop.body(60)
            if dated { dates[path] = 100 }
        }
        switch change {
        case .aFew, .withUserData:
            for number in [3, 300, 777, 1_001] { renew(paths[number], dated: true) }
            if change == .withUserData { userData = (0..<30).map { "d\($0)" } }
        case .aThird: for number in 0..<360 { renew(paths[number * 3], dated: true) }
        case .scattered: for number in 0..<24 { renew(paths[number * 40], dated: false) }
        case .none: break
        case .removed: for number in 0..<40 { bodies[paths[number * 25]] = nil }
        case .added: for number in 0..<40 { renew("new/\(number)", dated: true) }
        case .shared:
            // Some bodies at another URL, whose bytes are there, and new bytes at two URLs.
            bodies["copy/1"] = bodies[paths[0]]
            renew("twice/1", dated: true)
            bodies["twice/1"] = shop.body(2_000)
            bodies["twice/2"] = bodies["twice/1"]
        case .moved: for path in paths.prefix(300) { bodies[path + "-moved"] = bodies.removeValue(forKey: path) }
        }
        let new = try await shop.write(bodies, "new.zip", created: 200, dates: dates, userData: userData)
        let directory = Self.directory(new)
        #expect(directory.count > 3 * 65_536, "\(directory.count)")
        let file = ServedFile(bytes: new)
        try await FaultyOrigin.run(answer: { request, _ in file.rangedAnswer(request) }) { origin in
            guard case .loaded = try await Shop.update(cache, from: origin.base + "/d.zip") else {
                Issue.record("nothing was loaded")
                return
            }
            let ranges = origin.requests.map { $0.range(of: new.count) ?? 0..<new.count }
            #expect(origin.requests.allSatisfy { $0["range"] != nil }, "never the whole package")
            let sent = ranges.reduce(0) { $0 + $1.clamped(to: directory).count }
            switch change {
            case .scattered:
                // A part of one entry comes twice.
                #expect(directory.count..<(directory.count + 300) ~= sent, "the first new body is near the beginning")
            case .aThird: #expect(sent > 65_536 && sent < directory.count / 2, "\(sent) of \(directory.count)")
            default: #expect(sent <= 65_536, "\(sent) of \(directory.count)")
            }
            let expected = try await RangedDownloadTests.expected(shop)
            #expect(try shop.indices("store") == expected)
            try RangedDownloadTests.expectSound(cache)
        }
    }

    @Test(arguments: 0..<6)
    func `it makes no difference where in an entry the end begins`(shift: Int) async throws {
        var shop = try Shop(8)
        var bodies = Self.bodies(700, &shop)
        _ = try await shop.write(bodies, "old.zip")
        let cache = try await shop.cache("old.zip", "store")
        let paths = bodies.keys.sorted()
        var dates: [String: Int64] = [:]
        for number in 0..<440 { (bodies[paths[number]], dates[paths[number]]) = (shop.body(50), 9) }
        // An entry has about 220 bytes, of which the first 46 aren't the name.
        let userData = [String(repeating: "u", count: 1 + shift * 36)]
        let new = try await shop.write(bodies, "new.zip", created: 10, dates: dates, userData: userData)
        let file = ServedFile(bytes: new)
        try await FaultyOrigin.run(answer: { request, _ in file.rangedAnswer(request) }) { origin in
            _ = try await Shop.update(cache, from: origin.base + "/d.zip")
            #expect(origin.requests.allSatisfy { $0["range"] != nil }, "never the whole package")
            let directory = Self.directory(new)
            let sent = origin.requests.reduce(0) { $0 + ($1.range(of: new.count)?.clamped(to: directory).count ?? 0) }
            #expect(sent > 65_536 && sent < directory.count, "\(sent) of \(directory.count)")
            let expected = try await RangedDownloadTests.expected(shop)
            #expect(try shop.indices("store") == expected)
        }
    }

    @Test(arguments: ["reversed", "by size", "a member that nothing names"])
    func `a package in another order is updated with its whole directory, or as a whole`(order: String) async throws {
        var shop = try Shop(6)
        var bodies = Self.bodies(600, &shop)
        _ = try await shop.write(bodies, "old.zip")
        let cache = try await shop.cache("old.zip", "store")
        let paths = bodies.keys.sorted()
        var dates: [String: Int64] = [:]
        for path in [paths[3], paths[500]] { (bodies[path], dates[path]) = (shop.body(3_000), 9) }
        _ = try await shop.write(bodies, "plain.zip", created: 10, dates: dates)
        let script = """
            import sys, zipfile
            source = zipfile.ZipFile(sys.argv[1])
            members = source.infolist()
            if sys.argv[3] == "reversed": members.reverse()
            if sys.argv[3] == "by size": members.sort(key=lambda member: member.file_size)
            with zipfile.ZipFile(sys.argv[2], "w") as target:
                for member in members: target.writestr(member, source.read(member))
                if sys.argv[3].startswith("a member"): target.writestr(".userdata/late", "x")
            """
        let made = try Program.run(
            "python3",
            ["-c", script, shop.scratch.path("plain.zip"), shop.scratch.path("new.zip"), order]
        )
        #expect(made.status == 0, "\(made.errors)")
        let new = try shop.scratch.read("new.zip")
        let file = ServedFile(bytes: new)
        try await FaultyOrigin.run(answer: { request, _ in file.rangedAnswer(request) }) { origin in
            _ = try await Shop.update(cache, from: origin.base + "/d.zip")
            let bytes = origin.requests.reduce(0) { $0 + ($1.range(of: new.count)?.count ?? new.count) }
            #expect(bytes <= new.count, "\(bytes) of \(new.count)")
            let expected = try await RangedDownloadTests.expected(shop)
            #expect(try shop.indices("store") == expected)
            try RangedDownloadTests.expectSound(cache)
        }
    }

    @Test func `random pairs with large directories give the same cache as a whole load`() async throws {
        let count = Rounds.count(2)
        var partial = 0
        for seed in 0..<count {
            var shop = try Shop(UInt64(seed) &* 104_729 &+ 5)
            var bodies = Self.bodies(Int.random(in: 350...700, using: &shop.random), &shop)
            let paths = bodies.keys.sorted()
            var dates: [String: Int64] = [:]
            for path in paths { dates[path] = Int64.random(in: 0..<50, using: &shop.random) }
            _ = try await shop.write(bodies, "old.zip", dates: dates)
            let cache = try await shop.cache("old.zip", "store")
            let (share, isDated) = (
                Int.random(in: 2...60, using: &shop.random), Int.random(in: 0..<4, using: &shop.random) > 0
            )
            for path in paths where Int.random(in: 0..<share, using: &shop.random) == 0 {
                switch Int.random(in: 0..<5, using: &shop.random) {
                case 0: bodies[path] = nil
                case 1: bodies[path + "-copy"] = bodies[path]
                default:
                    bodies[path] = shop.body(Int.random(in: 0..<3_000, using: &shop.random))
                    if isDated { dates[path] = 100 }
                }
            }
            let userData = (0..<Int.random(in: 0..<4, using: &shop.random)).map { "file\($0)" }
            let new = try await shop.write(bodies, "new.zip", created: 200, dates: dates, userData: userData)
            let (file, directory) = (ServedFile(bytes: new), Self.directory(new))
            try await FaultyOrigin.run(answer: { request, _ in file.rangedAnswer(request) }) { origin in
                guard case .loaded = try await Shop.update(cache, from: origin.base + "/d.zip") else {
                    Issue.record("pair \(seed): nothing was loaded")
                    return
                }
                let ranges = origin.requests.map { $0.range(of: new.count) ?? 0..<new.count }
                partial += ranges.contains { $0.contains(directory.lowerBound) } ? 0 : 1
            }
            let expected = try await RangedDownloadTests.expected(shop)
            #expect(try shop.indices("store") == expected, "pair \(seed)")
            try RangedDownloadTests.expectSound(cache)
        }
        #expect(partial > 0, "of \(count) pairs, the whole directory came for each")
    }

    @Test(arguments: [true, false])
    func `an update that is interrupted between directory and bodies is resumed`(isDated: Bool) async throws {
        var shop = try Shop(7)
        var bodies = Self.bodies(1_100, &shop)
        _ = try await shop.write(bodies, "old.zip")
        let cache = try await shop.cache("old.zip", "store")
        let paths = bodies.keys.sorted()
        var dates: [String: Int64] = [:]
        for number in 12..<34 {
            bodies[paths[number * 30]] = shop.body(4_000)
            if isDated { dates[paths[number * 30]] = 9 }
        }
        let new = try await shop.write(bodies, "new.zip", created: 10, dates: dates)
        let (file, directory) = (ServedFile(bytes: new), Self.directory(new))
        let first = try #require(try ZipReader(path: shop.scratch.path("new.zip")).member(named: PackageLayout.info))
        let description = Int(first.dataOffset) - 30 - first.name.utf8.count
        let isUp = Mutex(false)
        try await FaultyOrigin.run(answer: { request, _ in
            // The directory and what describes the package come; then the server is down for as long as a download tries.
            let start = request.range(of: new.count)?.lowerBound ?? 0
            return start >= description || isUp.withLock { $0 }
                ? file.rangedAnswer(request) : [.close]
        }) { origin in
            await #expect(throws: DeliveryError.self) { try await Shop.update(cache, from: origin.base + "/d.zip") }
            let before = origin.requests.map { $0.range(of: new.count) ?? 0..<new.count }
            #expect(before.contains { $0.clamped(to: directory).count > 65_536 } != isDated)
            isUp.withLock { $0 = true }
            _ = try await Shop.update(cache, from: origin.base + "/d.zip")
            let again = origin.requests[before.count...].map { $0.range(of: new.count) ?? 0..<new.count }
            let sent = again.reduce(0) { $0 + $1.clamped(to: directory).count }
            #expect(sent < 300, "of the directory, only a part of one entry: \(again)")
            #expect(again.reduce(0) { $0 + $1.count } < 120_000)
            let expected = try await RangedDownloadTests.expected(shop)
            #expect(try shop.indices("store") == expected)
        }
    }
}
