internal import AFCArchive
internal import AFCCrawlRules
internal import AFCFiles
internal import AFCHTTP
internal import AFCSQLite
internal import AFCText
internal import AFCURL
internal import HTTPTypes

/// Reads the responses of `Cache.db`, the disk cache of apps on Apple's systems (NSURLCache).
///
/// The database and its log are copied first, so that nothing is written beside them. Nothing that they say is believed.
final class URLCacheIntake {
    /// The bytes with which a database begins.
    static let mark = Array("SQLite format 3\0".utf8)
    /// The table that every such cache has.
    static let table = "cfurl_cache_response"

    private static let tables = [table, "cfurl_cache_blob_data", "cfurl_cache_receiver_data"]
    /// The most bytes of the database and its log.
    private static let databaseLimit: Int64 = 16 << 30
    /// The most responses: a package can't have more.
    private static let rowLimit = 2_000_000
    /// The most bytes of an archived response or request, and of a body in the database; larger bodies are files.
    private static let (objectLimit, bodyLimit) = (4 << 20, 256 << 20)
    private static let partitionMark = "_CFURLCachePartition="

    private let intake: Intake
    private let name: String
    private let number: Int
    /// The files beside the database, among them large bodies.
    private let beside: any BesideFiles
    private var count = 0
    private(set) var firstPage: WebURL?

    init(as name: String, beside: any BesideFiles, _ intake: Intake) {
        (self.name, self.beside, self.intake) = (name, beside, intake)
        number = intake.beginFile(name)
    }

    /// Returns true if the beginning of a database names the table of responses.
    static func recognizes(_ file: OpenFile) throws(FileError) -> Bool {
        let beginning = try file.beginning(Int(min(try file.size(), 64 << 10)))
        return beginning.firstRange(of: table.utf8) != nil
    }

    /// Reads all responses.
    ///
    /// - Parameters:
    ///   - file: The database.
    ///   - log: The name of the log beside it.
    ///   - folder: The folder for temporary files.
    /// - Throws: ``ImportError``, or an error of what takes the remarks.
    func read(_ file: OpenFile, log: String, folder: String) throws {
        let scratch: TemporaryFolder
        do throws(FileError) {
            scratch = try TemporaryFolder(for: "import", in: folder)
        } catch {
            throw ImportError(error, subject: folder)
        }
        defer { scratch.remove() }
        let path = scratch.path + "/Cache.db"
        try copy(to: path) { take in try file.forEachPiece(as: name, take) }
        try copy(to: path + "-wal") { take in _ = try beside.read(log, take) }
        do {
            let database = try LockedDatabase(path) { try $0.distrustFile() }
            defer { try? database.close() }
            try database.use { try read($0) }
        } catch let error as DatabaseError {
            guard count > 0 else {
                throw ImportError(.malformed, subject: name, message: "the database can't be read: \(error.message)")
            }
            try intake.note(.cut, at: NotePlace(file: number, offset: nil, number: count + 1))
        }
    }

    private func copy(
        to path: String,
        _ pieces: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        var copy: OpenFile?
        var size: Int64 = 0
        try pieces { piece in
            try intake.checkCancellation()
            guard size + Int64(piece.count) <= Self.databaseLimit else {
                throw ImportError(.tooLarge, subject: name, message: "the database has more than 16 GiB")
            }
            do throws(FileError) {
                let file: OpenFile
                if let copy { file = copy } else { file = try OpenFile(creating: path, mode: 0o600) }
                copy = file
                try file.write(piece, at: size)
            } catch {
                throw ImportError(error, subject: path)
            }
            size += Int64(piece.count)
        }
    }

    // MARK: Rows

    private func read(_ db: Database) throws {
        let columns = try Self.tables.map { try storedColumns(of: $0, in: db) }
        guard columns[0].isSuperset(of: ["entry_ID", "request_key"]),
            columns[2].isSuperset(of: ["entry_ID", "receiver_data"])
        else {
            throw ImportError(.malformed, subject: name, message: "the database is not a cache of NSURLCache")
        }
        func bytes(_ column: String, _ limit: Int) -> String {
            "CASE WHEN length(CAST(\(column) AS BLOB)) <= \(limit) THEN CAST(\(column) AS BLOB) END"
        }
        func object(_ column: String) -> String {
            columns[1].contains(column) ? bytes("b.\(column)", Self.objectLimit) : "NULL"
        }
        let hasObjects = columns[1].contains("entry_ID")
        let isFile = columns[2].contains("isDataOnFS") ? "coalesce(CAST(d.isDataOnFS AS INTEGER), 0)" : "0"
        let time = columns[0].contains("time_stamp") ? "CAST(r.time_stamp AS TEXT)" : "NULL"
        let rows = try db.rows(
            """
            SELECT CAST(r.request_key AS TEXT), \(time), \(isFile), d.receiver_data IS NULL,
            \(bytes("d.receiver_data", Self.bodyLimit)), \(hasObjects ? object("response_object") : "NULL"),
            \(hasObjects ? object("request_object") : "NULL")
            FROM \(Self.tables[0]) r LEFT JOIN \(Self.tables[2]) d ON d.entry_ID = r.entry_ID
            \(hasObjects ? "LEFT JOIN \(Self.tables[1]) b ON b.entry_ID = r.entry_ID" : "")
            ORDER BY r.entry_ID
            """
        )
        while let row = try rows.next() {
            try intake.checkCancellation()
            count += 1
            guard count <= Self.rowLimit else {
                throw ImportError(
                    .tooLarge,
                    subject: name,
                    message: "the cache has more than \(Self.rowLimit) responses, and a package can't have so many"
                )
            }
            try take(
                Entry(
                    key: try row[0] as String? ?? "",
                    time: try row[1] as String?,
                    isFile: try row[2],
                    lacksBody: try row[3],
                    body: try row[4] as [UInt8]?,
                    response: (try row[5] as [UInt8]?).flatMap { try? BinaryPropertyList.read($0) },
                    request: (try row[6] as [UInt8]?).flatMap { try? BinaryPropertyList.read($0) }
                )
            )
        }
    }

    /// Returns the stored columns of a table; none if it is a view, or another thing that computes its rows.
    private func storedColumns(of table: String, in db: Database) throws -> Set<String> {
        let sql = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?"
        guard let text: String = try db.first(sql, [table]),
            text.uppercased().split(whereSeparator: \.isWhitespace).prefix(2) == ["CREATE", "TABLE"]
        else { return [] }
        return Set(try db.all("SELECT name FROM pragma_table_info(?)", [table]) as [String])
    }

    private struct Entry {
        var key: String
        var time: String?
        var isFile: Bool
        var lacksBody: Bool
        var body: [UInt8]?
        var response: PropertyList?
        var request: PropertyList?
    }

    private func take(_ entry: Entry) throws {
        let place = NotePlace(file: number, offset: nil, number: count)
        let response = entry.response.flatMap { ArchivedURLResponse(cached: $0) }
        let request = entry.request.flatMap { ArchivedURLRequest(cached: $0) }
        let text = url(entry.key, request?.url ?? response?.url)
        func note(_ kind: ImportNote.Kind, _ detail: String = "") throws {
            try intake.note(kind, at: place, url: text, detail: detail)
        }
        guard let url = try intake.url(text, at: place) else { return }
        guard request?.method ?? "GET" == "GET" else { return try note(.method, request?.method ?? "") }
        guard let response, let status = response.status else { return try note(.noHead) }
        guard Intake.isStored(status) else { return try note(.status, "\(status)") }
        let date = response.time ?? entry.time.flatMap { ArchiveDate($0) }
        if let omission = intake.omission(url, date) { return try note(omission) }
        var head = FetchHead(status: status, fields: response.fields)
        if let type = response.mediaType, !head.fields.contains(.contentType) { head.fields[.contentType] = type }
        guard Intake.target(head, url) == nil else {
            let record = intake.record(url, head, date, sent: request?.fields ?? HTTPFields())
            return try intake.add(Capture(kind: .redirect, record: record, date: date, place: place))
        }
        do {
            try fill(with: entry)
            let result = try intake.bodies.decodedOrNot(intake.buffer, &head, url)
            let record = intake.record(url, head, date, sent: request?.fields ?? HTTPFields(), body: result.body)
            try intake.add(Capture(record: record, date: date, body: result.body, notes: result.notes, place: place))
        } catch let refusal as BodyIntake.Refusal {
            return try note(refusal.kind, refusal.detail)
        }
        let type = head.fields[.contentType].flatMap { MediaType($0)?.essence }
        if firstPage == nil, status == 200, type == "text/html" { firstPage = url }
    }

    /// Returns the URL of an entry, whose key may begin with the site for which it was loaded.
    private func url(_ key: String, _ stated: String?) -> String {
        guard key.hasPrefix(Self.partitionMark) || key.isEmpty else { return key }
        if let stated { return stated }
        let schemes = ["http://", "https://"].compactMap { key.ranges(of: $0).last?.lowerBound }
        return schemes.max().map { String(key[$0...]) } ?? key
    }

    private func fill(with entry: Entry) throws {
        intake.buffer.clear()
        guard !entry.lacksBody else { throw BodyIntake.Refusal(kind: .noBody) }
        guard let body = entry.body else { throw BodyIntake.Refusal(kind: .tooLarge) }
        guard entry.isFile else { return try body.withUnsafeBytes { try intake.buffer.append($0) } }
        let file = String(decoding: body.prefix(1024).prefix { $0 != 0 }, as: UTF8.self)
        guard !file.contains("/"), try beside.read("fsCachedData/\(file)", { try intake.buffer.append($0) }) else {
            throw BodyIntake.Refusal(kind: .noBody, detail: "no file \(PrintableText.quoted(file))")
        }
    }
}
