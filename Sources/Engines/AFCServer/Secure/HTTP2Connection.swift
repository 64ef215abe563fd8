internal import NIOCore
internal import NIOHTTP2

/// The watcher of an HTTP/2 connection, whose streams are channels of their own.
final class HTTP2Connection: ChannelInboundHandler, Watched {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private let state: LoopState
    private var context: ChannelHandlerContext?
    private var openStreams = 0
    private var endedStreams = 0
    private var isQuiescing = false
    private var hasFailed = false

    private init(state: LoopState) { self.state = state }

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
        connection.server = state.identity(of: channel, boundHosts: service.boundHosts)
        connection.remoteAddress = channel.remoteAddress?.ipAddress
        let limits = service.limits
        var settings = NIOHTTP2Handler.ConnectionConfiguration()
        settings.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: limits.streamCount),
            HTTP2Setting(parameter: .maxHeaderListSize, value: limits.headBytes),
            HTTP2Setting(parameter: .enableConnectProtocol, value: 0),
        ]
        settings.maximumSequentialContinuationFrames = 5
        settings.maximumRecentlyResetStreams = limits.streamCount
        settings.maximumBufferedControlFrames = 1000
        settings.maximumConnectionGlitches = 100
        settings.targetWindowSize = 1024 * 1024
        // Some browsers send a priority frame with each request.
        settings.controlFrameRateLimit.maximumCount = 1000
        var streams = NIOHTTP2Handler.StreamConfiguration()
        streams.outboundBufferSizeHighWatermark = 64 * 1024
        streams.outboundBufferSizeLowWatermark = 32 * 1024
        var hot = HotLane(service: service, state: state)
        hot.begin(connection)
        let bound = NIOLoopBound((state, hot), eventLoop: channel.eventLoop)
        let shared = connection
        _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
            mode: .server,
            connectionConfiguration: settings,
            streamConfiguration: streams
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                let (state, hot) = bound.value
                try stream.pipeline.syncOperations.addHandler(
                    HTTP2Stream(service: service, state: state, connection: shared, hot: hot)
                )
            }
        }
        try channel.pipeline.syncOperations.addHandler(HTTP2Connection(state: state))
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        state.counters.connections += 1
        state.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        state.remove(self)
    }

    func channelInactive(context: ChannelHandlerContext) {
        // SwiftNIO's HTTP/2 (1.46) lists the streams for which frames came until the read ends, and a connection that is
        // closed while it is being read gets no end of it: without this one, the list would keep them in memory.
        context.pipeline.syncOperations.fireChannelReadComplete()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is NIOHTTP2StreamCreatedEvent: openStreams += 1
        case is StreamClosedEvent:
            openStreams -= 1
            endedStreams += 1
            if isQuiescing, openStreams == 0 { context.close(promise: nil) }
        case ChannelEvent.inputClosed: context.close(promise: nil)
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Handles an error: an error of one stream has reset that stream only; any other ends the connection (RFC 9113
    /// §5.4).
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !Self.isOfOneStream(error), !hasFailed else { return }
        // A GOAWAY that can no longer be written comes back as an error of its own.
        hasFailed = true
        if error is any NIOHTTP2Error { sendGoAway(context, .protocolError) }
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

    private func sendGoAway(_ context: ChannelHandlerContext, _ code: HTTP2ErrorCode) {
        let goAway = HTTP2Frame(
            streamID: .rootStream,
            payload: .goAway(lastStreamID: .maxID, errorCode: code, opaqueData: nil)
        )
        context.writeAndFlush(wrapOutboundOut(goAway), promise: nil)
    }

    func giveWay() { quiesce() }

    var activity: ConnectionClock.View {
        let buffered = (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        return ConnectionClock.View(
            answered: endedStreams,
            sent: -buffered,
            received: 0,
            isSending: buffered > 0,
            isReceiving: false,
            isAnswering: openStreams > 0,
            isLingering: isQuiescing && openStreams == 0,
            use: openStreams == 0 && buffered == 0 ? .idle : .busy
        )
    }

    /// Accepts no more streams; open ones end by themselves (RFC 9113 §6.8).
    func quiesce() {
        guard let context, !isQuiescing else { return }
        isQuiescing = true
        sendGoAway(context, .noError)
        if openStreams == 0 { context.close(promise: nil) }
    }

    func cut() { context?.close(promise: nil) }
}

@available(*, unavailable)
extension HTTP2Connection: Sendable {}
