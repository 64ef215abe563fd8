import AFCPlatform
internal import AFCText
internal import GRDB

/// The tables of the catalogue.
///
/// Times are in seconds since 1970, sizes in bytes.
enum CatalogueSchema {
    /// The application ID in the file's header, which distinguishes a cache from other SQLite files: "afch".
    static let applicationID: Int32 = 0x6166_6368
    /// The version of the cache that this program writes, and the newest version that it reads.
    static let version: Int32 = 3
    /// The oldest version that can be read without an upgrade.
    static let oldestReadable: Int32 = 2

    /// Checks header and version before anything else is read.
    ///
    /// - Returns: The version; 0 for an empty file.
    @discardableResult
    static func check(_ db: Database, path: String) throws -> Int32 {
        // The process that creates the catalogue writes tables and version in one transaction. In this order of
        // reading, a catalogue that has tables also has its version.
        let isEmpty = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0
        let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let found = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        try require(application: isEmpty ? applicationID : application, version: found, path: path, allowsNone: false)
        if !isEmpty, try !isOurs(db, version: found) { throw CacheDatabase.foreignSchema(path) }
        return found
    }

    private static func require(
        application: Int32,
        version found: Int32,
        path: String,
        allowsNone: Bool
    ) throws(CacheError) {
        // A newly created, empty database has 0 for both.
        guard application == applicationID || (allowsNone && application == 0 && found == 0) else {
            throw CacheError(
                .noCache,
                subject: path,
                message: "this is an SQLite file, but not the catalogue of a cache"
            )
        }
        guard found <= version else {
            throw CacheError(
                .newerCache,
                subject: path,
                message:
                    "the cache has version \(found), but this program reads versions up to \(version); use a "
                    + "newer afcache"
            )
        }
    }

    /// Checks kind and version in the file's first bytes, for readers that don't open the database (SQLite's file
    /// format, 1.3).
    ///
    /// - Throws: ``CacheError`` if the file belongs to another or a newer program, but not if it can't be read.
    static func checkHeader(_ path: String) throws(CacheError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 72)
        // A shorter file isn't an SQLite database; opening it reports that.
        guard pread(descriptor, &bytes, bytes.count, 0) == bytes.count,
            bytes.starts(with: Array("SQLite format 3".utf8))
        else { return }
        func number(_ offset: Int) -> Int32 {
            Int32(bitPattern: bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) })
        }
        try require(application: number(68), version: number(60), path: path, allowsNone: true)
    }

    /// Returns true if the schema is exactly the one that this program creates, so that no foreign SQL runs.
    private static func isOurs(_ db: Database, version found: Int32) throws -> Bool {
        if let expected = found == version ? expected : found == 2 ? version2 : nil {
            return try CacheDatabase.schema(of: db) == expected.get()
        }
        // The tables of version 1 are read only for the upgrade: tables and indexes run nothing.
        let others = """
            SELECT count(*) FROM sqlite_master
            WHERE type NOT IN ('table', 'index') OR upper(sql) LIKE 'CREATE VIRTUAL%' OR sql LIKE '%(%(%' AND type = 'index'
            """
        return try Int.fetchOne(db, sql: others) == 0
    }

    private static let expected = Result { try CacheDatabase.schema(madeBy: tables(packages)) }
    private static let version2 = Result { try CacheDatabase.schema(madeBy: tables(packagesOfVersion2)) }

    /// Creates the tables of the current version.
    static func create(in db: Database) throws {
        try db.execute(sql: tables(packages))
        try db.execute(sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
    }

    /// Upgrades the tables of version 2 to the current version, and writes the packages again.
    static func bringForward(_ found: [CataloguedPackage], in db: Database) throws {
        try db.execute(sql: "DROP TABLE package; \(packages); PRAGMA user_version = \(version)")
        for package in found { try package.save(to: db) }
    }

    // The settings of a package are one JSON object, so that a new setting needs no new version.
    private static let packages = table("settings TEXT NOT NULL")
    private static let packagesOfVersion2 = table(
        "priority INTEGER NOT NULL,\n    isPinned INTEGER NOT NULL,\n    isSeparable INTEGER NOT NULL"
    )

    private static func table(_ settings: String) -> String {
        """
        CREATE TABLE package (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            \(settings),
            current INTEGER NOT NULL REFERENCES generation(id),
            previous INTEGER REFERENCES generation(id)
        )
        """
    }

    // Row numbers of generations are never reused: they say which one was loaded later, whatever the clock says.
    private static func tables(_ packages: String) -> String {
        """
        CREATE TABLE generation (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            folder TEXT NOT NULL UNIQUE,
            created INTEGER,
            loaded INTEGER NOT NULL,
            generator TEXT,
            seeds TEXT NOT NULL,
            resources INTEGER NOT NULL,
            bodyBytes INTEGER NOT NULL,
            sharedBytes INTEGER NOT NULL,
            latestExpiry INTEGER,
            indexDigest TEXT NOT NULL,
            source TEXT,
            signers TEXT NOT NULL
        );
        \(packages);
        CREATE TABLE origin (
            generation INTEGER NOT NULL REFERENCES generation(id) ON DELETE CASCADE,
            origin TEXT NOT NULL,
            host TEXT NOT NULL,
            resources INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            start TEXT,
            PRIMARY KEY (generation, origin)
        ) WITHOUT ROWID;
        CREATE TABLE displaced (
            generation INTEGER NOT NULL REFERENCES generation(id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            PRIMARY KEY (generation, number)
        ) WITHOUT ROWID;
        CREATE TABLE setting (
            name TEXT PRIMARY KEY,
            value INTEGER NOT NULL
        ) WITHOUT ROWID;
        """
    }
}
