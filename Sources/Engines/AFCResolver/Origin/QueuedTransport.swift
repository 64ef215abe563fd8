public import HTTPTypes
internal import NIOCore

/// A transport that limits the number of requests at a time; of those that wait, the highest priority goes first.
///
/// A request counts until its body has been read to the end, or released.
public struct QueuedTransport: OriginTransport {
    private let transport: any OriginTransport
    let queue: RequestQueue

    /// Creates a queue for a transport.
    ///
    /// - Parameters:
    ///   - transport: The transport that sends the requests.
    ///   - limit: The most requests at a time.
    ///   - waitingLimit: The most requests that wait; others fail with `refused`.
    public init(_ transport: any OriginTransport, limit: Int, waitingLimit: Int = 4096) {
        self.transport = transport
        queue = RequestQueue(limit: limit, waitingLimit: waitingLimit)
    }

    /// Closes the connections of the underlying transport.
    public func shutDown() async { await transport.shutDown() }

    /// Sends a request when its turn comes.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - interim: A closure called with each interim response.
    /// - Returns: The response, whose body is still arriving.
    /// - Throws: ``TransportFailure`` if there is no response, or if too many requests wait.
    public func send(
        _ request: TransportRequest,
        interim: @escaping @Sendable (Int, HTTPFields) async -> Void
    ) async throws(TransportFailure) -> TransportResponse {
        let turn = try await queue.take(request.priority)
        var response = try await transport.send(request, interim: interim)
        if response.bodyLength == 0 { turn.end() }
        response.body = TurnBody(body: response.body, turn: turn)
        return response
    }
}

/// A body whose end also ends its request's turn.
private struct TurnBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    let body: ByteStream
    let turn: RequestQueue.Turn

    func makeAsyncIterator() -> Iterator { Iterator(pieces: body.makeAsyncIterator(), turn: turn) }

    struct Iterator: AsyncIteratorProtocol {
        var pieces: any AsyncIteratorProtocol<ByteBuffer, any Error>
        let turn: RequestQueue.Turn

        mutating func next() async throws -> ByteBuffer? {
            do {
                let piece = try await pieces.next(isolation: nil)
                if piece == nil { turn.end() }
                return piece
            } catch {
                turn.end()
                throw error
            }
        }
    }
}
