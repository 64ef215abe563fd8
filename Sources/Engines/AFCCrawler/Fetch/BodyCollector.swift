internal import AFCCrawlRules
internal import AFCHTTP
internal import AFCText
internal import AFCURL
internal import AFCZip
internal import Crypto
internal import HTTPTypes

/// Receives a response, and puts its body into the spool.
///
/// It counts and hashes the body, and keeps the text to search for references.
struct BodyCollector: ResponseReceiver {
    /// A complete body.
    struct Body {
        var content: DeflatedBody
        var size: Int64
        var sha256: String
    }

    /// The number of bytes to read of a body that isn't stored, so that its connection can be reused.
    static let discardLimit: Int64 = 64 << 10
    /// The number of bytes of a text that are searched for references.
    static let textLimit = 64 << 20
    /// The largest text that is kept in memory for that; a larger one is read again from the spool, one at a time.
    static let textInMemory = 4 << 20
    /// The largest body that waits in memory for its end.
    static let memoryLimit = 1 << 20

    private(set) var head: FetchHead?
    /// The body, if its type is searched for references; nil if it is too long to keep in memory.
    private(set) var text: [UInt8]? = []
    private(set) var isCompressible = false
    private let spool: BodySpool
    private let limit: Int64
    private let item: CrawlItem
    private let options: CrawlOptions
    private var size: Int64 = 0
    private var hash = SHA256()
    private var memory: [UInt8] = []
    private var stream: SpooledBody?
    private var keepsText = false

    init(spool: BodySpool, limit: Int64, item: CrawlItem, options: CrawlOptions) {
        self.spool = spool
        self.limit = limit
        self.item = item
        self.options = options
    }

    mutating func begin(_ head: FetchHead) throws(FetchFailure) -> Bool {
        self.head = head
        guard head.isStored else { return true }
        let type = head.fields.value(of: .contentType).flatMap { MediaType($0) }
        isCompressible = MediaType.isCompressible(type, path: item.url.path)
        keepsText = PageReferences.isSearched(head.fields, item, options)
        if head.coding == nil, let length = head.fields.value(of: .contentLength).flatMap({ Int64($0) }), length > limit
        {
            throw .tooLarge(limit: limit)
        }
        return true
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) -> Bool {
        size += Int64(bytes.count)
        guard let head, head.isStored else { return size < Self.discardLimit }
        guard size <= limit else { throw .tooLarge(limit: limit) }
        hash.update(bufferPointer: bytes)
        if keepsText { if size <= Self.textInMemory { text?.append(contentsOf: bytes) } else { text = nil } }
        if stream == nil {
            memory.append(contentsOf: bytes)
            guard memory.count > Self.memoryLimit else { return true }
            stream = try spool.begin(memory, isCompressible: isCompressible)
            memory = []
        } else {
            try stream?.append(bytes)
        }
        return true
    }

    /// Ends the body.
    mutating func finish() throws(FetchFailure) -> Body {
        let content: DeflatedBody
        if let stream {
            content = try stream.finish()
        } else {
            content = try spool.store(memory, isCompressible: isCompressible)
        }
        return Body(content: content, size: size, sha256: Hexadecimal.text(hash.finalize()))
    }
}

/// Collects the beginning of a body.
struct PrefixCollector: ResponseReceiver {
    private(set) var head: FetchHead?
    private(set) var bytes: [UInt8] = []
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    mutating func begin(_ head: FetchHead) throws(FetchFailure) -> Bool {
        self.head = head
        return true
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) -> Bool {
        self.bytes.append(contentsOf: bytes.prefix(limit - self.bytes.count))
        return self.bytes.count < limit
    }
}
