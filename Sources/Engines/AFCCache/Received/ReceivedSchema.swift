internal import AFCSQLite
internal import AFCText

/// The tables of the received area.
///
/// Times are in seconds since 1970, sizes in bytes.
enum ReceivedSchema {
    /// The application ID in the file's header: "afcr".
    static let applicationID: Int32 = 0x6166_6372
    /// The version of the area that this program writes, and the newest version that it reads.
    static let version: Int32 = 1

    /// Checks header and version before anything else is read.
    ///
    /// - Returns: The version; 0 for an empty file.
    @discardableResult
    static func check(_ db: Database, path: String) throws -> Int32 {
        let application: Int32? = try db.first("PRAGMA application_id")
        let found: Int32 = try db.first("PRAGMA user_version") ?? 0
        let isEmpty = try db.first("SELECT count(*) FROM sqlite_master") == 0
        guard isEmpty || application == applicationID else {
            throw CacheError(
                .damaged,
                subject: path,
                message: "this is an SQLite file, but doesn't contain received responses; remove it"
            )
        }
        guard found <= version else {
            throw CacheError(
                .newerCache,
                subject: path,
                message: "the received responses have version \(found), but this program reads versions up to "
                    + "\(version); use a newer afcache or remove them",
                remedy: .clearReceived
            )
        }
        if !isEmpty, try db.schema() != expected.get() { throw CacheDatabase.foreignSchema(path) }
        return found
    }

    private static let expected = Result { try CacheDatabase.schema(madeBy: tables) }

    /// Creates the tables of the current version.
    ///
    /// The first row number is random, since a database that was removed may have given small ones.
    static func create(in db: Database) throws {
        try db.run(tables)
        try db.execute(
            "INSERT INTO sqlite_sequence (name, seq) VALUES ('response', ?)",
            [Int64.random(in: 0..<1 << 40)]
        )
        try db.run("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
    }

    // Row numbers are never reused, so a remembered number never means another response.
    private static let tables = """
        CREATE TABLE response (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            hash INTEGER NOT NULL,
            url TEXT NOT NULL,
            status INTEGER NOT NULL,
            fields BLOB NOT NULL,
            requestFields BLOB NOT NULL,
            requested INTEGER,
            received INTEGER NOT NULL,
            expires INTEGER,
            size INTEGER NOT NULL,
            digest BLOB NOT NULL,
            file INTEGER,
            isInvalidated INTEGER NOT NULL,
            used INTEGER NOT NULL
        );
        CREATE INDEX responseHash ON response(hash);
        CREATE TABLE body (
            id INTEGER PRIMARY KEY REFERENCES response(id) ON DELETE CASCADE,
            bytes BLOB NOT NULL
        );
        CREATE TABLE freshened (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            hash INTEGER NOT NULL,
            url TEXT NOT NULL,
            generation TEXT NOT NULL,
            status INTEGER NOT NULL,
            fields BLOB NOT NULL,
            requestFields BLOB,
            requested INTEGER,
            received INTEGER NOT NULL,
            isInvalidated INTEGER NOT NULL
        );
        CREATE INDEX freshenedHash ON freshened(hash);
        CREATE TABLE area (
            name TEXT PRIMARY KEY,
            value INTEGER NOT NULL
        ) WITHOUT ROWID;
        INSERT INTO area (name, value) VALUES ('responses', 0), ('bytes', 0), ('isOpen', 0);
        CREATE TRIGGER responseComes AFTER INSERT ON response BEGIN
            UPDATE area SET value = value + 1 WHERE name = 'responses';
            UPDATE area SET value = value + NEW.size WHERE name = 'bytes';
        END;
        CREATE TRIGGER responseLeaves AFTER DELETE ON response BEGIN
            UPDATE area SET value = value - 1 WHERE name = 'responses';
            UPDATE area SET value = value - OLD.size WHERE name = 'bytes';
        END;
        """
}
