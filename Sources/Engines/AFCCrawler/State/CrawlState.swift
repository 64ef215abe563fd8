internal import AFCDiscovery
internal import AFCURL
internal import GRDB

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The file in which a crawl keeps what it has found out, so that it can go on after an interruption.
///
/// One process has it at a time. What ``write(_:facts:)`` returned from survives the process, however that ends. Nothing is
/// synced: after a power cut, which ``SystemStart`` tells, all is read and checked before it is believed. Calls block.
final class CrawlState: Sendable {
    /// The file.
    let path: String
    let database: DatabaseQueue
    /// Whether an interrupted crawl's state was there.
    let isResumed: Bool

    /// Opens the state of a crawl, or makes it.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - fingerprint: What decides on the crawl's result; a state of another one is refused.
    /// - Throws: ``PackagingError`` where the file can't be used.
    init(path: String, fingerprint: String) throws(PackagingError) {
        self.path = path
        var isNew = path.isEmpty
        if !isNew { isNew = try PrivateFile.prepare(path) }
        if !isNew { isNew = try PrivateFile.beginning(of: path, 1).isEmpty }
        let hasNoJournalYet = isNew
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
            // Before the journal's mode, whose change would be synced.
            try db.execute(sql: "PRAGMA synchronous = OFF")
            try db.execute(sql: "PRAGMA trusted_schema = OFF")
            // The change itself needs no file, so a journal beside a state is never a crawl's.
            if hasNoJournalYet { try db.execute(sql: "PRAGMA journal_mode = MEMORY") }
            try db.execute(sql: "PRAGMA journal_mode = WAL")
            try db.execute(sql: "PRAGMA cache_size = -8192")
        }
        do {
            database = try DatabaseQueue(path: path, configuration: configuration)
            isResumed = try database.write { db in try Self.prepare(db, fingerprint: fingerprint, path: path) }
        } catch let error as PackagingError {
            throw error
        } catch {
            throw Self.failure(error, path: path)
        }
    }

    /// Lets go of the file; nothing may be asked of it afterwards.
    func close() {
        do {
            try database.close()
        } catch {
            // The file is removed next, whatever SQLite still holds of it.
        }
    }

    /// Removes the files of a crawl's state; the state itself last, so that none of the others is ever without it.
    static func remove(_ path: String) {
        for suffix in ["-shm", "-wal", ""] { unlink(path + suffix) }
    }

    /// Makes sure that what is at a state's path, and beside it, is this user's own and was left by a crawl.
    ///
    /// SQLite takes whatever is beside a database for a part of it.
    ///
    /// - Parameter path: The state's path.
    /// - Returns: Whether a state is there.
    /// - Throws: ``PackagingError`` where something else is there.
    static func requireOwn(_ path: String) throws(PackagingError) -> Bool {
        let isThere = try PrivateFile.requireOwn(path)
        if isThere {
            let beginning = try PrivateFile.beginning(of: path, 16)
            // A power cut may leave nothing but zeros.
            guard beginning.allSatisfy({ $0 == 0 }) || beginning == Array("SQLite format 3\0".utf8) else {
                throw foreign(path)
            }
        }
        for suffix in ["-wal", "-shm"] {
            guard try !PrivateFile.requireOwn(path + suffix) || isThere else { throw foreign(path + suffix) }
        }
        guard try !PrivateFile.requireOwn(path + "-journal") else { throw foreign(path + "-journal") }
        return isThere
    }

    private static func foreign(_ path: String) -> PackagingError {
        PackagingError(
            .inputOutput,
            subject: path,
            message:
                "this path is needed for the crawl's state, but another file is there; move it, or choose another "
                + "output"
        )
    }

    private static func prepare(_ db: Database, fingerprint: String, path: String) throws -> Bool {
        let tables = Set(try String.fetchAll(db, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"))
        guard tables.isEmpty || tables == CrawlStateSchema.tables else { throw foreign(path) }
        guard !tables.isEmpty, let version = try fact("version", db) else {
            if tables.isEmpty { try db.execute(sql: CrawlStateSchema.statements) }
            try set("version", CrawlStateSchema.version, db)
            try set("fingerprint", fingerprint, db)
            return false
        }
        guard version == CrawlStateSchema.version, try fact("fingerprint", db) == fingerprint else {
            throw PackagingError(
                .otherCrawl,
                subject: path,
                message:
                    "an interrupted crawl with other options or URLs is kept there; finish it with the command that "
                    + "began it, or discard it with '--restart'"
            )
        }
        return true
    }

    /// Writes changes, all or none.
    ///
    /// - Parameters:
    ///   - changes: What was found out.
    ///   - facts: What else is to be known later, by name.
    /// - Throws: ``PackagingError`` where the file can't be written.
    func write(_ changes: CrawlChanges, facts: [String: String]) throws(PackagingError) {
        try blocking { db in
            try db.inTransaction {
                try Self.write(changes, db)
                for (name, value) in facts.sorted(by: { $0.key < $1.key }) { try Self.set(name, value, db) }
                return .commit
            }
        }
    }

    /// What was written under a name, or nil.
    func fact(_ name: String) throws(PackagingError) -> String? {
        try blocking { db in try Self.fact(name, db) }
    }

    /// What begins the name of the fact that is the digest of an origin's robots.txt.
    static let robotsPrefix = "robots "

    /// The digests of robots.txt by origin.
    ///
    /// - Throws: ``PackagingError`` where the file can't be read.
    func robotsDigests() throws(PackagingError) -> [String: String] {
        try blocking { db in
            let sql = "SELECT name, value FROM fact WHERE name >= ? AND name < ?"
            // '!' follows the space with which the prefix ends.
            let rows = try Row.fetchAll(db, sql: sql, arguments: [Self.robotsPrefix, "robots!"])
            let digests = rows.map { (String(($0[0] as String).dropFirst(Self.robotsPrefix.count)), $0[1] as String) }
            return Dictionary(digests) { first, _ in first }
        }
    }

    /// URLs that wait, in the order in which they were found.
    ///
    /// - Parameter load: Which.
    /// - Returns: The URLs; fewer than asked for where there are no more.
    /// - Throws: ``PackagingError`` where the file can't be read.
    func waiting(_ load: Frontier.Load) throws(PackagingError) -> [CrawlItem] {
        try blocking { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT \(Self.itemColumns)
                    FROM found LEFT JOIN found AS page ON page.id = found.referrer
                    WHERE found.id > ? AND found.lane = ? AND found.depth BETWEEN ? AND ? AND found.rule IS NULL
                    AND found.superseded = 0 AND NOT EXISTS (SELECT 1 FROM result WHERE result.id = found.id)
                    ORDER BY found.id LIMIT ?
                    """
            )
            let (least, most) = (load.depths.lowerBound, min(load.depths.upperBound, 1 << 30))
            let arguments: StatementArguments = [load.after, load.lane, least, most, load.limit]
            return try Row.fetchAll(statement, arguments: arguments).map(Self.item)
        }
    }

    /// What ``item(_:)`` reads.
    static let itemColumns = """
        found.id, found.url, found.redirects, found.chain, found.lane, found.destination, found.referrer, page.url,
        found.optional
        """

    /// Runs work on the database, and says what fails in words.
    func blocking<Value>(_ work: (Database) throws -> Value) throws(PackagingError) -> Value {
        do {
            return try database.inDatabase(work)
        } catch let error as PackagingError {
            throw error
        } catch {
            throw Self.failure(error, path: path)
        }
    }

    static func item(_ row: Row) throws -> CrawlItem {
        let url = try WebURL(row[1] as String)
        var referrer: CrawlReferrer?
        if let id = row[6] as Int64?, let text = row[7] as String? {
            referrer = CrawlReferrer(id: id, url: try WebURL(text))
        }
        return CrawlItem(
            id: row[0],
            url: url,
            key: URLKey(url),
            redirects: row[2],
            chain: row[3],
            lane: row[4],
            destination: Destination(rawValue: row[5]) ?? .other,
            referrer: referrer,
            isOptional: row[8]
        )
    }

    private static func fact(_ name: String, _ db: Database) throws -> String? {
        try String.fetchOne(db, sql: "SELECT value FROM fact WHERE name = ?", arguments: [name])
    }

    static func set(_ name: String, _ value: String, _ db: Database) throws {
        try db.execute(sql: "INSERT OR REPLACE INTO fact (name, value) VALUES (?, ?)", arguments: [name, value])
    }

    private static func failure(_ error: any Error, path: String) -> PackagingError {
        guard let error = error as? DatabaseError else {
            return PackagingError(
                .inputOutput,
                subject: path,
                message: "the crawl's state can't be read (\(error)); use '--restart' to discard it"
            )
        }
        switch error.resultCode.primaryResultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return PackagingError(.inputOutput, subject: path, message: "another process is making this package")
        case .SQLITE_NOTADB, .SQLITE_CORRUPT:
            return PackagingError(
                .inputOutput,
                subject: path,
                message: "not a crawl state file, or it is damaged; use '--restart' to discard it"
            )
        default:
            let reason = error.message ?? "error \(error.resultCode.rawValue)"
            return PackagingError(.inputOutput, subject: path, message: "the crawl's state can't be kept: \(reason)")
        }
    }
}
