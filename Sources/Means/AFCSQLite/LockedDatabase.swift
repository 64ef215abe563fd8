internal import CDatabase
internal import Synchronization

/// A database that one thread at a time uses; calls block.
package final class LockedDatabase: Sendable {
    /// What may happen to the file.
    package enum Access: Sendable {
        case readWrite
        case readOnly
        /// The file is read and never changes, so that SQLite needs no lock and no file beside it.
        case immutable
    }

    private let lock = Mutex(())
    // Used only under the lock.
    private nonisolated(unsafe) let database: Database

    /// Opens a file, or creates it.
    ///
    /// - Parameters:
    ///   - path: The file; `:memory:` for a database without one, empty for one without a name.
    ///   - access: What may happen to the file.
    ///   - wait: The seconds to wait for other processes' locks.
    ///   - prepare: Sets the connection up before anything is read.
    /// - Throws: ``DatabaseError``, also for a file that isn't a database, or the closure's error.
    package init(
        _ path: String,
        _ access: Access = .readWrite,
        wait: Int = 0,
        prepare: (Database) throws -> Void = { _ in }
    ) throws {
        let (name, flags) =
            switch access {
            case .readWrite: (path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
            case .readOnly: (path, SQLITE_OPEN_READONLY)
            case .immutable: (Self.immutableName(of: path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
            }
        database = try Database(path: name, flags: flags, wait: Int32(wait * 1000))
        try prepare(database)
        // SQLite doesn't look at the file before it is asked something.
        let _: Int? = try database.first("SELECT 1 FROM sqlite_master LIMIT 1")
    }

    /// Returns the name by which SQLite opens a file as one that nothing changes (https://sqlite.org/uri.html).
    private static func immutableName(of path: String) -> String {
        var name = "file:"
        for scalar in path.unicodeScalars {
            switch scalar {
            case "?": name += "%3f"
            case "#": name += "%23"
            case "%": name += "%25"
            default: name.unicodeScalars.append(scalar)
            }
        }
        return name + "?mode=ro&immutable=1"
    }

    /// Runs a closure with the database, which it must not keep.
    package func use<Value>(_ body: (Database) throws -> Value) throws -> Value {
        var result: Result<Value, any Error>?
        lock.withLock { _ in result = Result { try body(database) } }
        guard let result else { throw DatabaseError(SQLITE_MISUSE, "the database wasn't used") }
        return try result.get()
    }

    /// Runs a closure with the database in one transaction; an error rolls it back.
    package func change<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try use { db in try db.transaction { try body(db) } }
    }

    /// Closes the file; the database must not be used afterwards.
    package func close() throws { try use { db in try db.close() } }
}
