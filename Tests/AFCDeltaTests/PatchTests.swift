import AFCCache
import AFCCaching
import AFCDelta
import AFCFiles
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCURL
import AFCZip
import Crypto
import TestSupport
import Testing

/// Patches of packages: what is made, what is made of it, and what is refused.
struct PatchTests {
    static let time = Timestamp(secondsSinceEpoch: 1_763_719_200)

    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// The bodies of an archive, as a source for a patch.
    struct ArchiveBodies: BodySource {
        let archive: ZipReader
        private var members: [BodyID: ZipMember] = [:]

        init(_ path: String) throws {
            archive = try ZipReader(path: path)
            for member in archive.members {
                let body = try archive.read(member, maxBytes: 64 << 20)
                if let id = BodyID(Array(SHA256.hash(data: body))) { members[id] = member }
            }
        }

        func body(_ id: BodyID) -> HeldBody? { members[id].map { .member(archive, $0) } }
    }

    /// A source without bodies.
    struct Nothing: BodySource {
        func body(_ id: BodyID) -> HeldBody? { nil }
    }

    static func resource(_ text: String, _ body: [UInt8], type: String = "text/html") throws -> PackageWriter.Resource {
        let url = try WebURL(text)
        let member = PackageDigest.Member(name: "", body: body)
        return PackageWriter.Resource(
            record: ResourceRecord(url: url, fetched: time, size: member.size, sha256: member.sha256),
            entry: ManifestEntry(url: url, lastModified: time, mediaType: type),
            body: .bytes(body),
            isCompressible: type.hasPrefix("text/")
        )
    }

    /// Writes a package of URLs and bodies.
    @discardableResult
    func package(
        _ name: String,
        _ bodies: [String: [UInt8]],
        created: Int64 = 0,
        _ change: (inout PackageWriter.Options) -> Void = { _ in }
    ) async throws -> String {
        var options = PackageWriter.Options(
            created: Timestamp(secondsSinceEpoch: Self.time.secondsSinceEpoch + created),
            generator: "test/1"
        )
        change(&options)
        let resources = try bodies.map { try Self.resource($0.key, $0.value) }
        _ = try await PackageWriter.write(SortedResources(resources), to: scratch.path(name), options: options)
        return scratch.path(name)
    }

    func patch(_ old: String, _ new: String, _ name: String = "patch.zip", workers: Int = 2) throws
        -> PatchWriter.Summary
    {
        try PatchWriter.write(
            from: old,
            to: new,
            as: scratch.path(name),
            options: PatchWriter.Options(generator: "test/1", workers: workers)
        )
    }

    /// A body that is stored in a file.
    func spooled(_ bytes: [UInt8]) throws -> DeflatedBody {
        let spool = try SpoolFile(in: scratch.path)
        var crc = CRC32()
        bytes.withUnsafeBytes { crc.update($0) }
        let size = Int64(bytes.count)
        let totals = Deflater.Totals(crc32: crc.value, uncompressedSize: size, compressedSize: size)
        return spool.body(
            extents: [try bytes.withUnsafeBytes { try spool.append($0) }],
            totals: totals,
            method: .stored
        )
    }

    static func noise(_ count: Int, seed: UInt64) -> [UInt8] {
        var state = seed
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
    }

    static func page(_ number: Int, footer: String) -> [UInt8] {
        let words = noise(4000, seed: UInt64(number)).map { "word\($0)" }.joined(separator: " ")
        return Array("<html><body>\(words)<footer>\(footer)</footer></body></html>".utf8)
    }

    static let oldBodies: [String: [UInt8]] = [
        "http://d.example/same.html": page(1, footer: "one"),
        "http://d.example/changed.html": page(2, footer: "one"),
        "http://d.example/v1/moved.html": page(3, footer: "one"),
        "http://d.example/renamed.png": noise(5000, seed: 4),
        "http://d.example/gone.html": page(5, footer: "one"),
        "http://d.example/empty": [],
    ]
    static let newBodies: [String: [UInt8]] = [
        "http://d.example/same.html": page(1, footer: "one"),
        "http://d.example/changed.html": page(2, footer: "two"),
        "http://d.example/v2/moved.html": page(3, footer: "two"),
        "http://d.example/other-name.png": noise(5000, seed: 4),
        "http://d.example/new.bin": noise(9000, seed: 6),
        "http://d.example/empty": [],
        "http://d.example/large.bin": noise(17 << 20, seed: 7),
    ]

    @Test func `what is kept, patched and whole makes the new package's contents`() async throws {
        let old = try await package("old.zip", Self.oldBodies)
        let notes = try spooled(Array("notes".utf8))
        let new = try await package("new.zip", Self.newBodies, created: 9) { options in
            // printf notes | sha256sum
            let sha256 = "ab5aa97074c454a0632057e704220d9a6678fbf773a0a5806fc09b8173b07309"
            options.userData = [.init(member: ".userdata/a/notes.txt", body: notes, sha256: sha256)]
        }
        let summary = try patch(old, new)
        #expect(summary.kept == 2)
        #expect(summary.patched == 2)
        // The new body, the large one, and user data.
        #expect(summary.whole == 3)
        #expect(summary.patchedBytes < 2000)
        let expected = try PackageReader(path: new).contentDigest()
        #expect(summary.newDigest == expected.hexadecimal)
        #expect(summary.oldDigest == (try PackageReader(path: old).contentDigest().hexadecimal))
        let patch = try PatchReader(path: scratch.path("patch.zip"))
        #expect(patch.newDigest == expected.hexadecimal)
        _ = try patch.rebuild(to: scratch.path("made.zip"), from: ArchiveBodies(old), workers: 2)
        let made = try PackageReader(path: scratch.path("made.zip"))
        try made.requireLoadable()
        #expect(try made.contentDigest() == expected)
        #expect(made.archive.members.map(\.name) == (try ZipReader(path: new).members.map(\.name)))
        #expect(try PackageReader(path: scratch.path("patch.zip")).index.isPatch)
        #expect(try !PackageReader(path: new).index.isPatch)
    }

    @Test func `bodies that the old package has can be left out of what is made`() async throws {
        var bodies = Self.oldBodies
        bodies["http://d.example/large.bin"] = Self.noise(3 << 20, seed: 8)
        let old = try await package("old.zip", bodies)
        bodies["http://d.example/changed.html"] = Self.page(2, footer: "two")
        let new = try await package("new.zip", bodies, created: 9)
        _ = try patch(old, new)
        let patch = try PatchReader(path: scratch.path("patch.zip"))
        let made = try patch.rebuild(
            to: scratch.path("made.zip"),
            from: ArchiveBodies(old),
            leavesOutKept: true,
            workers: 2
        )
        #expect(made.size < 60_000, "\(made.size)")
        #expect(Int64(try scratch.read("made.zip").count) == made.size)
        let package = try PackageReader(path: scratch.path("made.zip"))
        try package.requireLoadable()
        let lacking = package.archive.members.enumerated().filter { made.lacking.contains($0.offset) }.map(\.element)
        #expect(
            lacking.map(\.name).sorted() == [
                "d.example/gone.html", "d.example/large.bin", "d.example/renamed.png", "d.example/same.html",
                "d.example/v1/moved.html",
            ]
        )
        let sizes = try ZipReader(path: new).members.map(\.uncompressedSize)
        #expect(package.archive.members.map(\.uncompressedSize) == sizes)
        let expected = try PackageReader(path: new).statedDigest()
        #expect(try package.statedDigest() == expected && expected.hexadecimal == patch.newDigest)
    }

    @Test func `the new package's signature is valid after a patch`() async throws {
        let key = try #require(SigningKey(seed: [UInt8](repeating: 7, count: 32)))
        let old = try await package("old.zip", Self.oldBodies)
        let new = try await package("new.zip", Self.newBodies, created: 9) { $0.signers = [key] }
        _ = try patch(old, new)
        let patch = try PatchReader(path: scratch.path("patch.zip"))
        _ = try patch.rebuild(to: scratch.path("made.zip"), from: ArchiveBodies(old), workers: 2)
        let made = try PackageReader(path: scratch.path("made.zip"))
        #expect(try made.claimedSignatures().count == 1)
        // A wrong signature is an error, whoever made it.
        _ = try made.verifySignature(policy: TrustPolicy())
    }

    @Test func `the same packages give the same bytes, with any number of threads`() async throws {
        let old = try await package("old.zip", Self.oldBodies)
        let new = try await package("new.zip", Self.newBodies)
        _ = try patch(old, new, "a.zip", workers: 1)
        _ = try patch(old, new, "b.zip", workers: 4)
        let isSame = try scratch.read("a.zip") == scratch.read("b.zip")
        #expect(isSame)
    }

    @Test func `a patch for another package is refused with both digests, and nothing is written`() async throws {
        let old = try await package("old.zip", Self.oldBodies)
        let new = try await package("new.zip", Self.newBodies)
        let summary = try patch(old, new)
        let patch = try PatchReader(path: scratch.path("patch.zip"))
        let error = #expect(throws: PatchError.self) {
            _ = try patch.rebuild(to: scratch.path("made.zip"), from: Nothing(), workers: 1)
        }
        #expect(error?.code == .misfit)
        #expect(error?.message.contains(summary.oldDigest) == true)
        #expect(error?.message.contains(summary.newDigest) == true)
        #expect(error?.message.contains("and for 3 more members") == true, "\(error?.message ?? "")")
        #expect(scratch.names == ["new.zip", "old.zip", "patch.zip"])
    }

    @Test func `a dictionary that is damaged doesn't count as the old body`() async throws {
        struct Damaged: BodySource {
            let file: OpenFile
            func body(_ id: BodyID) -> HeldBody? { .file(file) }
        }
        let old = try await package("old.zip", Self.oldBodies)
        let new = try await package("new.zip", Self.newBodies)
        _ = try patch(old, new)
        let file = try OpenFile(reading: try scratch.write(Self.noise(100, seed: 9), to: "body"))
        let patch = try PatchReader(path: scratch.path("patch.zip"))
        let error = #expect(throws: PatchError.self) {
            _ = try patch.rebuild(to: scratch.path("made.zip"), from: Damaged(file: file), workers: 1)
        }
        #expect(error?.code == .misfit)
        #expect(!scratch.names.contains("made.zip"))
    }

    @Test func `no patch is made of a patch, an encrypted package or a damaged one`() async throws {
        let old = try await package("old.zip", Self.oldBodies)
        let new = try await package("new.zip", Self.newBodies)
        let locked = try await package("locked.zip", ["http://d.example/a": [1]]) {
            $0.password = Password(Array("secret".utf8))
        }
        try scratch.write(Array("no zip".utf8), to: "bad.zip")
        _ = try patch(old, new)
        for (one, other, code) in [
            (scratch.path("patch.zip"), new, PatchErrorCode.unsuitable),
            (old, scratch.path("bad.zip"), .package(.invalidArchive(rule: "zip.no-end"))),
            (old, locked, .package(.locked(rule: "zip.password-missing"))),
        ] {
            let error = #expect(throws: PatchError.self) { _ = try patch(one, other, "x.zip") }
            if case .package(.invalidArchive) = code {
                guard case .package(.invalidArchive)? = error?.code else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            } else {
                #expect(error?.code == code, "\(String(describing: error))")
            }
            #expect(!scratch.names.contains("x.zip"))
        }
    }

    // MARK: Hostile patches

    /// Rewrites the patch with other bodies for its own members.
    func rewrite(_ change: (String, [UInt8]) throws -> [UInt8]?) async throws {
        let archive = try ZipReader(path: scratch.path("patch.zip"))
        var members: [NewMember] = []
        for member in archive.members {
            let body = try archive.read(member, maxBytes: 64 << 20)
            guard let changed = try change(member.name, body) else { continue }
            members.append(NewMember(name: member.name, content: .bytes(changed), isCompressible: false))
        }
        _ = try await ZipWriter.write(to: scratch.path("hostile.zip"), members: members)
    }

    static let headers: [(change: String, with: String, rule: String)] = [
        ("\"format\":1", "\"format\":2", "patch.newer-version"),
        ("\"format\":1", "\"format\":0", "patch.bad-header"),
        ("{", "[", "patch.bad-header"),
        ("\"old\":\"", "\"old\":\"x", "patch.bad-header"),
        ("\"metadataBytes\":", "\"metadataBytes\":-", "patch.bad-header"),
        ("\"metadataBytes\":", "\"metadataBytes\":9999999999", "patch.bad-header"),
        ("\"metadataBytes\":", "\"metadataBytes\":1", "patch.damaged-table"),
        ("\"tableBytes\":", "\"tableBytes\":1", "patch.damaged-table"),
        ("{", "{\"format\":1,", "patch.bad-header"),
        ("\"modified\":", "\"modified\":-", "patch.bad-header"),
    ]

    @Test(arguments: headers) func `a wrong header is refused`(_ change: String, _ with: String, _ rule: String)
        async throws
    {
        let old = try await package("old.zip", ["http://d.example/a": Self.page(1, footer: "a")])
        let new = try await package("new.zip", ["http://d.example/a": Self.page(1, footer: "b")])
        _ = try patch(old, new)
        try await rewrite { name, body in
            guard name == PatchLayout.header else { return body }
            return Array(String(decoding: body, as: UTF8.self).replacing(change, with: with, maxReplacements: 1).utf8)
        }
        let error = #expect(throws: PatchError.self) { _ = try PatchReader(path: scratch.path("hostile.zip")) }
        #expect(error?.code == .invalid(rule: rule), "\(String(describing: error))")
    }

    @Test(arguments: ["manifest.afcache", ".afcache/other", "d.example/b"])
    func `a patch with a member that its table doesn't name is refused`(name: String) async throws {
        let old = try await package("old.zip", Self.oldBodies)
        let new = try await package("new.zip", Self.newBodies)
        _ = try patch(old, new)
        let archive = try ZipReader(path: scratch.path("patch.zip"))
        var members: [NewMember] = []
        for member in archive.members {
            let body = try archive.read(member, maxBytes: 64 << 20)
            members.append(NewMember(name: member.name, content: .bytes(body), isCompressible: false))
        }
        members.append(NewMember(name: name, content: .bytes([]), isCompressible: false))
        _ = try await ZipWriter.write(to: scratch.path("hostile.zip"), members: members)
        let error = #expect(throws: PatchError.self) { _ = try PatchReader(path: scratch.path("hostile.zip")) }
        #expect(error?.code == .invalid(rule: "patch.foreign-member"), "\(String(describing: error))")
        #expect(try PackageReader(path: scratch.path("hostile.zip")).index.isPatch)
    }

    @Test func `a damaged byte anywhere is refused, and nothing is written`() async throws {
        let old = try await package("old.zip", ["http://d.example/a": Self.page(1, footer: "a")])
        let new = try await package("new.zip", ["http://d.example/a": Self.page(1, footer: "b")])
        _ = try patch(old, new)
        let bodies = try ArchiveBodies(old)
        let names = [".afcache/delta.members", ".afcache/delta.bodies"]
        for name in names {
            let size = try #require(try ZipReader(path: scratch.path("patch.zip")).member(named: name)).uncompressedSize
            for place in stride(from: 0, to: Int(size), by: name == names[0] ? 7 : 1) {
                try await rewrite { found, body in
                    guard found == name else { return body }
                    var body = body
                    body[place] ^= 0x55
                    return body
                }
                do throws(PatchError) {
                    let patch = try PatchReader(path: scratch.path("hostile.zip"))
                    _ = try patch.rebuild(to: scratch.path("made.zip"), from: bodies, workers: 1)
                    // Some bits of a frame make no difference; the contents are right then.
                    let made = try? PackageReader(path: scratch.path("made.zip")).contentDigest().hexadecimal
                    #expect(made == patch.newDigest)
                    try? await removeMade()
                } catch {
                    guard case .invalid = error.code else {
                        #expect(error.code == .misfit, "\(error)")
                        continue
                    }
                }
                #expect(!scratch.names.contains("made.zip"))
            }
        }
    }

    private func removeMade() async throws {
        _ = try Program.run("rm", [scratch.path("made.zip")])
    }

    @Test(arguments: ["table", "bodies", "frames"])
    func `a patch without one of its members is refused`(_ missing: String) async throws {
        let old = try await package("old.zip", ["http://d.example/a": Self.page(1, footer: "a")])
        let new = try await package("new.zip", ["http://d.example/a": Self.page(1, footer: "b")])
        _ = try patch(old, new)
        try await rewrite { name, body in
            switch missing {
            case "table": name == ".afcache/delta.members" ? nil : body
            case "bodies": name == ".afcache/delta.bodies" ? nil : body
            default: name == ".afcache/delta.bodies" ? body + [0] : body
            }
        }
        let error = #expect(throws: PatchError.self) { _ = try PatchReader(path: scratch.path("hostile.zip")) }
        #expect(error?.code == .invalid(rule: missing == "table" ? "patch.no-table" : "patch.sizes"))
    }

    // MARK: Caches

    struct CacheBodies: BodySource {
        let look: BodyLookUp
        func body(_ id: BodyID) -> HeldBody? { look.file(id.number).map { .file($0) } }
    }

    /// A pair of packages that a seed decides.
    static func pair(_ seed: UInt64) -> (old: [String: [UInt8]], new: [String: [UInt8]]) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func next(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }
        var old: [String: [UInt8]] = [:]
        for number in 0..<(1 + next(25)) {
            let url =
                "http://\(["a", "b"][next(2)]).example/\(["", "x/", "x/y/"][next(3)])p\(number)\(["", ".html", "?q=1"][next(3)])"
            switch next(5) {
            case 0: old[url] = noise(next(3000), seed: state)
            case 1: old[url] = []
            case 2: old[url] = page(next(4), footer: "shared")
            default: old[url] = page(number, footer: "\(next(1000))")
            }
        }
        var new: [String: [UInt8]] = [:]
        for (url, body) in old.sorted(by: { $0.key < $1.key }) {
            switch next(8) {
            case 0: continue
            case 1, 2:
                var body = body
                if !body.isEmpty { body[next(body.count)] ^= 1 }
                new[url] = body + Array("changed \(next(100))".utf8)
            case 3: new[url.replacing(".example/", with: ".example/v\(next(3))/")] = body
            case 4: new[url] = Array(body.dropFirst(next(body.count + 1)))
            default: new[url] = body
            }
        }
        if next(3) == 0 { new["http://c.example/new"] = noise(next(5000), seed: state) }
        if new.isEmpty { new["http://c.example/only"] = [1] }
        return (old, new)
    }

    /// Loads the new package with a patch and as a whole, and compares the caches.
    func compare(_ seed: UInt64) async throws {
        let (old, new) = Self.pair(seed)
        let oldPath = try await package("old.zip", old)
        let newPath = try await package("new.zip", new, created: 60)
        _ = try patch(oldPath, newPath)
        var options = InstallOptions()
        options.name = "p"
        var digests: [[String]] = []
        for way in ["patch", "links", "whole"] {
            let cache = try DiskCache(path: scratch.path(way), access: .readWrite)
            _ = try await cache.install(oldPath, options: options, now: Self.time)
            if way != "whole" {
                let patch = try PatchReader(path: scratch.path("patch.zip"))
                let bodies = CacheBodies(look: try cache.bodies(Set(patch.needs.map(\.number))))
                let made = scratch.path("made.zip")
                var options = options
                options.held =
                    try patch.rebuild(to: made, from: bodies, leavesOutKept: way == "links", workers: 2).lacking
                _ = try await cache.install(made, options: options, now: Self.time)
            } else {
                _ = try await cache.install(newPath, options: options, now: Self.time)
            }
            let report = try cache.verify()
            #expect(report.findings.isEmpty, "seed \(seed), \(way): \(report.findings)")
            digests.append(try indexDigests(way))
            try cache.close()
        }
        #expect(digests[0] == digests[2] && digests[1] == digests[2], "seed \(seed)")
        #expect(!digests[0].isEmpty)
        for name in ["patch", "links", "whole"] { _ = try Program.run("rm", ["-r", scratch.path(name)]) }
    }

    /// The SHA-256 of the index of each generation.
    private func indexDigests(_ cache: String) throws -> [String] {
        let result = try Program.run(
            "sh",
            ["-c", "sha256sum packages/*/index | cut -c1-64 | sort"],
            in: scratch.path(cache)
        )
        return result.text.split(separator: "\n").map(String.init)
    }

    @Test func `after a patch the cache has the same index as after a whole load`() async throws {
        for seed in 0..<UInt64(Rounds.count(8)) { try await compare(seed) }
    }
}
