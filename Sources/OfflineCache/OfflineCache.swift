internal import GRDB

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The disk cache: installed packages, found by URL.
///
/// Any number of processes may read a store while one writes to it. A value is cheap to share and safe to use from any
/// thread; its calls block for as long as SQLite and the disk take, which is microseconds for a look-up.
public final class OfflineCache: Sendable {
    /// What a process may do with the store.
    public enum Access: Sendable, Equatable {
        /// Look-ups only; the store must exist and may lie on a read-only medium.
        case readOnly
        /// Look-ups and changes; a store that isn't there is made.
        case readWrite
    }

    /// The store's folder.
    public var path: String { layout.root }

    let layout: StoreLayout
    let database: any DatabaseReader
    let writer: (any DatabaseWriter)?

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - path: The store's folder.
    ///   - access: What to do with it.
    /// - Throws: ``CacheError`` where there is no store, or one that this program can't use.
    public init(path: String, access: Access) throws(CacheError) {
        layout = StoreLayout(root: path)
        do {
            switch access {
            case .readOnly:
                database = try Self.openForReading(layout)
                writer = nil
            case .readWrite:
                let pool = try Self.openForWriting(layout)
                database = pool
                writer = pool
            }
        } catch let error as CacheError {
            throw error
        } catch {
            throw CacheError(database: error, path: layout.index)
        }
    }

    private static func openForReading(_ layout: StoreLayout) throws -> any DatabaseReader {
        guard access(layout.index, F_OK) == 0 else {
            throw CacheError(
                .noStore,
                subject: layout.root,
                message: "there is no store here; make one with 'afcache load PACKAGE --cache \(layout.root)'"
            )
        }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { try StoreSchema.check($0, path: layout.index) }
        guard access(layout.root, W_OK) == 0 else {
            // A read-only medium can't hold the shared memory that WAL needs, and nobody writes to it either. With a log
            // that was not written back yet, SQLite must see it, or what was loaded last would be missing.
            var log = stat()
            if stat(layout.index + "-wal", &log) == 0, log.st_size > 0 {
                return try DatabaseQueue(path: layout.index, configuration: configuration)
            }
            return try DatabaseQueue(path: "file:\(layout.index)?immutable=1", configuration: configuration)
        }
        return try DatabasePool(path: layout.index, configuration: configuration)
    }

    private static func openForWriting(_ layout: StoreLayout) throws -> DatabasePool {
        for folder in [layout.root, layout.packages, layout.staging] {
            try Folders.make(folder)
        }
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { db in
            try StoreSchema.check(db, path: layout.index)
            // Committed means on the disk: a power cut after that must not undo it.
            try db.execute(sql: "PRAGMA synchronous = FULL")
        }
        let pool = try DatabasePool(path: layout.index, configuration: configuration)
        // SQLite lets one process migrate at a time; the others find it done.
        try pool.write { try StoreSchema.migrate($0) }
        return pool
    }

    /// Reads from one state of the index.
    func read<Value>(_ body: (Database) throws -> Value) throws(CacheError) -> Value {
        do {
            return try database.read(body)
        } catch let error as CacheError {
            throw error
        } catch {
            throw CacheError(database: error, path: layout.index)
        }
    }
}

extension CacheError {
    /// What SQLite said.
    init(database error: any Error, path: String) {
        guard let failure = error as? DatabaseError else {
            self.init(.inputOutput, subject: path, message: "cannot use the index: \(error)")
            return
        }
        let code: Code =
            switch failure.resultCode {
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: .damaged
            case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
            default: .inputOutput
            }
        let remedy = code == .damaged ? "; remove the store and load its packages again" : ""
        self.init(
            code,
            subject: path,
            message: (failure.message ?? "SQLite failed with \(failure.resultCode)") + remedy
        )
    }
}
