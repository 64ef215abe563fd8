internal import AFCCaching
internal import AFCHTTP
internal import GRDB

/// A response that was removed from the received area.
struct ReceivedDeparture: Sendable {
    var id: Int64
    var url: String
    /// The file of its body, if it has one.
    var file: UInt64?

    private init(_ row: Row) throws {
        let file: Int64? = try row.optional(at: 2)
        self.init(id: try row.value(at: 0), url: try row.value(at: 1), file: file.map { UInt64(bitPattern: $0) })
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
        let statement = try db.cachedStatement(sql: "DELETE FROM response WHERE id = ? RETURNING id, url, file")
        return try Row.fetchOne(statement, arguments: [id]).map { try ReceivedDeparture($0) }
    }

    /// Evicts responses until the rest fits: invalidated ones first, then expired ones, then the least recently used
    /// ones.
    ///
    /// A few more than necessary are evicted, so that a full area isn't searched for each new response.
    static func makeRoom(_ room: CacheLimits, now: Timestamp, in db: Database) throws -> [ReceivedDeparture] {
        guard !room.isUnlimited else { return [] }
        let totals = try ReceivedTotals.fetch(db)
        var bytes = totals.bytes - (room.bytes ?? .max)
        var entries = totals.responses - (room.entries ?? .max)
        guard bytes > 0 || entries > 0 else { return [] }
        if bytes > 0 { bytes += (room.bytes ?? 0) / 64 }
        if entries > 0 { entries += (room.entries ?? 0) / 64 }
        var leaving: [Int64] = []
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT id, size FROM response
                ORDER BY CASE WHEN isInvalidated THEN 0 WHEN expires <= ? THEN 1 ELSE 2 END, used, id
                """,
            arguments: [now.secondsSinceEpoch]
        )
        while bytes > 0 || entries > 0, let row = try rows.next() {
            let size: Int64 = try row.value(at: 1)
            // Skip a response whose removal wouldn't reduce what exceeds its limit.
            guard entries > 0 || size > 0 else { continue }
            leaving.append(try row.value(at: 0))
            bytes -= size
            entries -= 1
        }
        return try leaving.compactMap { try remove($0, from: db) }
    }

    /// Removes invalidated and expired responses.
    static func removeExpired(now: Timestamp, from db: Database) throws -> [ReceivedDeparture] {
        try Row.fetchAll(
            db,
            sql: "SELECT id, url, file FROM response WHERE isInvalidated OR expires <= ?",
            arguments: [now.secondsSinceEpoch]
        ).compactMap { try remove(try $0.value(at: 0), from: db) }
    }

    /// Removes the responses that were received, or last validated, at a time or later.
    static func removeAll(from db: Database, since time: Timestamp) throws -> [ReceivedDeparture] {
        try Int64.fetchAll(
            db,
            sql: "SELECT id FROM response WHERE received >= ?",
            arguments: [time.secondsSinceEpoch]
        ).compactMap { try remove($0, from: db) }
    }

    /// Removes all responses whose URL a rule selects.
    static func removeAll(from db: Database, where isChosen: (String) -> Bool) throws -> [ReceivedDeparture] {
        for row in try Row.fetchAll(db, sql: "SELECT id, url FROM freshened") where isChosen(try row.value(at: 1)) {
            let id: Int64 = try row.value(at: 0)
            try db.execute(sql: "DELETE FROM freshened WHERE id = ?", arguments: [id])
        }
        return try Row.fetchAll(db, sql: "SELECT id, url FROM response")
            .compactMap { row in isChosen(try row.value(at: 1)) ? try remove(try row.value(at: 0), from: db) : nil }
    }
}

/// The totals of the received area.
struct ReceivedTotals: Sendable, Equatable {
    var responses = 0
    /// The size of all bodies together, in bytes.
    var bytes: Int64 = 0

    static func fetch(_ db: Database) throws -> ReceivedTotals {
        func value(_ name: String) throws -> Int64 {
            try Int64.fetchOne(db.cachedStatement(sql: "SELECT value FROM area WHERE name = ?"), arguments: [name]) ?? 0
        }
        return ReceivedTotals(responses: Int(try value("responses")), bytes: try value("bytes"))
    }
}
