internal import AFCSQLite
internal import AFCText
internal import CDatabase

/// The tables of a search index, and the settings of every connection to one; docs/reference/search.md describes them.
enum SearchSchema {
    /// The number in SQLite's header that marks a file as a search index.
    static let applicationID = 0x6166_7365
    /// The version of the tables and of the rules for words; an index of another version is made again.
    static let version = 2

    /// The tables: what is known of the index, its pages, the words as written, and the stems of English words.
    ///
    /// The two full-text tables keep no text, only where words occur. Their words are folded before they are stored,
    /// so the tokenizer only has to split at spaces.
    static let tables = """
        CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE page (
            number INTEGER PRIMARY KEY,
            title TEXT NOT NULL,
            language TEXT,
            isPlain INTEGER NOT NULL,
            words INTEGER NOT NULL,
            text INTEGER NOT NULL
        );
        CREATE VIRTUAL TABLE word USING fts5(title, heading, text, content='', tokenize='ascii');
        CREATE VIRTUAL TABLE stem USING fts5(title, heading, text, content='', tokenize='porter ascii');
        """

    /// Hardens a connection, so that nothing in a file made by someone else runs or makes SQLite use much memory.
    static func harden(_ db: Database) throws {
        try db.distrustFile()
        try db.run("PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY")
        for (limit, value) in [
            (SQLITE_LIMIT_LENGTH, 64 << 20), (SQLITE_LIMIT_SQL_LENGTH, 64 << 10), (SQLITE_LIMIT_ATTACHED, 0),
            (SQLITE_LIMIT_EXPR_DEPTH, 200), (SQLITE_LIMIT_WORKER_THREADS, 0),
        ] as [(Int32, Int32)] { sqlite3_limit(db.connection, limit, value) }
    }

    /// Throws unless a file is a finished index of this version with exactly these tables.
    static func check(_ db: Database) throws {
        let application: Int? = try db.first("PRAGMA application_id")
        let found: Int? = try db.first("PRAGMA user_version")
        guard application == applicationID, found == version, try db.schema(limit: 100) == expected.get() else {
            throw DatabaseError.damaged("this is not a search index of this version")
        }
    }

    private static let expected = Result {
        try LockedDatabase(":memory:").use { db in
            try db.run(tables)
            return try db.schema()
        }
    }
}

extension SearchError {
    /// Converts an error of SQLite.
    init(database error: any Error, path: String) {
        if let error = error as? SearchError {
            self = error
            return
        }
        let failure = error as? DatabaseError
        let code: Code =
            switch failure?.code {
            case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_TOOBIG, SQLITE_NOMEM: .unusable
            // What a damaged full-text table makes FTS5 say isn't always CORRUPT.
            case SQLITE_ERROR, SQLITE_MISMATCH, SQLITE_CONSTRAINT: .unusable
            case SQLITE_INTERRUPT, SQLITE_ABORT: .tooSlow
            default: .inputOutput
            }
        self.init(code, subject: path, message: failure?.message ?? "\(error)")
    }
}

/// Runs database operations and converts their errors.
func onIndex<Value>(_ path: String, _ work: () throws -> Value) throws(SearchError) -> Value {
    do { return try work() } catch { throw SearchError(database: error, path: path) }
}
