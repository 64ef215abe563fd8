internal import AFCFiles
import AFCPlatform
internal import AFCText
internal import CDatabase
internal import GRDB

/// Does work on a database, whose errors become the cache's.
func onDatabase<Value>(_ path: String, _ work: () throws -> Value) throws(CacheError) -> Value {
    do { return try work() } catch { throw CacheError(database: error, path: path) }
}

/// Opens the cache's SQLite files, also those of untrusted users.
///
/// SQLite obeys what lies beside a file: it rolls back a journal and removes the files that the journal names. So a
/// file is opened only where it, its log and its shared memory are regular files and there is no journal, which our
/// files never have: they are made in WAL mode, and only then get their names.
enum CacheDatabase {
    /// Opens a file for reading, also on a medium that can't be written.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - root: The cache's folder.
    ///   - check: Looks at header and version before anything else is read.
    /// - Returns: The file, open.
    /// - Throws: What SQLite or the check says.
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
        // What a killed writer left in the log is seen by a reader, too; it stays in the log until somebody writes.
        let isOwn = try OpenFolder(path: root).isOwn
        let isWritable = Descriptor.allows(root, W_OK) && Descriptor.allows(path, W_OK)
        if isOwn, isWritable { return try DatabaseQueue(path: path, configuration: configuration) }
        // A read-only medium can't hold the shared memory that WAL needs, and nobody writes to it either. With a log
        // that was not brought in yet, SQLite must see it, or what was written last would be missing.
        var log = stat()
        let hasLog = lstat(path + "-wal", &log) == 0 && log.st_size > 0
        let name = hasLog ? path : "file:\(path)?immutable=1"
        let unread = CacheError(
            .inputOutput,
            subject: path,
            message: "the last changes are still in SQLite's log, and merging them needs write access; open the cache "
                + "once as its owner, where it can be written to"
        )
        // SQLite would make its shared memory in a folder that is somebody else's.
        guard isOwn || !isWritable || !hasLog else { throw unread }
        do {
            return try DatabaseQueue(path: name, configuration: configuration)
        } catch let error as DatabaseError where hasLog && error.resultCode != .SQLITE_BUSY {
            throw unread
        }
    }

    /// Opens the catalogue's database for reading.
    static func openCatalogue(_ layout: CacheLayout) throws -> DatabaseQueue {
        try openWithoutRoom(layout.catalogue, in: layout.root) { db in
            try CatalogueSchema.check(db, path: layout.catalogue)
        }
        .queue
    }

    /// Reads from the catalogue's database, where no change of this process has it open.
    static func read<Value>(_ layout: CacheLayout, _ body: (Database) throws -> Value) throws(CacheError) -> Value {
        try onDatabase(layout.catalogue) { try openCatalogue(layout).read(body) }
    }

    /// A file that is open for reading.
    struct Opened {
        var queue: DatabaseQueue
        /// Indicates whether SQLite takes it for one that nobody changes, so that it must be opened again to see changes.
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
        let isOwn = try OpenFolder(path: root).isOwn
        let isWritable = isOwn && Descriptor.allows(root, W_OK) && Descriptor.allows(path, W_OK)
        do {
            let queue = try openForReading(path, in: root, check: check)
            return Opened(queue: queue, isFixed: !isWritable && !hasLog)
        } catch let error as DatabaseError where !hasLog && CacheError.isWithoutRoom(error) {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.prepareDatabase { db in
                try harden(db)
                try check(db)
            }
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
        try OpenFolder(path: Durable.folder(of: path)).requireOwn()
        try requirePlain(path)
        try closeToOthers(path)
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        configuration.prepareDatabase { db in
            try harden(db)
            try check(db)
            try db.execute(sql: "PRAGMA journal_mode = WAL")
            try db.execute(sql: "PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL")")
            // A log that grew in a rush is cut again.
            try db.execute(sql: "PRAGMA journal_size_limit = 16777216")
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Takes a database's files from all users but its owner.
    ///
    /// A process that can read them can hold SQLite's locks on them, and writers would wait without end. SQLite gives its
    /// log and its shared memory the mode of the database.
    private static func closeToOthers(_ path: String) throws(CacheError) {
        for suffix in ["", "-wal", "-shm"] {
            var status = stat()
            guard lstat(path + suffix, &status) == 0, status.st_mode & 0o077 != 0, status.st_uid == geteuid() else {
                continue
            }
            guard chmod(path + suffix, status.st_mode & 0o700) == 0 else {
                throw .system("cannot take it from other users", path: path + suffix)
            }
        }
    }

    /// Refuses links and other special files, and a journal, which SQLite would execute.
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

    /// Makes an empty database in WAL mode where there is none, or an empty file.
    ///
    /// It is made aside, since SQLite writes a journal until a database is in WAL mode. The caller has the lock of
    /// those who write to it, so that nobody else makes it meanwhile.
    static func makeWhereMissing(_ path: String) throws {
        var status = stat()
        if lstat(path, &status) == 0, status.st_size > 0 { return }
        try requirePlain(path)
        let folder = Durable.folder(of: path) + "/staging/" + OwnName.temporary()
        try Folders.make(folder)
        guard chmod(folder, 0o700) == 0 else {
            throw CacheError.system("cannot take it from other users", path: folder)
        }
        // Where it isn't renamed, the next writer removes it.
        let draft = folder + "/draft.sqlite"
        try DatabaseQueue(path: draft).inDatabase { db in try db.execute(sql: "PRAGMA journal_mode = WAL") }
        guard chmod(draft, 0o600) == 0 else {
            throw CacheError.system("cannot take it from other users", path: draft)
        }
        try onDisk { () throws(FileError) in
            try Durable.sync(path: draft)
            try Durable.rename(draft, to: path)
        }
        // A log of another database of this name would be taken for one of this.
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        rmdir(folder)
    }

    /// Makes a connection do nothing that a file's own SQL asks for.
    private static func harden(_ db: Database) throws {
        guard let connection = db.sqliteConnection, afcache_sqlite_defensive(connection) == 0 else {
            throw DatabaseError(resultCode: .SQLITE_ERROR, message: "SQLite can't be made defensive")
        }
        try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
    }

    /// Everything in a database's schema, one text each.
    static func schema(of db: Database) throws -> Set<String> {
        let rows = try Row.fetchAll(db, sql: "SELECT type, name, tbl_name, sql FROM sqlite_master")
        return Set(rows.map { row in row.databaseValues.map(\.description).joined(separator: "|") })
    }

    /// The schema that some SQL makes.
    static func schema(madeBy tables: String) throws -> Set<String> {
        try DatabaseQueue().inDatabase { db in
            try db.execute(sql: tables)
            return try schema(of: db)
        }
    }

    /// The error of a file that has tables, triggers or views that this program doesn't make.
    static func foreignSchema(_ path: String) -> CacheError {
        CacheError(
            .damaged,
            subject: path,
            message: "the file has tables, triggers or views that afcache didn't create, so it is not used"
        )
    }
}

extension CacheError {
    /// Tells whether SQLite found no room on the disk.
    static func isWithoutRoom(_ error: DatabaseError) -> Bool {
        switch error.extendedResultCode {
        case .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_SHMOPEN, .SQLITE_IOERR_SHMMAP, .SQLITE_FULL: true
        default: false
        }
    }

    /// What SQLite said; an error of the cache stays what it is.
    init(database error: any Error, path: String) {
        if let error = error as? CacheError {
            self = error
            return
        }
        guard let failure = error as? DatabaseError else {
            self.init(.inputOutput, subject: path, message: "cannot use the catalogue: \(error)")
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
                "the disk is full, and a change to the catalogue needs some room; free some space"
            case .SQLITE_CORRUPT, .SQLITE_NOTADB:
                failure.message ?? "the catalogue is damaged"
            default: failure.message ?? "SQLite failed with \(failure.extendedResultCode)"
            }
        self.init(code, subject: path, message: message, remedy: code == .damaged ? .repairCache(nil) : nil)
    }
}
