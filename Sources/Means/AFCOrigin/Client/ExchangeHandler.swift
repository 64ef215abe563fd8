internal import HTTPTypes
package import NIOCore
internal import NIOSSL

/// The part of a response that arrived since the last piece.
package struct ResponsePiece: Sendable {
    /// Interim responses (RFC 9110 §15.2), if the client asked for them.
    package var interims: [ResponseHead] = []
    /// The head of the final response, in the piece with which it arrived.
    package var head: ResponseHead?
    /// The length of the body, together with the head.
    package var length: ResponseParser.BodyLength?
    /// The next bytes of the body.
    package var body: [ByteBuffer] = []
    /// True if the response ends here.
    package var isEnd = false
    /// True if the last buffer of the body is for further copies.
    private var isGathering = false

    /// Creates an empty piece.
    package init() {}

    /// Adds bytes to the body, so that they need about as much memory as they have bytes.
    ///
    /// A slice keeps the whole storage that it is part of, so a small part of a large storage is copied, and so are the
    /// many bytes that arrive one by one.
    mutating func append(_ bytes: ByteBuffer) {
        var bytes = bytes
        guard bytes.readableBytes < 4096 || 4 * bytes.readableBytes < bytes.storageCapacity else {
            body.append(bytes)
            isGathering = false
            return
        }
        if !isGathering { body.append(ByteBuffer()) }
        isGathering = true
        body[body.count - 1].writeBuffer(&bytes)
    }
}

/// The options of an exchange.
struct ExchangeOptions: Sendable {
    /// The time in which a head must arrive, and then, over and over, at least ``leastBytes`` of the body.
    var patience: TimeAmount
    /// The fewest bytes of a body that must arrive in that time.
    var leastBytes: Int
    /// The time for which a connection is kept without an exchange.
    var idle: TimeAmount
    /// True to wake the reader for all bytes; otherwise it is woken for large pieces, and once for a small response.
    var isEager: Bool
    /// True if nothing is read before there is an exchange, since the first bytes belong to it.
    var holdsReads = false
}

/// The event loop's side of a connection, independent of the version of HTTP.
protocol ExchangeDriver: AnyObject {
    typealias Waiter = CheckedContinuation<ResponsePiece, any Error>

    /// A closure called when the connection is free for another exchange, or closed, possibly before the peer knows.
    var onChange: ((_ isFree: Bool) -> Void)? { get set }
    /// A closure called when a response timed out without a single byte.
    var onSilence: (() -> Void)? { get set }
    /// A closure that returns why the connection of a stream was lost, if that is known.
    var reasonOfLoss: (() -> WireError?)? { get set }

    /// Sends a request's head and waits for the start of its response; returns the slot when the exchange is over.
    ///
    /// - Returns: True if it has begun; otherwise the waiter gets the reason.
    func begin(_ request: OriginRequest, _ number: Int, _ slot: ConnectionSlots.Slot?, _ waiter: Waiter) -> Bool
    /// Passes bytes through unchanged from now on.
    func beginRaw(_ number: Int)
    /// Waits for the next piece of the response.
    func more(_ number: Int, _ waiter: Waiter)
    /// Sends part of the request's body, or its end.
    func send(_ number: Int, _ bytes: ByteBuffer?, _ promise: EventLoopPromise<Void>)
    /// Notes that the rest of the request's body won't come.
    func breakOff(_ number: Int, _ error: any Error)
    /// Notes that the response is no longer needed.
    func abandon(_ number: Int)
}

/// One connection to an origin, or one stream of it, on its event loop: one exchange at a time, read in pieces on
/// demand.
///
/// ``ExchangeLife`` decides what happens to the connection; this carries it out.
final class ExchangeHandler<Wire: ResponseWire>: ChannelDuplexHandler, ExchangeDriver {
    typealias InboundIn = Wire.Inbound
    typealias OutboundIn = Wire.Outbound
    typealias OutboundOut = Wire.Outbound

    var onChange: ((_ isFree: Bool) -> Void)?
    var onSilence: (() -> Void)?
    var reasonOfLoss: (() -> WireError?)?

    /// The bytes of a body that may wait for their reader before reading stops.
    private let pieceSize = 256 << 10
    private let options: ExchangeOptions
    private var life = ExchangeLife(isStream: Wire.isStream)
    private var wire = Wire()
    private var pace: Pace
    /// The time for which the origin may send nothing in the current exchange.
    private var patience: TimeAmount
    private var context: ChannelHandlerContext?
    private var isOutputClosed = false
    private var hasHeldRead = false
    private var hasTimer = false
    private var idleSince = NIODeadline.now()

    private var slot: ConnectionSlots.Slot?
    private var hasHead = false
    /// The bytes of the request's body still to be sent, if its head states the length.
    private var unsent: Int64?
    private var piece = ResponsePiece()
    private var pieceBytes = 0
    private var waiter: Waiter?
    private var failure: (any Error)?

    init(_ options: ExchangeOptions) {
        self.options = options
        patience = options.patience
        pace = Pace(window: patience, least: options.leastBytes)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        setHalfClosure(true, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        // A channel whose connection failed was never active, so it doesn't become inactive.
        noteClosed()
    }

    // MARK: The reader

    func begin(_ request: OriginRequest, _ number: Int, _ slot: ConnectionSlots.Slot?, _ waiter: Waiter) -> Bool {
        let context: ChannelHandlerContext
        do {
            context = try prepare(number, hasBody: request.body != nil, request.patience)
        } catch {
            waiter.resume(throwing: error)
            return false
        }
        (self.slot, self.waiter) = (slot, waiter)
        unsent = request.body == nil ? nil : request.bodyLength
        let head = wrapOutboundOut(wire.begin(request))
        if Wire.isStream {
            // A connection that is closing takes no more streams, and reports it here.
            context.writeAndFlush(head).assumeIsolated().whenFailure { _ in self.end(WireError.closed) }
        } else {
            context.writeAndFlush(head, promise: nil)
        }
        resumeReading()
        return true
    }

    func beginRaw(_ number: Int) {
        guard (try? prepare(number, hasBody: false)) != nil else { return }
        pace.pause(at: .now())
        hasHead = true
        becomeRaw()
        resumeReading()
    }

    private func prepare(
        _ number: Int,
        hasBody: Bool,
        _ patience: TimeAmount? = nil
    ) throws -> ChannelHandlerContext {
        try life.begin(number, hasBody: hasBody)
        guard let context else { throw NotBegun() }
        hasHead = false
        failure = nil
        self.patience = patience ?? options.patience
        pace = Pace(window: self.patience, least: options.leastBytes)
        schedule(min(self.patience, options.idle), context)
        return context
    }

    func more(_ number: Int, _ waiter: Waiter) {
        guard life.isCurrent(number) else { return waiter.resume(throwing: WireError.closed) }
        self.waiter = waiter
        pace.resume(at: .now())
        if isWorthWaking(1) { return wake() }
        guard life.isReceiving else { return fail(failure ?? WireError.closed) }
        if let context { schedule(min(patience, options.idle), context) }
        resumeReading()
    }

    func send(_ number: Int, _ bytes: ByteBuffer?, _ promise: EventLoopPromise<Void>) {
        guard life.isCurrent(number), !life.isClosed, let context else { return promise.fail(WireError.closed) }
        if let unsent {
            let rest = unsent - Int64(bytes?.readableBytes ?? 0)
            guard bytes == nil ? rest == 0 : rest >= 0 else { return promise.fail(RequestBodyMismatch()) }
            self.unsent = rest
        }
        pace.restart(at: .now())
        if let bytes { return context.writeAndFlush(wrapOutboundOut(wire.framed(bytes)), promise: promise) }
        if let end = wire.bodyEnd {
            context.writeAndFlush(wrapOutboundOut(end), promise: promise)
        } else {
            promise.succeed()
        }
        perform(life.send())
    }

    func breakOff(_ number: Int, _ error: any Error) { if life.isCurrent(number) { end(error) } }

    func abandon(_ number: Int) {
        let isCurrent = life.isCurrent(number)
        let action = life.abandon(number)
        guard isCurrent else { return perform(action) }
        fail(CancellationError()) {
            clear()
            perform(action)
        }
    }

    private func isWorthWaking(_ least: Int) -> Bool {
        // Of an error or a redirect, the reader needs the head only, and not a body that may never be complete.
        pieceBytes >= least || piece.isEnd || (piece.head?.status ?? 200) >= 300
            || options.isEager && (piece.head != nil || !piece.interims.isEmpty)
    }

    private func wake() {
        guard let waiter else { return }
        self.waiter = nil
        pace.pause(at: .now())
        let ready = piece
        clear()
        // Before the reader knows, so that its next request finds the connection; not sooner, since later bytes would
        // be taken for that request's response.
        if ready.isEnd { perform(life.take()) }
        if life.isOnlySending {
            pace.resume(at: .now())
            pace.restart(at: .now())
        }
        waiter.resume(returning: ready)
        resumeReading()
    }

    /// Ends the response; the connection changes before the reader knows, so that its slot is free then.
    private func fail(_ error: any Error, after change: () -> Void = {}) {
        life.fail()
        if failure == nil { failure = error }
        let waiter = self.waiter
        self.waiter = nil
        change()
        waiter?.resume(throwing: error)
    }

    private func clear() {
        piece = ResponsePiece()
        pieceBytes = 0
    }

    // MARK: The connection

    private func perform(_ action: ExchangeLife.Action) {
        switch action {
        case .keep: break
        case .close: close()
        case .free:
            idleSince = .now()
            onChange?(true)
            leaveSlot()
            resumeReading()
        }
    }

    private func close() {
        guard let context, !life.isClosed else { return }
        close(context: context, mode: .all, promise: nil)
    }

    /// Closes the connection at the request of this side; it is unusable from then on, however long TLS waits for its
    /// peer.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .all {
            lose(after: noteClosed)
            noteClosed()
            // If the end of TLS closes the connection, handlers waiting for it are done.
            setHalfClosure(false, context)
        }
        context.close(mode: mode, promise: promise)
    }

    private func noteClosed() {
        guard !life.isClosed else { return }
        life.close()
        onChange?(false)
        (onChange, onSilence, reasonOfLoss) = (nil, nil, nil)
        leaveSlot()
    }

    private func leaveSlot() {
        slot?.give()
        slot = nil
    }

    /// Sets if a peer that closes its side closes the whole connection.
    ///
    /// While this handler owns the connection, it must know which side closed it.
    private func setHalfClosure(_ isAllowed: Bool, _ context: ChannelHandlerContext) {
        // A channel that can't set it ends as a whole, so a body that ends with the connection fails.
        if !Wire.isStream { try? context.channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: isAllowed) }
    }

    func read(context: ChannelHandlerContext) {
        // Bytes that no reader wants stay with the origin.
        if isHolding { hasHeldRead = true } else { context.read() }
    }

    private var isHolding: Bool { pieceBytes >= pieceSize || options.holdsReads && !life.isBusy }

    private func resumeReading() {
        guard hasHeldRead, !isHolding else { return }
        hasHeldRead = false
        context?.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // There is no request, so these bytes belong to no response, and later ones couldn't be trusted.
        guard life.isReceiving else { return close() }
        let count = wire.take(unwrapInboundIn(data))
        // A head must be complete in its time, or it could arrive byte by byte for days.
        if hasHead { pace.receive(count, at: .now()) }
        parse()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event as? ChannelEvent {
        case .inputClosed: endInput()
        case .outputClosed: isOutputClosed = true
        case nil: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Handles a peer that closed its side, over TLS with a close_notify: a response may end this way.
    private func endInput() {
        guard !life.isRaw else { return life.isReceiving ? endResponse() : () }
        guard life.isReceiving else { return close() }
        do throws(WireError) {
            guard case .end = try wire.close() else { return end(WireError.truncated) }
            endResponse()
        } catch {
            end(error)
        }
    }

    /// Handles a lost connection, or one that TLS reports as lost: no response ends this way.
    private func lose(after change: () -> Void = {}) {
        guard life.isReceiving else { return }
        if !hasHead, let reason = reasonOfLoss?() { return fail(reason, after: change) }
        do throws(WireError) {
            _ = try wire.close()
            fail(WireError.truncated, after: change)
        } catch {
            fail(error, after: change)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        // If this side closed first, there is no event for the other side's end.
        if life.isReceiving, life.isRaw, isOutputClosed { endResponse() }
        lose(after: noteClosed)
        noteClosed()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if Wire.isStream || error as? NIOSSLError == .uncleanShutdown { lose() }
        end(error)
    }

    private func end(_ error: any Error) {
        if life.isReceiving { fail(error, after: close) } else { close() }
    }

    private func parse() {
        do throws(WireError) {
            while let event = try wire.next() {
                switch event {
                case .interim(let head):
                    guard options.isEager else { continue }
                    pace.restart(at: .now())
                    piece.interims.append(head)
                case .head(let head, let length):
                    hasHead = true
                    pace.restart(at: .now())
                    piece.head = head
                    piece.length = length
                    if head.status == 101 { becomeRaw() }
                case .body(let bytes):
                    piece.append(bytes)
                    pieceBytes += bytes.readableBytes
                case .end: return endResponse()
                }
            }
        } catch {
            return end(error)
        }
        if isWorthWaking(options.isEager ? 1 : pieceSize) { wake() }
    }

    private func becomeRaw() {
        life.becomeRaw()
        wire.beginRaw()
    }

    private func endResponse() {
        piece.isEnd = true
        perform(life.end(keepsConnection: wire.keepsConnection && !life.isClosed))
        wake()
    }

    // MARK: Timeouts

    /// Schedules one timer that checks now and then, since a timer for each exchange would cost as much as the
    /// exchange.
    private func schedule(_ delay: TimeAmount, _ context: ChannelHandlerContext) {
        guard !hasTimer, !life.isClosed else { return }
        hasTimer = true
        context.eventLoop.assumeIsolated().scheduleTask(in: delay) { self.check() }
    }

    private func check() {
        hasTimer = false
        guard let context, !life.isClosed, !life.isRaw else { return }
        let now = NIODeadline.now()
        guard life.isBusy else {
            let rest = options.idle - (now - idleSince)
            return rest > .zero ? schedule(rest, context) : close()
        }
        let isOnlySending = life.isOnlySending
        // A client that sends its body slowly keeps the origin waiting, not the reverse; but its rest isn't waited for.
        if !life.isSent, !isOnlySending, bufferedBytes(context) == 0 { pace.restart(at: now) }
        // If the reader takes nothing, the origin isn't at fault.
        let rest = waiter == nil && !isOnlySending ? patience : pace.rest(at: now)
        guard rest <= .zero else { return schedule(min(rest, options.idle), context) }
        if !hasHead { onSilence?() }
        end(hasHead && pace.hasReceived ? ConnectionTrouble.slow : ConnectionTrouble.timeout)
    }

    /// Returns the number of the request's bytes that the origin hasn't accepted yet.
    private func bufferedBytes(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}
