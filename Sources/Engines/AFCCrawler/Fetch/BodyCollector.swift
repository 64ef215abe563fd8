internal import AFCCrawlRules
internal import AFCHTTP
internal import AFCURL
internal import HTTPTypes

/// Receives a response, and puts its body into the spool.
///
/// It keeps the text to search for references.
struct BodyCollector: ResponseReceiver {
    /// The number of bytes of a text that are searched for references.
    static let textLimit = 64 << 20
    /// The largest text that is kept in memory for that; a larger one is read again from the spool, one at a time.
    static let textInMemory = 4 << 20
    /// The number of bytes by which a coded body may exceed the decoded one.
    static let codingOverhead = 64 << 10

    private(set) var head: FetchHead?
    /// The body, if its type is searched for references; nil if it is too long to keep in memory.
    private(set) var text: [UInt8]? = []
    /// The number of bytes received, before decoding.
    private(set) var received: Int64 = 0
    private let limit: Int64
    private let item: CrawlItem
    private let options: CrawlOptions
    private var writer: BodyWriter
    private var keepsText = false

    init(spool: BodySpool, limit: Int64, item: CrawlItem, options: CrawlOptions) {
        writer = BodyWriter(spool: spool)
        self.limit = limit
        self.item = item
        self.options = options
    }

    mutating func begin(_ head: FetchHead) throws(FetchFailure) -> Bool {
        self.head = head
        guard head.isStored else { return false }
        writer.begin(head, url: item.url)
        keepsText = PageReferences.isSearched(head.fields, item, options)
        if let length = head.fields.value(of: .contentLength).flatMap({ Int64($0) }), length > limit {
            throw .tooLarge(limit: limit)
        }
        return true
    }

    mutating func receive(_ count: Int) throws(FetchFailure) -> Bool {
        received += Int64(count)
        guard received <= limit else { throw .tooLarge(limit: limit) }
        return true
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) -> Bool {
        let size = writer.size + Int64(bytes.count)
        guard size <= limit else { throw .tooLarge(limit: limit) }
        if keepsText { if size <= Self.textInMemory { text?.append(contentsOf: bytes) } else { text = nil } }
        try writer.append(bytes)
        return true
    }

    /// Ends the body.
    mutating func finish() throws(FetchFailure) -> BodyWriter.Body { try writer.finish() }
}

/// Collects the beginning of a body, if the status is 200.
struct PrefixCollector: ResponseReceiver {
    private(set) var head: FetchHead?
    private(set) var bytes: [UInt8] = []
    private var received = 0
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    mutating func begin(_ head: FetchHead) throws(FetchFailure) -> Bool {
        self.head = head
        return head.status == 200
    }

    mutating func receive(_ count: Int) throws(FetchFailure) -> Bool {
        // The part with which the limit is passed has bytes up to the limit.
        defer { received += count }
        return received <= limit + BodyCollector.codingOverhead
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) -> Bool {
        self.bytes.append(contentsOf: bytes.prefix(limit - self.bytes.count))
        return self.bytes.count < limit
    }
}
