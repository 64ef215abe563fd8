import AFCCache
import AFCCaching
import AFCHTTP
import AFCPackageFormat
import AFCText
import AFCURL
import Foundation
import TestSupport
import Testing

/// Folders that another user prepared as a trap: nothing outside is read, written or removed, and nothing waits.
struct HostileFolderTests {
    static let now = PackagesTests.now

    /// A cache with a package of two generations, and beside it a folder and a file that must stay as they are.
    private final class Bench {
        let scratch: Scratch
        let package: String
        let generation: String
        /// Bodies that were read.
        private var read: Set<String> = []
        var store: String { scratch.path("store") }

        init() async throws {
            scratch = try Scratch()
            let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
            let bodies = ["a": PackagesTests.Resource("aaaa"), "folder/b": .init("bbbb")]
            package = try await PackagesTests.package("p", bodies, in: scratch)
            _ = try await cache.install(package, now: HostileFolderTests.now)
            let packages = scratch.path("store/packages")
            generation = "packages/" + (try FileManager.default.contentsOfDirectory(atPath: packages)[0])
            try scratch.write(Array("evil".utf8), to: "victim/file")
            try scratch.write(Array("evil".utf8), to: "victim/d.example/a")
        }

        func path(_ name: String) -> String { store + "/" + name }

        func replace(_ name: String, byLinkTo target: String) throws {
            try? FileManager.default.removeItem(atPath: path(name))
            try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: scratch.path(target))
        }

        func replaceByPipe(_ name: String) throws {
            try? FileManager.default.removeItem(atPath: path(name))
            try #require(mkfifo(path(name), 0o644) == 0)
        }

        func sql(_ text: String, _ file: String) throws {
            let script =
                "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.close()"
            let result = try Program.run("python3", ["-c", script, path(file), text])
            try #require(result.status == 0, "\(result.errors)")
        }

        /// Changes the catalogue and its copy, with the right digest.
        func rewrite(_ old: String, _ new: String) throws {
            let text = String(decoding: try scratch.read("store/catalogue.json"), as: UTF8.self)
            let start = try #require(text.firstRange(of: #","catalogue":"#)).upperBound
            let changed = String(text[start...].dropLast(2)).replacingOccurrences(of: old, with: new)
            try #require(!text.contains(changed))
            try scratch.write(Array(changed.utf8), to: "changed")
            let digest = try Program.run("sha256sum", [scratch.path("changed")]).text.prefix(64)
            let file = #"{"sha256":"\#(digest)","catalogue":\#(changed)}"# + "\n"
            for name in ["catalogue.json", "catalogue.copy"] {
                try scratch.write(Array(file.utf8), to: "store/" + name)
            }
        }

        /// Does everything that reads or changes a cache; what is thrown is collected.
        func useAll() async -> [String] {
            var errors: [String] = []
            func attempt(_ body: () async throws -> Void) async {
                do { try await body() } catch { errors.append("\(error)") }
            }
            for access in [DiskCache.Access.readOnly, .existing, .readWrite] {
                await attempt {
                    let cache = try DiskCache(path: store, access: access)
                    for name in ["a", "folder/b"] {
                        await attempt {
                            let body = try PackagesTests.body(name, in: cache, at: HostileFolderTests.now + 600)
                            if let body { read.insert(body) }
                        }
                    }
                    try cache.close()
                    await attempt { _ = try cache.verify() }
                    await attempt { _ = try cache.resources(limit: 10) }
                    await attempt { _ = try cache.info() }
                    if access == .readOnly { return }
                    await attempt { _ = try await cache.repair(from: [package]) }
                    await attempt { _ = try await cache.update("p", .init(isPinned: true)) }
                    await attempt { _ = try await cache.update("p", .init(isPinned: false, isSeparable: true)) }
                    await attempt {
                        _ = try await cache.setLimits(CacheLimits(entries: 1), now: HostileFolderTests.now)
                    }
                    await attempt { _ = try await cache.setLimits(CacheLimits(), now: HostileFolderTests.now) }
                    for _ in 0..<2 {
                        await attempt { _ = try await cache.install(package, now: HostileFolderTests.now) }
                    }
                    await attempt { _ = try await cache.rollBack("p") }
                    await attempt {
                        _ = try await cache.collectGarbage(includingPrevious: true, now: HostileFolderTests.now)
                    }
                    await attempt {
                        try Receiving.put(
                            cache,
                            try WebURL("http://d.example/r"),
                            String(repeating: "r", count: 40_000)
                        )
                        try cache.close()
                    }
                    await attempt { _ = try await cache.remove("p") }
                }
            }
            return errors
        }

        func expectUntouched() throws {
            // What lies outside has as many bytes as the bodies, so that only its place tells it from them.
            #expect(read.isSubset(of: ["aaaa", "bbbb"]))
            let left = try FileManager.default.subpathsOfDirectory(atPath: scratch.path("victim")).sorted()
            #expect(left == ["d.example", "d.example/a", "file"])
            for file in ["victim/file", "victim/d.example/a"] {
                #expect(String(decoding: try scratch.read(file), as: UTF8.self) == "evil")
            }
        }
    }

    @Test(arguments: [
        "packages", "staging", "downloads", "received", "evicted", "GENERATION",
        "GENERATION/files", "GENERATION/files/d.example",
        "GENERATION/files/d.example/folder",
    ])
    func `a link in place of a folder is refused, and its target is unchanged`(name: String) async throws {
        let bench = try await Bench()
        try bench.replace(name.replacingOccurrences(of: "GENERATION", with: bench.generation), byLinkTo: "victim")
        #expect(!(await bench.useAll()).isEmpty)
        try bench.expectUntouched()
    }

    @Test func `a link in place of the reserve isn't followed`() async throws {
        let bench = try await Bench()
        try bench.scratch.write(Array("evil".utf8), to: "victim/probe")
        try bench.scratch.write(Array("evil".utf8), to: "victim/0")
        try bench.replace("reserve", byLinkTo: "victim")
        _ = await bench.useAll()
        for name in ["probe", "0"] {
            #expect(try bench.scratch.read("victim/" + name) == Array("evil".utf8))
            try FileManager.default.removeItem(atPath: bench.scratch.path("victim/" + name))
        }
        try bench.expectUntouched()
    }

    @Test(arguments: [
        "catalogue.json", "catalogue.copy", "GENERATION/catalogue.json", "changes", "writer.lock", "received.sqlite",
        "received.lock", "received.changes", "GENERATION/index", "GENERATION/recency", "GENERATION/files/d.example/a",
    ])
    func `a link or a pipe in place of a file is neither followed nor waited for`(name: String) async throws {
        for target in ["victim/file", "victim/new", nil] {
            let bench = try await Bench()
            let name = name.replacingOccurrences(of: "GENERATION", with: bench.generation)
            if let target { try bench.replace(name, byLinkTo: target) } else { try bench.replaceByPipe(name) }
            _ = await bench.useAll()
            try bench.expectUntouched()
        }
    }

    @Test func `a body behind a symbolic link isn't served, and the link is reported`() async throws {
        let bench = try await Bench()
        try bench.replace(bench.generation + "/files/d.example", byLinkTo: "victim/d.example")
        let cache = try DiskCache(path: bench.store, access: .readWrite)
        #expect(throws: CacheError.self) { try PackagesTests.body("a", in: cache) }
        let link = bench.path(bench.generation + "/files/d.example")
        let found = try cache.verify().findings
        #expect(found.contains { $0.kind == .bodyDamaged && $0.message.contains("'\(link)'") }, "\(found)")
        #expect(!(try await cache.repair(from: [bench.package]).remaining.isEmpty))
        // The advice of the sentence helps.
        try FileManager.default.removeItem(atPath: link)
        #expect(try await cache.repair(from: [bench.package]).remaining.isEmpty)
        #expect(try PackagesTests.body("a", in: cache) == "aaaa")
        try bench.expectUntouched()
    }

    /// A journal that SQLite would take for one of its own: a header, and the name of a journal above it, which it removes.
    private static func journal(naming path: String) -> [UInt8] {
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        let header = magic + number(0) + number(1) + number(1) + number(512) + number(4096)
        let name = Array(path.utf8)
        let sum = name.reduce(0) { $0 + Int(Int8(bitPattern: $1)) }
        let end = number(0x4000_0000 / 4096 + 1) + name + number(name.count) + number(sum) + magic
        return header + [UInt8](repeating: 0, count: 512 - header.count) + end
    }

    @Test func `a journal beside a database is refused and changes nothing`() async throws {
        let name = "received.sqlite"
        let bench = try await Bench()
        do {
            let cache = try DiskCache(path: bench.store, access: .readWrite)
            try Receiving.put(cache, try WebURL("http://d.example/r"), "r")
            try cache.close()
        }
        try bench.scratch.write(Self.journal(naming: bench.scratch.path("victim/file")), to: "store/\(name)-journal")
        let errors = await bench.useAll()
        #expect(errors.contains { $0.contains("\(name)-journal") }, "\(errors)")
        try bench.expectUntouched()
    }

    @Test(arguments: [
        "CREATE TRIGGER t AFTER UPDATE ON response BEGIN DELETE FROM response; END",
        "CREATE VIEW v AS SELECT * FROM response", "CREATE TABLE other (x)",
    ])
    func `a database of received responses with another schema than ours isn't used`(text: String) async throws {
        let bench = try await Bench()
        let cache = try DiskCache(path: bench.store, access: .readWrite)
        try Receiving.put(cache, try WebURL("http://d.example/r"), "r")
        try cache.close()
        try bench.sql(text, "received.sqlite")
        let error = #expect(throws: CacheError.self) {
            try DiskCache(path: bench.store, access: .readWrite).startReceiving()
        }
        #expect(error?.code == .damaged)
        #expect(try cache.verify().findings.map(\.kind) == [.catalogueDamaged])
    }

    @Test(arguments: [
        (#""folder":"gen-"#, #""folder":"../../victim","x":"gen-"#), (#""folder":"gen-"#, #""folder":".","x":"gen-"#),
        (#""folder":"gen-"#, #""folder":"..","x":"gen-"#), (#""folder":"gen-"#, #""folder":"","x":"gen-"#),
        (#""folder":"gen-"#, #""folder":"a/../../../victim","x":"gen-"#),
        (#""resources":2"#, #""resources":-1"#), (#""resources":2"#, #""resources":2147483647"#),
        (#""evicted":null"#, #""evicted":{"file":"../victim/file","sha256":"","entries":1,"bytes":1}"#),
        (#""evicted":null"#, #""evicted":{"file":"evicted-0123456789abcdef","sha256":"","entries":1,"bytes":1}"#),
        (#""removed":[]"#, #""removed":["../../victim"]"#), (#""removed":[]"#, #""removed":[".."]"#),
        (#""loaded":"#, #""loaded":"x","y":"#), (#""priority":0"#, #""priority":"x""#),
    ])
    func `invalid values in the catalogue read no foreign file and cause no crash`(old: String, new: String)
        async throws
    {
        let bench = try await Bench()
        try bench.rewrite(old, new)
        _ = await bench.useAll()
        try bench.expectUntouched()
    }

    @Test(arguments: ["/../../../../../victim", "../../../../victim/.", "d.example/./", "d.example//"])
    func `an index that names a member elsewhere is damaged`(member: String) async throws {
        let bench = try await Bench()
        let index = "store/\(bench.generation)/index"
        var bytes = try bench.scratch.read(index)
        let old = Array("d.example/folder/b".utf8)
        let new =
            Array(member.utf8.prefix(old.count))
            + Array(repeating: UInt8(ascii: "x"), count: max(0, old.count - member.utf8.count))
        // The member stands behind the URL, which ends in the same bytes.
        let places = bytes.indices.filter { bytes[$0...].starts(with: old) }
        bytes.replaceSubrange(try #require(places.last)..<(try #require(places.last) + old.count), with: new)
        try bench.scratch.write(bytes, to: index)
        let cache = try DiskCache(path: bench.store, access: .readOnly)
        let error = #expect(throws: CacheError.self) { try PackagesTests.body("folder/b", in: cache) }
        #expect(error?.code == .damaged)
        _ = await bench.useAll()
        try bench.expectUntouched()
    }

    @Test func `an entry's number beyond the index is damage, and creates no large file`() async throws {
        let bench = try await Bench()
        let index = "store/\(bench.generation)/index"
        var bytes = try bench.scratch.read(index)
        bytes.replaceSubrange(40..<44, with: [0xFF, 0xFF, 0xFF, 0xFF])
        try bench.scratch.write(bytes, to: index)
        let cache = try DiskCache(path: bench.store, access: .readWrite)
        let error = #expect(throws: CacheError.self) { try PackagesTests.body("a", in: cache) }
        #expect(error?.code == .damaged)
        try cache.close()
        #expect(!FileManager.default.fileExists(atPath: bench.path(bench.generation + "/recency")))
    }

    @Test(arguments: [0o777, 0o775, 0o1777, 0o757])
    func `a folder that other users can write to is read but not written to`(mode: Int) async throws {
        for name in ["", "/packages", "/staging"] {
            let bench = try await Bench()
            try FileManager.default.setAttributes(
                [.posixPermissions: NSNumber(value: mode)],
                ofItemAtPath: bench.store + name
            )
            let reader = try DiskCache(path: bench.store, access: .readOnly)
            #expect(try PackagesTests.body("a", in: reader) == "aaaa")
            let error = await #expect(throws: CacheError.self) {
                let cache = try DiskCache(path: bench.store, access: .readWrite)
                _ = try await cache.install(bench.package, now: Self.now)
            }
            #expect(error?.code == .inputOutput)
            #expect(error?.subject == bench.store + name)
            #expect(error?.message.contains("run 'chmod go-w' on it") == true)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a folder away"))
    func `a folder of another user is read but not written to, not even by root`() async throws {
        let bench = try await Bench()
        let paths = try FileManager.default.subpathsOfDirectory(atPath: bench.store).map { bench.path($0) }
        for path in paths + [bench.store] { try #require(lchown(path, 12345, 12345) == 0) }
        let before = try FileManager.default.subpathsOfDirectory(atPath: bench.store).sorted()
        do {
            let reader = try DiskCache(path: bench.store, access: .readOnly)
            #expect(try PackagesTests.body("a", in: reader) == "aaaa")
            try reader.close()
            #expect(try reader.verify().findings.isEmpty)
        }
        let error = await #expect(throws: CacheError.self) {
            let cache = try DiskCache(path: bench.store, access: .readWrite)
            _ = try await cache.install(bench.package, now: Self.now)
        }
        #expect(error?.code == .inputOutput)
        #expect(error?.message.hasPrefix("the folder belongs to user 12345") == true)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: bench.store).sorted() == before)
    }

    @Test func `a process that can only read a cache can't block its writers`() async throws {
        let bench = try await Bench()
        let cache = try DiskCache(path: bench.store, access: .readWrite)
        try Receiving.put(cache, try WebURL("http://d.example/r"), "r")
        try cache.close()
        var held: [Int32] = []
        defer { held.forEach { close($0) } }
        for name in try FileManager.default.contentsOfDirectory(atPath: bench.store) {
            let attributes = try FileManager.default.attributesOfItem(atPath: bench.path(name))
            let mode = try #require(attributes[.posixPermissions] as? NSNumber).intValue
            if name.hasSuffix(".lock") { #expect(mode == 0o600, "\(name)") }
            // What others may open for reading they may lock.
            guard mode & 0o004 != 0 else { continue }
            let descriptor = open(bench.path(name), O_RDONLY)
            #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
            held.append(descriptor)
        }
        var options = InstallOptions()
        options.patience = WriterPatience(seconds: 0)
        _ = try await cache.install(bench.package, options: options, now: Self.now)
        try Receiving.put(cache, try WebURL("http://d.example/r"), "s")
        try cache.close()
        #expect(try await cache.clearReceived().responses == 1)
    }

    @Test func `a lock that an older program made readable for all is closed to others`() async throws {
        let bench = try await Bench()
        try FileManager.default.setAttributes(
            [.posixPermissions: NSNumber(value: 0o644)],
            ofItemAtPath: bench.path("writer.lock")
        )
        let cache = try DiskCache(path: bench.store, access: .readWrite)
        _ = try await cache.update("p", .init(isPinned: true))
        let attributes = try FileManager.default.attributesOfItem(atPath: bench.path("writer.lock"))
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }
}
