internal import CDatabase

/// A connection to a database; one thread at a time uses it, see ``LockedDatabase``.
package final class Database {
    /// SQLite's connection, for what this type doesn't offer.
    package let connection: OpaquePointer
    /// Prepared statements that nobody uses, by their SQL.
    private var idle: [String: [OpaquePointer]] = [:]
    private var idleCount = 0
    private var isOpen = true

    private static let idleLimit = 64

    init(path: String, flags: Int32, wait: Int32) throws(DatabaseError) {
        var handle: OpaquePointer?
        let result = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard result == SQLITE_OK, let handle else {
            let error = DatabaseError(handle.map { sqlite3_extended_errcode($0) } ?? result, of: handle)
            sqlite3_close_v2(handle)
            throw error
        }
        connection = handle
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, wait)
        let strict = afcache_sqlite_strict(handle)
        guard strict == SQLITE_OK else { throw DatabaseError(strict, of: handle) }
    }

    deinit { if isOpen { release { sqlite3_close_v2(connection) } } }

    func close() throws(DatabaseError) {
        guard isOpen else { return }
        isOpen = false
        let result = release { sqlite3_close(connection) }
        guard result == SQLITE_OK else { throw DatabaseError(result, of: nil) }
    }

    @discardableResult
    private func release(_ close: () -> Int32) -> Int32 {
        for statement in idle.values.joined() { sqlite3_finalize(statement) }
        idle = [:]
        return close()
    }

    /// Makes the connection distrust the file, so that SQL in it can't run anything, and cells of a wrong size are found.
    package func distrustFile() throws(DatabaseError) {
        let result = afcache_sqlite_defensive(connection)
        guard result == SQLITE_OK else { throw DatabaseError(result, "cannot enable SQLite's defensive mode") }
        try run("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
    }

    // MARK: Statements

    /// Runs one or more statements without parameters.
    package func run(_ sql: String) throws(DatabaseError) {
        try requireOpen()
        let result = sqlite3_exec(connection, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw DatabaseError(result, of: connection) }
    }

    /// Prepares a statement.
    package func statement(_ sql: String) throws(DatabaseError) -> Statement {
        try requireOpen()
        if let pointer = idle[sql]?.popLast() {
            idleCount -= 1
            return Statement(sql, pointer, of: self)
        }
        var pointer: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let result = sqlite3_prepare_v3(connection, sql, -1, flags, &pointer, nil)
        guard result == SQLITE_OK, let pointer else { throw DatabaseError(result, of: connection) }
        return Statement(sql, pointer, of: self)
    }

    /// Takes a statement back for its next use.
    func putBack(_ pointer: OpaquePointer, _ sql: String) {
        guard isOpen, idleCount < Self.idleLimit else {
            sqlite3_finalize(pointer)
            return
        }
        idleCount += 1
        idle[sql, default: []].append(pointer)
    }

    /// Runs a statement and ignores its rows.
    package func execute(_ sql: String, _ arguments: [any DatabaseValue] = []) throws(DatabaseError) {
        try statement(sql).execute(arguments)
    }

    /// Returns the rows of a query.
    package func rows(_ sql: String, _ arguments: [any DatabaseValue] = []) throws(DatabaseError) -> Rows {
        try statement(sql).rows(arguments)
    }

    /// Returns the first column of a query's first row, or nil if there is no row.
    package func first<Value: DatabaseValue>(_ sql: String, _ arguments: [any DatabaseValue] = []) throws(DatabaseError)
        -> Value?
    {
        guard let row = try rows(sql, arguments).next() else { return nil }
        let value: Value = try row[0]
        return value
    }

    /// Returns the first column of a query's rows.
    package func all<Value: DatabaseValue>(_ sql: String, _ arguments: [any DatabaseValue] = []) throws -> [Value] {
        try rows(sql, arguments).map { row in try row[0] }
    }

    /// Returns every object in the schema, one text for each.
    ///
    /// - Parameter limit: The most objects to return.
    /// - Returns: The texts.
    /// - Throws: ``DatabaseError`` if the file is damaged.
    package func schema(limit: Int = .max) throws -> Set<String> {
        let sql = "SELECT type, name, tbl_name, sql FROM sqlite_master LIMIT ?"
        let objects = try rows(sql, [limit]).map { row in
            try (0..<4).map { column in try row[column] as String? ?? "" }.joined(separator: "|")
        }
        return Set(objects)
    }

    // MARK: Transactions

    /// Runs a closure in a transaction that excludes other writers from its beginning; an error rolls it back.
    package func transaction<Value>(_ body: () throws -> Value) throws -> Value {
        try execute("BEGIN IMMEDIATE")
        do {
            let value = try body()
            try execute("COMMIT")
            return value
        } catch {
            // Some errors have rolled it back already.
            if sqlite3_get_autocommit(connection) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Copies the log into the database (https://sqlite.org/c3ref/wal_checkpoint_v2.html).
    ///
    /// - Parameter truncating: True to wait for readers and to empty the log's file.
    /// - Returns: The number of frames in the log, and how many of them were copied.
    /// - Throws: ``DatabaseError``, also if another process holds a lock.
    @discardableResult
    package func checkpoint(truncating: Bool) throws(DatabaseError) -> (log: Int, copied: Int) {
        try requireOpen()
        var (log, copied): (Int32, Int32) = (0, 0)
        let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        let result = sqlite3_wal_checkpoint_v2(connection, nil, mode, &log, &copied)
        guard result == SQLITE_OK else { throw DatabaseError(result, of: connection) }
        return (Int(log), Int(copied))
    }

    private func requireOpen() throws(DatabaseError) {
        guard isOpen else { throw DatabaseError(SQLITE_MISUSE, "the database is closed") }
    }
}
