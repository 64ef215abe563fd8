internal import GRDB

/// The tables of the index, and how an older store becomes one of today.
enum StoreSchema {
    /// Written into the file's header, so that a foreign SQLite file is told from a store: "afch".
    static let applicationID: Int32 = 0x6166_6368
    /// The version of the store that this program writes, and the newest that it reads.
    static let version: Int32 = 1

    /// Reads header and version, before anything else is read.
    static func check(_ db: Database, path: String) throws {
        let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let found = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        let isEmpty = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0
        guard isEmpty || application == applicationID else {
            throw CacheError(.noStore, subject: path, message: "this is an SQLite file, but not the index of a store")
        }
        guard found <= version else {
            throw CacheError(
                .newerStore,
                subject: path,
                message:
                    "the store has version \(found), this program knows versions up to \(version); use a newer afcache"
            )
        }
    }

    /// Brings the tables to today's version.
    static func migrate(_ db: Database) throws {
        let found = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard found < version else { return }
        if found < 1 { try db.execute(sql: version1) }
        try db.execute(sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
    }

    /// Times are seconds since 1970; fields are JSON arrays of [name, value].
    private static let version1 = """
        CREATE TABLE package (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            folder TEXT NOT NULL UNIQUE,
            created INTEGER,
            loaded INTEGER NOT NULL,
            generator TEXT,
            seeds TEXT NOT NULL,
            resources INTEGER NOT NULL,
            bodyBytes INTEGER NOT NULL
        );
        CREATE TABLE resource (
            url TEXT NOT NULL,
            package INTEGER NOT NULL REFERENCES package(id) ON DELETE CASCADE,
            status INTEGER NOT NULL,
            member TEXT,
            size INTEGER NOT NULL,
            lastModified INTEGER,
            expires INTEGER,
            received INTEGER NOT NULL,
            fields TEXT NOT NULL,
            requestFields TEXT,
            sha256 TEXT,
            PRIMARY KEY (url, package)
        ) WITHOUT ROWID;
        CREATE INDEX resourceByPackage ON resource(package);
        CREATE TABLE origin (
            package INTEGER NOT NULL REFERENCES package(id) ON DELETE CASCADE,
            origin TEXT NOT NULL,
            host TEXT NOT NULL,
            resources INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            start TEXT,
            PRIMARY KEY (package, origin)
        ) WITHOUT ROWID;
        """
}
