internal import AFCArchive
internal import AFCCrawlRules
internal import AFCCrawler
internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
internal import HTTPTypes

/// The one place through which everything that archives hold passes: remarks, limits, patterns and times.
///
/// One thread uses it.
final class Intake {
    let options: ImportOptions
    let store: CaptureStore
    let bodies: BodyIntake
    /// The body at hand.
    let buffer: BodyBuffer
    let segments: SegmentJoin
    let cancellation: CancellationFlag
    private(set) var report = ImportReport()
    /// The names of the files that were read, for remarks.
    private(set) var files: [String] = []
    /// The name that an archive gives itself; nil if none does.
    var packageName: String?
    /// What an archive keeps of the package of which it was made.
    var sidecar: CollectionSidecar?
    /// The pages that the archives name as their beginnings.
    var pages: [WebURL] = []
    private let included: URLPatternSet?
    private let excluded: URLPatternSet
    private let onNote: (ImportNote) throws -> Void
    private var total: Int64 = 0

    /// The most bytes of all bodies: more than a package may have is no use.
    private static let totalLimit: Int64 = 64 << 30

    init(
        _ options: ImportOptions,
        store: CaptureStore,
        folder: String,
        cancellation: CancellationFlag,
        onNote: @escaping (ImportNote) throws -> Void
    ) {
        self.options = options
        self.store = store
        self.cancellation = cancellation
        self.onNote = onNote
        bodies = BodyIntake(store: store, folder: folder, limit: options.bodyBytes)
        buffer = BodyBuffer(limit: options.bodyBytes, folder: folder)
        segments = SegmentJoin(bodyLimit: options.bodyBytes, folder: folder)
        included = options.included.isEmpty ? nil : URLPatternSet(options.included)
        excluded = URLPatternSet(options.excluded)
    }

    /// Notes that another file is read, and returns its number.
    func beginFile(_ name: String) -> Int {
        files.append(name)
        report.archives += 1
        return files.count - 1
    }

    /// Throws if the work was cancelled.
    func checkCancellation() throws {
        if cancellation.isCancelled {
            throw ImportError(.cancelled, subject: files.last ?? "", message: "cancelled")
        }
    }

    // MARK: Remarks

    /// Adds a remark.
    func note(_ kind: ImportNote.Kind, at place: NotePlace, url: String = "", detail: String = "") throws {
        let note = ImportNote(
            kind: kind,
            file: files[place.file],
            offset: place.offset,
            number: place.number > 0 ? place.number : nil,
            url: url,
            detail: detail
        )
        report.add(note)
        try onNote(note)
    }

    /// Counts a record without a response.
    func count(other type: String) {
        let name = report.others.count < 64 || report.others[type] != nil ? type : "other"
        report.others[name, default: 0] += 1
    }

    /// Reports what lacks something that no archive had.
    func finish() throws {
        for (place, target) in segments.incomplete {
            try note(.truncated, at: place, url: target, detail: "segment")
        }
    }

    // MARK: Responses

    /// Returns the URL of a capture as packages have it; nil, after a remark, if they can't.
    func url(_ text: String, at place: NotePlace) throws -> WebURL? {
        let url: WebURL
        do throws(WebURL.ParseError) {
            url = try WebURL(utf8: text.utf8)
        } catch {
            let isOther =
                text.firstRange(of: ":").map { !text[..<$0.lowerBound].lowercased().hasPrefix("http") } ?? false
            try note(isOther ? .scheme : .badURL, at: place, url: text)
            return nil
        }
        guard url.isHTTP else {
            try note(.scheme, at: place, url: text)
            return nil
        }
        let clean = url.removingCredentials
        guard clean.description.utf8.count <= PackageLayout.urlByteLimit else {
            try note(.badURL, at: place, url: String(text.prefix(200)))
            return nil
        }
        if url.hasCredentials { report.secrets += 1 }
        return clean
    }

    /// True for statuses that packages have.
    static func isStored(_ status: Int) -> Bool {
        (200...599).contains(status) && ![204, 205, 206, 304].contains(status)
    }

    /// Returns the reason why a URL or its time is left out, or nil.
    func omission(_ url: WebURL, _ date: ArchiveDate?) -> ImportNote.Kind? {
        if let included, !included.matches(url) { return .excluded }
        if excluded.matches(url) { return .excluded }
        if let latest = options.latest, let date, latest < date { return .later }
        return nil
    }

    /// Returns a redirect's target; nil if the response isn't one.
    static func target(_ head: FetchHead, _ url: WebURL) -> WebURL? {
        guard [301, 302, 303, 307, 308].contains(head.status), let location = head.fields.singleValue(of: .location)
        else { return nil }
        return try? WebURL(location, base: url)
    }

    /// Returns the record of a response, and counts what is secret in it.
    func record(
        _ url: WebURL,
        _ head: FetchHead,
        _ date: ArchiveDate?,
        sent: HTTPFields = HTTPFields(),
        body: BodyWriter.Body? = nil
    ) -> ResourceRecord {
        if (head.fields + sent).contains(where: { FieldPolicy.traits(of: $0.name).contains(.secret) }) {
            report.secrets += 1
        }
        var record = Recording.record(
            of: url,
            head: head,
            sent: sent,
            fetched: date?.time ?? Timestamp(secondsSinceEpoch: 0),
            size: body?.size,
            sha256: body?.sha256
        )
        if date == nil { record.fetched = nil }
        return record
    }

    /// Adds a response; its body is in the store.
    func add(_ capture: Capture) throws {
        total = total.addingReportingOverflow(capture.body?.size ?? 0).partialValue
        guard total <= Self.totalLimit else {
            throw ImportError(
                .tooLarge,
                subject: files[capture.place.file],
                message: "with this archive, all bodies together have more than 64 GiB, which no package may have"
            )
        }
        try store.add(capture)
    }
}

/// Patterns of URLs, of which one must match.
struct URLPatternSet {
    private let patterns: [URLPattern]

    init(_ patterns: [URLPattern]) { self.patterns = patterns }

    func matches(_ url: WebURL) -> Bool { patterns.contains { $0.matches(url) } }
}
