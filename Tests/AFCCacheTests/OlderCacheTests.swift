import AFCCache
import AFCPackageFormat
import AFCText
import Foundation
import TestSupport
import Testing

/// Caches that earlier versions of the program wrote: they are refused, and a repair rebuilds them.
struct OlderCacheTests {
    static let now = PackagesTests.now

    /// Makes a cache one of an earlier version: a database, a published catalogue and records, as far as they are named.
    static let older = #"""
        import hashlib, json, os, shutil, sqlite3, sys
        store, kept = sys.argv[1], sys.argv[2].split(",")
        catalogue = json.load(open(store + "/catalogue.json"))["catalogue"]
        def generation(found):
            found = dict(found)
            evicted = found.pop("evicted")
            found.pop("origins")
            numbers = []
            if evicted:
                bits = open(store + "/evicted/" + evicted["file"], "rb").read()
                numbers = [n for n in range(len(bits) * 8) if bits[n // 8] >> n % 8 & 1]
                assert len(numbers) == evicted["entries"]
            found["displaced"] = ",".join(map(str, numbers))
            found["displacedBytes"] = evicted["bytes"] if evicted else 0
            return found
        def write(path, packages):
            inner = json.dumps({"version": 1, "limits": catalogue["limits"], "packages": packages}, ensure_ascii=False)
            inner = inner.encode().replace(b'{"version": 1', b'{"version":1')
            digest = hashlib.sha256(inner).hexdigest().encode()
            open(path, "wb").write(b'{"sha256":"' + digest + b'","catalogue":' + inner + b"}\n")
        packages = []
        for found in catalogue["packages"]:
            package = dict(found)
            generations = package.pop("generations")
            package["current"] = generation(generations[0])
            package["previous"] = generation(generations[1]) if generations[1:] else None
            package["origins"] = generations[0]["origins"]
            packages.append(package)
            for each in generations:
                path = store + "/packages/" + each["folder"] + "/catalogue.json"
                os.unlink(path)
                if "records" in kept: write(path, [package])
        os.unlink(store + "/catalogue.copy")
        os.unlink(store + "/catalogue.json")
        shutil.rmtree(store + "/evicted", ignore_errors=True)
        if "published" in kept: write(store + "/catalogue.json", packages)
        if "database" in kept:
            db = sqlite3.connect(store + "/index.sqlite")
            db.executescript("PRAGMA journal_mode = WAL; CREATE TABLE generation (id INTEGER PRIMARY KEY);"
                "PRAGMA application_id = 0x61666368; PRAGMA user_version = 3")
            db.close()
        """#

    private static func contents(_ store: String) throws -> [String] {
        // A process that waits for another one's creation makes the lock.
        try FileManager.default.subpathsOfDirectory(atPath: store).sorted()
    }

    @Test(arguments: ["database,published,records", "database,records", "database,published", "published,records"])
    func `an older cache is refused, unchanged, and then rebuilt by a repair`(kept: String) async throws {
        let scratch = try Scratch()
        try await LostCatalogueTests.made(scratch)
        let store = scratch.path("store")
        let before = try LostCatalogueTests.content(DiskCache(path: store, access: .readOnly))
        let made = try Program.run("python3", ["-c", Self.older, store, kept])
        try #require(made.status == 0, "\(made.errors)")
        let files = try Self.contents(store)
        for access in [DiskCache.Access.readOnly, .existing, .readWrite] {
            do throws(CacheError) {
                _ = try DiskCache(path: store, access: access)
                Issue.record("it was opened")
            } catch {
                #expect(error.code == .olderCache)
                #expect(error.message.hasPrefix("an earlier version of afcache made this cache"))
                #expect(error.remedy == .upgradeCache(store))
            }
        }
        #expect(try Self.contents(store) == files)
        let cache = try DiskCache(path: store, access: .repairing)
        let report = try await cache.repair(from: [])
        #expect(report.remaining == [])
        #expect(report.repaired.map(\.kind) == [.catalogueDamaged])
        #expect(report.repaired.first?.message.hasPrefix("the cache is one of an earlier version") == true)
        #expect(try LostCatalogueTests.content(cache) == before)
        #expect(try cache.verify().findings == [])
        #expect(try PackagesTests.body("a", in: cache) == "first")
        _ = try await cache.rollBack("p")
        #expect(try PackagesTests.body("a", in: cache) == "second")
        _ = try await cache.collectGarbage(includingPrevious: false)
        let left = try FileManager.default.contentsOfDirectory(atPath: store)
        #expect(!left.contains { $0.contains("index.sqlite") || $0.hasPrefix("damaged-") })
        #expect(try DiskCache(path: store, access: .readOnly).packages().map(\.name) == ["p", "q"])
    }

    @Test func `without records, the report says what is lost`() async throws {
        let scratch = try Scratch()
        try await LostCatalogueTests.made(scratch)
        let store = scratch.path("store")
        try #require(try Program.run("python3", ["-c", Self.older, store, "database"]).status == 0)
        let cache = try DiskCache(path: store, access: .repairing)
        let report = try await cache.repair(from: [])
        #expect(try cache.packages().map(\.name) == ["d.example", "d.example-2"])
        #expect(report.repaired.compactMap(\.package).sorted() == ["d.example", "d.example-2"])
        let words = "the package's record is lost, and with it the package's name, settings, source and signers; "
        #expect(report.repaired.filter { $0.package != nil }.allSatisfy { $0.message.hasPrefix(words) })
    }

    /// Writes a cache as the first version did: no index, and the bodies directly in the package's folder.
    static let version1 = """
        import os, sqlite3, sys
        store = sys.argv[1]
        for folder in ["packages/abc/d.example", "staging"]: os.makedirs(store + "/" + folder)
        open(store + "/packages/abc/d.example/a", "w").write("aaaa")
        db = sqlite3.connect(store + "/index.sqlite")
        db.executescript('''
            PRAGMA journal_mode = WAL;
            CREATE TABLE package (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, folder TEXT NOT NULL UNIQUE);
            PRAGMA application_id = 0x61666368; PRAGMA user_version = 1;
            INSERT INTO package VALUES (1, 'site', 'abc');
        ''')
        db.close()
        """

    @Test func `a cache without indices can't be rebuilt, and keeps its bodies`() async throws {
        let scratch = try Scratch()
        let store = scratch.path("store")
        let made = try Program.run("python3", ["-c", Self.version1, store])
        try #require(made.status == 0, "\(made.errors)")
        for access in [DiskCache.Access.readOnly, .readWrite, .repairing] {
            let error = #expect(throws: CacheError.self) { try DiskCache(path: store, access: access) }
            #expect(error?.code == .olderCache)
            if access == .repairing { #expect(error?.message.contains("can't be restored") == true) }
        }
        #expect(try scratch.read("store/packages/abc/d.example/a") == Array("aaaa".utf8))
        #expect(!(try scratch.read("store/index.sqlite").isEmpty))
    }
}
