internal import AFCCaching
internal import AFCFiles
import AFCPlatform
public import AFCText
internal import GRDB
internal import Synchronization

/// The disk cache: installed packages, found by URL.
///
/// Any number of processes may read a store while one writes to it. A value is cheap to share and safe to use from any
/// thread; a look-up blocks for a few reads of files, which are microseconds.
public final class OfflineCache: Sendable {
    /// What a process may do with the store.
    public enum Access: Sendable, Equatable {
        /// Look-ups only; the store must exist and may lie on a read-only medium.
        case readOnly
        /// Look-ups and changes; the store must exist.
        case existing
        /// Look-ups and changes; a store that isn't there is made.
        case readWrite
        /// Look-ups and changes; the store must exist, and a catalogue that is lost or damaged is rebuilt.
        case repairing
    }

    /// The store's folder.
    public var path: String { layout.root }
    /// Where packages are kept while they arrive from a server.
    public var downloadFolder: String { layout.downloads }

    let layout: CacheLayout
    let access: Access
    let verifiesBodies: Bool
    let received: ReceivedArea
    /// Indicates whether there was no store, or not even its folder, when this value was made.
    let isNew: Bool
    let isInNewFolder: Bool
    /// Indicates whether the catalogue was rebuilt when the store was opened.
    let isRebuilt: Bool

    let reader: CatalogueReader
    let writer: CatalogueWriter

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - path: The store's folder.
    ///   - access: What to do with it.
    ///   - memory: About how many bytes the process may keep of received responses, their small bodies counted.
    ///   - verifiesBodies: Whether each body is compared with its SHA-256 whenever it is read; docs/store.md says what
    ///     that costs and what is noticed without it.
    /// - Throws: ``CacheError`` where there is no store, or one that this program can't use.
    public init(
        path: String,
        access: Access,
        memory: Int = 32 << 20,
        verifiesBodies: Bool = false
    ) throws(CacheError) {
        guard !path.isEmpty else {
            throw CacheError(.badPath, subject: path, message: "the path of the cache is empty; name a folder")
        }
        let layout = CacheLayout(root: path)
        self.layout = layout
        self.access = access
        self.verifiesBodies = verifiesBodies
        let isFolderMissing = !Descriptor.allows(layout.root, F_OK)
        let creation: CreationLock? =
            if access == .readWrite, try Self.mayBeInTheMaking(layout) { try CreationLock(layout.root) } else { nil }
        let found = try FolderKind.state(layout)
        switch found {
        case .cache: try CatalogueSchema.checkHeader(layout.catalogue)
        case .lost:
            // Readers have what was published.
            let isEnough = access == .readOnly && PublishedCatalogue.Mark(layout) != nil
            if access != .repairing, !isEnough { throw CacheError.lostCatalogue(layout) }
        case .vacant: if access != .readWrite { throw CacheError.noCache(layout) }
        }
        isNew = found == .vacant
        isInNewFolder = isNew && isFolderMissing
        isRebuilt = access == .repairing ? try Self.rebuildWhereUnusable(layout) : false
        let isPublished = found != .vacant && PublishedCatalogue.Mark(layout) != nil
        if access != .readOnly {
            try FolderKind.prepare(layout)
            try ChangeCounter.make(path: layout.changes)
        }
        reader = CatalogueReader(layout)
        writer = CatalogueWriter(layout, access: access, reader: reader)
        received = ReceivedArea(layout, room: ReceivedRoom(layout), memory: memory)
        if !isPublished {
            if access == .readOnly {
                try writer.requireTodaysVersion()
            } else {
                try writer.migrateIfNeeded()
            }
        }
        _ = consume creation
    }

    deinit { flushRecency() }

    /// Tells whether there is no cache, or one that another process is making just now.
    private static func mayBeInTheMaking(_ layout: CacheLayout) throws(CacheError) -> Bool {
        do throws(CacheError) {
            return try FolderKind.state(layout) != .cache
        } catch {
            guard error.code == .noCache else { throw error }
            return true
        }
    }

    /// The catalogue's present state.
    func snapshot() throws(CacheError) -> Snapshot { try reader.snapshot() }

    /// Writes down which entries were used; done by itself once a minute and at the end.
    public func flushRecency() { reader.flushRecency() }
}

extension CacheError {
    /// There is no store in a folder.
    static func noCache(_ layout: CacheLayout) -> CacheError {
        CacheError(
            .noCache,
            subject: layout.root,
            message: "there is no store here",
            remedy: .loadPackage(layout.root)
        )
    }

    /// Tells whether SQLite found no room on the disk.
    static func isWithoutRoom(_ error: DatabaseError) -> Bool {
        switch error.extendedResultCode {
        case .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_SHMOPEN, .SQLITE_IOERR_SHMMAP, .SQLITE_FULL: true
        default: false
        }
    }

    /// What SQLite said.
    init(database error: any Error, path: String) {
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
