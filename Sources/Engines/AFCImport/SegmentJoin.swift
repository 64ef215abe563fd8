internal import AFCArchive
internal import AFCCrawlRules
internal import AFCCrawler
internal import AFCURL

/// A response whose record is the first segment of a longer one.
struct SegmentedResponse {
    var record: RecordHead
    var place: NotePlace
    var url: WebURL
    var head: FetchHead
}

/// Joins the segments of long records (WARC 1.1 §7), which are mostly in one file each, in any order.
final class SegmentJoin {
    /// The most segments that wait for others.
    static let limit = 64

    private struct Parts {
        /// The place and URL of the segment that was read first, for remarks.
        let found: (place: NotePlace, target: String)
        var first: SegmentedResponse?
        var bodies: [Int: BodyBuffer] = [:]
        /// The number of the last segment, which alone states the length of all.
        var last: Int?
    }

    private let bodyLimit: Int64
    private let folder: String
    private var waiting: [String: Parts] = [:]
    private var count = 0
    private var bytes: Int64 = 0

    init(bodyLimit: Int64, folder: String) { (self.bodyLimit, self.folder) = (bodyLimit, folder) }

    /// Keeps a segment.
    ///
    /// - Parameters:
    ///   - number: The segment's number, from 1 on.
    ///   - origin: The identifier of the first segment's record.
    ///   - isLast: True if no other follows.
    ///   - body: The content, of the first one without its head; it is replaced by that of the whole response.
    ///   - found: The place and URL of the segment.
    ///   - first: The response, of the first segment.
    /// - Returns: The response, if now all segments are there; nil otherwise.
    /// - Throws: ``ImportError``.
    func add(
        _ number: Int,
        of origin: String,
        isLast: Bool,
        body: BodyBuffer,
        found: (place: NotePlace, target: String),
        first: SegmentedResponse?
    ) throws -> SegmentedResponse? {
        let copy = BodyBuffer(limit: bodyLimit, folder: folder)
        try copy.append(body)
        var parts = waiting[origin] ?? Parts(found: found)
        let older = parts.bodies.updateValue(copy, forKey: number)
        count += older == nil ? 1 : 0
        bytes += copy.size - (older?.size ?? 0)
        if let first { parts.first = first }
        if isLast { parts.last = number }
        guard let response = parts.first, let last = parts.last, (1...last).allSatisfy({ parts.bodies[$0] != nil })
        else {
            waiting[origin] = parts
            return nil
        }
        waiting[origin] = nil
        count -= parts.bodies.count
        bytes -= parts.bodies.values.reduce(0) { $0 + $1.size }
        body.clear()
        for number in 1...last { if let part = parts.bodies[number] { try body.append(part) } }
        return response
    }

    /// True if no more segments can wait: there are too many, or they have more bytes than a body may.
    var isFull: Bool { count >= Self.limit || bytes >= bodyLimit }

    /// The places and URLs of responses that lack segments, in the order in which they were read.
    var incomplete: [(place: NotePlace, target: String)] {
        waiting.values.map { $0.first.map { ($0.place, $0.record.target) } ?? $0.found }
            .sorted { ($0.place.file, $0.place.number) < ($1.place.file, $1.place.number) }
    }
}
