internal import AFCCrawlRules
internal import AFCPackageFormat
internal import AFCText
internal import Crypto

/// Tells whether a body is the one that is known, and keeps nothing of it.
struct DigestCollector: ResponseReceiver {
    private(set) var head: FetchHead?
    private(set) var size: Int64 = 0
    private var hash = SHA256()
    /// How many bytes the known body has.
    private let expected: Int64

    init(expected: Int64) { self.expected = expected }

    mutating func begin(_ head: FetchHead) throws(FetchFailure) -> Bool {
        self.head = head
        return true
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) -> Bool {
        size += Int64(bytes.count)
        guard let head, head.isStored else { return size < BodyCollector.discardLimit }
        hash.update(bufferPointer: bytes)
        return size <= expected
    }

    /// The SHA-256 of what came, as hexadecimal digits.
    var sha256: String { Hexadecimal.text(hash.finalize()) }
}
