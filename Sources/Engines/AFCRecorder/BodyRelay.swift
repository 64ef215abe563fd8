internal import NIOCore
internal import Synchronization

/// Relays the pieces of a body from the task that records it to the client, one at a time.
///
/// The task waits until the client has taken a piece, so that memory doesn't grow. Once the client has left, it no
/// longer waits.
final class BodyRelay: Sendable {
    private enum Stage {
        case idle
        case full(ByteBuffer, CheckedContinuation<Void, Never>)
        case wanted(CheckedContinuation<ByteBuffer?, any Error>)
        case ended((any Error)?)
        case left
    }

    private let stage = Mutex(Stage.idle)

    /// Passes a piece on, and returns when the client has taken it or has left.
    func send(_ piece: ByteBuffer) async {
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            let reader: CheckedContinuation<ByteBuffer?, any Error>? = stage.withLock { stage in
                switch stage {
                case .idle:
                    stage = .full(piece, done)
                    return nil
                case .wanted(let reader):
                    stage = .idle
                    done.resume()
                    return reader
                case .full, .ended, .left:
                    done.resume()
                    return nil
                }
            }
            reader?.resume(returning: piece)
        }
    }

    /// Ends the body; an error cuts the client's response off.
    func end(_ error: (any Error)? = nil) {
        let reader: CheckedContinuation<ByteBuffer?, any Error>? = stage.withLock { stage in
            switch stage {
            case .wanted(let reader):
                stage = .ended(nil)
                return reader
            case .idle:
                stage = .ended(error)
                return nil
            case .full, .ended, .left: return nil
            }
        }
        guard let reader else { return }
        if let error { reader.resume(throwing: error) } else { reader.resume(returning: nil) }
    }

    /// Lets the task continue without the client.
    func leave() {
        let stage = stage.withLock { stage in
            let before = stage
            stage = .left
            return before
        }
        switch stage {
        case .full(_, let writer): writer.resume()
        case .wanted(let reader): reader.resume(throwing: CancellationError())
        case .idle, .ended, .left: break
        }
    }

    /// Returns the next piece; nil at the end.
    func next() async throws -> ByteBuffer? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (reader: CheckedContinuation<ByteBuffer?, any Error>) in
                let result: (piece: Result<ByteBuffer?, any Error>, writer: CheckedContinuation<Void, Never>?)? =
                    stage.withLock { stage in
                        switch stage {
                        case .idle, .wanted:
                            stage = .wanted(reader)
                            return nil
                        case .full(let piece, let writer):
                            stage = .idle
                            return (.success(piece), writer)
                        case .ended(let error?): return (.failure(error), nil)
                        case .ended(nil): return (.success(nil), nil)
                        case .left: return (.failure(CancellationError()), nil)
                        }
                    }
                guard let result else { return }
                reader.resume(with: result.piece)
                result.writer?.resume()
            }
        } onCancel: {
            leave()
        }
    }
}

/// A body for a client, or a part of it, that is recorded as a whole meanwhile; it can be read once.
final class RelayedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    private let relay: BodyRelay
    private let range: Range<Int64>?

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - relay: The source of the bytes.
    ///   - range: The part that the client gets; nil for all.
    init(_ relay: BodyRelay, range: Range<Int64>?) {
        self.relay = relay
        self.range = range
    }

    /// The client has left, or never came.
    deinit { relay.leave() }

    func makeAsyncIterator() -> Iterator { Iterator(body: self) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let body: RelayedBody
        private var position: Int64 = 0

        fileprivate init(body: RelayedBody) { self.body = body }

        mutating func next() async throws -> ByteBuffer? {
            guard let range = body.range else { return try await body.relay.next() }
            while position < range.upperBound {
                guard var piece = try await body.relay.next() else { return nil }
                let start = position
                position += Int64(piece.readableBytes)
                let part = range.clamped(to: start..<position)
                guard !part.isEmpty else { continue }
                piece.moveReaderIndex(forwardBy: Int(part.lowerBound - start))
                return piece.readSlice(length: Int(part.upperBound - part.lowerBound))
            }
            body.relay.leave()
            return nil
        }
    }
}
