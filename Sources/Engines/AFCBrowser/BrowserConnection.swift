internal import AFCText
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// The Chrome DevTools Protocol over a socket: JSON messages, each followed by a NUL.
final class BrowserConnection: Sendable {
    /// An event of a session.
    struct Event: Sendable {
        var method: String
        var parameters: JSONValue
        /// The session: a page's own, or that of a frame or worker in it.
        var session: String
    }

    /// The largest message from the browser, in bytes.
    static let messageLimit = 64 << 20
    /// The most events that wait for the reader of a session.
    static let eventLimit = 20_000

    private struct State {
        var last: Int64 = 0
        var calls: [Int64: CheckedContinuation<JSONValue, any Error>] = [:]
        var readers: [String: AsyncStream<Event>.Continuation] = [:]
        /// The sessions whose readers had more events than may wait.
        var overrun: Set<String> = []
        var isClosed = false
        var hasAnswered = false
    }

    private let state = Mutex(State())
    private let channel: any Channel

    /// Takes over a connected socket.
    ///
    /// - Parameter socket: The socket, which is closed with the connection.
    /// - Throws: An error if it can't be used.
    init(socket: Int32) async throws {
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .withConnectedSocket(socket).get()
        try await channel.eventLoop.submit { [channel] in
            try channel.pipeline.syncOperations.addHandler(MessageReader { [weak self] in self?.take($0) })
        }.get()
        channel.closeFuture.whenComplete { [weak self] _ in self?.closed() }
    }

    deinit { channel.close(promise: nil) }

    /// True if the connection has ended, and with it the browser.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// True if the browser has answered a call.
    var hasAnswered: Bool { state.withLock { $0.hasAnswered } }

    /// Closes the connection; waiting calls fail.
    func close() async { try? await channel.close() }

    // MARK: Messages

    /// Sends a command, and waits for its result.
    ///
    /// - Parameters:
    ///   - method: The command.
    ///   - parameters: Its parameters.
    ///   - session: The session; nil for the browser.
    /// - Returns: The result.
    /// - Throws: ``BrowserError`` if the browser refuses the command or has ended.
    @discardableResult
    func call(_ method: String, _ parameters: [(String, JSONValue)] = [], in session: String? = nil) async throws
        -> JSONValue
    {
        try await withCheckedThrowingContinuation { continuation in
            let id: Int64? = state.withLock { state in
                guard !state.isClosed else { return nil }
                state.last += 1
                state.calls[state.last] = continuation
                return state.last
            }
            guard let id else { return continuation.resume(throwing: Self.ended) }
            write(id, method, parameters, session)
        }
    }

    /// Sends a command whose result doesn't matter.
    func post(_ method: String, _ parameters: [(String, JSONValue)] = [], in session: String) {
        let id = state.withLock { state in
            state.last += 1
            return state.last
        }
        write(id, method, parameters, session)
    }

    private func write(_ id: Int64, _ method: String, _ parameters: [(String, JSONValue)], _ session: String?) {
        var message: [(String, JSONValue)] = [
            ("id", .number(String(id))), ("method", .string(method)), ("params", .object(parameters)),
        ]
        if let session { message.append(("sessionId", .string(session))) }
        var bytes: [UInt8] = []
        JSONValue.object(message).write(to: &bytes)
        bytes.append(0)
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    }

    /// Returns the events of a session; those of its frames and workers join with ``join(_:to:)``.
    func events(of session: String) -> AsyncStream<Event> {
        let (stream, reader) = AsyncStream.makeStream(
            of: Event.self,
            bufferingPolicy: .bufferingOldest(Self.eventLimit)
        )
        let isClosed = state.withLock { state in
            state.readers[session] = reader
            return state.isClosed
        }
        if isClosed { reader.finish() }
        return stream
    }

    /// Sends the events of one session to the reader of another.
    func join(_ session: String, to other: String) {
        state.withLock { state in state.readers[session] = state.readers[other] }
    }

    /// Ends the events of sessions.
    ///
    /// - Returns: True if more events arrived than may wait, so that some are missing.
    @discardableResult
    func leave(_ sessions: some Sequence<String>) -> Bool {
        let (readers, isOverrun) = state.withLock { state in
            let overrun = sessions.compactMap { state.overrun.remove($0) }
            return (sessions.compactMap { state.readers.removeValue(forKey: $0) }, !overrun.isEmpty)
        }
        for reader in readers { reader.finish() }
        return isOverrun
    }

    static let ended = BrowserError(.ended, subject: "browser", message: "the browser has ended")

    private func take(_ bytes: ArraySlice<UInt8>) {
        guard let message = try? JSONValue(parsing: Array(bytes)) else {
            // A request may wait for an answer that can't come, so nothing can be trusted any more.
            return channel.close(promise: nil)
        }
        if let id = message["id"]?.integer {
            let call = state.withLock { state in
                state.hasAnswered = true
                return state.calls.removeValue(forKey: id)
            }
            if let error = message["error"] {
                let words = error["message"]?.string ?? "error"
                call?.resume(
                    throwing: BrowserError(.ended, subject: "browser", message: "the browser reports: \(words)")
                )
            } else {
                call?.resume(returning: message["result"] ?? .null)
            }
            return
        }
        guard let method = message["method"]?.string, let session = message["sessionId"]?.string else { return }
        let reader = state.withLock { $0.readers[session] }
        guard let reader else { return }
        let event = Event(method: method, parameters: message["params"] ?? .null, session: session)
        // A missing event may be a request that waits for its answer for ever, so nothing may follow it.
        guard case .dropped = reader.yield(event) else { return }
        state.withLock { _ = $0.overrun.insert(session) }
        reader.finish()
    }

    private func closed() {
        let (calls, readers) = state.withLock { state in
            state.isClosed = true
            defer { (state.calls, state.readers) = ([:], [:]) }
            return (Array(state.calls.values), Array(state.readers.values))
        }
        for call in calls { call.resume(throwing: Self.ended) }
        for reader in readers { reader.finish() }
    }
}

/// Splits what arrives at each NUL; a message that is too long closes the connection.
private final class MessageReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let take: (ArraySlice<UInt8>) -> Void
    private var rest: [UInt8] = []

    init(take: @escaping (ArraySlice<UInt8>) -> Void) { self.take = take }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var searched = rest.count
        rest.append(contentsOf: unwrapInboundIn(data).readableBytesView)
        var start = 0
        while let end = rest[searched...].firstIndex(of: 0) {
            take(rest[start..<end])
            start = end + 1
            searched = start
        }
        if start > 0 { rest.removeFirst(start) }
        if rest.count > BrowserConnection.messageLimit {
            rest = []
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

@available(*, unavailable)
extension MessageReader: Sendable {}
