internal import AFCFiles
import AFCPlatform
internal import AFCText
internal import CDatabase
internal import GRDB

/// Runs database operations and converts their errors.
func onDatabase<Value>(_ path: String, _ work: () throws -> Value) throws(CacheError) -> Value {
    do { return try work() } catch { throw CacheError(database: error, path: path) }
}

/// Opens the cache's SQLite files safely, even if untrusted users made them.
///
/// SQLite acts on files next to a database: it rolls back a journal and removes the files that the journal names. A
/// database is therefore opened only if it, its log and its shared memory are regular files and there is no journal.
/// Our databases never have a journal, since they are created in WAL mode before they get their names.
package enum CacheDatabase {
    /// Opens a file for reading, even on a read-only medium.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - root: The cache's folder.
    ///   - check: Checks header and version before anything else is read.
    /// - Returns: The open database.
    /// - Throws: Any error of SQLite or the check.
    static func openForReading(_ path: String, in root: String, check: @escaping @Sendable (Database) throws -> Void)
        throws -> DatabaseQueue
    {
        try requirePlain(path)
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.readonly = true
        configuration.prepareDatabase { db in
            try harden(db)
            try check(db)
            try db.execute(sql: "PRAGMA query_only = 1")
        }
        // Readers also see what a killed writer left in the log; it stays there until the next write.
        let isOwn = try OpenFolder(path: root).isOwn
        let isWritable = Descriptor.allows(root, W_OK) && Descriptor.allows(path, W_OK)
        if isOwn, isWritable { return try DatabaseQueue(path: path, configuration: configuration) }
        // A read-only medium can't hold the shared memory that WAL needs, and nobody writes to it either. If the log
        // isn't empty, SQLite must read it, or the last changes would be missing.
        var log = stat()
        let hasLog = lstat(path + "-wal", &log) == 0 && log.st_size > 0
        let name = hasLog ? path : Self.immutableName(of: path)
        let unread = CacheError(
            .inputOutput,
            subject: path,
            message: "the last changes are still in SQLite's log, and merging them needs write access; open the cache "
                + "once as its owner, with write access"
        )
        // SQLite would create its shared memory in another user's folder.
        guard isOwn || !isWritable || !hasLog else { throw unread }
        do {
            return try DatabaseQueue(path: name, configuration: configuration)
        } catch let error as DatabaseError where hasLog && error.resultCode != .SQLITE_BUSY {
            throw unread
        }
    }

    /// Returns the name by which SQLite opens a file as one that nothing changes (https://sqlite.org/uri.html).
    package static func immutableName(of path: String) -> String {
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

    /// A file that is open for reading.
    struct Opened {
        var queue: DatabaseQueue
        /// True if SQLite treats the file as immutable, so that it must be reopened to see changes.
        var isFixed: Bool
    }

    /// Opens a file for reading, even on a full disk.
    ///
    /// SQLite needs 32 kB of shared memory for the readers of a file, and two files. Without them, it reads the file as
    /// if it were on a read-only medium, which is correct if the log has nothing to merge.
    static func openWithoutRoom(_ path: String, in root: String, check: @escaping @Sendable (Database) throws -> Void)
        throws -> Opened
    {
        var log = stat()
        let hasLog = stat(path + "-wal", &log) == 0 && log.st_size > 0
        let isOwn = try OpenFolder(path: root).isOwn
        let isWritable = isOwn && Descriptor.allows(root, W_OK) && Descriptor.allows(path, W_OK)
        do {
            let queue = try openForReading(path, in: root, check: check)
            return Opened(queue: queue, isFixed: !isWritable && !hasLog)
        } catch let error as DatabaseError
            where !hasLog && (CacheError.isWithoutRoom(error) || error.resultCode == .SQLITE_CANTOPEN)
        {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.prepareDatabase { db in
                try harden(db)
                try check(db)
            }
            let queue = try DatabaseQueue(path: Self.immutableName(of: path), configuration: configuration)
            return Opened(queue: queue, isFixed: true)
        }
    }

    /// Opens or creates a file for writing.
    ///
    /// A power failure may undo the transactions of the last seconds.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - check: Checks header and version before anything else is read.
    /// - Returns: The open database.
    /// - Throws: Any error of SQLite or the check.
    static func openForWriting(
        _ path: String,
        check: @escaping @Sendable (Database) throws -> Void
    ) throws -> DatabaseQueue {
        try OpenFolder(path: Durable.folder(of: path)).requireOwn()
        try requirePlain(path)
        try closeToOthers(path)
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        configuration.prepareDatabase { db in
            try harden(db)
            try check(db)
            try db.execute(sql: "PRAGMA journal_mode = WAL")
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
            // Otherwise each removed page is overwritten, for which the log needs as much room as the page takes.
            try db.execute(sql: "PRAGMA secure_delete = OFF")
            // Truncates a log that grew during many writes.
            try db.execute(sql: "PRAGMA journal_size_limit = 16777216")
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Makes a database's files accessible only to their owner.
    ///
    /// A process that can read them can hold SQLite's locks on them, which would block writers forever. SQLite gives
    /// its log and its shared memory the mode of the database.
    private static func closeToOthers(_ path: String) throws(CacheError) {
        for suffix in ["", "-wal", "-shm"] {
            var status = stat()
            guard lstat(path + suffix, &status) == 0, status.st_mode & 0o077 != 0, status.st_uid == geteuid() else {
                continue
            }
            guard chmod(path + suffix, status.st_mode & 0o700) == 0 else {
                throw .system("cannot restrict its permissions", path: path + suffix)
            }
        }
    }

    /// Refuses links and other special files, and a journal, which SQLite would act on.
    private static func requirePlain(_ path: String) throws(CacheError) {
        for suffix in ["", "-wal", "-shm"] {
            var status = stat()
            guard lstat(path + suffix, &status) == 0 else {
                guard errno == ENOENT else { throw .system("cannot access", path: path + suffix) }
                continue
            }
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw CacheError(
                    .damaged,
                    subject: path + suffix,
                    message: "this must be a regular file; remove it"
                )
            }
        }
        guard !Descriptor.allows(path + "-journal", F_OK), errno == ENOENT else {
            throw CacheError(
                .damaged,
                subject: path + "-journal",
                message: "this file is not part of a cache, and SQLite would execute it; remove it"
            )
        }
    }

    /// Creates an empty database in WAL mode if there is none, or only an empty file.
    ///
    /// It is created in another place and then renamed, since SQLite writes a journal until a database is in WAL mode.
    ///
    /// - Parameters:
    ///   - path: The path of the database.
    ///   - drafts: A folder that only the holder of the caller's lock cleans up, so that no other process creates the
    ///     database at the same time or takes the draft for a leftover.
    /// - Throws: An error of the file system or of SQLite.
    static func makeWhereMissing(_ path: String, drafts: String) throws {
        var status = stat()
        if lstat(path, &status) == 0, status.st_size > 0 { return }
        try requirePlain(path)
        let folder = drafts + "/" + OwnName.temporary()
        try Folders.make(folder)
        guard chmod(folder, 0o700) == 0 else {
            throw CacheError.system("cannot restrict its permissions", path: folder)
        }
        // If it isn't renamed, the next holder of the lock removes it.
        let draft = folder + "/draft.sqlite"
        try DatabaseQueue(path: draft).inDatabase { db in
            // Before the first table, so that free pages can be given back a few at a time.
            try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL")
        }
        guard chmod(draft, 0o600) == 0 else {
            throw CacheError.system("cannot restrict its permissions", path: draft)
        }
        try onDisk { () throws(FileError) in
            try Durable.sync(path: draft)
            try Durable.rename(draft, to: path)
        }
        // A log left by another database with this name would be taken for this one's.
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        rmdir(folder)
    }

    /// Hardens a connection, so that SQL in the file can't run anything.
    private static func harden(_ db: Database) throws {
        guard let connection = db.sqliteConnection, afcache_sqlite_defensive(connection) == 0 else {
            throw DatabaseError(resultCode: .SQLITE_ERROR, message: "cannot enable SQLite's defensive mode")
        }
        try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
    }

    /// Returns every object in a database's schema, one text for each.
    static func schema(of db: Database) throws -> Set<String> {
        let rows = try Row.fetchAll(db, sql: "SELECT type, name, tbl_name, sql FROM sqlite_master")
        return Set(rows.map { row in row.databaseValues.map(\.description).joined(separator: "|") })
    }

    /// Returns the schema that a text of SQL creates.
    static func schema(madeBy tables: String) throws -> Set<String> {
        try DatabaseQueue().inDatabase { db in
            try db.execute(sql: tables)
            return try schema(of: db)
        }
    }

    /// Creates the error for a file with tables, triggers or views that this program doesn't create.
    static func foreignSchema(_ path: String) -> CacheError {
        CacheError(
            .damaged,
            subject: path,
            message: "the file has tables, triggers or views that afcache didn't create, so it is not used"
        )
    }
}

extension CacheError {
    /// Returns true if SQLite found no room on the disk.
    static func isWithoutRoom(_ error: DatabaseError) -> Bool {
        switch error.extendedResultCode {
        case .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_SHMOPEN, .SQLITE_IOERR_SHMMAP, .SQLITE_FULL: true
        default: false
        }
    }

    /// Returns true if SQLite can't open a file because of the length of its path, or that of the file that it is first
    /// created as.
    private static func isTooLong(_ path: String) -> Bool {
        guard let folder = realpath(Durable.folder(of: path), nil) else { return false }
        defer { free(folder) }
        let longest = "/staging/" + OwnName.temporary() + "/draft.sqlite-journal"
        return strlen(folder) + longest.utf8.count >= 512
    }

    /// Converts an error of SQLite; an error of the cache is kept.
    init(database error: any Error, path: String) {
        if let error = error as? CacheError {
            self = error
            return
        }
        guard let failure = error as? DatabaseError else {
            self.init(.inputOutput, subject: path, message: "cannot use the database: \(error)")
            return
        }
        let code: Code =
            switch failure.resultCode {
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: .damaged
            case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
            default: .inputOutput
            }
        let message =
            switch failure.extendedResultCode {
            case _ where Self.isWithoutRoom(failure):
                "the disk is full, and a change of this file needs some room; free some space"
            case .SQLITE_CORRUPT, .SQLITE_NOTADB:
                failure.message ?? "the database is damaged"
            case _ where failure.resultCode == .SQLITE_CANTOPEN && Self.isTooLong(path):
                "the path is too long for SQLite, which takes 512 bytes; use a folder with a shorter path"
            default: failure.message ?? "SQLite failed with \(failure.extendedResultCode)"
            }
        self.init(code, subject: path, message: message, remedy: code == .damaged ? .repairCache(nil) : nil)
        if Self.isWithoutRoom(failure) { number = ENOSPC }
    }
}
