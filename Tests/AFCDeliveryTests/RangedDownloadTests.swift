import AFCCache
import AFCCaching
import AFCDelivery
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCURL
import Foundation
import Synchronization
import TestSupport
import Testing

/// Updates of a package of which the cache holds a part: what is requested, and what becomes of lies.
struct RangedDownloadTests {
    /// Makes packages, caches and pairs of versions, the same ones each time.
    struct Shop {
        var random: SeededGenerator
        let scratch: Scratch
        static let now = Timestamp(secondsSinceEpoch: 1_700_000_000)

        init(_ seed: UInt64) throws {
            random = SeededGenerator(seed: seed)
            scratch = try Scratch()
        }

        /// A body that doesn't deflate.
        mutating func body(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        }

        /// Writes a package of bodies by their paths.
        ///
        /// - Parameters:
        ///   - bodies: The bodies by their paths.
        ///   - name: The name of the package's file.
        ///   - created: When it is made, in seconds after ``now``.
        ///   - dates: When bodies changed last, in seconds after ``now``; 0 for those that aren't in it.
        ///   - userData: The names of files of the program.
        /// - Returns: The package's bytes.
        /// - Throws: What writing throws.
        func write(
            _ bodies: [String: [UInt8]],
            _ name: String,
            created: Int64 = 0,
            dates: [String: Int64] = [:],
            userData: [String] = []
        ) async throws -> [UInt8] {
            let resources = try bodies.map { path, bytes in
                let url = try WebURL("http://d.example/" + path)
                let changed = Timestamp(secondsSinceEpoch: Self.now.secondsSinceEpoch + (dates[path] ?? 0))
                return PackageWriter.Resource(
                    record: ResourceRecord(
                        url: url,
                        fetched: Self.now,
                        size: Int64(bytes.count),
                        sha256: ServedFile(bytes: bytes).digest
                    ),
                    entry: ManifestEntry(url: url, lastModified: changed, expires: nil),
                    body: .bytes(bytes),
                    isCompressible: true
                )
            }
            let path = scratch.path(name)
            let created = Timestamp(secondsSinceEpoch: Self.now.secondsSinceEpoch + created)
            var options = PackageWriter.Options(created: created, generator: "test/1")
            options.userData = try userData.map {
                PackageWriter.UserData(member: ".userdata/k/\($0)", path: try scratch.write([7], to: "data/\($0)"))
            }
            _ = try await PackageWriter.write(resources, to: path, options: options)
            return try scratch.read(name)
        }

        /// Makes a cache with a package.
        func cache(_ package: String, _ name: String) async throws -> DiskCache {
            let cache = try DiskCache(path: scratch.path(name), access: .readWrite)
            try await Self.load(scratch.path(package), into: cache)
            return cache
        }

        static func load(_ path: String, into cache: DiskCache, held: MemberSet = MemberSet()) async throws {
            var options = InstallOptions()
            options.name = "d"
            options.held = held
            _ = try await cache.install(path, options: options, now: now)
        }

        /// Updates the package of a cache from a server, as the program does.
        static func update(_ cache: DiskCache, from url: String, known: RemoteState? = nil) async throws
            -> PackageDownload.Delivery<RemoteState>
        {
            let options = Fetching.options {
                $0.heldMembers = { try cache.heldMembers(of: $0, replacing: "d") }
                $0.known = known
                $0.retries = 2
            }
            return try await PackageDownload.deliver(
                try WebURL(url),
                into: cache.downloadFolder,
                options: options,
                isCuredByWholePackage: { ($0 as? CacheError)?.code.isCuredByWholePackage ?? false },
                load: { package in
                    do {
                        try await load(package.path, into: cache, held: package.lacking)
                    } catch {
                        package.discard()
                        throw error
                    }
                    return package.state
                }
            )
        }

        /// The indices of all generations, which state URL, fields and digest of each resource.
        func indices(_ name: String) throws -> Set<String> {
            let packages = scratch.path(name) + "/packages"
            let folders = try FileManager.default.contentsOfDirectory(atPath: packages)
            return Set(try folders.map { ServedFile(bytes: try scratch.read("\(name)/packages/\($0)/index")).digest })
        }
    }

    /// Two versions of which three in forty bodies differ, and a cache with the first.
    static func pair() async throws -> (shop: Shop, cache: DiskCache, old: [UInt8], new: [UInt8]) {
        var shop = try Shop(1)
        var bodies: [String: [UInt8]] = [:]
        for number in 0..<40 { bodies["p/\(number)"] = shop.body(20_000) }
        let old = try await shop.write(bodies, "old.zip")
        let cache = try await shop.cache("old.zip", "store")
        for number in [3, 17, 38] { bodies["p/\(number)"] = shop.body(20_000) }
        let new = try await shop.write(bodies, "new.zip", created: 10)
        return (shop, cache, old, new)
    }

    static func expectSound(_ cache: DiskCache) throws {
        let report = try cache.verify()
        #expect(report.findings == [])
    }

    /// What a cache has after the whole new package is loaded over the old one.
    static func expected(_ shop: Shop) async throws -> Set<String> {
        let whole = try await shop.cache("old.zip", "whole")
        try await Shop.load(shop.scratch.path("new.zip"), into: whole)
        return try shop.indices("whole")
    }

    @Test func `only the end and the bodies that are new are downloaded`() async throws {
        let (shop, cache, _, new) = try await Self.pair()
        let file = ServedFile(bytes: new)
        try await FaultyOrigin.run(answer: { request, _ in file.rangedAnswer(request) }) { origin in
            let url = origin.base + "/d.zip"
            guard case .loaded(let state) = try await Shop.update(cache, from: url) else {
                Issue.record("nothing was loaded")
                return
            }
            #expect(state.sha256 == nil && state.size == Int64(new.count))
            let ranges = origin.requests.map { $0.range(of: new.count) }
            #expect(ranges.count == 4, "the end, and three bodies: \(ranges)")
            #expect(origin.requests.dropFirst().allSatisfy { $0["if-range"] == file.tag })
            let bytes = ranges.reduce(0) { $0 + ($1?.count ?? new.count) }
            // Two of the bodies are partly in the end.
            #expect(bytes <= 65_536 + 3 * 20_200)
            let expected = try await Self.expected(shop)
            #expect(try shop.indices("store") == expected)
            try Self.expectSound(cache)
            // Nothing newer: one request, no body.
            guard case .unchanged = try await Shop.update(cache, from: url, known: state) else {
                Issue.record("it was loaded again")
                return
            }
            #expect(origin.requests.count == 5)
            #expect(origin.requests[4]["if-none-match"] == file.tag)
            #expect(try FileManager.default.contentsOfDirectory(atPath: cache.downloadFolder) == [])
        }
    }

    @Test func `a server without conditions is known by its tag`() async throws {
        let (shop, cache, _, new) = try await Self.pair()
        _ = shop
        let file = ServedFile(bytes: new)
        try await FaultyOrigin.run(answer: { request, _ in
            var request = request
            request.fields["if-none-match"] = nil
            return file.rangedAnswer(request)
        }) { origin in
            guard case .loaded(let state) = try await Shop.update(cache, from: origin.base + "/d.zip"),
                case .unchanged = try await Shop.update(cache, from: origin.base + "/d.zip", known: state)
            else {
                Issue.record("it was loaded twice")
                return
            }
        }
    }

    @Test func `an interrupted download continues with what is missing`() async throws {
        let (shop, cache, _, new) = try await Self.pair()
        let file = ServedFile(bytes: new)
        let isUp = Mutex(false)
        try await FaultyOrigin.run(answer: { request, number in
            // One part comes, then nothing for as long as a download tries.
            number < 2 || isUp.withLock { $0 } ? file.rangedAnswer(request) : [.close]
        }) { origin in
            await #expect(throws: DeliveryError.self) { try await Shop.update(cache, from: origin.base + "/d.zip") }
            #expect(try Fetching.name(in: cache.downloadFolder, suffix: ".part") != "")
            isUp.withLock { $0 = true }
            let before = origin.requests.count
            _ = try await Shop.update(cache, from: origin.base + "/d.zip")
            let again = origin.requests[before...].map { $0.range(of: new.count) }
            #expect(again.count == 2 && !again.contains { ($0 ?? 0..<0).upperBound == new.count }, "\(again)")
            let expected = try await Self.expected(shop)
            #expect(try shop.indices("store") == expected)
        }
    }

    @Test func `a connection that ends within a part is followed by a request for the rest`() async throws {
        let (shop, cache, _, new) = try await Self.pair()
        let file = ServedFile(bytes: new)
        let cut = Mutex(0)
        try await FaultyOrigin.run(answer: { request, _ in
            let answer = file.rangedAnswer(request)
            guard let range = request.range(of: new.count), request["if-range"] != nil, range.count > 10_000,
                cut.withLock({ count in
                    count += 1
                    return count <= 2
                })
            else { return answer }
            return [answer[0], .bytes(Array(new[range].prefix(6_000))), .close]
        }) { origin in
            guard case .loaded = try await Shop.update(cache, from: origin.base + "/d.zip") else {
                Issue.record("nothing was loaded")
                return
            }
            #expect(origin.requests.allSatisfy { $0["range"] != nil }, "never the whole package")
            let expected = try await Self.expected(shop)
            #expect(try shop.indices("store") == expected)
        }
    }

    @Test func `a retry continues with what came of the end`() async throws {
        let (shop, cache, _, new) = try await Self.pair()
        let file = ServedFile(bytes: new)
        try await FaultyOrigin.run(answer: { request, _ in
            let answer = file.rangedAnswer(request)
            guard let range = request.range(of: new.count), range.count > 20_000 else { return answer }
            return [answer[0], .bytes(Array(new[range].prefix(20_000))), .close]
        }) { origin in
            guard case .loaded = try await Shop.update(cache, from: origin.base + "/d.zip") else {
                Issue.record("nothing was loaded")
                return
            }
            let ranges = origin.requests.map { $0.range(of: new.count) }
            #expect(Set(ranges).count == ranges.count && !ranges.contains(nil), "\(ranges)")
            let expected = try await Self.expected(shop)
            #expect(try shop.indices("store") == expected)
        }
    }

    @Test(arguments: ["400 Bad Request", "501 Not Implemented"])
    func `a server that fails for Range is asked once without`(status: String) async throws {
        let (shop, cache, _, new) = try await Self.pair()
        let file = ServedFile(bytes: new)
        try await FaultyOrigin.run(answer: { request, _ in
            request["range"] == nil
                ? file.rangedAnswer(request) : [.text("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n")]
        }) { origin in
            _ = try await Shop.update(cache, from: origin.base + "/d.zip")
            #expect(origin.requests.map { $0["range"] == nil } == [false, true])
            let expected = try await Self.expected(shop)
            #expect(try shop.indices("store") == expected)
        }
    }

    /// What a server may do wrong, and how many bytes of the package's size may come at most.
    enum Lie: String, CaseIterable, Sendable {
        case noRanges, weakTag, noTag, noTotal, wrongTotal, otherStart, otherPart, shortPart, longPart, multipart
        case partsForbidden, partsMissing, partsUnsatisfiable, partsNotModified, partsFailedCondition, partsEncoded
        case partsArePages, wrongBytesInEnd, wrongBytesInBodies, zeros, directoryOfAnother, otherVersionSameTag
        case changes, changesAlways, redirectsForever, endIsWhole
    }

    @Test(arguments: Lie.allCases)
    func `a server that answers wrongly costs the whole package once, and never shows`(lie: Lie) async throws {
        let (shop, cache, old, new) = try await Self.pair()
        let file = ServedFile(bytes: new)
        let sent = Mutex(0)
        try await FaultyOrigin.run(answer: { request, number in
            let pieces = lie.answer(request, number, file, old)
            for case .bytes(let bytes) in pieces { sent.withLock { $0 += bytes.count } }
            return pieces
        }) { origin in
            let outcome = try await Shop.update(cache, from: origin.base + "/d.zip")
            guard case .loaded = outcome else {
                Issue.record("\(outcome)")
                return
            }
            let expected = try await Self.expected(shop)
            #expect(try shop.indices("store") == expected, "the new version is there, as it is")
            try Self.expectSound(cache)
            #expect(sent.withLock { $0 } <= new.count * 2, "\(sent.withLock { $0 }) of \(new.count)")
        }
    }

    @Test func `a held body that is damaged costs the whole package once`() async throws {
        let (shop, cache, _, new) = try await Self.pair()
        let packages = shop.scratch.path("store/packages")
        let generation = try #require(try FileManager.default.contentsOfDirectory(atPath: packages).first)
        let name = "store/packages/\(generation)/files/d.example/p/5"
        var bytes = try shop.scratch.read(name)
        bytes[100] ^= 1
        try FileManager.default.removeItem(atPath: shop.scratch.path(name))
        try shop.scratch.write(bytes, to: name)
        let file = ServedFile(bytes: new)
        try await FaultyOrigin.run(answer: { request, _ in file.rangedAnswer(request) }) { origin in
            _ = try await Shop.update(cache, from: origin.base + "/d.zip")
            #expect(origin.requests.last?["range"] == nil)
            #expect(origin.requests.count { $0["range"] == nil } == 1)
        }
        let body = try cache.respond(
            to: OfflineRequest(url: try WebURL("http://d.example/p/5")),
            now: Shop.now,
            policy: OfflinePolicy()
        ).body
        var read = [UInt8](repeating: 0, count: Int(try #require(body).size))
        _ = try read.withUnsafeMutableBytes { try body?.read(into: $0, at: 0) }
        bytes[100] ^= 1
        #expect(read.elementsEqual(bytes))
    }

    @Test func `bodies of other packages are held, too, and none is needed twice`() async throws {
        var shop = try Shop(3)
        let (shared, own) = (shop.body(90_000), shop.body(90_000))
        _ = try await shop.write(["a": shared, "n": [1]], "old.zip")
        let cache = try await shop.cache("old.zip", "store")
        var options = InstallOptions()
        options.name = "d"
        _ = try await shop.write(["x": own], "d.zip")
        _ = try await cache.install(shop.scratch.path("d.zip"), options: options, now: Shop.now)
        options.name = "other"
        _ = try await cache.install(shop.scratch.path("old.zip"), options: options, now: Shop.now)
        let new = try await shop.write(["b": shared, "c": own, "e": own], "new.zip", created: 10)
        let file = ServedFile(bytes: new)
        try await FaultyOrigin.run(answer: { request, _ in file.rangedAnswer(request) }) { origin in
            _ = try await Shop.update(cache, from: origin.base + "/d.zip")
            #expect(origin.requests.count == 1, "the end is all that is needed")
        }
        try Self.expectSound(cache)
    }

    @Test func `random pairs give the same cache as a whole load`() async throws {
        let count = Rounds.count(8)
        var ranged = 0
        for seed in 0..<count {
            var shop = try Shop(UInt64(seed) &* 7919 &+ 11)
            var bodies: [String: [UInt8]] = [:]
            for number in 0..<Int.random(in: 1...30, using: &shop.random) {
                let size = [0, 10, 3_000, 40_000][Int.random(in: 0..<4, using: &shop.random)]
                bodies["\(number % 3)/\(number)"] =
                    Bool.random(using: &shop.random) ? shop.body(size) : Array(repeating: UInt8(number), count: size)
            }
            _ = try await shop.write(bodies, "old.zip")
            let cache = try await shop.cache("old.zip", "store")
            for name in bodies.keys.sorted() {
                switch Int.random(in: 0..<10, using: &shop.random) {
                case 0: bodies[name] = nil
                case 1: bodies[name] = shop.body(Int.random(in: 0..<50_000, using: &shop.random))
                case 2: bodies[name + "x"] = bodies[name]
                default: break
                }
            }
            bodies["new"] = shop.body(Int.random(in: 0..<20_000, using: &shop.random))
            let new = try await shop.write(bodies, "new.zip", created: 10)
            let file = ServedFile(bytes: new)
            try await FaultyOrigin.run(answer: { request, _ in file.rangedAnswer(request) }) { origin in
                guard case .loaded = try await Shop.update(cache, from: origin.base + "/d.zip") else {
                    Issue.record("pair \(seed): nothing was loaded")
                    return
                }
                ranged += origin.requests.allSatisfy { $0["range"] != nil } ? 1 : 0
            }
            let expected = try await Self.expected(shop)
            #expect(try shop.indices("store") == expected, "pair \(seed)")
            try Self.expectSound(cache)
        }
        #expect(ranged > count / 2, "of \(count) pairs, \(ranged) were updated by ranges alone")
    }
}

extension RangedDownloadTests.Lie {
    /// The answer to one of the requests.
    func answer(_ request: FaultyOrigin.Request, _ number: Int, _ file: ServedFile, _ old: [UInt8])
        -> [FaultyOrigin.Piece]
    {
        let total = file.bytes.count
        guard let range = request.range(of: total) else { return file.rangedAnswer(request) }
        let isPart = request["if-range"] != nil
        func part(_ place: String?, _ bytes: some Collection<UInt8>, tag: String? = file.tag, extra: String = "")
            -> [FaultyOrigin.Piece]
        {
            let fields = [tag.map { "ETag: \($0)\r\n" }, place.map { "Content-Range: \($0)\r\n" }].compactMap(\.self)
            let head = "HTTP/1.1 206 P\r\nContent-Length: \(bytes.count)\r\n" + fields.joined() + extra + "\r\n"
            return [.text(head), .bytes(Array(bytes))]
        }
        func status(_ code: Int, _ extra: String = "") -> [FaultyOrigin.Piece] {
            [.text("HTTP/1.1 \(code) X\r\nContent-Length: 0\r\nETag: \(file.tag)\r\n\(extra)\r\n")]
        }
        let place = ServedFile.place(range, total)
        let bytes = file.bytes[range]
        let usual = file.rangedAnswer(request)
        switch self {
        case .noRanges:
            var whole = request
            whole.fields["range"] = nil
            return file.rangedAnswer(whole)
        case .weakTag: return part(place, bytes, tag: "W/\"v1\"")
        case .noTag: return part(place, bytes, tag: nil)
        case .noTotal: return part(place.replacingOccurrences(of: "/\(total)", with: "/*"), bytes)
        case .wrongTotal: return isPart ? part(ServedFile.place(range, total + 1), bytes) : usual
        case .otherStart: return part(ServedFile.place((range.lowerBound - 1)..<range.upperBound, total), bytes)
        case .otherPart:
            return isPart ? part(ServedFile.place(0..<bytes.count, total), file.bytes[0..<bytes.count]) : usual
        case .shortPart: return isPart ? part(place, bytes.dropLast(3)) + [.close] : usual
        case .longPart: return isPart ? part(place, bytes + [1, 2, 3]) : usual
        case .multipart:
            return isPart ? part(nil, bytes, extra: "Content-Type: multipart/byteranges; boundary=x\r\n") : usual
        case .partsForbidden: return isPart ? status(403) : usual
        case .partsMissing: return isPart ? status(404) : usual
        case .partsUnsatisfiable: return isPart ? status(416, "Content-Range: bytes */\(total)\r\n") : usual
        case .partsNotModified: return isPart ? status(304) : usual
        case .partsFailedCondition: return isPart ? status(412) : usual
        case .partsEncoded: return isPart ? part(place, bytes, extra: "Content-Encoding: gzip\r\n") : usual
        case .partsArePages: return isPart ? part(place, bytes, extra: "Content-Type: text/html\r\n") : usual
        case .wrongBytesInEnd: return isPart ? usual : part(place, bytes.map { $0 ^ 1 })
        case .wrongBytesInBodies: return isPart ? part(place, bytes.map { $0 ^ 1 }) : usual
        case .zeros: return part(place, Array(repeating: 0, count: bytes.count))
        case .directoryOfAnother: return isPart ? usual : part(place, old.suffix(65_536))
        case .otherVersionSameTag:
            guard isPart, old.count >= range.upperBound else { return usual }
            return part(place, old[range])
        case .changes: return number == 1 ? file.rangedAnswer(Self.other(request)) : usual
        case .changesAlways: return isPart ? file.rangedAnswer(Self.other(request)) : usual
        case .redirectsForever: return isPart ? status(302, "Location: /again\r\n") : usual
        case .endIsWhole: return isPart ? usual : part(ServedFile.place(0..<total, total), file.bytes)
        }
    }

    /// A request for a part of another version.
    private static func other(_ request: FaultyOrigin.Request) -> FaultyOrigin.Request {
        var request = request
        request.fields["if-range"] = "\"another\""
        return request
    }
}
