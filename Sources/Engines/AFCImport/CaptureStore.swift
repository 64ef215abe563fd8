internal import AFCArchive
internal import AFCCrawlRules
internal import AFCCrawler
internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCSQLite
internal import AFCText
internal import AFCURL
internal import AFCZip
internal import HTTPTypes

/// A response of an archive, before it is known which one counts for its URL.
struct Capture {
    /// The kinds of captures.
    enum Kind: Int {
        /// A response with its body.
        case whole = 0
        /// A redirect, whose body packages don't have.
        case redirect = 1
        /// A response whose body is that of another capture.
        case repeated = 2
        /// A response that says that another capture is still current.
        case unchanged = 3
    }

    var kind = Kind.whole
    var record: ResourceRecord
    var date: ArchiveDate?
    var body: BodyWriter.Body?
    /// The record's identifier, which may be empty, and those of the records of the same exchange.
    var ids: [String] = []
    var digest: StatedDigest?
    /// For a repeated or unchanged response, the capture to which it refers.
    var original: (url: WebURL, date: ArchiveDate?)?
    /// The identifier of the record to which it refers.
    var originalID: String?
    /// True if the response has no status and fields of its own.
    var lacksHead = false
    /// The reason why it doesn't count for its URL, although other captures may refer to it.
    var omission: ImportNote.Kind?
    /// What is wrong with the body, to be reported once it is known that the response has one.
    var notes: [(kind: ImportNote.Kind, detail: String)] = []
    var place: NotePlace
}

/// A request of an archive.
struct CapturedRequest {
    var ids: [String]
    var url: WebURL
    var date: ArchiveDate?
    var method: String
    /// The URL under which a package keeps the response; nil if it keeps none.
    var methodURL: WebURL?
    var fields = HTTPFields()
}

/// The place of a record or entry.
struct NotePlace {
    /// The number of the file in the order of reading.
    var file: Int
    var offset: Int64?
    var number: Int
}

/// The captures and requests of archives in a database without a name, and their bodies in a file without one.
///
/// Memory doesn't grow with the number of captures. Calls block; one thread at a time.
final class CaptureStore: Sendable {
    /// The file for bodies.
    let spool: SpoolFile
    let writers: BodySpool
    let database: LockedDatabase

    private static let schema = """
        CREATE TABLE capture (
            id INTEGER PRIMARY KEY, url TEXT NOT NULL, seconds INTEGER NOT NULL, fraction INTEGER NOT NULL,
            kind INTEGER NOT NULL, status INTEGER NOT NULL, record BLOB NOT NULL, ids TEXT NOT NULL, digest TEXT,
            original TEXT, originalSeconds INTEGER, originalID TEXT, lacksHead INTEGER NOT NULL, omission INTEGER NOT NULL,
            varies INTEGER NOT NULL, offset INTEGER, crc INTEGER, size INTEGER, compressed INTEGER, deflated INTEGER, sha256 TEXT, notes TEXT,
            file INTEGER NOT NULL, place INTEGER, number INTEGER NOT NULL
        );
        CREATE TABLE request (key TEXT NOT NULL, method TEXT NOT NULL, url TEXT, fields BLOB);
        CREATE TABLE chosen (rank INTEGER PRIMARY KEY, id INTEGER NOT NULL);
        CREATE TABLE stated (url TEXT PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID;
        """

    /// The time of captures without a date, before all others.
    static let noTime = Int64.min

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - folder: The folder for bodies.
    ///   - level: Deflate's level, 1 to 9.
    /// - Throws: ``ImportError`` if there is no room.
    init(folder: String, level: Int32) throws {
        do throws(FileError) {
            spool = try SpoolFile(in: folder)
        } catch {
            throw ImportError(error, subject: error.path)
        }
        writers = BodySpool(file: spool, level: level)
        do {
            database = try LockedDatabase("") { db in
                try db.run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384")
                try db.run(Self.schema)
                try db.run("BEGIN")
            }
        } catch let error as DatabaseError {
            throw ImportError(error)
        }
    }

    /// Runs work on the database, and converts its errors.
    func use<Value>(_ work: (Database) throws -> Value) throws -> Value {
        do {
            return try database.use(work)
        } catch let error as DatabaseError {
            throw ImportError(error)
        }
    }

    /// Adds the record that an archive states for a resource of the package of which it was made.
    func add(stated record: ResourceRecord) throws {
        var line: [UInt8] = []
        record.write(to: &line)
        try use { db in
            try db.execute("INSERT OR REPLACE INTO stated (url, record) VALUES (?, ?)", [record.url.description, line])
        }
    }

    /// Adds a capture.
    func add(_ capture: Capture) throws {
        var line: [UInt8] = []
        capture.record.write(to: &line)
        let body = capture.body
        let offset = body?.content.extents.first?.offset
        try use { db in
            let columns: [any DatabaseValue] = [
                capture.record.url.description, capture.date?.time.secondsSinceEpoch ?? Self.noTime,
                capture.date?.nanoseconds ?? 0, capture.kind.rawValue, capture.record.status, line,
                capture.ids.joined(separator: " "), capture.digest?.canonical, capture.original?.url.description,
                capture.original?.date?.time.secondsSinceEpoch, capture.originalID, capture.lacksHead,
                capture.omission.flatMap { ImportNote.Kind.allCases.firstIndex(of: $0) } ?? -1,
                capture.record.fields.contains { $0.name == .vary }, offset,
                body.map { Int64($0.content.totals.crc32) }, body?.size, body?.content.totals.compressedSize,
                body.map { $0.content.method == .deflated }, body?.sha256,
                capture.notes.isEmpty
                    ? nil : capture.notes.map { "\($0.kind.rawValue) \($0.detail)" }.joined(separator: "\n"),
                capture.place.file, capture.place.offset,
                capture.place.number,
            ]
            try db.execute(
                """
                INSERT INTO capture (url, seconds, fraction, kind, status, record, ids, digest, original, originalSeconds, originalID,
                lacksHead, omission, varies, offset, crc, size, compressed, deflated, sha256, notes, file, place,
                number)
                VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
                """,
                columns
            )
        }
    }

    /// Adds a request.
    func add(_ request: CapturedRequest) throws {
        var keys = request.ids
        if request.method != "GET" { keys.append(Self.key(request.url, request.date?.time.secondsSinceEpoch)) }
        var fields: [UInt8] = []
        if !request.fields.isEmpty { ResourceRecord.json(request.fields).write(to: &fields) }
        try use { db in
            for key in keys {
                try db.execute(
                    "INSERT INTO request (key, method, url, fields) VALUES (?,?,?,?)",
                    [key, request.method, request.methodURL?.description, fields]
                )
            }
        }
    }

    /// Returns the key of a request that no identifier connects with its response.
    static func key(_ url: WebURL, _ seconds: Int64?) -> String { "\(seconds ?? noTime) \(url)" }

    /// Returns the data of a body that is in the file.
    func data(offset: Int64?, crc: Int64, size: Int64, compressed: Int64, isDeflated: Bool) -> DeflatedBody {
        spool.body(
            extents: offset.map { [FileExtent(offset: $0, count: Int(compressed))] } ?? [],
            totals: Deflater.Totals(
                crc32: UInt32(truncatingIfNeeded: crc),
                uncompressedSize: size,
                compressedSize: compressed
            ),
            method: isDeflated ? .deflated : .stored
        )
    }
}
