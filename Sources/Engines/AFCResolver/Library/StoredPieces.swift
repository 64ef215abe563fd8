internal import AFCBlocking
internal import AFCCache
internal import AFCCaching
internal import AFCText
internal import NIOCore

/// A stored body, or parts of it, read as fast as it is consumed.
struct StoredPieces: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    enum Piece: Sendable {
        case bytes([UInt8])
        case file(Range<Int64>)
    }

    /// The most bytes in one piece.
    static let size: Int64 = 64 * 1024

    private let body: StoredBody?
    private let list: [Piece]

    /// Creates an empty sequence.
    init() { (body, list) = (nil, []) }

    /// Creates the parts of a body that a resolution selects.
    init(_ part: Resolution.Body, of body: StoredBody) {
        self.body = body
        list =
            switch part {
            case .none: []
            case .whole: [.file(0..<body.size)]
            case .range(let range): [.file(range)]
            case .parts(let parts, let tail): parts.flatMap { [.bytes($0.head), .file($0.range)] } + [.bytes(tail)]
            }
    }

    func makeAsyncIterator() -> Iterator { Iterator(body: body, list: list[...]) }

    struct Iterator: AsyncIteratorProtocol {
        let body: StoredBody?
        var list: ArraySlice<Piece>

        mutating func next() async throws -> ByteBuffer? {
            try Task.checkCancellation()
            while let piece = list.popFirst() {
                switch piece {
                case .bytes(let bytes): return ByteBuffer(bytes: bytes)
                case .file(let range):
                    guard let body, !range.isEmpty else { continue }
                    let end = Swift.min(range.upperBound, range.lowerBound + StoredPieces.size)
                    if end < range.upperBound { list = [.file(end..<range.upperBound)] + list }
                    return try await Self.read(range.lowerBound..<end, of: body)
                }
            }
            return nil
        }

        private static func read(_ range: Range<Int64>, of body: StoredBody) async throws -> ByteBuffer {
            let count = Int(range.upperBound - range.lowerBound)
            let bytes = try await Blocking.read(count) { try body.read(into: $0, at: range.lowerBound) }
            guard bytes.readableBytes == count else {
                throw CacheError(
                    .damaged,
                    subject: body.path,
                    message: "the body is shorter than it was; fetch it from its origin again, or repair the cache"
                )
            }
            return bytes
        }
    }
}
