internal import AFCCaching
internal import AFCFiles
internal import AFCHTTP
import AFCPlatform
internal import AFCSQLite
internal import AFCText
internal import HTTPTypes

/// The received area's database, open for look-ups.
final class ReceivedReader: Sendable {
    private let database: LockedDatabase
    private let layout: ReceivedLayout
    private let inode: UInt64
    /// The state of the file when it was opened, if SQLite can't detect changes to it.
    private let fixed: FileState?
    private let counter: ChangeCounter

    /// Opens the database.
    init(_ layout: ReceivedLayout) throws(CacheError) {
        self.layout = layout
        inode = Self.inode(layout)
        counter = ChangeCounter(path: layout.changes)
        let state = FileState(layout)
        let opened = try onDatabase(layout.database) {
            try CacheDatabase.openWithoutRoom(layout.database, in: layout.root) { db in
                guard try ReceivedSchema.check(db, path: layout.database) == ReceivedSchema.version else {
                    throw CacheError(.damaged, subject: layout.database, message: "the database has no tables yet")
                }
            }
        }
        database = opened.database
        fixed = opened.isFixed ? state : nil
    }

    /// True if the path still leads to this file, and its changes are seen.
    var isCurrent: Bool { inode == Self.inode(layout) && (fixed == nil || fixed == FileState(layout)) }

    /// The file state that shows whether a process writes to the database.
    private struct FileState: Equatable {
        private let database: FileTime?
        private let size: Int64
        private let log: Int64

        init(_ layout: ReceivedLayout) {
            var status = stat()
            let isThere = stat(layout.database, &status) == 0
            (database, size) = isThere ? (FileTime(status), Int64(status.st_size)) : (nil, 0)
            log = stat(layout.database + "-wal", &status) == 0 ? Int64(status.st_size) : 0
        }
    }

    /// The number in `received.changes`.
    var change: UInt64 { counter.value }

    /// Returns true if there is a database that this process may read; only the cache's owner may.
    static func exists(_ layout: ReceivedLayout) -> Bool { Descriptor.allows(layout.database, R_OK) }

    private static func inode(_ layout: ReceivedLayout) -> UInt64 {
        var status = stat()
        return stat(layout.database, &status) == 0 ? UInt64(status.st_ino) : 0
    }

    /// Reads from the database.
    func read<Value>(_ body: (Database) throws -> Value) throws(CacheError) -> Value {
        try onDatabase(layout.database) { try database.use(body) }
    }

    /// The highest row numbers whose URL hashes are known.
    struct Horizon: Sendable, Equatable {
        var response: Int64 = 0
        var freshened: Int64 = 0
    }

    /// Returns the hashes of URLs in rows beyond a horizon, and the new horizon.
    func hashes(beyond horizon: Horizon) throws(CacheError) -> (hashes: Set<UInt64>, horizon: Horizon) {
        try read { db in
            var hashes: Set<UInt64> = []
            func read(_ table: String, _ last: Int64) throws -> Int64 {
                var last = last
                let sql = "SELECT id, hash FROM \(table) WHERE id > ? ORDER BY id"
                let rows = try db.rows(sql, [last])
                while let row = try rows.next() {
                    last = try row[0]
                    let hash: Int64 = try row[1]
                    hashes.insert(UInt64(bitPattern: hash))
                }
                return last
            }
            let horizon = Horizon(
                response: try read("response", horizon.response),
                freshened: try read("freshened", horizon.freshened)
            )
            return (hashes, horizon)
        }
    }

    /// A response that is found by more than its URL.
    struct Related: Sendable {
        var url: String
        var variance: SearchVariance?
        var groups: [String]
    }

    /// Reads the responses beyond a row that are found by more than their URL, in the order of their rows.
    ///
    /// Rows of programs that don't know the fields aren't among them.
    ///
    /// - Parameters:
    ///   - id: The row.
    ///   - origin: The origin of the responses; nil for all.
    ///   - body: Takes a response.
    /// - Throws: ``CacheError`` if the database can't be read.
    func forEachRelated(
        beyond id: Int64,
        of origin: String? = nil,
        _ body: (Related) -> Void
    ) throws(CacheError) {
        try read { db in
            // "0" is the character after the slash.
            let range = origin.map { [$0 + "/", $0 + "0"] } ?? ["", "~"]
            let rows = try db.rows(
                "SELECT url, fields FROM response WHERE id > ? AND url >= ? AND url < ? AND \(Self.isRelated) ORDER BY id",
                [id] + range
            )
            while let row = try rows.next() {
                guard let fields = try FieldBlock.fields(row[1]) else { continue }
                let groups = CacheGroups.names(in: fields[values: .cacheGroups])
                body(Related(url: try row[0], variance: SearchVariance(fields), groups: groups))
            }
        }
    }

    /// The condition for rows of related responses.
    static let isRelated = "instr(requestFields, CAST('\(ProgramField.related.rawName)' AS BLOB)) > 0"

    /// Returns the URLs that have responses, in no order.
    func urls(limit: Int) throws(CacheError) -> [String] {
        try read { db in
            try db.all("SELECT DISTINCT url FROM response LIMIT ?", [limit])
        }
    }

    /// Returns the number of rows and the size of their bodies.
    func totals() throws(CacheError) -> ReceivedTotals { try read { try ReceivedTotals.fetch($0) } }
}
