internal import AFCFiles
import AFCPlatform
internal import AFCSQLite
internal import AFCText

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
    static func openForReading(_ path: String, in root: String, check: (Database) throws -> Void)
        throws -> LockedDatabase
    {
        try requirePlain(path)
        func open(_ access: LockedDatabase.Access) throws -> LockedDatabase {
            try LockedDatabase(path, access, wait: 10) { db in
                try db.distrustFile()
                try check(db)
                try db.run("PRAGMA query_only = 1")
            }
        }
        // Readers also see what a killed writer left in the log; it stays there until the next write.
        let isOwn = try OpenFolder(path: root).isOwn
        let isWritable = Descriptor.allows(root, W_OK) && Descriptor.allows(path, W_OK)
        if isOwn, isWritable { return try open(.readOnly) }
        // A read-only medium can't hold the shared memory that WAL needs, and nobody writes to it either. If the log
        // isn't empty, SQLite must read it, or the last changes would be missing.
        var log = stat()
        let hasLog = lstat(path + "-wal", &log) == 0 && log.st_size > 0
        let unread = CacheError(
            .inputOutput,
            subject: path,
            message: "the last changes are still in SQLite's log, and merging them needs write access; open the cache "
                + "once as its owner, with write access"
        )
        // SQLite would create its shared memory in another user's folder.
        guard isOwn || !isWritable || !hasLog else { throw unread }
        do {
            return try open(hasLog ? .readOnly : .immutable)
        } catch let error as DatabaseError where hasLog && !error.isBusy {
            throw unread
        }
    }

    /// A file that is open for reading.
    struct Opened {
        var database: LockedDatabase
        /// True if SQLite treats the file as immutable, so that it must be reopened to see changes.
        var isFixed: Bool
    }

    /// Opens a file for reading, even on a full disk.
    ///
    /// SQLite needs 32 kB of shared memory for the readers of a file, and two files. Without them, it reads the file as
    /// if it were on a read-only medium, which is correct if the log has nothing to merge.
    static func openWithoutRoom(_ path: String, in root: String, check: (Database) throws -> Void)
        throws -> Opened
    {
        var log = stat()
        let hasLog = stat(path + "-wal", &log) == 0 && log.st_size > 0
        let isOwn = try OpenFolder(path: root).isOwn
        let isWritable = isOwn && Descriptor.allows(root, W_OK) && Descriptor.allows(path, W_OK)
        do {
            let database = try openForReading(path, in: root, check: check)
            return Opened(database: database, isFixed: !isWritable && !hasLog)
        } catch let error as DatabaseError
            where !hasLog && (error.isWithoutRoom || error.isUnopenable)
        {
            let database = try LockedDatabase(path, .immutable) { db in
                try db.distrustFile()
                try check(db)
            }
            return Opened(database: database, isFixed: true)
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
        check: (Database) throws -> Void
    ) throws -> LockedDatabase {
        try OpenFolder(path: Durable.folder(of: path)).requireOwn()
        try requirePlain(path)
        try closeToOthers(path)
        return try LockedDatabase(path, wait: 30) { db in
            try db.distrustFile()
            try check(db)
            try db.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
            // Otherwise each removed page is overwritten, for which the log needs as much room as the page takes.
            try db.run("PRAGMA secure_delete = OFF")
            // Truncates a log that grew during many writes.
            try db.run("PRAGMA journal_size_limit = 16777216")
        }
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
        try LockedDatabase(draft).use { db in
            // Before the first table, so that free pages can be given back a few at a time.
            try db.run("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL")
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

    /// Returns the schema that a text of SQL creates.
    static func schema(madeBy tables: String) throws -> Set<String> {
        try LockedDatabase(":memory:").use { db in
            try db.run(tables)
            return try db.schema()
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
        let code: Code = failure.isDamage ? .damaged : failure.isBusy ? .busy : .inputOutput
        let message =
            if failure.isWithoutRoom {
                "the disk is full, and a change of this file needs some room; free some space"
            } else if failure.isUnopenable, Self.isTooLong(path) {
                "the path is too long for SQLite, which takes 512 bytes; use a folder with a shorter path"
            } else {
                failure.message
            }
        self.init(code, subject: path, message: message, remedy: code == .damaged ? .repairCache(nil) : nil)
        if failure.isWithoutRoom { number = ENOSPC }
    }
}
