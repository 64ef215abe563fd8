internal import AFCCrawlRules
internal import AFCDiscovery
internal import AFCFiles
internal import AFCHTTP
package import AFCPackageFormat
internal import AFCPlatform
internal import AFCSQLite
internal import AFCText
package import AFCURL
package import AFCZip
internal import HTTPTypes

/// The file in which a crawl saves its results, so that it can be resumed after an interruption.
///
/// One process uses it at a time. Everything that ``write(_:facts:)`` has written survives the end of the process.
/// Nothing is synced: after a restart of the machine, which ``SystemStart`` detects, everything is read and checked
/// before it is used. Calls block.
package final class CrawlState: Sendable {
    /// The file.
    package let path: String
    let database: LockedDatabase
    /// True if the state of an interrupted crawl existed.
    let isResumed: Bool

    /// Opens or creates the state of a crawl.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - fingerprint: The options that determine the crawl's result; the state of a crawl with others is refused.
    /// - Throws: ``PackagingError`` if the file can't be used.
    init(path: String, fingerprint: String) throws(PackagingError) {
        self.path = path
        var isNew = path.isEmpty
        if !isNew { isNew = try PrivateFile.prepare(path) }
        if !isNew { isNew = try PrivateFile.beginning(of: path, 1).isEmpty }
        let hasNoJournalYet = isNew
        do {
            database = try LockedDatabase(path) { db in
                try db.run("PRAGMA locking_mode = EXCLUSIVE")
                // This precedes the change of the journal mode, which would be synced otherwise.
                try db.run("PRAGMA synchronous = OFF")
                try db.run("PRAGMA trusted_schema = OFF")
                // The change itself needs no file, so a journal beside a state never belongs to a crawl.
                if hasNoJournalYet { try db.run("PRAGMA journal_mode = MEMORY") }
                try db.run("PRAGMA journal_mode = WAL")
                try db.run("PRAGMA cache_size = -8192")
            }
            isResumed = try database.change { db in try Self.prepare(db, fingerprint: fingerprint, path: path) }
        } catch let error as PackagingError {
            throw error
        } catch {
            throw Self.failure(error, path: path)
        }
    }

    /// Closes the file; it must not be used afterwards.
    func close() {
        do {
            try database.close()
        } catch {
            // SQLite's log then remains beside the file; the next crawl reads both, or both are removed.
        }
    }

    /// Removes the files of a crawl's state, the state itself last, so that the others never exist without it.
    static func remove(_ path: String) {
        for suffix in ["-shm", "-wal", ""] { unlink(path + suffix) }
    }

    /// Checks that the files at a state's path, and beside it, belong to this user and to a crawl.
    ///
    /// SQLite treats certain files beside a database as parts of it.
    ///
    /// - Parameter path: The state's path.
    /// - Returns: True if a state exists.
    /// - Throws: ``PackagingError`` if another file exists there.
    static func requireOwn(_ path: String) throws(PackagingError) -> Bool {
        let isThere = try PrivateFile.requireOwn(path)
        if isThere {
            let beginning = try PrivateFile.beginning(of: path, 16)
            // A power cut may leave only zeros.
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
                "this path is needed for the crawl's state, but another file exists there; move it, or choose another "
                + "output"
        )
    }

    private static func prepare(_ db: Database, fingerprint: String, path: String) throws -> Bool {
        let tables: Set<String> = Set(try db.all("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"))
        guard tables.isEmpty || tables == CrawlStateSchema.tables else { throw foreign(path) }
        guard !tables.isEmpty, let version = try fact("version", db) else {
            if tables.isEmpty { try db.run(CrawlStateSchema.statements) }
            try set("version", CrawlStateSchema.version, db)
            try set("fingerprint", fingerprint, db)
            return false
        }
        guard version == CrawlStateSchema.version, try fact("fingerprint", db) == fingerprint else {
            // Nothing of a crawl without answers would be lost.
            if version == CrawlStateSchema.version, try answers(db) == 0 {
                for table in ["fact", "found"] { try db.run("DELETE FROM \(table)") }
                try set("version", CrawlStateSchema.version, db)
                try set("fingerprint", fingerprint, db)
                return false
            }
            throw PackagingError(
                .otherCrawl,
                subject: path,
                message:
                    "it holds an interrupted crawl with different options or URLs; resume that crawl with the command "
                    + "that started it",
                remedy: .restart
            )
        }
        return true
    }

    /// Writes changes in one transaction.
    ///
    /// - Parameters:
    ///   - changes: The new results.
    ///   - facts: Further facts to remember, by name.
    /// - Throws: ``PackagingError`` if the file can't be written.
    func write(_ changes: CrawlChanges, facts: [String: String]) throws(PackagingError) {
        try blocking { db in
            try db.transaction {
                try Self.write(changes, db)
                for (name, value) in facts.sorted(by: { $0.key < $1.key }) { try Self.set(name, value, db) }
            }
        }
    }

    /// Returns the fact with a name, or nil.
    func fact(_ name: String) throws(PackagingError) -> String? {
        try blocking { db in try Self.fact(name, db) }
    }

    /// The prefix of facts that hold the digest of an origin's robots.txt.
    private static let robotsPrefix = "robots "

    /// Returns the digests of the origins' robots.txt files.
    ///
    /// - Throws: ``PackagingError`` if the file can't be read.
    func robotsDigests() throws(PackagingError) -> [String: String] {
        try blocking { db in
            let sql = "SELECT name, value FROM fact WHERE name >= ? AND name < ?"
            // '!' follows the space that ends the prefix.
            let rows = try db.rows(sql, [Self.robotsPrefix, "robots!"])
            let digests = try rows.map { row in
                (String((try row[0] as String).dropFirst(Self.robotsPrefix.count)), try row[1] as String)
            }
            return Dictionary(digests) { first, _ in first }
        }
    }

    /// The fact that lists the rounds of guesses.
    private static let roundsFact = "guesses"

    /// Returns the rounds of guesses that began, in their order.
    ///
    /// - Throws: ``PackagingError`` if the file can't be read.
    func rounds() throws(PackagingError) -> [GuessRound] {
        try blocking { db in
            (try Self.fact(Self.roundsFact, db) ?? "").split(separator: " ").compactMap { text in
                let numbers = text.split(separator: "+")
                guard numbers.count == 2, let id = Int64(numbers[0]), let answers = Int(numbers[1]) else { return nil }
                return GuessRound(nextID: id, answers: answers)
            }
        }
    }

    /// Returns waiting URLs, in the order in which they were found.
    ///
    /// - Parameter load: The URLs to load.
    /// - Returns: The URLs; fewer than requested if there are no more.
    /// - Throws: ``PackagingError`` if the file can't be read.
    func waiting(_ load: Frontier.Load) throws(PackagingError) -> [CrawlItem] {
        try blocking { db in
            let statement = try db.statement(
                """
                SELECT \(Self.itemColumns)
                FROM found LEFT JOIN found AS page ON page.id = found.referrer
                WHERE found.id > ? AND found.lane = ? AND found.depth BETWEEN ? AND ? AND found.rule IS NULL
                AND found.superseded = 0 AND NOT EXISTS (SELECT 1 FROM result WHERE result.id = found.id)
                ORDER BY found.id LIMIT ?
                """
            )
            let (least, most) = (load.depths.lowerBound, min(load.depths.upperBound, 1 << 30))
            let arguments: [any DatabaseValue] = [load.after, load.lane, least, most, load.limit]
            return try statement.rows(arguments).map(Self.item)
        }
    }

    /// The columns that ``item(_:)`` reads.
    private static let itemColumns = """
        found.id, found.url, found.redirects, found.chain, found.lane, found.destination, found.referrer, page.url,
        found.optional
        """

    /// Runs work on the database, and converts its errors.
    private func blocking<Value>(_ work: (Database) throws -> Value) throws(PackagingError) -> Value {
        do {
            return try database.use(work)
        } catch let error as PackagingError {
            throw error
        } catch {
            throw Self.failure(error, path: path)
        }
    }

    private static func item(_ row: Row) throws -> CrawlItem {
        let url = try WebURL(try row[1] as String)
        var referrer: CrawlReferrer?
        if let id = try row[6] as Int64?, let text = try row[7] as String? {
            referrer = CrawlReferrer(id: id, url: try WebURL(text))
        }
        return CrawlItem(
            id: try row[0],
            url: url,
            key: URLKey(url),
            redirects: try row[2],
            chain: try row[3],
            lane: try row[4],
            destination: Destination(rawValue: try row[5]) ?? .other,
            referrer: referrer,
            isOptional: try row[8]
        )
    }

    private static func fact(_ name: String, _ db: Database) throws -> String? {
        try db.first("SELECT value FROM fact WHERE name = ?", [name])
    }

    private static func set(_ name: String, _ value: String, _ db: Database) throws {
        try db.execute("INSERT OR REPLACE INTO fact (name, value) VALUES (?, ?)", [name, value])
    }

    private static func failure(_ error: any Error, path: String) -> PackagingError {
        guard let error = error as? DatabaseError else {
            return PackagingError(
                .inputOutput,
                subject: path,
                message: "the crawl's state can't be read (\(error))",
                remedy: .restart
            )
        }
        if error.isBusy {
            return PackagingError(
                .inputOutput,
                // The user named the package, beside which the state is.
                subject: path.hasSuffix(".crawl") ? String(path.dropLast(6)) : path,
                message: "another process is creating this package; wait for it, or choose another file"
            )
        }
        if error.isDamage {
            return PackagingError(
                .inputOutput,
                subject: path,
                message: "not a crawl state file, or it is damaged",
                remedy: .restart
            )
        }
        return PackagingError(
            .inputOutput,
            subject: path,
            message: "the crawl's state can't be saved: \(error.message)"
        )
    }
}

extension CrawlState {
    /// Passes on each answer that arrived before its turn.
    ///
    /// - Parameter body: Takes one answer at a time.
    /// - Throws: ``PackagingError`` if the file can't be read, or the closure's error.
    func forEachEarly(_ body: (PastAnswer) throws -> Void) throws(PackagingError) {
        try blocking { db in
            let sql = "SELECT url, destination, role, kind, size, requests FROM early"
            let rows = try db.rows(sql)
            while let row = try rows.next() {
                let url = try WebURL(try row[0] as String)
                let kind = Kind(rawValue: try row[3])
                try body(
                    PastAnswer(
                        url,
                        as: Destination(rawValue: try row[1]) ?? .other,
                        CrawlScope.Role(rawValue: try row[2]) ?? .link,
                        isKept: kind == .resource || kind == .redirect || kind == .kept,
                        bytes: try row[4] ?? 0,
                        requests: try row[5]
                    )
                )
            }
        }
    }

    /// Returns the early answer of a URL, or nil if there is none.
    func early(_ url: WebURL, _ files: CrawlFiles) throws(PackagingError) -> FetchOutcome? {
        try blocking { db in
            let columns = """
                url, kind, requests, elapsed, received, change, record, detail, extents, crc32, size, compressed, method,
                notes, texts
                """
            let sql = "SELECT \(columns) FROM early WHERE url = ?"
            let row = try db.rows(sql, [url.description]).next()
            return try row.map { try Self.outcome($0, from: 0, files) }
        }
    }

    /// Returns the result of the URL with a number, or nil if there is none.
    func result(_ id: Int64, _ files: CrawlFiles) throws(PackagingError) -> FetchOutcome? {
        try blocking { db in
            let row = try db.rows("SELECT * FROM result WHERE id = ?", [id]).next()
            return try row.map { try Self.outcome($0, from: 0, files) }
        }
    }

    /// Passes on each known URL, in the order in which they were found.
    ///
    /// - Parameters:
    ///   - files: The files that hold the bodies.
    ///   - body: Takes one URL at a time.
    /// - Throws: ``PackagingError`` if the file can't be read, or the closure's error.
    func forEach(_ files: CrawlFiles, _ body: (PastURL) throws -> Void) throws(PackagingError) {
        try blocking { db in
            let rows = try db.rows(
                """
                SELECT \(Self.itemColumns),
                found.role, found.depth, found.superseded, found.rule, found.listed, found.page, result.*
                FROM found LEFT JOIN result ON result.id = found.id
                LEFT JOIN found AS page ON page.id = found.referrer ORDER BY found.id
                """
            )
            while let row = try rows.next() {
                let found = CrawlChanges.Row(
                    item: try Self.item(row),
                    role: CrawlScope.Role(rawValue: try row[9]) ?? .link,
                    depth: try row[10],
                    rule: (try row[12] as String?).flatMap { SkipRule(rawValue: $0) },
                    isListed: try row[13],
                    page: CrawlChanges.PageReading(rawValue: try row[14]) ?? .none
                )
                let outcome = (try row[15] as Int64?) == nil ? nil : try Self.outcome(row, from: 15, files)
                try body(PastURL(row: found, isSuperseded: try row[11], outcome: outcome))
            }
        }
    }

    /// Returns the URLs that belong to other shards and weren't handed over in an earlier round, sorted.
    ///
    /// - Throws: ``PackagingError`` if the file can't be read.
    func handedOver() throws(PackagingError) -> [HandedURL] {
        try blocking { db in
            let sql = """
                SELECT url, role, destination, depth, redirects, chain, optional, listed, page FROM found
                WHERE rule = ? AND superseded = 0 AND id > ? ORDER BY url
                """
            let last = try Self.fact("handed", db).flatMap { Int64($0) } ?? 0
            let rows = try db.rows(sql, [SkipRule.otherShard.rawValue, last])
            var urls: [HandedURL] = []
            while let row = try rows.next() {
                var handed = HandedURL(
                    try WebURL(try row[0] as String),
                    role: CrawlScope.Role(rawValue: try row[1]) ?? .link,
                    destination: Destination(rawValue: try row[2]) ?? .other,
                    depth: try row[3],
                    redirects: try row[4],
                    chain: try row[5]
                )
                (handed.isOptional, handed.isListed) = (try row[6], try row[7])
                handed.isPage = (try row[8] as Int) != CrawlChanges.PageReading.none.rawValue
                urls.append(handed)
            }
            return urls
        }
    }

    /// Begins a round of a crawl in shards, if it hasn't begun: the time counts from here, and what was handed over isn't handed
    /// over again.
    ///
    /// - Throws: ``PackagingError`` if the file can't be written.
    func begin(round: Int) throws(PackagingError) {
        try blocking { db in
            try db.transaction {
                guard try Self.fact("round", db) != String(round) else { return }
                let last: Int64? = try db.first("SELECT id FROM found ORDER BY id DESC LIMIT 1")
                try Self.set("handed", String(last ?? 0), db)
                try Self.set("elapsed", "0", db)
                try Self.set("round", String(round), db)
            }
        }
    }

    /// Returns how many answers the state has.
    ///
    /// - Throws: ``PackagingError`` if the file can't be read.
    func answerCount() throws(PackagingError) -> Int {
        try blocking { db in try Self.answers(db) }
    }

    private static func answers(_ db: Database) throws -> Int {
        try db.first("SELECT (SELECT COUNT(*) FROM result) + (SELECT COUNT(*) FROM early)") ?? 0
    }

    /// Writes the state into a new file.
    ///
    /// - Throws: ``PackagingError`` if the file can't be written.
    func copy(to path: String) throws(PackagingError) {
        try blocking { db in try db.execute("VACUUM INTO ?", [path]) }
    }

    /// Finds the HTML pages with status 200.
    ///
    /// - Parameters:
    ///   - files: The files with the bodies.
    ///   - onPage: A closure called for each page.
    /// - Returns: The pages, sorted by URL.
    /// - Throws: An error of the database, and what the closure throws.
    package func pages(
        _ files: CrawlFiles,
        _ onPage: (ResourceRecord, DeflatedBody) throws -> Void = { _, _ in }
    ) throws -> [WebURL] {
        var pages: [WebURL] = []
        try forEachResource(files) { record, body in
            let type = record.fields.value(of: .contentType).flatMap { MediaType($0)?.essence }
            guard let body, record.status == 200, type == "text/html" || type == "application/xhtml+xml" else {
                return
            }
            pages.append(record.url)
            try onPage(record, body)
        }
        return pages
    }

    /// Returns the URLs whose requests failed with a status that says that there is nothing.
    ///
    /// - Throws: An error of the database.
    package func absentURLs() throws -> AbsentURLs {
        try database.use { db in
            let sql = """
                SELECT found.url, result.detail FROM result JOIN found ON found.id = result.id
                WHERE result.kind = ? AND found.superseded = 0
                AND (result.detail LIKE 'status|404|%' OR result.detail LIKE 'status|410|%')
                ORDER BY found.url LIMIT ?
                """
            let rows = try db.rows(sql, [Kind.failure.rawValue, AbsentURLs.countLimit])
            var entries: [AbsentURLs.Entry] = []
            while let row = try rows.next() {
                let status = (try row[1] as String).hasPrefix("status|404") ? 404 : 410
                if let entry = AbsentURLs.Entry(try WebURL(try row[0] as String), status: status) {
                    entries.append(entry)
                }
            }
            return AbsentURLs(entries)
        }
    }

    /// Passes on the URLs of the resources with a body, sorted.
    ///
    /// - Parameter body: Takes one URL at a time.
    /// - Throws: An error of the database or the closure.
    package func forEachBodyURL(_ body: (WebURL) throws -> Void) throws {
        try database.use { db in
            let sql = """
                SELECT url FROM found JOIN result ON result.id = found.id
                WHERE kind IN (0, 4) AND superseded = 0 ORDER BY url
                """
            let rows = try db.rows(sql)
            while let row = try rows.next() { try body(try WebURL(try row[0] as String)) }
        }
    }

    /// Passes on the results that belong in the package, sorted by URL.
    ///
    /// - Parameters:
    ///   - files: The files that hold the bodies.
    ///   - body: Takes a record and its body, which is nil for a redirect.
    /// - Throws: An error of the database or the closure.
    package func forEachResource(
        _ files: CrawlFiles,
        _ body: (ResourceRecord, DeflatedBody?) throws -> Void
    ) throws {
        try database.use { db in
            let rows = try db.rows(
                """
                SELECT result.* FROM result JOIN found ON found.id = result.id
                WHERE result.kind IN (0, 1, 4) AND found.superseded = 0 ORDER BY found.url
                """
            )
            while let row = try rows.next() {
                switch try Self.outcome(row, from: 0, files).content {
                case .resource(let record, let place, _), .kept(let record, let place, _, _):
                    guard let data = files.data(of: place) else {
                        throw DatabaseError.damaged("a body in a package that is missing")
                    }
                    try body(record, data)
                case .redirect(let record, _): try body(record, nil)
                case .failure, .again, .notModified, .leftOut, .planned: continue
                }
            }
        }
    }

    private static func outcome(_ row: Row, from first: Int, _ files: CrawlFiles) throws -> FetchOutcome {
        let detail = try row[first + 7] as String?
        let content: FetchOutcome.Content =
            switch Kind(rawValue: try row[first + 1]) {
            case .resource: .resource(try record(try row[first + 6]), try body(row, from: first + 8, files), [])
            case .kept:
                .kept(
                    try record(try row[first + 6]),
                    try body(row, from: first + 8, files),
                    FetchFailure(coded: detail ?? ""),
                    []
                )
            case .redirect: .redirect(try record(try row[first + 6]), target: try WebURL(detail ?? ""))
            case .failure: .failure(FetchFailure(coded: detail ?? ""))
            case .planned: .planned([])
            case .leftOut: .leftOut(detail.flatMap { SkipRule(rawValue: $0) } ?? .noindex, [])
            case nil: throw DatabaseError.damaged("a result of an unknown kind")
            }
        var outcome = FetchOutcome(content: content, requests: try row[first + 2])
        outcome.elapsed = .nanoseconds(try row[first + 3] as Int64)
        outcome.received = try row[first + 4]
        outcome.change = (try row[first + 5] as String?).flatMap { CrawlReport.Change(rawValue: $0) }
        let notes = (try row[first + 13] as String? ?? "").split(separator: ",").map(String.init)
        outcome.cuts = Set(notes.compactMap { DiscoveryCut(rawValue: $0) })
        outcome.needsScripts = notes.contains(scriptsNote)
        outcome.isMisplaced = notes.contains(misplacedNote)
        try TextList.read(try row[first + 14] as String?, into: &outcome)
        return outcome
    }

    private static func record(_ text: String?) throws -> ResourceRecord {
        try Array((text ?? "").utf8).withUnsafeBufferPointer { try ResourceRecord(line: $0) }
    }

    private static func body(_ row: Row, from first: Int, _ files: CrawlFiles) throws -> CrawledBody {
        guard let text = try row[first] as String? else {
            guard let body = files.older?.body(member: try row[first + 2]) else {
                throw DatabaseError.damaged("a body in a package that is missing")
            }
            return body
        }
        guard let extents = ExtentText.extents(in: text) else {
            throw DatabaseError.damaged("a body without a location")
        }
        return CrawledBody(
            place: .spool(extents),
            crc32: UInt32(truncatingIfNeeded: try row[first + 1] as Int64),
            size: try row[first + 2],
            compressedSize: try row[first + 3],
            isDeflated: (try row[first + 4] as Int) != 0
        )
    }
}

extension CrawlState {
    /// The kind of a result in its row.
    private enum Kind: Int {
        case resource = 0
        case redirect
        case failure
        case leftOut
        case kept
        case planned
    }

    private static func write(_ changes: CrawlChanges, _ db: Database) throws {
        let found = try db.statement(
            """
            INSERT INTO found
            (id, url, role, depth, redirects, chain, lane, destination, referrer, optional, rule, listed, page)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        for row in changes.found {
            try found.execute([
                row.item.id, row.item.url.description, row.role.rawValue, row.depth, row.item.redirects,
                row.item.chain, row.item.lane, row.item.destination.rawValue, row.item.referrer?.id,
                row.item.isOptional, row.rule?.rawValue, row.isListed, row.page.rawValue,
            ])
        }
        let improve = try db.statement("UPDATE found SET role = ?, depth = ? WHERE id = ?")
        for row in changes.improved { try improve.execute([row.role.rawValue, row.depth, row.id]) }
        let assure = try db.statement("UPDATE found SET optional = 0 WHERE id = ?")
        for id in changes.certain { try assure.execute([id]) }
        let read = try db.statement("UPDATE found SET page = ? WHERE id = ?")
        for row in changes.pages { try read.execute([row.reading.rawValue, row.id]) }
        let supersede = try db.statement("UPDATE found SET superseded = 1 WHERE id = ?")
        for id in changes.superseded { try supersede.execute([id]) }
        let refuse = try db.statement("UPDATE found SET rule = ? WHERE id = ?")
        for row in changes.refused { try refuse.execute([row.rule.rawValue, row.item.id]) }
        for (origin, digest) in changes.robots { try set(robotsPrefix + origin, digest, db) }
        if !changes.rounds.isEmpty {
            let rounds = changes.rounds.map { "\($0.nextID)+\($0.answers)" }
            let past = try fact(roundsFact, db).map { [$0] } ?? []
            try set(roundsFact, (past + rounds).joined(separator: " "), db)
        }
        let places = String(repeating: "?, ", count: 14) + "?"
        let insert = try db.statement("INSERT INTO result VALUES (\(places))")
        for (id, outcome) in changes.results {
            try insert.execute([id] + values(of: outcome))
        }
        let note = try db.statement("UPDATE result SET notes = ?, record = COALESCE(?, record) WHERE id = ?")
        for row in changes.reread {
            try read.execute([CrawlChanges.PageReading.done.rawValue, row.id])
            try note.execute([notes(of: row.outcome), record(of: row.outcome).map(text(of:)), row.id])
        }
        let settle = try db.statement("DELETE FROM early WHERE url = ?")
        for url in changes.settled { try settle.execute([url.description]) }
        let keep = try db.statement("INSERT OR REPLACE INTO early VALUES (?, ?, \(places))")
        for row in changes.early {
            let key: [any DatabaseValue] = [
                row.item.url.description, row.item.destination.rawValue, row.role.rawValue,
            ]
            try keep.execute(key + values(of: row.outcome))
        }
        if let rule = changes.refusesRest {
            try db.execute(
                """
                UPDATE found SET rule = ? WHERE rule IS NULL AND superseded = 0
                AND NOT EXISTS (SELECT 1 FROM result WHERE result.id = found.id)
                """,
                [rule.rawValue]
            )
        }
    }

    /// The note for a page that seems to need scripts.
    private static let scriptsNote = "scripts"
    /// The note for a page that answers a request for something else.
    private static let misplacedNote = "misplaced"

    private static func notes(of outcome: FetchOutcome) -> String? {
        let notes =
            outcome.cuts.sorted().map(\.rawValue) + (outcome.needsScripts ? [scriptsNote] : [])
            + (outcome.isMisplaced ? [misplacedNote] : [])
        return notes.isEmpty ? nil : notes.joined(separator: ",")
    }

    private static func record(of outcome: FetchOutcome) -> ResourceRecord? {
        switch outcome.content {
        case .resource(let record, _, _), .kept(let record, _, _, _), .redirect(let record, _): record
        case .failure, .again, .notModified, .planned, .leftOut: nil
        }
    }

    /// Returns the values of the columns after the key.
    private static func values(of outcome: FetchOutcome) -> [any DatabaseValue] {
        let elapsed = outcome.elapsed.components
        let nanoseconds = elapsed.seconds * 1_000_000_000 + elapsed.attoseconds / 1_000_000_000
        let (kind, record, detail, body): (Kind, ResourceRecord?, String?, CrawledBody?) =
            switch outcome.content {
            case .resource(let record, let body, _): (.resource, record, nil, body)
            case .kept(let record, let body, let failure, _): (.kept, record, failure.coded, body)
            case .redirect(let record, let target): (.redirect, record, target.description, nil)
            case .failure(let failure), .again(let failure, _): (.failure, nil, failure.coded, nil)
            case .notModified(let head):
                (.failure, nil, FetchFailure.status(head.status, reason: head.reason).coded, nil)
            case .leftOut(let rule, _): (.leftOut, nil, rule.rawValue, nil)
            case .planned: (.planned, nil, nil, nil)
            }
        return [
            kind.rawValue, outcome.requests, nanoseconds, outcome.received, outcome.change?.rawValue,
            record.map(text(of:)), detail,
        ] + (body.map(columns(of:)) ?? [.null, .null, .null, .null, .null]) + [
            notes(of: outcome), TextList.text(of: outcome),
        ]
    }

    /// Returns the columns for a body: its extents and properties, or the older package's member.
    private static func columns(of body: CrawledBody) -> [any DatabaseValue] {
        switch body.place {
        case .older(let member): [.null, .null, member, .null, .null]
        case .spool(let extents):
            [
                ExtentText.text(of: extents), Int64(body.crc32), body.size, body.compressedSize,
                body.isDeflated ? 8 : 0,
            ]
        }
    }

    private static func text(of record: ResourceRecord) -> String {
        var bytes: [UInt8] = []
        record.write(to: &bytes)
        return String(decoding: bytes.dropLast(), as: UTF8.self)
    }
}

extension CrawlState {
    /// Checks all results of an interrupted crawl, because a power cut may have damaged them.
    ///
    /// - Throws: ``PackagingError`` with its remedy, if something is missing or damaged.
    func requireSound(_ files: CrawlFiles) throws(PackagingError) {
        let lost = PackagingError(
            .inputOutput,
            subject: path,
            message:
                "the machine was restarted since, and the saved crawl is damaged",
            remedy: .restart
        )
        try blocking { db in
            guard try db.first("PRAGMA integrity_check") == "ok" else { throw lost }
        }
        try forEach(files) { past in
            guard files.isSound(past.outcome) else { throw lost }
        }
        var urls: [WebURL] = []
        try forEachEarly { urls.append($0.url) }
        for url in urls where !files.isSound(try early(url, files)) { throw lost }
    }
}

/// The tables of a crawl's state; see docs/reference/crawler.md, "Interrupted".
private enum CrawlStateSchema {
    /// The version, to change with the tables or with the meaning of a value in them.
    static let version = "4"

    /// The single statements, as SQLite keeps them.
    static let tables = Set(
        statements.split(separator: ";").map { $0.drop(while: \.isWhitespace) }.filter { !$0.isEmpty }.map(String.init)
    )

    private static let resultColumns = """
        kind INTEGER NOT NULL,
            requests INTEGER NOT NULL,
            elapsed INTEGER NOT NULL,
            received INTEGER NOT NULL,
            change TEXT,
            record TEXT,
            detail TEXT,
            extents TEXT,
            crc32 INTEGER,
            size INTEGER,
            compressed INTEGER,
            method INTEGER,
            notes TEXT,
            texts TEXT
        """

    static let statements = """
        CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE found (
            id INTEGER PRIMARY KEY,
            url TEXT NOT NULL,
            role INTEGER NOT NULL,
            depth INTEGER NOT NULL,
            redirects INTEGER NOT NULL,
            chain INTEGER NOT NULL,
            lane INTEGER NOT NULL,
            destination TEXT NOT NULL,
            referrer INTEGER,
            optional INTEGER NOT NULL,
            superseded INTEGER NOT NULL DEFAULT 0,
            rule TEXT,
            listed INTEGER NOT NULL,
            page INTEGER NOT NULL
        );
        CREATE TABLE result (
            id INTEGER PRIMARY KEY,
            \(resultColumns)
        );
        CREATE TABLE early (
            url TEXT PRIMARY KEY,
            destination TEXT NOT NULL,
            role INTEGER NOT NULL,
            \(resultColumns)
        );
        """
}

/// The addresses in a script as text: the base of its page, then a line for each, of strength, head and tail; the calls that
/// can't be read, and whether others show nothing of theirs; the scripts that a page loads as the first or the second one;
/// the page's import map, and the names that a module imports.
private enum TextList {
    static func text(of outcome: FetchOutcome) -> String? {
        let map = (outcome.moduleMap?.entries ?? []).map { "=\($0.scope ?? "")\t\($0.name)\t\($0.address.description)" }
        let names = outcome.moduleNames.map { "\($0.isConditional ? "?" : "!")\($0.loads.rawValue)\t\($0.name)" }
        guard
            !outcome.scriptTexts.isEmpty || outcome.base != nil || !outcome.loads.isEmpty || !map.isEmpty
                || !names.isEmpty
        else { return nil }
        let texts = outcome.scriptTexts.texts.map { "\($0.strength.rawValue)\($0.head.rawValue)\($0.tail)" }
        // A call may contain line feeds.
        let calls = outcome.scriptTexts.calls.map { call in
            "+\(call.line):\(call.column):\(Base64.encode(Array(call.code.utf8)))"
        }
        let loads = outcome.loads.map { "^\($0.isSecond ? 2 : 1)\($0.script.description)" }
        let unknown = outcome.scriptTexts.loadsUnknown ? ["~"] : []
        let lines = texts + calls + unknown + loads + map + names
        return ([outcome.base?.description ?? ""] + lines).joined(separator: "\n")
    }

    static func read(_ text: String?, into outcome: inout FetchOutcome) throws {
        guard let lines = text?.split(separator: "\n", omittingEmptySubsequences: false), let base = lines.first else {
            return
        }
        outcome.base = base.isEmpty ? nil : try WebURL(base)
        outcome.scriptTexts.calls = lines.dropFirst().filter { $0.hasPrefix("+") }.compactMap { line in
            let parts = line.dropFirst().split(separator: ":")
            guard parts.count == 3, let number = Int(parts[0]), let column = Int(parts[1]),
                let code = Base64.decode(parts[2])
            else { return nil }
            return UnreadCall(line: number, column: column, code: String(decoding: code, as: UTF8.self))
        }
        outcome.scriptTexts.loadsUnknown = lines.dropFirst().contains("~")
        try readModules(lines.dropFirst(), into: &outcome)
        outcome.loads = try lines.dropFirst().filter { $0.hasPrefix("^") }.map { line in
            ScriptLoad(try WebURL(line.dropFirst(2)), isSecond: line.dropFirst().first == "2")
        }
        outcome.scriptTexts.texts = lines.dropFirst().compactMap { line in
            guard let strength = line.first?.wholeNumberValue.flatMap(ScriptText.Strength.init(rawValue:)),
                let head = line.dropFirst().first?.wholeNumberValue.flatMap(ScriptText.Head.init(rawValue:))
            else { return nil }
            return ScriptText(String(line.dropFirst(2)), strength, head)
        }
    }
}

extension TextList {
    private static func readModules(_ lines: ArraySlice<Substring>, into outcome: inout FetchOutcome) throws {
        let entries = try lines.compactMap { line -> ModuleMap.Entry? in
            let parts = line.dropFirst().split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard line.hasPrefix("="), parts.count == 3 else { return nil }
            return ModuleMap.Entry(
                scope: parts[0].isEmpty ? nil : parts[0],
                name: parts[1],
                address: try WebURL(parts[2])
            )
        }
        if !entries.isEmpty { outcome.moduleMap = ModuleMap(entries) }
        outcome.moduleNames = lines.compactMap { line in
            let parts = line.dropFirst().split(separator: "\t").map(String.init)
            guard line.hasPrefix("?") || line.hasPrefix("!"), parts.count == 2,
                let loads = Destination(rawValue: parts[0])
            else { return nil }
            return ModuleName(parts[1], loads: loads, isConditional: line.hasPrefix("?"))
        }
    }
}

/// The extents of a body as text: `offset+count`, separated by commas.
private enum ExtentText {
    static func text(of extents: [CrawledBody.Extent]) -> String {
        extents.map { "\($0.offset)+\($0.count)" }.joined(separator: ",")
    }

    /// Parses the extents, or returns nil if the text is malformed.
    static func extents(in text: String) -> [CrawledBody.Extent]? {
        var extents: [CrawledBody.Extent] = []
        for part in text.split(separator: ",") {
            let numbers = part.split(separator: "+")
            guard numbers.count == 2, let offset = Int64(numbers[0]), let count = Int(numbers[1]), offset >= 0,
                count >= 0
            else { return nil }
            extents.append(CrawledBody.Extent(offset: offset, count: count))
        }
        return extents
    }
}

/// The form of a failure in the crawl's state: its kind, then its value after a bar.
extension FetchFailure {
    /// The failure as text.
    fileprivate var coded: String {
        switch self {
        case .status(let status, let reason): "\(kind)|\(status)|\(reason)"
        case .connection(let text), .response(let text), .proxy(let text), .tls(let text), .coding(let text),
            .location(let text), .storage(let text), .redirectLoop(let text):
            "\(kind)|\(text)"
        case .target(let url, let rule): "\(kind)|\(rule.rawValue)|\(url)"
        case .tooLarge(let limit): "\(kind)|\(limit)"
        case .redirects(let limit): "\(kind)|\(limit)"
        case .unknownHost, .refused, .timeout, .privateAddress, .truncated, .expansion: kind
        }
    }

    /// Parses a failure; a text of unknown kind becomes the message of a failed connection.
    fileprivate init(coded text: String) {
        let parts = text.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count > 1 ? String(parts[1]) : ""
        switch parts[0] {
        case "status":
            let rest = value.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
            self = .status(Int(rest[0]) ?? 0, reason: rest.count > 1 ? String(rest[1]) : "")
        case "target":
            let rest = value.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
            self = .target(rest.count > 1 ? String(rest[1]) : "", SkipRule(rawValue: String(rest[0])) ?? .scope)
        case "unknown-host": self = .unknownHost
        case "refused": self = .refused
        case "timeout": self = .timeout
        case "private-address": self = .privateAddress
        case "response": self = .response(value)
        case "proxy": self = .proxy(value)
        case "tls": self = .tls(value)
        case "truncated": self = .truncated
        case "too-large": self = .tooLarge(limit: Int64(value) ?? 0)
        case "coding": self = .coding(value)
        case "expansion": self = .expansion
        case "redirects": self = .redirects(limit: Int(value) ?? 0)
        case "redirect-loop": self = .redirectLoop(value)
        case "location": self = .location(value)
        case "storage": self = .storage(value)
        default: self = .connection(value)
        }
    }
}
