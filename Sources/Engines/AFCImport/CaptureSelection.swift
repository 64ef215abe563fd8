internal import AFCArchive
internal import AFCCrawlRules
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCSQLite
internal import AFCText
internal import AFCURL
internal import HTTPTypes

/// Chooses the response that counts for each URL, once all archives were read.
///
/// Requests and originals may come before or behind the responses that need them, and in other files.
struct CaptureSelection {
    let intake: Intake
    private var store: CaptureStore { intake.store }

    /// True for captures that count so far, in SQL.
    private static let counts = "omission = -1"
    /// The mark of captures that were reported.
    private static let reported = 999

    init(_ intake: Intake) { self.intake = intake }

    /// Fills the table of the chosen captures, and returns their number.
    func choose() throws -> Int {
        try applyRequests()
        try reportOmissions()
        try applyOriginals()
        return try chooseLatest()
    }

    /// The end of a query for the place of a capture; three columns.
    private static let placeColumns = "file, place, number"

    private func place(_ row: Row, _ column: Int) throws -> NotePlace {
        NotePlace(file: try row[column], offset: try row[column + 1], number: try row[column + 2])
    }

    // MARK: Requests

    /// Applies methods and request fields to the responses.
    private func applyRequests() throws {
        try store.use { db in
            guard try db.first("SELECT 1 FROM request LIMIT 1") as Int? != nil else { return }
            try db.run("CREATE INDEX request_key ON request (key)")
            let rows = try db.rows("SELECT id, url, seconds, ids, varies, \(Self.placeColumns) FROM capture")
            while let row = try rows.next() {
                try intake.checkCancellation()
                let (id, url): (Int64, String) = (try row[0], try row[1])
                let ids: String = try row[3]
                guard let request = try request(ids, url, try row[2], db) else { continue }
                if request.method != "GET" {
                    guard intake.options.takesOtherMethods, let name = request.url else {
                        try db.execute("UPDATE capture SET omission = \(Self.reported) WHERE id = ?", [id])
                        try intake.note(.method, at: try place(row, 5), url: url, detail: request.method)
                        continue
                    }
                    try db.execute("UPDATE capture SET url = ? WHERE id = ?", [name, id])
                }
                let varies: Bool = try row[4]
                if varies, !request.fields.isEmpty { try set(request.fields, of: id, db) }
            }
        }
    }

    private func request(
        _ ids: String,
        _ url: String,
        _ seconds: Int64,
        _ db: Database
    ) throws -> (method: String, url: String?, fields: [UInt8])? {
        let keys = ids.split(separator: " ").map(String.init) + ["\(seconds) \(url)"]
        for key in keys {
            let rows = try db.rows("SELECT method, url, fields FROM request WHERE key = ? LIMIT 1", [key])
            if let row = try rows.next() { return (try row[0], try row[1], try row[2]) }
        }
        return nil
    }

    /// Adds the fields of a request that Vary names.
    private func set(_ fields: [UInt8], of id: Int64, _ db: Database) throws {
        guard let line = try db.first("SELECT record FROM capture WHERE id = ?", [id]) as [UInt8]?,
            let json = try? JSONValue(parsing: fields),
            let sent = try? ResourceRecord.fields(.object([("fields", json)]), key: "fields")
        else { return }
        var record = try Self.record(line)
        record.requestFields = Recording.requestFields(varying: record.fields, sent: sent)
        guard !record.requestFields.isEmpty else { return }
        try db.execute("UPDATE capture SET record = ? WHERE id = ?", [Self.line(record), id])
    }

    static func record(_ line: [UInt8]) throws -> ResourceRecord {
        try line.dropLast().withUnsafeBufferPointer { line in
            do throws(ResourceRecord.Malformation) {
                return try ResourceRecord(line: line)
            } catch {
                throw DatabaseError.damaged("a record of the import can't be read: \(error)")
            }
        }
    }

    private static func line(_ record: ResourceRecord) -> [UInt8] {
        var line: [UInt8] = []
        record.write(to: &line)
        return line
    }

    /// Reports the captures that the user left out, to which others may refer still, and what is wrong with the rest.
    private func reportOmissions() throws {
        try store.use { db in
            let noted = try db.rows(
                "SELECT notes, url, \(Self.placeColumns) FROM capture WHERE notes IS NOT NULL AND \(Self.counts) ORDER BY id"
            )
            while let row = try noted.next() {
                let (notes, url): (String, String) = (try row[0], try row[1])
                for note in notes.split(separator: "\n") {
                    let parts = note.split(separator: " ", maxSplits: 1)
                    guard let kind = parts.first.flatMap({ ImportNote.Kind(rawValue: String($0)) }) else { continue }
                    try intake.note(
                        kind,
                        at: try place(row, 2),
                        url: url,
                        detail: String(parts.dropFirst().first ?? "")
                    )
                }
            }
            let sql =
                "SELECT omission, url, \(Self.placeColumns) FROM capture WHERE omission BETWEEN 0 AND 99 ORDER BY id"
            let rows = try db.rows(sql)
            while let row = try rows.next() {
                let kind = ImportNote.Kind.allCases[try row[0] as Int]
                try intake.note(kind, at: try place(row, 2), url: try row[1])
            }
        }
    }

    // MARK: Originals

    /// The longest chain of responses of which each refers to the one before.
    private static let chainLimit = 16
    /// A record's identifier, in SQL.
    private static let recordID = "substr(ids, 1, instr(ids || ' ', ' ') - 1)"

    /// Gives repeated and unchanged responses what they have in common with others.
    private func applyOriginals() throws {
        try store.use { db in
            guard try db.first("SELECT 1 FROM capture WHERE kind > 1 LIMIT 1") as Int? != nil else { return }
            try db.run(
                """
                CREATE INDEX capture_url ON capture (url, seconds) WHERE kind < 2;
                CREATE INDEX capture_digest ON capture (digest) WHERE kind < 2 AND digest IS NOT NULL
                """
            )
            if try db.first("SELECT 1 FROM capture WHERE originalID IS NOT NULL LIMIT 1") as Int? != nil {
                try db.run("CREATE INDEX capture_id ON capture (\(Self.recordID)) WHERE kind < 2")
            }
            // A response may refer to one that refers to another.
            for _ in 1...Self.chainLimit {
                let (changed, missing) = try applyKnownOriginals(db)
                guard changed > 0, missing > 0 else { break }
            }
            let rows = try db.rows(
                "SELECT id, url, \(Self.placeColumns) FROM capture WHERE kind > 1 AND \(Self.counts) ORDER BY id"
            )
            while let row = try rows.next() {
                try intake.note(.noOriginal, at: try place(row, 2), url: try row[1])
                try db.execute("UPDATE capture SET omission = \(Self.reported) WHERE id = ?", [try row[0] as Int64])
            }
        }
    }

    /// Changes the responses whose originals are known, and returns how many there are, and how many others.
    private func applyKnownOriginals(_ db: Database) throws -> (changed: Int, missing: Int) {
        let rows = try db.rows(
            """
            SELECT id, url, seconds, kind, record, digest, original, originalSeconds, lacksHead, originalID
            FROM capture WHERE kind > 1 AND \(Self.counts) ORDER BY id
            """
        )
        var (changed, missing) = (0, 0)
        // Changes follow, since they would be read again.
        var changes: [Change] = []
        while let row = try rows.next() {
            try intake.checkCancellation()
            guard let change = try change(row, db) else {
                missing += 1
                continue
            }
            changed += 1
            changes.append(change)
            if changes.count == 1000 {
                for change in changes { try apply(change, db) }
                changes = []
            }
        }
        for change in changes { try apply(change, db) }
        return (changed, missing)
    }

    /// What a response gets from its original.
    private struct Change {
        var id: Int64
        var original: Int64
        var record: ResourceRecord
    }

    private func change(_ row: Row, _ db: Database) throws -> Change? {
        let (url, seconds): (String, Int64) = (try row[1], try row[2])
        let isUnchanged = try row[3] as Int == Capture.Kind.unchanged.rawValue
        let (digest, target): (String?, String?) = (try row[5], try row[6])
        let targetSeconds: Int64? = try row[7]
        var found: (id: Int64, line: [UInt8], size: Int64?, sha256: String?)?
        func look(_ condition: String, _ arguments: [any DatabaseValue]) throws {
            guard found == nil else { return }
            let rows = try db.rows(
                "SELECT id, record, size, sha256 FROM capture WHERE kind < 2 AND \(condition) LIMIT 1",
                arguments
            )
            if let row = try rows.next() { found = (try row[0], try row[1], try row[2], try row[3]) }
        }
        if let id: String = try row[9] { try look("\(Self.recordID) = ?", [id]) }
        if let target, let targetSeconds {
            try look("url = ? AND seconds = ? ORDER BY id DESC", [target, targetSeconds])
        }
        if let digest { try look("digest = ? ORDER BY id DESC", [digest]) }
        if isUnchanged {
            try look("url = ? AND seconds <= ? ORDER BY seconds DESC, id DESC", [target ?? url, seconds])
        }
        guard let found else { return nil }
        let original = try Self.record(found.line)
        var record = try Self.record(try row[4])
        if isUnchanged {
            // RFC 9111 §3.2.
            let own = record.fields
            record.fields = original.fields
            for name in Set(own.map(\.name)) where ![.contentType, .contentRange].contains(name) {
                record.fields[fields: name] = own[fields: name]
            }
            record.status = original.status
        } else if try row[8] {
            (record.status, record.fields) = (original.status, original.fields)
        }
        let isRedirect = record.isRedirect && (try? WebURL(record.fields[.location] ?? "", base: record.url)) != nil
        (record.size, record.sha256) = isRedirect ? (nil, nil) : (found.size, found.sha256)
        record.coding = isRedirect ? nil : original.coding
        if record.size == nil, !isRedirect { return nil }
        return Change(id: try row[0], original: found.id, record: record)
    }

    private func apply(_ change: Change, _ db: Database) throws {
        let kind: Capture.Kind = change.record.size == nil ? .redirect : .whole
        try db.execute(
            """
            UPDATE capture SET kind = ?, status = ?, record = ?, digest = NULL,
            (offset, crc, size, compressed, deflated, sha256) =
            (SELECT offset, crc, size, compressed, deflated, sha256 FROM capture WHERE id = ?) WHERE id = ?
            """,
            [kind.rawValue, change.record.status, Self.line(change.record), change.original, change.id]
        )
    }

    // MARK: Times

    /// Chooses the latest capture of each URL; of those with the same time, the one that was read last.
    private func chooseLatest() throws -> Int {
        try store.use { db in
            try db.run(
                """
                CREATE INDEX capture_time ON capture (url, seconds DESC, fraction DESC, id DESC) WHERE \(Self.counts)
                """
            )
            let rows = try db.rows(
                """
                SELECT id, url, \(Self.placeColumns) FROM capture INDEXED BY capture_time WHERE \(Self.counts)
                ORDER BY url, seconds DESC, fraction DESC, id DESC
                """
            )
            var (count, last) = (0, "")
            while let row = try rows.next() {
                let url: String = try row[1]
                guard url != last else {
                    try intake.note(.older, at: try place(row, 2), url: url)
                    continue
                }
                try intake.checkCancellation()
                last = url
                count += 1
                try db.execute("INSERT INTO chosen (rank, id) VALUES (?, ?)", [count, try row[0] as Int64])
            }
            return count
        }
    }
}
