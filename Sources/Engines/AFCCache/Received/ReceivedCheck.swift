internal import AFCCaching
internal import AFCFiles
import AFCPlatform
internal import AFCSQLite
internal import AFCText

/// Finds damage in the received responses.
struct ReceivedCheck {
    private(set) var findings: [CacheFinding] = []
    /// The rows whose head or body is damaged.
    private(set) var damaged: [Int64] = []
    private(set) var isDatabaseDamaged = false
    private(set) var responses = 0
    private(set) var bytes: Int64 = 0

    private let layout: ReceivedLayout
    private let isQuick: Bool

    init(_ layout: ReceivedLayout, isQuick: Bool) throws(CacheError) {
        self.layout = layout
        self.isQuick = isQuick
        do throws(CacheError) {
            let reader = try ReceivedReader(layout)
            let lines: [String] = try reader.read { db in try db.all("PRAGMA integrity_check(20)") }
            for line in lines where line != "ok" { addDatabase(line) }
            if !isDatabaseDamaged { try check(reader) }
        } catch {
            guard error.code == .damaged else { throw error }
            addDatabase(error.message)
        }
    }

    private mutating func check(_ reader: ReceivedReader) throws(CacheError) {
        // A process that adds to the area has files that no row refers to yet, so they count only if no process does.
        let lock = SharedLock(layout.lock)
        // One page at a time, so that a large area isn't held in memory, and no other process has to wait.
        var last: Int64 = 0
        var known: Set<UInt64> = []
        while true {
            let page = try reader.read { [last] db in try Self.page(after: last, db) }
            for row in page {
                last = row.id
                if let file = row.file { known.insert(file) }
                try check(row, reader)
            }
            if page.isEmpty { break }
        }
        guard lock.isHeld else { return }
        for path in try ReceivedKeeper.leftovers(in: layout, known: known) {
            add(.fileUnknown, path, nil, "no received response refers to this file")
        }
    }

    private struct CheckedRow {
        var id: Int64
        var url: String
        var size: Int64
        var digest: [UInt8]
        var file: UInt64?
        /// True if the row can be read and a body in the database is intact.
        var isSound: Bool
    }

    private static func page(after last: Int64, _ db: Database) throws -> [CheckedRow] {
        try db.rows(
            """
            SELECT \(ReceivedRow.columns), b.bytes FROM response r LEFT JOIN body b ON b.id = r.id
            WHERE r.id > ? ORDER BY r.id LIMIT 256
            """,
            [last]
        ).map { row in
            let file: Int64? = try row[9]
            return CheckedRow(
                id: try row[0],
                url: try row[1],
                size: try row[7],
                digest: try row[8] ?? [],
                file: file.map { UInt64(bitPattern: $0) },
                isSound: try ReceivedRow.variant(row, bytes: row[11]) != nil
            )
        }
    }

    private mutating func check(_ row: CheckedRow, _ reader: ReceivedReader) throws(CacheError) {
        responses += 1
        bytes += row.size
        guard let finding = try finding(for: row) else { return }
        // It may have been removed while it was checked.
        let isThere = try reader.read { db in
            try db.first("SELECT count(*) FROM response WHERE id = ?", [row.id]) == 1
        }
        guard isThere else { return }
        damaged.append(row.id)
        findings.append(finding)
    }

    private func finding(for row: CheckedRow) throws(CacheError) -> CacheFinding? {
        guard row.isSound else {
            return Self.finding(.bodyDamaged, layout.database, row.url, "the response for '\(row.url)' is damaged")
        }
        guard let file = row.file else { return nil }
        let (path, place) = (layout.body(file), ReceivedLayout.place(file))
        guard let folder = try layout.openFiles(), let status = try folder.status(of: place) else {
            return Self.finding(.bodyMissing, path, row.url, "the received body of '\(row.url)' is missing")
        }
        guard status.st_mode & S_IFMT == S_IFREG, Int64(status.st_size) == row.size else {
            let message = "the received body of '\(row.url)' has \(status.st_size) bytes instead of \(row.size)"
            return Self.finding(.bodyDamaged, path, row.url, message)
        }
        guard !isQuick, try BodyJudge.digest(of: place, in: folder) != row.digest else { return nil }
        return Self.finding(.bodyDamaged, path, row.url, "the received body of '\(row.url)' was changed")
    }

    private mutating func addDatabase(_ message: String) {
        isDatabaseDamaged = true
        add(.catalogueDamaged, layout.database, nil, message)
    }

    private mutating func add(_ kind: CacheFinding.Kind, _ path: String, _ url: String?, _ message: String) {
        findings.append(Self.finding(kind, path, url, message))
    }

    private static func finding(_ kind: CacheFinding.Kind, _ path: String, _ url: String?, _ message: String)
        -> CacheFinding
    {
        CacheFinding(kind: kind, path: path, url: url, message: message)
    }
}

/// Keeps other processes from acquiring the right to add, as long as the value exists.
private struct SharedLock: ~Copyable {
    private let descriptor: Int32
    /// True if no process has that right, or ever had it.
    let isHeld: Bool

    init(_ path: String) {
        descriptor = Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) ?? -1
        // Only users with write access to the cache may lock it, so others can't tell.
        isHeld = descriptor < 0 ? errno == ENOENT : flock(descriptor, LOCK_SH | LOCK_NB) == 0
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
