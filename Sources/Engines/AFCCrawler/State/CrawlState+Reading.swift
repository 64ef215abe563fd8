internal import AFCDiscovery
internal import AFCPackageFormat
internal import AFCURL
internal import AFCZip
internal import GRDB

extension CrawlState {
    /// One URL of an interrupted crawl.
    struct Past {
        var row: CrawlChanges.Row
        /// Whether the URL stands in a later row.
        var isSuperseded: Bool
        var result: CrawlResult?
    }

    /// An answer of an interrupted crawl that came before its turn.
    struct Early {
        var url: WebURL
        var key: URLKey
        var destination: Destination
        var role: CrawlScope.Role
        /// Whether it is a resource or a redirect.
        var isKept: Bool
        /// How many bytes its body has.
        var bytes: Int64
        var requests: Int
    }

    /// Gives the answers that came before their turn.
    ///
    /// - Parameter body: Gets one answer after the other.
    /// - Throws: ``PackagingError`` where the file can't be read, and what the body throws.
    func forEachEarly(_ body: (Early) throws -> Void) throws(PackagingError) {
        try blocking { db in
            let sql = "SELECT url, destination, role, kind, size, requests FROM early"
            let rows = try Row.fetchCursor(db, sql: sql)
            while let row = try rows.next() {
                let url = try WebURL(row[0] as String)
                let kind = Kind(rawValue: row[3])
                try body(
                    Early(
                        url: url,
                        key: URLKey(url),
                        destination: Destination(rawValue: row[1]) ?? .other,
                        role: CrawlScope.Role(rawValue: row[2]) ?? .link,
                        isKept: kind == .resource || kind == .redirect || kind == .kept,
                        bytes: row[4] ?? 0,
                        requests: row[5]
                    )
                )
            }
        }
    }

    /// An answer that came before its turn, or nil where there is none.
    func early(_ url: WebURL, _ files: CrawlFiles) throws(PackagingError) -> CrawlResult? {
        try blocking { db in
            let columns = """
                0, kind, requests, elapsed, received, change, record, detail, extents, crc32, size, compressed, method,
                notes
                """
            let sql = "SELECT \(columns) FROM early WHERE url = ?"
            let row = try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [url.description])
            return try row.map { try Self.result($0, from: 0, files) }
        }
    }

    /// Gives everything that is known, in the order in which it was found.
    ///
    /// - Parameters:
    ///   - files: Where bodies lie.
    ///   - body: Gets one URL after the other.
    /// - Throws: ``PackagingError`` where the file can't be read, and what the body throws.
    func forEach(_ files: CrawlFiles, _ body: (Past) throws -> Void) throws(PackagingError) {
        try blocking { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT \(Self.itemColumns),
                    found.role, found.depth, found.superseded, found.rule, result.*
                    FROM found LEFT JOIN result ON result.id = found.id
                    LEFT JOIN found AS page ON page.id = found.referrer ORDER BY found.id
                    """
            )
            while let row = try rows.next() {
                let found = CrawlChanges.Row(
                    item: try Self.item(row),
                    role: CrawlScope.Role(rawValue: row[9]) ?? .link,
                    depth: row[10],
                    rule: (row[12] as String?).flatMap { SkipRule(rawValue: $0) }
                )
                let result = (row[13] as Int64?) == nil ? nil : try Self.result(row, from: 13, files)
                try body(Past(row: found, isSuperseded: row[11], result: result))
            }
        }
    }

    /// Gives the URLs of the resources with a body, sorted.
    ///
    /// - Parameter body: Gets one URL after the other.
    /// - Throws: What the database or the body throws.
    func forEachBodyURL(_ body: (WebURL) throws -> Void) throws {
        try database.inDatabase { db in
            let sql = "SELECT url FROM found JOIN result ON result.id = found.id WHERE kind IN (0, 4) ORDER BY url"
            let urls = try String.fetchCursor(db, sql: sql)
            while let url = try urls.next() { try body(try WebURL(url)) }
        }
    }

    /// Gives the results that belong into the package, sorted by URL.
    ///
    /// - Parameters:
    ///   - files: Where bodies lie.
    ///   - body: Gets the record and where its body lies, nil for a redirect.
    /// - Throws: What the database or the body throws.
    func forEachResource(
        _ files: CrawlFiles,
        _ body: (ResourceRecord, CrawledBody?) throws -> Void
    ) throws {
        try database.inDatabase { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT result.* FROM result JOIN found ON found.id = result.id
                    WHERE result.kind IN (0, 1, 4) ORDER BY found.url
                    """
            )
            while let row = try rows.next() {
                switch try Self.result(row, from: 0, files).content {
                case .resource(let record, let data), .kept(let record, let data, _): try body(record, data)
                case .redirect(let record, _): try body(record, nil)
                case .failure, .leftOut, .planned: continue
                }
            }
        }
    }

    static func result(_ row: Row, from first: Int, _ files: CrawlFiles) throws -> CrawlResult {
        let detail = row[first + 7] as String?
        let content: CrawlResult.Content
        switch Kind(rawValue: row[first + 1]) {
        case .resource:
            content = .resource(try record(row[first + 6]), try Self.body(row, from: first + 8, files))
        case .kept:
            content = .kept(
                try record(row[first + 6]),
                try Self.body(row, from: first + 8, files),
                FetchFailure(coded: detail ?? "")
            )
        case .redirect: content = .redirect(try record(row[first + 6]), target: try WebURL(detail ?? ""))
        case .failure: content = .failure(FetchFailure(coded: detail ?? ""))
        case .planned: content = .planned
        case .leftOut: content = .leftOut(detail.flatMap { SkipRule(rawValue: $0) } ?? .noindex)
        case nil: throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a result of an unknown kind")
        }
        let notes = (row[first + 13] as String? ?? "").split(separator: ",").map(String.init)
        return CrawlResult(
            id: row[first],
            content: content,
            requests: row[first + 2],
            elapsed: .nanoseconds(row[first + 3] as Int64),
            received: row[first + 4],
            change: (row[first + 5] as String?).flatMap { CrawlReport.Change(rawValue: $0) },
            cuts: Set(notes.compactMap { DiscoveryCut(rawValue: $0) }),
            needsScripts: notes.contains(scriptsNote)
        )
    }

    private static func record(_ text: String?) throws -> ResourceRecord {
        try Array((text ?? "").utf8).withUnsafeBufferPointer { try ResourceRecord(line: $0) }
    }

    private static func body(_ row: Row, from first: Int, _ files: CrawlFiles) throws -> CrawledBody {
        guard let text = row[first] as String? else {
            guard let body = files.older?.body(member: row[first + 2]) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a body of a package that isn't there")
            }
            return body
        }
        guard let extents = ExtentText.extents(in: text) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a body without a place")
        }
        let totals = Deflater.Totals(
            crc32: UInt32(truncatingIfNeeded: row[first + 1] as Int64),
            uncompressedSize: row[first + 2],
            compressedSize: row[first + 3]
        )
        let method: ZipMember.Method = (row[first + 4] as Int) == 0 ? .stored : .deflated
        let data = files.spool.body(extents: extents, totals: totals, method: method)
        return CrawledBody(place: .spool, data: data)
    }
}
