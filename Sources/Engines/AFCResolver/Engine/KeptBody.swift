internal import NIOCore

/// A body on its way to one client, kept in memory as it passes.
struct KeptBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    private let response: TransportResponse
    private let limit: Int64
    private let keep: @Sendable ([UInt8]) async -> Void

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - response: The origin's response.
    ///   - limit: The most bytes that are kept; a longer body only passes.
    ///   - keep: A closure called with the bytes when the body is complete and all of it has been read.
    init(_ response: TransportResponse, limit: Int64, keep: @escaping @Sendable ([UInt8]) async -> Void) {
        self.response = response
        self.limit = limit
        self.keep = keep
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(
            pieces: response.body.makeAsyncIterator(),
            length: response.bodyLength,
            limit: limit,
            isWanted: (response.bodyLength ?? 0) <= limit,
            keep: keep
        )
    }

    struct Iterator: AsyncIteratorProtocol {
        var pieces: any AsyncIteratorProtocol<ByteBuffer, any Error>
        let length: Int64?
        let limit: Int64
        var isWanted: Bool
        let keep: @Sendable ([UInt8]) async -> Void
        var bytes: [UInt8] = []

        mutating func next() async throws -> ByteBuffer? {
            guard let piece = try await pieces.next(isolation: nil) else {
                // Some sequences end without an error when they are cancelled.
                try Task.checkCancellation()
                if isWanted, length.map({ $0 == Int64(bytes.count) }) ?? true { await keep(bytes) }
                isWanted = false
                return nil
            }
            guard isWanted else { return piece }
            if Int64(bytes.count + piece.readableBytes) <= limit {
                bytes.append(contentsOf: piece.readableBytesView)
            } else {
                (isWanted, bytes) = (false, [])
            }
            return piece
        }
    }
}
