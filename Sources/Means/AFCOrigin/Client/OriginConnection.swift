package import NIOCore
internal import Synchronization

/// A connection to an origin, or one of its streams, as tasks use it.
struct OriginConnection: Sendable {
    let channel: any Channel
    private let driver: NIOLoopBound<any ExchangeDriver>

    /// Creates the value on the channel's loop.
    init(channel: any Channel, driver: any ExchangeDriver) {
        self.channel = channel
        self.driver = NIOLoopBound(driver, eventLoop: channel.eventLoop)
    }

    var id: ObjectIdentifier { ObjectIdentifier(channel) }

    /// Runs an action on the connection's loop: at once if the caller is already there.
    func onLoop(_ action: @escaping @Sendable (any ExchangeDriver) -> Void) {
        let driver = driver
        if channel.eventLoop.inEventLoop { return action(driver.value) }
        channel.eventLoop.execute { action(driver.value) }
    }
}

/// One request and its response, which is read in pieces, as fast as the reader asks for them.
package struct OriginExchange: Sendable {
    private let connection: OriginConnection
    private let number: Int

    init(_ connection: OriginConnection, number: Int) {
        self.connection = connection
        self.number = number
    }

    /// Sends the request and waits for the start of its response, or for all of a small one.
    ///
    /// A task sends the body at the same time, since the response may come before the request's end. The slot is
    /// returned when the exchange is over.
    ///
    /// - Throws: ``NotBegun`` if nothing was sent, since the connection was closed before; otherwise the errors of
    ///   ``more()``.
    func begin(
        _ request: OriginRequest,
        _ slot: ConnectionSlots.Slot?,
        _ tasks: OwnedTasks
    ) async throws -> ResponsePiece {
        let number = number
        let sending = Mutex<Task<Void, Never>?>(nil)
        do {
            return try await waiting { driver, waiter in
                guard driver.begin(request, number, slot, waiter), let body = request.body else { return }
                let task = tasks.run { await send(body) }
                sending.withLock { $0 = task }
            }
        } catch {
            sending.withLock { $0 }?.cancel()
            throw error
        }
    }

    /// Sends a body; if it, or the connection, breaks off, the connection is closed.
    private func send(_ body: OriginRequest.Body) async {
        do {
            for try await piece in body where piece.readableBytes > 0 { try await send(piece) }
            // Some sequences end without an error when they are cancelled.
            try Task.checkCancellation()
            try await send(nil)
        } catch {
            let number = number
            connection.onLoop { $0.breakOff(number, error) }
        }
    }

    /// Passes bytes through unchanged from now on.
    func beginRaw() {
        let number = number
        connection.onLoop { $0.beginRaw(number) }
    }

    /// Waits for the next piece of the response.
    ///
    /// - Returns: The piece.
    /// - Throws: ``WireError``, ``ConnectionTrouble``, `CancellationError`, or an error of the network.
    package func more() async throws -> ResponsePiece {
        let number = number
        return try await waiting { $0.more(number, $1) }
    }

    private func waiting(
        _ start: @escaping @Sendable (any ExchangeDriver, ExchangeDriver.Waiter) -> Void
    ) async throws -> ResponsePiece {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                connection.onLoop { start($0, continuation) }
            }
        } onCancel: {
            close()
        }
    }

    /// Sends part of the request's body, and returns when it is on its way.
    ///
    /// - Parameter bytes: The bytes, or nil for the body's end.
    /// - Throws: An error if the connection doesn't accept them.
    package func send(_ bytes: ByteBuffer?) async throws {
        let (promise, number) = (connection.channel.eventLoop.makePromise(of: Void.self), number)
        connection.onLoop { $0.send(number, bytes, promise) }
        try await promise.futureResult.get()
    }

    /// Closes this side of a connection that is no longer HTTP; if the connection has ended, the reader learns how.
    package func finish() async { try? await connection.channel.close(mode: .output) }

    /// Ends the exchange; also closes the connection unless the request is sent and the whole response has arrived.
    package func close() {
        let number = number
        connection.onLoop { $0.abandon(number) }
    }

    /// The channel itself, for connections that are no longer HTTP.
    package var channel: any Channel { connection.channel }
}
