internal import AFCCaching
internal import AFCHTTP
internal import AFCSQLite
internal import Crypto
internal import HTTPTypes

/// A row of the received area: a variant and its URL.
struct ReceivedRow: Sendable {
    var key: ResourceKey
    var variant: ReceivedVariant

    /// Inserts the row, and the body if the database stores it.
    func insert(into db: Database) throws {
        let response = variant.response
        var file: Int64?
        if case .file(let number) = variant.body { file = Int64(bitPattern: number) }
        try db.statement(
            """
            INSERT INTO response (id, hash, url, status, fields, requestFields, requested, received, expires, size,
                digest, file, isInvalidated, used)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        ).execute([
            variant.id, Int64(bitPattern: key.hash), key.text, response.status, FieldBlock.bytes(of: response.fields),
            FieldBlock.bytes(of: variant.rowFields), response.requested?.secondsSinceEpoch,
            response.received.secondsSinceEpoch, variant.expires?.secondsSinceEpoch, response.size,
            variant.digest, file, response.isInvalidated,
            Int64(RecencyRecorder.minutes(response.received)),
        ])
        guard case .bytes(let bytes) = variant.body, !bytes.isEmpty else { return }
        try db.statement("INSERT INTO body (id, bytes) VALUES (?, ?)")
            .execute([variant.id, bytes])
    }

    /// Updates the head in a row if it still exists.
    func update(in db: Database) throws {
        let response = variant.response
        try db.statement(
            """
            UPDATE response SET status = ?, fields = ?, requestFields = ?, requested = ?, received = ?, expires = ?,
                isInvalidated = ? WHERE id = ?
            """
        ).execute([
            response.status, FieldBlock.bytes(of: response.fields), FieldBlock.bytes(of: variant.rowFields),
            response.requested?.secondsSinceEpoch, response.received.secondsSinceEpoch,
            variant.expires?.secondsSinceEpoch, response.isInvalidated, variant.id,
        ])
    }

    static let columns = """
        r.id, r.url, r.status, r.fields, r.requestFields, r.requested, r.received, r.size, r.digest, r.file,
        r.isInvalidated
        """

    /// Reads a row of ``columns``; nil if it is damaged.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - bytes: The body, if the database stores it.
    /// - Returns: The response, or nil.
    /// - Throws: Any error of SQLite.
    static func variant(_ row: Row, bytes: [UInt8]?) throws -> ReceivedVariant? {
        guard let fields = try FieldBlock.fields(row[3]),
            var requestFields = try FieldBlock.fields(row[4])
        else { return nil }
        let digest: [UInt8] = try row[8]
        guard digest.count == 32 else { return nil }
        let requested: Int64? = try row[5]
        let size: Int64 = try row[7]
        let file: Int64? = try row[9]
        let body: ReceivedVariant.Body
        if let file {
            body = .file(UInt64(bitPattern: file))
        } else {
            let bytes = bytes ?? []
            // Bodies in the database are small, so verifying their digest costs less than reading them did.
            guard bytes.count == size, SHA256.hash(data: bytes).elementsEqual(digest) else { return nil }
            body = .bytes(bytes)
        }
        let assignment = ProgramField.remove(from: &requestFields)
        var response = StoredResponse(
            status: try row[2],
            fields: fields,
            size: size,
            received: Timestamp(secondsSinceEpoch: try row[6]),
            requestFields: requestFields,
            requested: requested.map { Timestamp(secondsSinceEpoch: $0) },
            source: .received,
            isInvalidated: try row[10]
        )
        response.assignedLifetime = assignment?.lifetime
        response.userInfo = assignment?.userInfo
        return ReceivedVariant(id: try row[0], response: response, digest: digest, body: body)
    }
}

extension ReceivedEntry {
    /// Reads the entry of a URL; damaged rows are skipped.
    static func fetch(_ key: ResourceKey, from db: Database) throws -> ReceivedEntry {
        var variants: [ReceivedVariant] = []
        let hash = Int64(bitPattern: key.hash)
        let responses = try db.statement(
            "SELECT \(ReceivedRow.columns), b.bytes FROM response r LEFT JOIN body b ON b.id = r.id WHERE r.hash = ?"
        )
        let cursor = try responses.rows([hash])
        while let row = try cursor.next() {
            guard try row[1] == key.text, let variant = try ReceivedRow.variant(row, bytes: row[11])
            else {
                continue
            }
            variants.append(variant)
        }
        var freshened: FreshenedEntry?
        let entries = try db.statement(
            """
            SELECT url, generation, status, fields, requestFields, requested, received, isInvalidated
            FROM freshened WHERE hash = ?
            """
        )
        let second = try entries.rows([hash])
        while let row = try second.next() {
            guard try row[0] == key.text else { continue }
            freshened = try FreshenedEntry(row)
        }
        return ReceivedEntry(variants: variants, freshened: freshened)
    }
}

extension FreshenedEntry {
    fileprivate convenience init?(_ row: Row) throws {
        guard let fields = try FieldBlock.fields(row[3]) else { return nil }
        let requested: Int64? = try row[5]
        let response = StoredResponse(
            status: try row[2],
            fields: fields,
            size: 0,
            received: Timestamp(secondsSinceEpoch: try row[6]),
            requestFields: try (row[4] as [UInt8]?).flatMap(FieldBlock.fields),
            requested: requested.map { Timestamp(secondsSinceEpoch: $0) },
            isInvalidated: try row[7]
        )
        self.init(generation: try row[1], response: response)
    }

    /// Writes the entry, replacing one for the same URL.
    func save(_ key: ResourceKey, to db: Database) throws {
        let hash = Int64(bitPattern: key.hash)
        try db.statement("DELETE FROM freshened WHERE hash = ? AND url = ?")
            .execute([hash, key.text])
        try db.statement(
            """
            INSERT INTO freshened (hash, url, generation, status, fields, requestFields, requested, received,
                isInvalidated)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        ).execute([
            hash, key.text, generation, response.status, FieldBlock.bytes(of: response.fields),
            response.requestFields.map(FieldBlock.bytes(of:)), response.requested?.secondsSinceEpoch,
            response.received.secondsSinceEpoch, response.isInvalidated,
        ])
    }
}
