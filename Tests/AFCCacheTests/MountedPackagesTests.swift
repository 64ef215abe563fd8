import AFCCache
import AFCCaching
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCURL
import AFCZip
import Crypto
import Foundation
import HTTPTypes
import Synchronization
import TestSupport
import Testing

/// Packages that are served from their files.
struct MountedPackagesTests {
    static let now = Timestamp(secondsSinceEpoch: 1_700_000_000)
    static let text = String(repeating: "a text that can be compressed. ", count: 100)
    /// A body that is inflated piece by piece.
    static let long = (0..<150_000).map { "line \($0)\n" }.joined()
    static let noise = (0..<2_000_000).reduce(into: (bytes: [UInt8](), state: UInt64(1))) { noise, _ in
        noise.state = noise.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        noise.bytes.append(UInt8(truncatingIfNeeded: noise.state >> 33))
    }.bytes

    static func package(
        _ bodies: [(path: String, body: [UInt8], isCompressible: Bool)] = [
            ("a.txt", Array(text.utf8), true), ("b.bin", Array("binary".utf8), false), ("empty", [], true),
            ("find?q=1", Array("found".utf8), true), ("long.txt", Array(long.utf8), true), ("noise.bin", noise, false),
            ("page.html", Array("<p>page".utf8), true),
        ],
        fields: HTTPFields = HTTPFields(),
        name: String = "site.zip",
        in scratch: Scratch,
        _ change: (inout PackageWriter.Options) -> Void = { _ in }
    ) async throws -> String {
        let resources = try bodies.map { path, body, isCompressible in
            let url = try WebURL("http://d.example/" + path)
            let type = path.hasSuffix(".html") ? "text/html" : "text/plain"
            return PackageWriter.Resource(
                record: ResourceRecord(
                    url: url,
                    fields: fields,
                    fetched: now,
                    size: Int64(body.count),
                    sha256: Hexadecimal.text(SHA256.hash(data: body))
                ),
                entry: ManifestEntry(url: url, lastModified: now, expires: now + 3600, mediaType: type),
                body: .bytes(body),
                isCompressible: isCompressible
            )
        }
        var options = PackageWriter.Options(created: now, generator: "test/1")
        change(&options)
        let path = scratch.path(name)
        _ = try await PackageWriter.write(resources, to: path, options: options)
        return path
    }

    static func mounted(_ paths: [String], keeping folder: String? = nil, verifying: Bool = false) throws
        -> MountedPackages
    {
        var options = MountedPackages.Options()
        options.indexFolder = folder
        options.keptResources = 1
        options.verifiesBodies = verifying
        return try MountedPackages(paths, options: options, now: now)
    }

    static func request(_ path: String, _ fields: [HTTPField.Name: String] = [:]) throws -> OfflineRequest {
        var request = OfflineRequest(url: try WebURL("http://d.example/" + path))
        for (name, value) in fields { request.fields[name] = value }
        return request
    }

    static func bytes(_ body: StoredBody?, from offset: Int64 = 0, count: Int? = nil) throws -> [UInt8] {
        guard let body else { return [] }
        var bytes = [UInt8](repeating: 0, count: count ?? Int(body.size - offset))
        let read = try bytes.withUnsafeMutableBytes { try body.read(into: $0, at: offset) }
        return Array(bytes[..<read])
    }

    static func body(_ path: String, in store: MountedPackages, gzip: Bool = false) throws -> [UInt8] {
        let request = try request(path, gzip ? [.acceptEncoding: "gzip"] : [:])
        return try bytes(try store.respond(to: request, now: now, policy: OfflinePolicy()).body)
    }

    @Test(arguments: ["a.txt", "b.bin", "empty", "find?q=1", "find?q=2", "page.html?x", "missing", "%61.txt"])
    func `a request is answered as by a cache with the package`(_ path: String) async throws {
        let scratch = try Scratch()
        let package = try await Self.package(in: scratch)
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        _ = try await cache.install(package, now: Self.now)
        let store = try Self.mounted([package])
        for fields: [HTTPField.Name: String] in [
            [:], [.ifModifiedSince: "Tue, 14 Nov 2023 22:13:20 GMT"], [.range: "bytes=1-2"], [.range: "bytes=-1,0-0"],
            [.range: "bytes=99999-"], [.ifNoneMatch: "*"], [.cacheControl: "max-stale=0, min-fresh=9000"],
        ] {
            for (time, matching) in [(Self.now, QueryMatching.query), (Self.now + 7200, .exact)] {
                let request = try Self.request(path, fields)
                let policy = OfflinePolicy(expired: .serve)
                var answer = try store.respond(to: request, now: time, policy: policy, matching: matching)
                let expected = try cache.respond(to: request, now: time, policy: policy, matching: matching)
                // Only that there is a choice of codings is new.
                answer.resolution.fields[.vary] = expected.resolution.fields[.vary]
                #expect(answer.resolution == expected.resolution, "\(fields)")
                #expect(answer.matched == expected.matched)
                #expect(try Self.bytes(answer.body) == Self.bytes(expected.body))
            }
        }
    }

    @Test func `every body has its bytes, from any position`() async throws {
        let scratch = try Scratch()
        let store = try Self.mounted([try await Self.package(in: scratch)])
        for (path, expected) in [("long.txt", Array(Self.long.utf8)), ("noise.bin", Self.noise)] {
            let found = try store.respond(to: try Self.request(path), now: Self.now, policy: OfflinePolicy())
            let body = try #require(found.body)
            #expect(body.size == Int64(expected.count))
            let isSame = try Self.bytes(body) == expected
            #expect(isSame)
            for offset in [1_000_000, 5, 1_200_000, 0] {
                #expect(try Self.bytes(body, from: Int64(offset), count: 50) == Array(expected[offset..<offset + 50]))
            }
            #expect(try Self.bytes(body, from: body.size - 3, count: 50) == Array(expected.suffix(3)))
        }
    }

    @Test func `a client that accepts gzip gets the data of the zip, with a head and a tail`() async throws {
        let scratch = try Scratch()
        let package = try await Self.package(in: scratch)
        let store = try Self.mounted([package])
        let file = Data(try scratch.read("site.zip"))
        for (path, text) in [("a.txt", Self.text), ("long.txt", Self.long)] {
            let gzip = try Self.body(path, in: store, gzip: true)
            #expect(file.range(of: Data(gzip.dropFirst(10).dropLast(8))) != nil)
            try scratch.write(gzip, to: "body.gz")
            let inflated = try Program.run("gzip", ["-dc", "body.gz"], in: scratch.path)
            let isSame = inflated.status == 0 && inflated.text == text
            #expect(isSame)
        }
        // What isn't compressed, or only grows, is sent as it is.
        for path in ["b.bin", "noise.bin", "page.html", "empty"] {
            let request = try Self.request(path, [.acceptEncoding: "gzip"])
            let answer = try store.respond(to: request, now: Self.now, policy: OfflinePolicy())
            #expect(answer.resolution.fields[.contentEncoding] == nil && answer.resolution.fields[.vary] == nil)
        }
    }

    @Test(arguments: [(HTTPField.Name.contentEncoding, "br"), (.cacheControl, "max-age=60, no-transform")])
    func `a response that has a coding, or must not be changed, gets none`(_ name: HTTPField.Name, _ value: String)
        async throws
    {
        let scratch = try Scratch()
        var fields = HTTPFields()
        fields[name] = value
        let bodies = [("a.txt", Array(Self.text.utf8), true)]
        let store = try Self.mounted([try await Self.package(bodies, fields: fields, in: scratch)])
        let request = try Self.request("a.txt", [.acceptEncoding: "gzip"])
        let answer = try store.respond(to: request, now: Self.now, policy: OfflinePolicy())
        // Content-Encoding isn't kept in a package.
        guard name == .cacheControl else { return }
        #expect(answer.resolution.fields[.contentEncoding] == nil)
        #expect(try Self.bytes(answer.body) == Array(Self.text.utf8))
    }

    @Test func `of several packages, the newest response counts, and lists contain all`() async throws {
        let scratch = try Scratch()
        let one = try await Self.package([("a.txt", Array("one".utf8), true)], name: "one.zip", in: scratch)
        let two = try await Self.package(
            [("a.txt", Array("two".utf8), true), ("c.txt", Array("c".utf8), true)],
            name: "two.zip",
            in: scratch
        )
        let store = try Self.mounted([two, one])
        #expect(try Self.body("a.txt", in: store) == Array("two".utf8))
        #expect(try Self.body("a.txt", in: try Self.mounted([one, two])) == Array("one".utf8))
        #expect(store.packages().map(\.name) == ["one", "two"])
        #expect(store.origins().map(\.host) == ["d.example"] && store.origins().map(\.resources) == [3])
        #expect(store.packages(withHost: "d.example") == ["one", "two"])
        let listed = try store.resources(limit: 10)
        #expect(listed.map(\.url.description) == ["http://d.example/a.txt", "http://d.example/c.txt"])
        let same = try Self.mounted([one, scratch.path + "/./one.zip"])
        #expect(same.packages().map(\.name) == ["one", "one-2"])
    }

    // MARK: What is kept

    @Test func `what was read is kept, and used as long as the package is the same`() async throws {
        let scratch = try Scratch()
        let package = try await Self.package(in: scratch)
        let folder = scratch.path("kept")
        _ = try Self.mounted([package], keeping: folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.count == 1 && names[0].hasSuffix(".mount"))
        let before = try scratch.read("kept/" + names[0])
        let again = try Self.mounted([package], keeping: folder)
        #expect(try scratch.read("kept/" + names[0]) == before)
        #expect(try Self.body("a.txt", in: again) == Array(Self.text.utf8))
        #expect(try Self.body("find?q=1", in: again) == Array("found".utf8))
        #expect(again.packages().map(\.resources) == [7])
        // The same file with other contents.
        let other = try await Self.package([("a.txt", Array("other".utf8), true)], name: "other.zip", in: scratch)
        let handle = try #require(FileHandle(forWritingAtPath: package))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(contentsOf: URL(fileURLWithPath: other)))
        try handle.close()
        let changed = try Self.mounted([package], keeping: folder)
        #expect(try Self.body("a.txt", in: changed) == Array("other".utf8))
        #expect(changed.packages().map(\.resources) == [1])
    }

    // MARK: Indexes made beforehand

    @Test func `with an index made beforehand, requests are answered alike`() async throws {
        let scratch = try Scratch()
        let package = try await Self.package(in: scratch)
        let index = scratch.path("site.index")
        try MountedPackages.writeIndex(of: package, to: index, now: Self.now)
        try MountedPackages.writeIndex(of: package, to: scratch.path("again.index"), now: Self.now + 9000)
        let isSame = try scratch.read("site.index") == scratch.read("again.index")
        #expect(isSame, "the same package gives the same index")
        // On another machine, the file has another place and other times.
        var bytes = try scratch.read("site.zip")
        let other = scratch.path("other.zip")
        try scratch.write(bytes, to: "other.zip")
        var options = MountedPackages.Options()
        options.indexes = [index]
        let (one, two) = (
            try MountedPackages([other], options: options, now: Self.now), try Self.mounted([package])
        )
        for path in ["a.txt", "b.bin", "empty", "find?q=1", "long.txt", "noise.bin", "page.html", "missing"] {
            for gzip in [false, true] {
                let request = try Self.request(path, gzip ? [.acceptEncoding: "gzip"] : [:])
                let found = try one.respond(to: request, now: Self.now, policy: OfflinePolicy())
                let expected = try two.respond(to: request, now: Self.now, policy: OfflinePolicy())
                #expect(found.resolution == expected.resolution)
                let isEqual = try Self.bytes(found.body) == Self.bytes(expected.body)
                #expect(isEqual, "\(path)")
            }
        }
        #expect(one.origins() == two.origins())
        // A body that isn't as the index says is noticed when it is read.
        let member = try #require(try ZipReader(path: package).member(named: "d.example/b.bin"))
        bytes[Int(member.dataOffset)] ^= 1
        try scratch.write(bytes, to: "third.zip")
        let third = try MountedPackages([scratch.path("third.zip")], options: options, now: Self.now)
        let error = #expect(throws: CacheError.self) { try Self.body("b.bin", in: third) }
        #expect(error?.code == .damaged)
    }

    @Test func `an index of no mounted package is refused, and so is one that is damaged`() async throws {
        let scratch = try Scratch()
        let package = try await Self.package(in: scratch)
        let other = try await Self.package([("x", [1], false)], name: "other.zip", in: scratch)
        try MountedPackages.writeIndex(of: package, to: scratch.path("site.index"), now: Self.now)
        var options = MountedPackages.Options()
        options.indexes = [scratch.path("site.index")]
        func failure(_ packages: [String]) -> CacheError? {
            #expect(throws: CacheError.self) { try MountedPackages(packages, options: options, now: Self.now) }
        }
        let error = failure([other])
        #expect(error?.subject == scratch.path("site.index"))
        #expect(
            error?.message == "this is the index of another package, or of another version of it; make it again"
        )
        // Of several packages, it is used for the one that it is of.
        #expect(try MountedPackages([other, package], options: options, now: Self.now).packages().count == 2)
        let bytes = try scratch.read("site.index")
        for damaged in [[], Array(bytes.dropLast()), bytes + [0], Array(bytes.reversed())] {
            try scratch.write(damaged, to: "site.index")
            #expect(failure([package])?.message.hasPrefix("this isn't an index of a package, or it is damaged") == true)
        }
        // What is kept for this machine isn't an index that can be given away.
        _ = try Self.mounted([package], keeping: scratch.path("kept"))
        let kept = try #require(try FileManager.default.contentsOfDirectory(atPath: scratch.path("kept")).first)
        options.indexes = [scratch.path("kept/\(kept)")]
        #expect(failure([package])?.message.hasPrefix("this is the index of another package") == true)
    }

    @Test func `no index is made of what can't be mounted, and an old one stays`() async throws {
        let scratch = try Scratch()
        let locked = try await Self.package(in: scratch) { $0.password = Password(Array("secret".utf8)) }
        try scratch.write([1, 2], to: "x.index")
        try scratch.write([3], to: "bad.zip")
        for path in [locked, scratch.path("bad.zip"), scratch.path("none.zip")] {
            #expect(throws: CacheError.self) {
                try MountedPackages.writeIndex(of: path, to: scratch.path("x.index"), now: Self.now)
            }
        }
        #expect(try scratch.read("x.index") == [1, 2])
        #expect(scratch.names == ["bad.zip", "site.zip", "x.index"])
    }

    @Test func `small packages leave nothing behind`() async throws {
        let scratch = try Scratch()
        let package = try await Self.package(in: scratch)
        var options = MountedPackages.Options()
        options.indexFolder = scratch.path("kept")
        _ = try MountedPackages([package], options: options, now: Self.now)
        #expect(scratch.names == ["site.zip"])
    }

    @Test func `a folder that others may write to isn't used`() async throws {
        let scratch = try Scratch()
        let package = try await Self.package(in: scratch)
        let folder = scratch.path("kept")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
        let reasons = Mutex<[String]>([])
        var options = MountedPackages.Options()
        options.indexFolder = folder
        options.keptResources = 1
        options.onNotKept = { path, reason in reasons.withLock { $0.append("\(path == package) \(reason.message)") } }
        let store = try MountedPackages([package], options: options, now: Self.now)
        #expect(try Self.body("a.txt", in: store) == Array(Self.text.utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        let found = reasons.withLock { $0 }
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("true other users can write to the folder") == true)
    }

    @Test func `a kept file with any wrong byte gives right bodies or errors`() async throws {
        let scratch = try Scratch()
        let package = try await Self.package(
            [("a.txt", Array(Self.text.utf8), true), ("b.bin", Array("binary".utf8), false)],
            in: scratch
        )
        let folder = scratch.path("kept")
        _ = try Self.mounted([package], keeping: folder)
        let name = "kept/" + (try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first))
        let good = try scratch.read(name)
        let bodies = [("a.txt", Array(Self.text.utf8)), ("b.bin", Array("binary".utf8))]
        var wrong: [Int] = []
        for place in 0..<good.count {
            for mask: UInt8 in [place.isMultiple(of: 2) ? 0xFF : 0x01] {
                var bad = good
                bad[place] ^= mask
                try Data(bad).write(to: URL(fileURLWithPath: scratch.path(name)))
                guard let store = try? Self.mounted([package], keeping: folder) else { continue }
                for (path, expected) in bodies {
                    let request = try Self.request(path)
                    guard
                        let answer = try? store.respond(to: request, now: Self.now, policy: OfflinePolicy()),
                        let body = answer.body, body.size < 1 << 20
                    else { continue }
                    // A wrong size or status is only the head of another answer; the bytes are always the member's.
                    guard let bytes = try? Self.bytes(body) else { continue }
                    if bytes != expected { wrong.append(place) }
                }
            }
        }
        #expect(wrong.isEmpty)
    }

    @Test func `a truncated kept file is made again`() async throws {
        let scratch = try Scratch()
        let package = try await Self.package(in: scratch)
        let folder = scratch.path("kept")
        _ = try Self.mounted([package], keeping: folder)
        let name = "kept/" + (try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first))
        let good = try scratch.read(name)
        for count in [0, 50, good.count / 2, good.count - 1] {
            try Data(good.prefix(count)).write(to: URL(fileURLWithPath: scratch.path(name)))
            let store = try Self.mounted([package], keeping: folder)
            #expect(try Self.body("a.txt", in: store) == Array(Self.text.utf8))
            #expect(try scratch.read(name).count == good.count)
        }
    }

    // MARK: Hostile packages

    private static func problem(_ path: String) throws -> CacheError? {
        do {
            _ = try mounted([path])
            return nil
        } catch let error as CacheError {
            return error
        }
    }

    @Test func `what isn't a package is refused with a sentence`() async throws {
        let scratch = try Scratch()
        try scratch.write(Array("no zip at all, but some text".utf8), to: "text.zip")
        try scratch.write(RawZip([RawZip.Member("a.txt")]).bytes, to: "plain.zip")
        let encrypted = try await Self.package(
            [("a.txt", Array(Self.text.utf8), true)],
            name: "locked.zip",
            in: scratch
        ) { $0.password = Password(Array("secret".utf8)) }
        #expect(try Self.problem(scratch.path("none.zip"))?.code == .package(.inputOutput))
        let text = try #require(try Self.problem(scratch.path("text.zip")))
        #expect(text.message.contains("zip"), "\(text.message)")
        let plain = try #require(try Self.problem(scratch.path("plain.zip")))
        #expect(plain.message.contains("manifest.afcache"), "\(plain.message)")
        let locked = try #require(try Self.problem(encrypted))
        #expect(locked.message == "an encrypted package can't be served from its file; load it into a cache")
    }

    @Test func `a damaged member is an error, whether it is compressed or not`() async throws {
        let scratch = try Scratch()
        let package = try await Self.package(
            [("a.txt", Array(Self.text.utf8), true), ("b.bin", Array("binary".utf8), false)],
            in: scratch
        )
        var bytes = try scratch.read("site.zip")
        let stored = try #require(Data(bytes).range(of: Data("binary".utf8))?.lowerBound)
        bytes[stored] ^= 1
        let deflated = try #require(Data(bytes).range(of: Data("d.example/a.txt".utf8))?.upperBound)
        bytes[deflated + 5] ^= 0x55
        try scratch.write(bytes, to: "site.zip")
        let store = try Self.mounted([package])
        for (path, isGzip) in [("a.txt", false), ("a.txt", true), ("b.bin", false)] {
            #expect(throws: CacheError.self) { try Self.body(path, in: store, gzip: isGzip) }
            // Not only the first time.
            #expect(throws: CacheError.self) { try Self.body(path, in: store, gzip: isGzip) }
        }
    }

    @Test func `a body with another SHA-256 than its record is an error`() async throws {
        let scratch = try Scratch()
        let url = try WebURL("http://d.example/a.txt")
        let resource = PackageWriter.Resource(
            record: ResourceRecord(url: url, fetched: Self.now, size: 4, sha256: String(repeating: "0", count: 64)),
            entry: ManifestEntry(url: url, mediaType: "text/plain"),
            body: .bytes(Array("body".utf8)),
            isCompressible: false
        )
        let path = scratch.path("site.zip")
        _ = try await PackageWriter.write([resource], to: path, options: .init(created: Self.now, generator: "test/1"))
        let store = try Self.mounted([path])
        #expect(throws: CacheError.self) { try Self.body("a.txt", in: store) }
    }

    @Test func `a signed package that was altered is refused`() async throws {
        let scratch = try Scratch()
        let key = try #require(SigningKey(seed: [UInt8](repeating: 7, count: 32)))
        let package = try await Self.package([("b.bin", Array("binary".utf8), false)], in: scratch) {
            $0.signers = [key]
        }
        _ = try Self.mounted([package])
        var bytes = try scratch.read("site.zip")
        // The text and its checksum, in both headers.
        let old = RawZip.crc32(Array("binary".utf8))
        let new = RawZip.crc32(Array("Binary".utf8))
        func replace(_ one: [UInt8], _ other: [UInt8]) {
            while let range = Data(bytes).range(of: Data(one)) { bytes.replaceSubrange(range, with: other) }
        }
        replace(Array("binary".utf8), Array("Binary".utf8))
        replace(
            withUnsafeBytes(of: old.littleEndian) { Array($0) },
            withUnsafeBytes(of: new.littleEndian) { Array($0) }
        )
        try scratch.write(bytes, to: "site.zip")
        guard case .package(.untrusted)? = try Self.problem(package)?.code else {
            Issue.record("the package was mounted, or refused for another reason")
            return
        }
    }

    // MARK: Files that change

    @Test func `a file that is replaced or removed is served as it was mounted`() async throws {
        let scratch = try Scratch()
        let package = try await Self.package(in: scratch)
        let store = try Self.mounted([package])
        _ = try await Self.package([("a.txt", Array("other".utf8), true)], in: scratch)
        #expect(try Self.body("a.txt", in: store) == Array(Self.text.utf8))
        try FileManager.default.removeItem(atPath: package)
        let isSame = try Self.body("long.txt", in: store, gzip: false) == Array(Self.long.utf8)
        #expect(isSame)
        #expect(store.changeMark() == 0)
    }

    @Test func `a file that is changed or truncated in its place gives errors`() async throws {
        let scratch = try Scratch()
        let package = try await Self.package(in: scratch)
        let store = try Self.mounted([package])
        let open = try #require(
            try store.respond(to: try Self.request("long.txt"), now: Self.now, policy: OfflinePolicy()).body
        )
        let stored = try #require(
            try store.respond(to: try Self.request("noise.bin"), now: Self.now, policy: OfflinePolicy()).body
        )
        let handle = try #require(FileHandle(forWritingAtPath: package))
        try handle.truncate(atOffset: 100)
        try handle.close()
        #expect(throws: CacheError.self) { try Self.body("a.txt", in: store) }
        #expect(throws: CacheError.self) { try Self.bytes(open) }
        #expect(throws: CacheError.self) { try Self.bytes(stored) }
        #expect(store.changeMark() != 0)
    }

    @Test func `with verification, a large member is compared each time`() async throws {
        let scratch = try Scratch()
        let package = try await Self.package(in: scratch)
        var bytes = try scratch.read("site.zip")
        let place = try #require(Data(bytes).range(of: Data(Self.noise.prefix(64)))?.lowerBound)
        bytes[place + 1_500_000] ^= 1
        try scratch.write(bytes, to: "site.zip")
        let store = try Self.mounted([package], verifying: true)
        #expect(throws: CacheError.self) { try Self.body("noise.bin", in: store) }
        #expect(try Self.body("a.txt", in: store) == Array(Self.text.utf8))
    }
}
