internal import AFCHTTP
internal import AFCResolver
internal import HTTPTypes
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

/// The handler of an HTTP/1 connection: passes events to the state machine, and performs the actions that it returns.
final class HTTP1Connection: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = IOData

    private let service: Serving
    private let state: LoopState
    private var connection: ConnectionContext
    private var context: ChannelHandlerContext?
    private var machine: HTTP1StateMachine
    private var hot: HotLane
    private var job: AnswerJob?
    /// The handler in front of the parser.
    private var entrance: HTTP1Entrance?
    private var decoder: ByteToMessageHandler<HTTPRequestDecoder>?
    private var isReadHeld = false
    private var isFlushNeeded = false

    // Progress, as seen by the connection's watcher.
    private var answered = 0
    private var written = 0

    private init(service: Serving, state: LoopState, connection: ConnectionContext) {
        self.service = service
        self.state = state
        self.connection = connection
        machine = HTTP1StateMachine(lingerBytes: service.limits.lingerBytes)
        hot = HotLane(service: service, state: state)
    }

    /// Sets up a channel as an HTTP/1 connection.
    ///
    /// - Parameters:
    ///   - channel: The channel, whose bytes are HTTP.
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
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = service.limits.fieldBytes
        limits.maxHeaderListSize = service.limits.headBytes
        limits.maxHeaderFieldCount = service.limits.fieldCount
        let handler = HTTP1Connection(service: service, state: state, connection: connection)
        let parser = HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits)
        let decoder = ByteToMessageHandler(parser)
        let entrance = HTTP1Entrance(handler, repeatsAnswers: service.hot.isEnabled)
        try channel.pipeline.syncOperations.addHandlers([entrance, decoder, handler])
        handler.decoder = decoder
        handler.entrance = entrance
    }

    // MARK: Lifetime

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { activate(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        activate(context)
        context.fireChannelActive()
    }

    private func activate(_ context: ChannelHandlerContext) {
        connection.server = state.identity(of: context.channel, service)
        connection.remoteAddress = context.channel.remoteAddress?.ipAddress
        hot.begin(connection)
        state.counters.connections += 1
        state.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        state.remove(self)
    }

    func channelInactive(context: ChannelHandlerContext) {
        machine.end()
        job?.cancel()
        job = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The client has closed its side without an alert; that comes as an event of its own, as without TLS.
        if error as? NIOSSLError == .uncleanShutdown, !machine.isHandedOver { return }
        guard error is HTTPParserError, machine.isOpen else {
            service.logger.debug("connection failed", metadata: ["error": "\(error)"])
            return machine.isHandedOver ? context.fireErrorCaught(error) : context.close(promise: nil)
        }
        let (givesUp, action) = machine.parserFailed(error)
        if givesUp, let job {
            self.job = nil
            job.cancel()
        }
        perform(action)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed? = event as? ChannelEvent, !machine.isHandedOver else {
            return context.fireUserInboundEventTriggered(event)
        }
        inputClosed()
    }

    /// True if the connection may be handed over after the current answer.
    var mayLeave: Bool { machine.mayLeave }

    /// Handles a client that has closed its side.
    func inputClosed() { perform(machine.inputClosed()) }

    // MARK: Actions

    private func perform(_ action: HTTP1StateMachine.Action) {
        switch action {
        case .none: break
        case .begin(let request): begin(request)
        case .refuse(let status): refuse(status)
        case .finish: finish()
        case .cut: cut()
        case .cutUnlessAnswered: cutUnlessAnswered()
        case .askLater:
            let handler = NIOLoopBound(self, eventLoop: state.loop)
            state.loop.execute {
                let handler = handler.value
                handler.perform(handler.machine.next())
                handler.flushIfNeeded()
            }
        case .read: readOn()
        }
    }

    private func begin(_ request: HTTP1StateMachine.Request) {
        if machine.mayRepeat, let answer = hot.answer(to: request) {
            sendAgain(answer)
            return perform(machine.answeredFromMemory())
        }
        let body = request.body ?? RequestBody()
        let job = AnswerJob(
            ServerRequest(request.head, body: body, connection: connection),
            service: service,
            state: state,
            sink: self
        ) { [weak self] job in self?.ended(job) }
        self.job = job
        job.start()
    }

    private func ended(_ job: AnswerJob) {
        guard self.job === job else { return }
        job.report()
        self.job = nil
        answered += 1
        perform(machine.answerEnded(isComplete: job.isComplete))
    }

    private func refuse(_ status: HTTPResponse.Status) {
        let (answer, body) = ServerAnswer.malformed(status, limits: service.limits, now: service.now())
        let length = HeadWriter.Framing.length(Int64(body.readableBytes))
        write(HeadWriter(status: status, fields: answer.fields, framing: length, persistence: .close))
        write(body)
        finish()
        service.reportRefusal(answer, bytes: body.readableBytes, connection, state: state)
    }

    private func finish() {
        guard machine.linger() else { return }
        isFlushNeeded = false
        context?.closeOutputAfterFlush(wrapOutboundOut(.byteBuffer(ByteBuffer())), promise: nil)
        readOn()
    }

    private func cutUnlessAnswered() {
        guard let job else { return }
        let waiting = NIOLoopBound(job, eventLoop: state.loop)
        state.loop.scheduleTask(in: service.limits.halfClosedTimeout) {
            if !waiting.value.isAnswered { waiting.value.cut() }
        }
    }

    // MARK: Answers from memory

    /// True if no request is being read or answered.
    var isIdle: Bool { machine.isIdle }

    /// True if a request that arrives now is answered at once.
    var isFree: Bool { machine.isFree }

    /// Returns the bytes of the answer to a head that equals, byte for byte, one answered before.
    func remembered(_ head: UnsafeRawBufferPointer) -> ByteBuffer? { hot.answer(to: head) }

    /// Repeats an answer.
    func sendAgain(_ answer: ByteBuffer) {
        write(answer)
        answered &+= 1
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !machine.isHandedOver else { return context.fireChannelRead(data) }
        switch unwrapInboundIn(data) {
        case .head(var head):
            let bytes = entrance?.parsed(&head)
            perform(
                machine.read(head, bytes: bytes) { IncomingBody(length: head.bodyLength, to: self, on: state.loop) }
            )
        case .body(let bytes): machine.read(bytes)
        case .end: if machine.readEnd() { entrance?.requestEnded() }
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flushIfNeeded()
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        guard machine.mayRead else {
            isReadHeld = true
            return
        }
        context.read()
    }

    /// Resumes reading if it was held back.
    private func readOn() {
        guard isReadHeld, machine.mayRead, let context else { return }
        isReadHeld = false
        context.read()
    }

    // MARK: Writing

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        machine.writabilityChanged(context.channel.isWritable)
        if machine.isWritable {
            job?.resume()
            perform(machine.actionWithRoom)
        }
        context.fireChannelWritabilityChanged()
    }

    /// True if there is room for more.
    var isWritable: Bool { machine.isWritable }

    private func write(_ bytes: ByteBuffer) {
        guard let context else { return }
        written &+= bytes.readableBytes
        isFlushNeeded = true
        context.write(wrapOutboundOut(.byteBuffer(bytes)), promise: nil)
    }

    private func write(_ head: HeadWriter) {
        var buffer = ByteBuffer()
        head.write(into: &buffer)
        write(buffer)
    }

    private func flushIfNeeded() {
        guard isFlushNeeded else { return }
        isFlushNeeded = false
        context?.flush()
    }

    /// The bytes that wait for room in the socket.
    private var bufferedBytes: Int { (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }

    // MARK: Handing over

    /// Hands the connection over in a later turn of the loop than the head, when the parser has finished the request.
    private func leave(_ context: ChannelHandlerContext, to handover: Handover) {
        guard machine.handOver(), let decoder else { return cut() }
        state.remove(self)
        let handler = NIOLoopBound(self, eventLoop: state.loop)
        let bound = context.loopBound
        do {
            switch handover {
            case .raw(let run):
                let tunnel = TunnelWatch(state: state)
                try context.pipeline.syncOperations.addHandler(tunnel)
                try RawTunnel.start(on: context.channel, watch: tunnel, logger: service.logger, run)
            case .secure(let certificates, let authority):
                var inner = connection
                inner.tunnelled = authority
                try SecureStart.beginTunnel(
                    on: context.channel,
                    certificates: certificates,
                    service: service,
                    state: state,
                    connection: inner
                )
            }
        } catch {
            service.logger.debug("cannot hand over", metadata: ["error": "\(error)"])
            return cut()
        }
        // Bytes behind the request belong to the new protocol; the parser passes them on when it is removed.
        context.pipeline.syncOperations.removeHandler(decoder).whenComplete { _ in
            // Without this, they would be delivered only with the next ones.
            bound.value.fireChannelReadComplete()
            // A client may have closed its side right behind the request.
            if handler.value.machine.isInputClosed {
                bound.value.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            }
            handler.value.readOn()
            bound.value.read()
        }
    }
}

extension HTTP1Connection: AnswerSink {
    /// The connection itself, unless its bytes are encrypted or pass through another connection's tunnel.
    var files: (any FileSink)? { connection.isSecure || connection.tunnelled != nil ? nil : self }

    func wantBody() {
        if machine.wantBody() { sendInterim(.continue, HTTPFields()) }
        readOn()
    }

    func sendInterim(_ status: HTTPResponse.Status, _ fields: HTTPFields) {
        write(HeadWriter(status: status, fields: fields, framing: .length(nil), persistence: .implied))
        flushIfNeeded()
    }

    func begin(_ answer: ServerAnswer, first: ByteBuffer?, length: Int64?, isWhole: Bool) {
        guard let form = machine.beginAnswer(answer, length: length) else { return }
        let head = HeadWriter(
            status: answer.status,
            fields: answer.fields,
            framing: form.framing,
            persistence: form.persistence
        )
        let count = form.hasBody ? first?.readableBytes ?? 0 : 0
        let isSmall = count <= HotAnswer.bodyLimit
        var buffer = ByteBufferAllocator().buffer(capacity: 512 + (isSmall ? count : 0))
        head.write(into: &buffer)
        let headLength = buffer.readableBytes
        if count > 0, let first, isSmall { buffer.writeImmutableBuffer(first) }
        write(buffer)
        if count > 0, let first, !isSmall { write(first) }
        if isWhole || !form.hasBody, let request = form.repeatable {
            let place = answer.place(ofBody: count)
            if isSmall || place != nil {
                hot.remember(answer, to: request, wire: buffer, headLength: headLength, place: place)
            }
        }
        flushIfNeeded()
    }

    func send(_ bytes: ByteBuffer) {
        if machine.isChunked {
            var size = ByteBuffer()
            size.writeString(String(bytes.readableBytes, radix: 16))
            size.writeStaticString("\r\n")
            write(size)
            write(bytes)
            var end = ByteBuffer()
            end.writeStaticString("\r\n")
            write(end)
        } else {
            write(bytes)
        }
        flushIfNeeded()
    }

    func end(trailers: HTTPFields?) {
        guard machine.isChunked else { return }
        var buffer = ByteBuffer()
        buffer.writeStaticString("0\r\n")
        for field in (trailers ?? HTTPFields()).sentFields {
            buffer.writeString("\(field.name.rawName): \(field.value)\r\n")
        }
        buffer.writeStaticString("\r\n")
        write(buffer)
        flushIfNeeded()
    }

    func cut() {
        let isReset = machine.cut { bufferedBytes > 0 }
        guard let context else { return }
        if isReset { ConnectionReset.reset(context.channel) } else { context.close(promise: nil) }
    }

    func handOver(_ answer: ServerAnswer, to handover: Handover) {
        guard let context, machine.leave() else { return cut() }
        let head = HeadWriter(
            status: answer.status,
            fields: answer.fields,
            framing: .length(nil),
            persistence: answer.status.code == 101 ? .upgrade : .implied
        )
        write(head)
        flushIfNeeded()
        let handler = NIOLoopBound(self, eventLoop: state.loop)
        let bound = context.loopBound
        state.loop.execute { handler.value.leave(bound.value, to: handover) }
    }
}

extension HTTP1Connection: FileSink {
    /// Sends a part of a stored body, whose length is known, so it isn't chunked.
    func send(_ part: FilePart) {
        guard let context, !machine.isChunked else {
            part.release()
            return cut()
        }
        written &+= part.region.readableBytes
        let promise = context.eventLoop.makePromise(of: Void.self)
        // SwiftNIO would try to send bytes that the file no longer has again and again.
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let check = context.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { task in
            guard part.isCut else { return }
            task.cancel()
            let metadata: Logger.Metadata = ["error": "the body became shorter while it was sent"]
            handler.value.service.logger.error("cannot send", metadata: metadata)
            handler.value.cut()
        }
        promise.futureResult.whenComplete { _ in
            check.cancel()
            part.release()
        }
        context.writeAndFlush(wrapOutboundOut(.fileRegion(part.region)), promise: promise)
    }
}

extension HTTP1Connection: Watched {
    /// The connection's activity; a partial head counts as idle, since clients could otherwise hold places without a
    /// request.
    var activity: ConnectionClock.View {
        let buffered = bufferedBytes
        var use = ConnectionClock.Use.busy
        if buffered == 0 {
            if machine.isIdle || machine.isLingering { use = .idle }
            if machine.isOnlyReceiving { use = .receiving }
        }
        return ConnectionClock.View(
            answered: answered,
            sent: written &- buffered,
            received: machine.received,
            isSending: buffered > 0,
            isReceiving: machine.isBodyDue,
            isAnswering: machine.isAnswering,
            isLingering: machine.isLingering,
            use: use
        )
    }

    func timeOut() {
        job?.cancel()
        cut()
    }

    func quiesce() { perform(machine.quiesce { bufferedBytes > 0 }) }
}

@available(*, unavailable)
extension HTTP1Connection: Sendable {}
