internal import GRDB

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Opens the store's SQLite files.
enum StoreDatabase {
    /// Opens a file for reading, also on a medium that can't be written.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - root: The store's folder.
    ///   - check: Looks at header and version before anything else is read.
    /// - Returns: The file, open.
    /// - Throws: What SQLite or the check says.
    static func openForReading(_ path: String, in root: String, check: @escaping @Sendable (Database) throws -> Void)
        throws -> DatabaseQueue
    {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { db in
            try check(db)
            try db.execute(sql: "PRAGMA query_only = 1")
        }
        // A writer that was killed leaves a log or a journal that SQLite must bring in first, so a reader opens for
        // writing where it can, and then forbids itself to write.
        if systemAccess(root, W_OK), systemAccess(path, W_OK) {
            return try DatabaseQueue(path: path, configuration: configuration)
        }
        // A read-only medium can't hold the shared memory that WAL needs, and nobody writes to it either. With a log
        // that was not brought in yet, SQLite must see it, or what was written last would be missing.
        configuration.readonly = true
        let hasLog = ["-wal", "-journal"].contains { suffix in
            var log = stat()
            return stat(path + suffix, &log) == 0 && log.st_size > 0
        }
        let name = hasLog ? path : "file:\(path)?immutable=1"
        do {
            return try DatabaseQueue(path: name, configuration: configuration)
        } catch let error as DatabaseError where hasLog && error.resultCode != .SQLITE_BUSY {
            throw CacheError(
                .inputOutput,
                subject: path,
                message:
                    "what was written last must be brought in first, which needs a store that can be written; open it "
                    + "once where it can be"
            )
        }
    }

    /// Opens the catalogue's database for reading.
    static func openCatalogue(_ layout: StoreLayout) throws -> DatabaseQueue {
        try openWithoutRoom(layout.catalogue, in: layout.root) { db in
            try CatalogueSchema.check(db, path: layout.catalogue)
        }
        .queue
    }

    /// A file that is open for reading.
    struct Opened {
        var queue: DatabaseQueue
        /// Whether SQLite takes it for one that nobody changes, so that it must be opened again to see changes.
        var isFixed: Bool
    }

    /// Opens a file for reading, also on a disk that is full.
    ///
    /// SQLite wants 32 kB for what readers of a file share. Without them it reads the file as if it lay on a medium that
    /// can't be written, which is right where the log holds nothing that must be brought in.
    static func openWithoutRoom(_ path: String, in root: String, check: @escaping @Sendable (Database) throws -> Void)
        throws -> Opened
    {
        var log = stat()
        let hasLog = stat(path + "-wal", &log) == 0 && log.st_size > 0
        let isWritable = systemAccess(root, W_OK) && systemAccess(path, W_OK)
        do {
            let queue = try openForReading(path, in: root, check: check)
            return Opened(queue: queue, isFixed: !isWritable && !hasLog)
        } catch let error as DatabaseError where !hasLog && CacheError.isWithoutRoom(error) {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.prepareDatabase { db in try check(db) }
            let queue = try DatabaseQueue(path: "file:\(path)?immutable=1", configuration: configuration)
            return Opened(queue: queue, isFixed: true)
        }
    }

    /// Opens or makes a file for writing.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - isDurable: Whether what is committed survives a power cut. Where not, a cut takes back the last seconds, whole
    ///     transactions at a time.
    ///   - check: Looks at header and version before anything else is read.
    /// - Returns: The file, open.
    /// - Throws: What SQLite or the check says.
    static func openForWriting(
        _ path: String,
        isDurable: Bool,
        check: @escaping @Sendable (Database) throws -> Void
    ) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        configuration.prepareDatabase { db in
            try check(db)
            try db.execute(sql: "PRAGMA journal_mode = WAL")
            try db.execute(sql: "PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL")")
            // A log that grew in a rush is cut again.
            try db.execute(sql: "PRAGMA journal_size_limit = 16777216")
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }
}
