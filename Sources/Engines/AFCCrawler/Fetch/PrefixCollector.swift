internal import AFCCrawlRules

/// Keeps the beginning of a body.
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
