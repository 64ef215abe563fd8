internal import AFCFiles
internal import AFCSQLite
internal import AFCText

/// The right to add received responses, with the database open for writing.
final class ReceivedKeeper: Sendable {
    private let lock: WriterLock
    let database: LockedDatabase
    private let layout: ReceivedLayout
    /// The number of the first new row.
    let nextID: Int64

    /// Acquires the right, creates what doesn't exist, and removes what a killed process left.
    init(_ layout: ReceivedLayout) throws(CacheError) {
        self.layout = layout
        let root = try OpenFolder(path: layout.root)
        try root.requireOwn()
        lock = try WriterLock(layout)
        try root.make("received")
        try root.folder("received").requireOwn()
        try ChangeCounter.make(path: layout.changes)
        try onDatabase(layout.database) {
            try CacheDatabase.makeWhereMissing(layout.database, drafts: layout.files)
        }
        database = try Self.open(layout)
        let isUnclean = try Self.transaction(database, layout) { db in
            let found = try ReceivedSchema.check(db, path: layout.database)
            if found == 0 { try ReceivedSchema.create(in: db) }
            let isOpen = try db.first("SELECT value FROM area WHERE name = 'isOpen'") ?? 1
            try db.execute("UPDATE area SET value = 1 WHERE name = 'isOpen'")
            return found == 0 || isOpen != 0
        }
        let last: Int64? = try Self.transaction(database, layout) { db in
            try db.first("SELECT seq FROM sqlite_sequence WHERE name = 'response'")
        }
        nextID = (last ?? 0) + 1
        if isUnclean { try removeLeftovers() }
    }

    /// Changes the database in one transaction.
    func write<Value>(_ body: (Database) throws -> Value) throws(CacheError) -> Value {
        try Self.transaction(database, layout, body)
    }

    /// Removes files that no row refers to.
    ///
    /// - Returns: Their paths.
    @discardableResult
    func removeLeftovers() throws(CacheError) -> [String] {
        let leftovers = try Self.leftovers(in: layout, known: try write { try Self.knownFiles($0) })
        for path in leftovers { try Folders.remove(path) }
        return leftovers
    }

    /// Records a clean shutdown, and empties the log so that the area can be read on a read-only medium.
    func close() throws(CacheError) {
        try write { try $0.execute("UPDATE area SET value = 0 WHERE name = 'isOpen'") }
        do {
            try database.use { db in _ = try db.checkpoint(truncating: true) }
        } catch let error as DatabaseError where error.isBusy {
            // Another process is reading; the last one to close the file empties the log.
            return
        } catch {
            throw CacheError(database: error, path: layout.database)
        }
    }

    /// Opens the database for a process that only removes responses.
    static func open(_ layout: ReceivedLayout) throws(CacheError) -> LockedDatabase {
        try onDatabase(layout.database) {
            try CacheDatabase.openForWriting(layout.database) { db in
                try ReceivedSchema.check(db, path: layout.database)
            }
        }
    }

    static func transaction<Value>(
        _ database: LockedDatabase,
        _ layout: ReceivedLayout,
        _ body: (Database) throws -> Value
    ) throws(CacheError) -> Value {
        try onDatabase(layout.database) { try database.change(body) }
    }

    static func knownFiles(_ db: Database) throws -> Set<UInt64> {
        Set(
            try db.all("SELECT file FROM response WHERE file IS NOT NULL")
                .map { UInt64(bitPattern: $0) }
        )
    }

    /// Returns the files below `received` that have our names but that no row refers to.
    ///
    /// The result is valid only while no process adds to the area.
    static func leftovers(in layout: ReceivedLayout, known: Set<UInt64>) throws(CacheError) -> [String] {
        files(in: layout)
            .filter { isOwn($0) && !known.contains(UInt64($0.name, radix: 16) ?? 0) }
            .map { path($0, layout) }
    }

    /// Returns the files below `received` that we never created.
    static func strangers(in layout: ReceivedLayout) -> [String] {
        files(in: layout).filter { !isOwn($0) }.map { path($0, layout) }
    }

    private static func isOwn(_ file: (folder: String, name: String)) -> Bool {
        OwnName.isReceivedBody(file.name, in: file.folder) || file.folder.isEmpty && OwnName.isTemporary(file.name)
    }

    private static func path(_ file: (folder: String, name: String), _ layout: ReceivedLayout) -> String {
        file.folder.isEmpty ? "\(layout.files)/\(file.name)" : "\(layout.files)/\(file.folder)/\(file.name)"
    }

    /// Returns the names in the folders below `received`, sorted; files next to these folders get an empty name.
    private static func files(in layout: ReceivedLayout) -> [(folder: String, name: String)] {
        guard let root = try? OpenFolder(path: layout.root).folder("received"), let names = try? root.names() else {
            return []
        }
        return names.flatMap { name -> [(folder: String, name: String)] in
            guard OwnName.isReceivedFolder(name), let folder = try? root.folder(name), let files = try? folder.names()
            else { return [("", name)] }
            return files.map { (name, $0) }
        }
    }
}
