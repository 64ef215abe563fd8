package import NIOCore
internal import Synchronization

/// A connection to an origin, or a stream of one, as it looks from tasks.
struct OriginConnection: Sendable {
    let channel: any Channel
    private let driver: NIOLoopBound<any ExchangeDriver>

    /// Creates it on the channel's loop.
    init(channel: any Channel, driver: any ExchangeDriver) {
        self.channel = channel
        self.driver = NIOLoopBound(driver, eventLoop: channel.eventLoop)
    }

    var id: ObjectIdentifier { ObjectIdentifier(channel) }

    /// Does something on the connection's loop: at once where that is the caller's.
    func onLoop(_ action: @escaping @Sendable (any ExchangeDriver) -> Void) {
        let driver = driver
        if channel.eventLoop.inEventLoop { return action(driver.value) }
        channel.eventLoop.execute { action(driver.value) }
    }
}

/// One request and its response, which is read in pieces, as fast as its reader asks for them.
package struct OriginExchange: Sendable {
    private let connection: OriginConnection
    private let number: Int

    init(_ connection: OriginConnection, number: Int) {
        self.connection = connection
        self.number = number
    }

    /// Sends the request and waits for the beginning of its response, or for all of one that is small.
    ///
    /// The tasks send its body meanwhile, as the response may come before the request's end. The slot is given back when the
    /// exchange is over.
    ///
    /// - Throws: ``NotBegun`` where nothing was sent, since the connection was closed before; else as ``more()`` does.
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

    /// Sends a body; where it, or the connection, breaks off, the connection is closed.
    private func send(_ body: OriginRequest.Body) async {
        do {
            for try await piece in body where piece.readableBytes > 0 { try await send(piece) }
            // Some sequences just end where they are cancelled.
            try Task.checkCancellation()
            try await send(nil)
        } catch {
            let number = number
            connection.onLoop { $0.breakOff(number, error) }
        }
    }

    /// Carries bytes as they are from now on.
    func beginRaw() {
        let number = number
        connection.onLoop { $0.beginRaw(number) }
    }

    /// Waits for what comes next of the response.
    ///
    /// - Returns: What came.
    /// - Throws: ``WireError``, ``ConnectionTrouble``, `CancellationError`, or what the network says.
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

    /// Sends some of the request's body, and returns when it is on its way.
    ///
    /// - Parameter bytes: The bytes, or nil for the body's end.
    /// - Throws: Where the connection doesn't take them.
    package func send(_ bytes: ByteBuffer?) async throws {
        let (promise, number) = (connection.channel.eventLoop.makePromise(of: Void.self), number)
        connection.onLoop { $0.send(number, bytes, promise) }
        try await promise.futureResult.get()
    }

    /// Closes this side of what is no longer HTTP; where the connection has ended, the reader finds out how.
    package func finish() async { try? await connection.channel.close(mode: .output) }

    /// Ends the exchange, and with it its connection unless the request is sent and all of the response has come.
    package func close() {
        let number = number
        connection.onLoop { $0.abandon(number) }
    }

    /// The connection itself, of what is no longer HTTP.
    package var channel: any Channel { connection.channel }
}
