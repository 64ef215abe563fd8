import AFCCache
import AFCCaching
import AFCHTTP
import AFCPackageFormat
import AFCText
import AFCURL
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Stores that other versions of the program wrote.
struct MigrationTests {
    static let now = Timestamp(secondsSinceEpoch: 1_700_000_000)

    /// Writes a store as the first version did.
    static let version1 = """
        import os, sqlite3, sys
        store = sys.argv[1]
        for folder in ["packages/abc/d.example/sub", "staging"]: os.makedirs(store + "/" + folder)
        for name, text in [("a", "aaaa"), ("sub/b", "bbbb")]: open(store + "/packages/abc/d.example/" + name, "w").write(text)
        db = sqlite3.connect(store + "/index.sqlite")
        db.executescript('''
            PRAGMA journal_mode = WAL;
            CREATE TABLE package (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, folder TEXT NOT NULL UNIQUE, created INTEGER,
                loaded INTEGER NOT NULL, generator TEXT, seeds TEXT NOT NULL, resources INTEGER NOT NULL, bodyBytes INTEGER NOT NULL);
            CREATE TABLE resource (url TEXT NOT NULL, package INTEGER NOT NULL REFERENCES package(id) ON DELETE CASCADE,
                status INTEGER NOT NULL, member TEXT, size INTEGER NOT NULL, lastModified INTEGER, expires INTEGER,
                received INTEGER NOT NULL, fields TEXT NOT NULL, requestFields TEXT, sha256 TEXT, PRIMARY KEY (url, package)) WITHOUT ROWID;
            CREATE INDEX resourceByPackage ON resource(package);
            CREATE TABLE origin (package INTEGER NOT NULL REFERENCES package(id) ON DELETE CASCADE, origin TEXT NOT NULL,
                host TEXT NOT NULL, resources INTEGER NOT NULL, bytes INTEGER NOT NULL, start TEXT, PRIMARY KEY (package, origin)) WITHOUT ROWID;
            PRAGMA application_id = 0x61666368; PRAGMA user_version = 1;
            INSERT INTO package VALUES (1, 'site', 'abc', 1600000000, 1650000000, 'afcache/0.1.0', 'http://d.example/a', 3, 8);
            INSERT INTO resource VALUES ('http://d.example/a', 1, 200, 'd.example/a', 4, 1500000000, NULL, 1600000000,
                '[["Content-Type","text/plain"],["Date","Sun, 13 Sep 2020 12:26:40 GMT"]]', '[]', '\(sha256OfA)');
            INSERT INTO resource VALUES ('http://d.example/sub/b', 1, 200, 'd.example/sub/b', 4, NULL, 1700000001, 1600000000,
                '[["Content-Type","text/html"]]', NULL, '\(sha256OfB)');
            INSERT INTO resource VALUES ('http://d.example/old', 1, 301, NULL, 0, NULL, NULL, 1600000000, '[["Location","/a"]]', '[]', NULL);
            INSERT INTO origin VALUES (1, 'http://d.example', 'd.example', 3, 8, 'http://d.example/a');
        ''')
        db.close()
        """

    // printf aaaa | sha256sum; printf bbbb | sha256sum
    static let sha256OfA = "61be55a8e2f6b4e172338bddf184d6dbee29c98853e0a0485ecee7f27b9af0b4"
    static let sha256OfB = "81cc5b17018674b401b42f35ba07bb79e211239c23bffe658da1577e3e646877"

    @Test func `a cache of version 1 is migrated with all of its content`() async throws {
        let scratch = try Scratch()
        let store = scratch.path("store")
        let made = try Program.run("python3", ["-c", Self.version1, store])
        #expect(made.status == 0, "\(made.errors)")
        do throws(CacheError) {
            _ = try OfflineCache(path: store, access: .readOnly)
            Issue.record("a reader can't bring it forward")
        } catch {
            #expect(error.message.hasPrefix("the cache has version 1, but this program writes version "))
            #expect(error.remedy == .upgradeCache(store))
        }
        for _ in 0..<2 {
            let cache = try OfflineCache(path: store, access: .existing)
            #expect(try PackagesTests.body("a", in: cache) == "aaaa")
            #expect(try PackagesTests.body("sub/b", in: cache) == "bbbb")
            let request = OfflineRequest(url: try WebURL("http://d.example/old"))
            let moved = try cache.respond(to: request, now: Self.now, policy: OfflinePolicy()).resolution
            #expect(moved.status.code == 301)
            #expect(moved.fields[.location] == "/a")
            let package = try #require(try cache.packages().first)
            #expect(package.name == "site")
            #expect(package.resources == 3)
            #expect(package.bodyBytes == 8)
            #expect(package.created == Timestamp(secondsSinceEpoch: 1_600_000_000))
            #expect(package.seeds == ["http://d.example/a"])
            #expect(try cache.origins().map(\.origin) == ["http://d.example"])
            #expect(try cache.verify().findings.isEmpty)
        }
        let generations = try FileManager.default.contentsOfDirectory(atPath: store + "/packages")
        #expect(generations.count == 1)
        #expect(generations != ["abc"])
    }

    /// Makes a store of version 3 one of version 2, with the table that version 2 made, letter by letter.
    static let version2 = #"""
        import json, sqlite3, sys
        db = sqlite3.connect(sys.argv[1] + "/index.sqlite")
        rows = db.execute("SELECT id, name, settings, current, previous FROM package").fetchall()
        table = "\n    ".join([
            "CREATE TABLE package (", "id INTEGER PRIMARY KEY,", "name TEXT NOT NULL UNIQUE,",
            "priority INTEGER NOT NULL,", "isPinned INTEGER NOT NULL,", "isSeparable INTEGER NOT NULL,",
            "current INTEGER NOT NULL REFERENCES generation(id),", "previous INTEGER REFERENCES generation(id)",
        ]) + "\n)"
        db.executescript("DROP TABLE package; " + table + "; PRAGMA user_version = 2")
        for number, name, settings, current, previous in rows:
            known = json.loads(settings)
            values = [number, name, known["priority"], known["pinned"], known["separable"], current, previous]
            db.execute("INSERT INTO package VALUES (?, ?, ?, ?, ?, ?, ?)", values)
        db.commit()
        db.close()
        """#

    @Test(arguments: [false, true])
    func `a cache of version 2 is read unchanged, and keeps its values when migrated`(isPublished: Bool)
        async throws
    {
        let scratch = try Scratch()
        let store = scratch.path("store")
        do {
            let cache = try OfflineCache(path: store, access: .readWrite)
            for name in ["p", "q"] {
                let package = try await PackagesTests.package(name, [name: .init(name)], in: scratch)
                var options = InstallOptions()
                if name == "p" { options.settings = .init(priority: -7, isPinned: true, isSeparable: true) }
                _ = try await cache.install(package, options: options, now: Self.now)
                _ = try await cache.install(package, options: options, now: Self.now)
            }
            try cache.close()
        }
        let made = try Program.run("python3", ["-c", Self.version2, store])
        #expect(made.status == 0, "\(made.errors)")
        if !isPublished { try FileManager.default.removeItem(atPath: store + "/catalogue.json") }
        func expectValues(_ cache: OfflineCache, priority: Int = 0) throws {
            let packages = try cache.packages()
            #expect(packages.map(\.name) == ["p", "q"])
            let settings = try #require(packages.first).settings
            #expect(settings.priority == -7 && settings.isPinned && settings.isSeparable)
            #expect(packages.last?.settings == PackageSettings().applying(.init(priority: priority)))
            #expect(try PackagesTests.body("q", in: cache) == "q")
            #expect(try cache.verify().findings.isEmpty)
        }
        try expectValues(try OfflineCache(path: store, access: .readOnly))
        let cache = try OfflineCache(path: store, access: .existing)
        try expectValues(cache)
        _ = try await cache.update("q", .init(priority: 3))
        try expectValues(cache, priority: 3)
        try expectValues(try OfflineCache(path: store, access: .readOnly), priority: 3)
        // user_version is the big-endian number at offset 60 of an SQLite file.
        #expect(try scratch.read("store/index.sqlite")[63] == 3)
    }
}
