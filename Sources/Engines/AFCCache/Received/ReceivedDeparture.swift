internal import AFCCaching
internal import AFCHTTP
internal import AFCSQLite
internal import HTTPTypes

/// A response that was removed from the received area.
struct ReceivedDeparture: Sendable {
    var id: Int64
    var url: String
    /// The file of its body, if it has one.
    var file: UInt64?

    private init(_ row: Row) throws {
        let file: Int64? = try row[2]
        self.init(id: try row[0], url: try row[1], file: file.map { UInt64(bitPattern: $0) })
    }

    init(id: Int64, url: String, file: UInt64?) {
        self.id = id
        self.url = url
        self.file = file
    }

    /// Removes a row.
    ///
    /// - Returns: The removed response, or nil if the row no longer existed.
    static func remove(_ id: Int64, from db: Database) throws -> ReceivedDeparture? {
        let statement = try db.statement("DELETE FROM response WHERE id = ? RETURNING id, url, file")
        return try statement.rows([id]).next().map { try ReceivedDeparture($0) }
    }

    /// Returns the responses to evict until the rest fits: invalidated ones first, then expired ones, then the least
    /// recently used ones.
    ///
    /// A few more than necessary are chosen, so that a full area isn't searched for each new response.
    ///
    /// - Parameters:
    ///   - room: The room for received responses.
    ///   - freed: The least size of the bodies to evict, whatever the room, in bytes.
    ///   - now: The current time.
    ///   - db: The database.
    /// - Returns: The numbers of their rows.
    /// - Throws: An error of the database.
    static func excess(_ room: CacheLimits, freeing freed: Int64 = 0, now: Timestamp, in db: Database) throws
        -> [Int64]
    {
        guard !room.isUnlimited || freed > 0 else { return [] }
        let totals = try ReceivedTotals.fetch(db)
        var bytes = max(totals.bytes - (room.bytes ?? .max), freed)
        var entries = totals.responses - (room.entries ?? .max)
        guard bytes > 0 || entries > 0 else { return [] }
        if bytes > 0 { bytes += min(room.bytes ?? .max, totals.bytes) / 64 }
        if entries > 0 { entries += (room.entries ?? 0) / 64 }
        var leaving: [Int64] = []
        let rows = try db.rows(
            """
            SELECT id, size FROM response
            ORDER BY CASE WHEN isInvalidated THEN 0 WHEN expires <= ? THEN 1 ELSE 2 END,
                CASE WHEN used > ? THEN 0 ELSE used END, id
            """,
            [
                now.secondsSinceEpoch, Int64(RecencyRecorder.minutes(now)) + Int64(RecencyRecorder.tolerance),
            ]
        )
        while bytes > 0 || entries > 0, let row = try rows.next() {
            let size: Int64 = try row[1]
            // Skip a response whose removal wouldn't reduce what exceeds its limit.
            guard entries > 0 || size > 0 else { continue }
            leaving.append(try row[0])
            bytes -= size
            entries -= 1
        }
        return leaving
    }

    /// Evicts responses until the rest fits; see ``excess(_:freeing:now:in:)``.
    static func makeRoom(_ room: CacheLimits, freeing freed: Int64 = 0, now: Timestamp, in db: Database) throws
        -> [ReceivedDeparture]
    {
        try excess(room, freeing: freed, now: now, in: db).compactMap { try remove($0, from: db) }
    }
}

/// The numbers of the rows to remove from the received area.
///
/// Rows are chosen first and removed later, a few at a time, since removing them takes room in SQLite's log.
struct ReceivedChoice: Sendable {
    var responses: [Int64] = []
    /// The rows with new fields for packages' entries.
    var freshened: [Int64] = []

    /// Chooses invalidated and expired responses.
    static func expired(now: Timestamp, in db: Database) throws -> [Int64] {
        try db.all(
            "SELECT id FROM response WHERE isInvalidated OR expires <= ?",
            [now.secondsSinceEpoch]
        )
    }

    /// Chooses the responses that were received, or last validated, at a time or later.
    static func received(since time: Timestamp, in db: Database) throws -> ReceivedChoice {
        ReceivedChoice(
            responses: try db.all(
                "SELECT id FROM response WHERE received >= ?",
                [time.secondsSinceEpoch]
            )
        )
    }

    /// Chooses everything that a rule selects by its URL.
    static func all(in db: Database, where isChosen: (String) -> Bool) throws -> ReceivedChoice {
        ReceivedChoice(
            responses: try numbers(db, "SELECT id, url FROM response", isChosen),
            freshened: try numbers(db, "SELECT id, url FROM freshened", isChosen)
        )
    }

    /// Chooses the responses of a group.
    static func group(_ group: String, in db: Database, where isChosen: (String) -> Bool) throws -> ReceivedChoice {
        var choice = ReceivedChoice()
        let rows = try db.rows("SELECT id, url, fields FROM response WHERE \(ReceivedReader.isRelated)")
        while let row = try rows.next() {
            guard let fields = try FieldBlock.fields(row[2]), try isChosen(row[1]),
                CacheGroups.names(in: fields[values: .cacheGroups]).contains(group)
            else { continue }
            choice.responses.append(try row[0])
        }
        return choice
    }

    /// Chooses the new fields for entries of generations other than those given.
    static func freshened(besides generations: Set<String>, in db: Database) throws -> [Int64] {
        try numbers(db, "SELECT id, generation FROM freshened") { !generations.contains($0) }
    }

    private static func numbers(_ db: Database, _ sql: String, _ isChosen: (String) -> Bool) throws -> [Int64] {
        var found: [Int64] = []
        let rows = try db.rows(sql)
        while let row = try rows.next() {
            if isChosen(try row[1]) { found.append(try row[0]) }
        }
        return found
    }
}

/// The totals of the received area.
struct ReceivedTotals: Sendable, Equatable {
    var responses = 0
    /// The size of all bodies together, in bytes.
    var bytes: Int64 = 0

    static func fetch(_ db: Database) throws -> ReceivedTotals {
        func value(_ name: String) throws -> Int64 {
            try db.first("SELECT value FROM area WHERE name = ?", [name]) ?? 0
        }
        return ReceivedTotals(responses: Int(try value("responses")), bytes: try value("bytes"))
    }
}
