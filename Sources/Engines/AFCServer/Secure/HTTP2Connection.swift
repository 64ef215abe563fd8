internal import NIOCore
internal import NIOHTTP2
internal import NIOSSL

/// An HTTP/2 connection: hands the frames of each stream to its request, and writes the frames of the answers.
///
/// Its streams are objects and not channels of their own, which would take a third of the time of a short answer.
final class HTTP2Connection: ChannelInboundHandler, Watched {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    let service: Serving
    let state: LoopState
    /// The properties that all requests share.
    let shared: ConnectionContext
    let hot: HotLane
    private let wire: HTTP2Wire
    private var context: ChannelHandlerContext?
    private var streams: [HTTP2StreamID: HTTP2Stream] = [:]
    private var window = InboundWindow(target: 1024 * 1024)
    /// The bytes of bodies received.
    private var received = 0
    /// The last stream that was answered, or is being answered.
    private var lastStream = HTTP2StreamID.rootStream
    private var endedStreams = 0
    /// The streams that were refused since one has ended.
    private var refusedStreams = 0
    private var isReading = false
    private var isFlushDue = false
    private var ending = Ending.none
    private var hasFailed = false

    /// The progress of a graceful end (RFC 9113 §6.8).
    private enum Ending {
        /// There is none.
        case none
        /// The client was told, and may have opened streams before it read that.
        case announced
        /// The client was told which streams are answered.
        case final
    }

    private init(service: Serving, state: LoopState, shared: ConnectionContext, wire: HTTP2Wire) {
        self.service = service
        self.wire = wire
        self.state = state
        self.shared = shared
        var hot = HotLane(service: service, state: state)
        hot.begin(shared)
        self.hot = hot
    }

    /// Sets up a channel as an HTTP/2 connection.
    ///
    /// The limits protect against streams that are reset as soon as they begin, heads that never end, floods of
    /// control frames, and heads that are small on the wire and large in memory.
    ///
    /// - Parameters:
    ///   - channel: The channel, whose bytes are HTTP/2.
    ///   - service: The state that all connections share.
    ///   - state: The state that this loop's connections share.
    ///   - connection: The connection's context.
    /// - Throws: An error if the channel is already closed.
    static func add(
        to channel: any Channel,
        service: Serving,
        state: LoopState,
        connection: ConnectionContext
    ) throws {
        var connection = connection
        connection.server = state.identity(of: channel, service)
        connection.remoteAddress = channel.remoteAddress?.ipAddress
        let limits = service.limits
        var settings = NIOHTTP2Handler.ConnectionConfiguration()
        settings.initialSettings = [
            // The client gets a tenth of it; see HTTP2Wire.
            HTTP2Setting(parameter: .maxConcurrentStreams, value: 10 * limits.streamCount),
            HTTP2Setting(parameter: .maxHeaderListSize, value: limits.headBytes),
            HTTP2Setting(parameter: .enableConnectProtocol, value: 0),
        ]
        settings.maximumSequentialContinuationFrames = 5
        settings.maximumRecentlyResetStreams = 10 * limits.streamCount
        settings.maximumBufferedControlFrames = 1000
        settings.maximumConnectionGlitches = 100
        // Some browsers send a priority frame with each request.
        settings.controlFrameRateLimit.maximumCount = 1000
        let wire = HTTP2Wire(streamCount: limits.streamCount)
        try channel.pipeline.syncOperations.addHandlers(
            RecordJoiner(),
            wire,
            NIOHTTP2Handler(mode: .server, connectionConfiguration: settings),
            HTTP2Connection(service: service, state: state, shared: connection, wire: wire)
        )
    }

    // MARK: Lifetime

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        state.counters.connections += 1
        state.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        endStreams()
        state.remove(self)
    }

    func channelInactive(context: ChannelHandlerContext) {
        endStreams()
        context.fireChannelInactive()
    }

    private func endStreams() {
        let open = streams
        streams = [:]
        for stream in open.values { stream.close() }
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isReading = true
        let frame = unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let headers):
            guard let stream = streams[frame.streamID] ?? begin(frame.streamID) else { return refuse(frame.streamID) }
            stream.receive(headers.headers, isEnd: headers.endStream)
        case .data(let data):
            guard case .byteBuffer(let bytes) = data.data else { return }
            received &+= bytes.readableBytes
            streams[frame.streamID]?.receive(bytes, isEnd: data.endStream)
        case .ping(_, true): acknowledged(context)
        default: break
        }
    }

    /// Begins a stream; nil if it would be one too many.
    private func begin(_ id: HTTP2StreamID) -> HTTP2Stream? {
        guard streams.count < service.limits.streamCount else { return nil }
        lastStream = id
        let stream = HTTP2Stream(id, on: self)
        streams[id] = stream
        return stream
    }

    /// Refuses a stream, whose request the client may repeat (RFC 9113 §8.7); ends the connection of a client that goes
    /// on and on.
    private func refuse(_ id: HTTP2StreamID) {
        refusedStreams += 1
        guard refusedStreams <= 10 * service.limits.streamCount else { return fail(.enhanceYourCalm) }
        reset(id, .refusedStream)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        if isFlushDue { flush(context) }
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let event as NIOHTTP2WindowUpdatedEvent:
            if let size = event.inboundWindowSize { windowChanged(of: event.streamID, to: size) }
        case let event as StreamClosedEvent:
            guard let stream = streams.removeValue(forKey: event.streamID) else { break }
            endedStreams += 1
            refusedStreams = 0
            stream.close()
            if ending == .final, streams.isEmpty { closeAfterFlush(context) }
        case ChannelEvent.inputClosed: inputClosed(context)
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Cuts the streams whose answers aren't written, since a client that sends nothing more can't open their windows;
    /// what is written is still sent.
    private func inputClosed(_ context: ChannelHandlerContext) {
        ending = .final
        for stream in Array(streams.values) where !stream.isEnded { stream.cut() }
        if streams.isEmpty { closeAfterFlush(context) }
    }

    private func windowChanged(of id: HTTP2StreamID, to size: Int) {
        guard id == .rootStream else {
            streams[id]?.windowChanged(to: size)
            return
        }
        window.size = size
        if let increment = window.increment() { write(.windowUpdate(windowSizeIncrement: increment), to: id) }
    }

    /// Handles an error: an error of one stream ends that stream only; any other ends the connection (RFC 9113 §5.4).
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? NIOHTTP2Errors.StreamError {
            streams[error.streamID]?.cut()
            return
        }
        // The client has closed its side without an alert; that comes as an event of its own.
        if error as? NIOSSLError == .uncleanShutdown { return }
        guard !Self.isOfOneStream(error) else { return }
        fail(error is any NIOHTTP2Error ? .protocolError : nil)
    }

    /// Ends the connection because of an error, and says so to the client if the error has a code.
    private func fail(_ code: HTTP2ErrorCode?) {
        guard let context, !hasFailed else { return }
        // A GOAWAY that can no longer be written comes back as an error of its own.
        hasFailed = true
        if let code { sendGoAway(context, code) }
        context.close(promise: nil)
    }

    /// Returns true for a malformed request (RFC 9113 §8.1.1), for which only its stream has been reset.
    private static func isOfOneStream(_ error: any Error) -> Bool {
        switch error {
        case is NIOHTTP2Errors.MissingPseudoHeader, is NIOHTTP2Errors.DuplicatePseudoHeader,
            is NIOHTTP2Errors.PseudoHeaderAfterRegularHeader, is NIOHTTP2Errors.UnknownPseudoHeader,
            is NIOHTTP2Errors.UnsupportedPseudoHeader, is NIOHTTP2Errors.InvalidPseudoHeaders,
            is NIOHTTP2Errors.InvalidPseudoHeaderValue, is NIOHTTP2Errors.EmptyPathHeader,
            is NIOHTTP2Errors.InvalidHTTP2HeaderFieldName, is NIOHTTP2Errors.InvalidHTTP2HeaderFieldValue,
            is NIOHTTP2Errors.ForbiddenHeaderField, is NIOHTTP2Errors.TrailersWithoutEndStream,
            is NIOHTTP2Errors.ContentLengthViolated, is NIOHTTP2Errors.ContentLengthHeadersMismatch,
            is NIOHTTP2Errors.ContentLengthHeaderNegative, is NIOHTTP2Errors.ContentLengthHeaderMalformedValue:
            true
        default: false
        }
    }

    // MARK: Writing

    /// True if the socket has room.
    var isWritable: Bool { context?.channel.isWritable ?? false }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { for stream in streams.values { stream.resume() } }
        context.fireChannelWritabilityChanged()
    }

    /// Writes a frame; frames that answer what was read at once are sent together.
    ///
    /// - Parameters:
    ///   - payload: The frame.
    ///   - id: The stream.
    ///   - onSent: A closure called when the frame has left the program; not called if it can't.
    func write(
        _ payload: HTTP2Frame.FramePayload,
        to id: HTTP2StreamID,
        onSent: (@Sendable () -> Void)? = nil
    ) {
        guard let context else { return }
        var promise: EventLoopPromise<Void>?
        if let onSent {
            let sent = context.eventLoop.makePromise(of: Void.self)
            sent.futureResult.whenSuccess(onSent)
            promise = sent
        }
        context.write(wrapOutboundOut(HTTP2Frame(streamID: id, payload: payload)), promise: promise)
        if isReading { isFlushDue = true } else { flushSoon(context) }
    }

    /// Flushes in a turn of its own, so that the frames of one answer are sent together.
    private func flushSoon(_ context: ChannelHandlerContext) {
        guard !isFlushDue else { return }
        isFlushDue = true
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.execute {
            if let context = bound.value.context, bound.value.isFlushDue { bound.value.flush(context) }
        }
    }

    private func flush(_ context: ChannelHandlerContext) {
        isFlushDue = false
        context.flush()
    }

    /// Resets a stream.
    func reset(_ id: HTTP2StreamID, _ code: HTTP2ErrorCode) { write(.rstStream(code), to: id) }

    /// Tells the client which streams are answered; it may repeat the requests of others on another connection.
    private func sendGoAway(_ context: ChannelHandlerContext, _ code: HTTP2ErrorCode) {
        ending = .final
        let goAway = HTTP2Frame(
            streamID: .rootStream,
            payload: .goAway(lastStreamID: lastStream, errorCode: code, opaqueData: nil)
        )
        context.writeAndFlush(wrapOutboundOut(goAway), promise: nil)
    }

    // MARK: Watching

    func giveWay() { streams.isEmpty ? quiesce() : cut() }

    var activity: ConnectionClock.View {
        let buffered = (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        let isOnlyReceiving = !streams.isEmpty && streams.values.allSatisfy(\.isOnlyReceiving)
        var use = ConnectionClock.Use.busy
        if buffered == 0 { if streams.isEmpty { use = .idle } else if isOnlyReceiving { use = .receiving } }
        return ConnectionClock.View(
            answered: endedStreams,
            sent: -buffered,
            received: received,
            isSending: buffered > 0,
            isReceiving: isOnlyReceiving,
            isAnswering: !streams.isEmpty,
            isLingering: ending != .none && streams.isEmpty,
            use: use
        )
    }

    /// Resets the streams that have timed out.
    func checkParts(_ now: NIODeadline, limits: Server.Configuration.Limits) {
        // A copy, since a stream is removed when it is reset.
        for stream in Array(streams.values) where stream.isOver(now, limits: limits) { stream.cut() }
    }

    /// Ends the connection when its streams have ended (RFC 9113 §6.8).
    ///
    /// The client may have opened streams that are still on their way. These are answered, too: only when the client has
    /// answered a ping behind the announcement, a second one names the last stream.
    func quiesce() {
        guard let context, ending == .none else { return }
        ending = .announced
        wire.announceEnd()
        write(.ping(HTTP2PingData(withInteger: 0), ack: false), to: .rootStream)
        flush(context)
    }

    private func acknowledged(_ context: ChannelHandlerContext) {
        guard ending == .announced else { return }
        sendGoAway(context, .noError)
        if streams.isEmpty { closeAfterFlush(context) }
    }

    func timeOut() {
        if let context, ending == .announced { sendGoAway(context, .noError) }
        cut()
    }

    /// Closes the connection when all frames are in the socket, since a close drops those that wait for room in it.
    ///
    /// This begins in a turn of its own: the last frames of the last stream are written, but not flushed.
    private func closeAfterFlush(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.execute {
            let (connection, context) = bound.value
            guard connection.streams.isEmpty else { return }
            connection.flush(context)
            connection.wire.afterFlush {
                let (connection, context) = bound.value
                if connection.streams.isEmpty { context.close(promise: nil) }
            }
        }
    }

    func cut() { context?.close(promise: nil) }
}

@available(*, unavailable)
extension HTTP2Connection: Sendable {}
