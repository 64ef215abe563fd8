internal import AFCFiles
import AFCPlatform
internal import AFCSQLite

/// The free pages of a database, which are given back to the disk without filling it.
///
/// A database of this version gives them back a few at a time. One of an earlier version must be rewritten as a whole,
/// which makes it one of this version, and is left as it is if the disk has no room for two copies.
enum FreedPages {
    /// The number of pages that are moved before the log is emptied.
    private static let step = 64

    /// Returns the size of the free pages, in bytes.
    static func size(in db: Database) throws -> Int64 {
        try number("freelist_count", in: db) * number("page_size", in: db)
    }

    /// Gives the free pages back to the disk, as far as it has room for that.
    static func release(from database: LockedDatabase, path: String) throws(CacheError) {
        try onDatabase(path) {
            do {
                try database.use { db in
                    let incremental: Int64 = 2
                    if try number("auto_vacuum", in: db) == incremental {
                        try moveOut(of: db)
                    } else {
                        try rewrite(db, path: path)
                    }
                }
            } catch let error as DatabaseError where error.isWithoutRoom || error.isBusy {
                // New rows take the free pages until there is room, or nobody else writes.
                return
            }
        }
        try emptyLog(of: database, path: path, truncating: true)
    }

    /// Copies the log into the database, so that the next change starts at its beginning again.
    ///
    /// If another process reads, the process that closes the file last does so. Without room, the log stays.
    static func emptyLog(of database: LockedDatabase, path: String, truncating: Bool = false) throws(CacheError) {
        try onDatabase(path) {
            do {
                try database.use { db in
                    _ = try db.checkpoint(truncating: truncating)
                }
            } catch let error as DatabaseError where error.isBusy || error.isWithoutRoom {
                return
            }
        }
    }

    /// Returns the size of a database's log, in bytes.
    static func logSize(of path: String) -> Int64 {
        var status = stat()
        return lstat(path + "-wal", &status) == 0 ? Int64(status.st_size) : 0
    }

    private static func moveOut(of db: Database) throws {
        var free = try number("freelist_count", in: db)
        while free > 0 {
            try db.run("PRAGMA incremental_vacuum(\(step))")
            let (log, copied) = try db.checkpoint(truncating: false)
            let rest = try number("freelist_count", in: db)
            // A log that another process reads can only grow.
            guard rest < free, copied == log else { return }
            free = rest
        }
    }

    private static func rewrite(_ db: Database, path: String) throws {
        let free = try number("freelist_count", in: db)
        guard free > 0 else { return }
        let size = try (number("page_count", in: db) - free) * number("page_size", in: db)
        guard try size <= room(in: Durable.folder(of: path)) / 2 else { return }
        try db.run("PRAGMA auto_vacuum = INCREMENTAL; VACUUM")
    }

    /// Returns the number of bytes that may be written to the disk of a folder.
    static func room(in path: String) throws(CacheError) -> Int64 {
        let folder = try OpenFolder(path: path)
        return DiskRoom.available(folder.descriptor) ?? .max
    }

    private static func number(_ pragma: String, in db: Database) throws -> Int64 {
        try db.first("PRAGMA \(pragma)") ?? 0
    }
}
