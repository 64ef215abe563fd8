internal import AFCCrawlRules
internal import AFCHTTP
internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCSQLite
internal import AFCText
internal import AFCURL

/// The chosen captures, sorted by URL, as the package's writer reads them.
struct ImportedResources: ResourceSource {
    let store: CaptureStore
    let maxAge: Int64?
    /// True if the records that the archive states add what responses don't.
    var usesStated = false

    func forEachURL(_ body: (WebURL) throws(PackageError) -> Void) throws(PackageError) {
        try reading { db in
            let rows = try db.rows(
                "SELECT url FROM chosen JOIN capture ON capture.id = chosen.id WHERE kind = 0 ORDER BY rank"
            )
            while let row = try rows.next() { try body(try WebURL(try row[0] as String)) }
        }
    }

    func forEach(_ body: (PackageWriter.Resource) throws(PackageError) -> Void) throws(PackageError) {
        try reading { db in
            let rows = try db.rows(
                """
                SELECT capture.url, kind, capture.record, offset, crc, size, compressed, deflated, stated.record
                FROM chosen JOIN capture ON capture.id = chosen.id
                LEFT JOIN stated ON \(usesStated ? "stated.url = capture.url" : "0") ORDER BY rank
                """
            )
            while let row = try rows.next() {
                var record = try CaptureSelection.record(try row[2])
                // The response to another method got its URL with the method.
                record.url = try WebURL(try row[0] as String)
                if let line: [UInt8] = try row[8] { Self.add(try CaptureSelection.record(line), to: &record) }
                guard try row[1] as Int == Capture.Kind.whole.rawValue else {
                    try body(PackageWriter.Resource(record: record, entry: nil, body: nil, isCompressible: false))
                    continue
                }
                let data = store.data(
                    offset: try row[3],
                    crc: try row[4],
                    size: try row[5],
                    compressed: try row[6],
                    isDeflated: try row[7]
                )
                try body(
                    PackageWriter.Resource(
                        record: record,
                        entry: Recording.entry(for: record, maxAge: maxAge),
                        body: .spooled(data),
                        isCompressible: false
                    )
                )
            }
        }
    }

    /// Adds what a record states beside the response, if it is of the same one.
    private static func add(_ stated: ResourceRecord, to record: inout ResourceRecord) {
        guard stated.status == record.status, stated.size == record.size, stated.sha256 == record.sha256 else { return }
        (record.requestFields, record.coding) = (stated.requestFields, stated.coding)
        (record.robotsUsage, record.pageUsage) = (stated.robotsUsage, stated.pageUsage)
    }

    /// The numbers of chosen captures.
    func counts() throws -> (whole: Int64, redirects: Int64) {
        try store.use { db in
            func count(_ kind: Capture.Kind) throws -> Int64 {
                let sql = "SELECT count(*) FROM chosen JOIN capture ON capture.id = chosen.id WHERE kind = ?"
                return try db.first(sql, [kind.rawValue]) ?? 0
            }
            return (try count(.whole), try count(.redirect))
        }
    }

    /// The latest time of a chosen capture; nil if none has a time.
    func latest() throws -> Timestamp? {
        try store.use { db in
            let sql = "SELECT max(seconds) FROM chosen JOIN capture ON capture.id = chosen.id"
            guard let row = try db.rows(sql).next(), let seconds = try row[0] as Int64?, seconds > CaptureStore.noTime
            else {
                return nil
            }
            return Timestamp(secondsSinceEpoch: seconds)
        }
    }

    /// Returns true if a URL is among the chosen ones.
    func contains(_ url: WebURL) throws -> Bool {
        try store.use { db in
            let sql = "SELECT 1 FROM capture INDEXED BY capture_time WHERE url = ? AND omission = -1 LIMIT 1"
            return try db.first(sql, [url.description]) as Int? != nil
        }
    }

    private func reading(_ work: (Database) throws -> Void) throws(PackageError) {
        do {
            try store.use(work)
        } catch let error as PackageError {
            throw error
        } catch let error as ImportError {
            throw PackageError(.inputOutput, subject: error.subject, message: error.message)
        } catch {
            throw PackageError(.inputOutput, subject: "", message: "\(error)")
        }
    }
}
