internal import AFCDiscovery
internal import AFCPackageFormat
internal import AFCURL
internal import AFCZip
internal import GRDB

extension CrawlState {
    /// What a row of results holds.
    enum Kind: Int {
        case resource = 0
        case redirect
        case failure
        case leftOut
        case kept
        case planned
    }

    static func write(_ changes: CrawlChanges, _ db: Database) throws {
        let found = try db.cachedStatement(
            sql: """
                INSERT INTO found (id, url, role, depth, redirects, chain, lane, destination, referrer, optional, rule)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        )
        for row in changes.found {
            try found.execute(arguments: [
                row.item.id, row.item.url.description, row.role.rawValue, row.depth, row.item.redirects,
                row.item.chain, row.item.lane, row.item.destination.rawValue, row.item.referrer?.id,
                row.item.isOptional, row.rule?.rawValue,
            ])
        }
        let improve = try db.cachedStatement(sql: "UPDATE found SET role = ?, depth = ? WHERE id = ?")
        for row in changes.improved { try improve.execute(arguments: [row.role.rawValue, row.depth, row.id]) }
        let supersede = try db.cachedStatement(sql: "UPDATE found SET superseded = 1 WHERE id = ?")
        for id in changes.superseded { try supersede.execute(arguments: [id]) }
        let refuse = try db.cachedStatement(sql: "UPDATE found SET rule = ? WHERE id = ?")
        for row in changes.refused { try refuse.execute(arguments: [row.rule.rawValue, row.item.id]) }
        for (origin, digest) in changes.robots { try set(robotsPrefix + origin, digest, db) }
        let places = String(repeating: "?, ", count: 13) + "?"
        let insert = try db.cachedStatement(sql: "INSERT INTO result VALUES (\(places))")
        for result in changes.results {
            try insert.execute(arguments: StatementArguments([result.id] + values(of: result)))
        }
        let settle = try db.cachedStatement(sql: "DELETE FROM early WHERE url = ?")
        for url in changes.settled { try settle.execute(arguments: [url.description]) }
        let keep = try db.cachedStatement(sql: "INSERT OR REPLACE INTO early VALUES (?, ?, \(places))")
        for row in changes.early {
            let key: [(any DatabaseValueConvertible)?] = [
                row.item.url.description, row.item.destination.rawValue, row.role.rawValue,
            ]
            try keep.execute(arguments: StatementArguments(key + values(of: row.result)))
        }
        if let rule = changes.refusesRest {
            try db.execute(
                sql: """
                    UPDATE found SET rule = ? WHERE rule IS NULL AND superseded = 0
                    AND NOT EXISTS (SELECT 1 FROM result WHERE result.id = found.id)
                    """,
                arguments: [rule.rawValue]
            )
        }
    }

    /// The note on the result of a page that seems to need scripts.
    static let scriptsNote = "scripts"

    /// The values of the columns after the key.
    private static func values(of result: CrawlResult) -> [(any DatabaseValueConvertible)?] {
        let elapsed = result.elapsed.components
        let nanoseconds = elapsed.seconds * 1_000_000_000 + elapsed.attoseconds / 1_000_000_000
        var values: [(any DatabaseValueConvertible)?] = [
            nil, result.requests, nanoseconds, result.received, result.change?.rawValue,
        ]
        switch result.content {
        case .resource(let record, let body):
            values[0] = Kind.resource.rawValue
            values += [text(of: record), nil] + columns(of: body)
        case .kept(let record, let body, let failure):
            values[0] = Kind.kept.rawValue
            values += [text(of: record), failure.coded] + columns(of: body)
        case .redirect(let record, let target):
            values[0] = Kind.redirect.rawValue
            values += [text(of: record), target.description, nil, nil, nil, nil, nil]
        case .failure(let failure):
            values[0] = Kind.failure.rawValue
            values += [nil, failure.coded, nil, nil, nil, nil, nil]
        case .leftOut(let rule):
            values[0] = Kind.leftOut.rawValue
            values += [nil, rule.rawValue, nil, nil, nil, nil, nil]
        case .planned:
            values[0] = Kind.planned.rawValue
            values += [nil, nil, nil, nil, nil, nil, nil]
        }
        let notes = result.cuts.sorted().map(\.rawValue) + (result.needsScripts ? [scriptsNote] : [])
        return values + [notes.isEmpty ? nil : notes.joined(separator: ",")]
    }

    /// Where a body lies: its extents in the crawl's file and what is known of it, or the older package's member.
    private static func columns(of body: CrawledBody) -> [(any DatabaseValueConvertible)?] {
        if case .older(let member) = body.place { return [nil, nil, member, nil, nil] }
        let totals = body.data.totals
        return [
            ExtentText.text(of: body.data.extents), Int64(totals.crc32), totals.uncompressedSize,
            totals.compressedSize, body.data.method == .stored ? 0 : 8,
        ]
    }

    private static func text(of record: ResourceRecord) -> String {
        var bytes: [UInt8] = []
        record.write(to: &bytes)
        return String(decoding: bytes.dropLast(), as: UTF8.self)
    }
}
