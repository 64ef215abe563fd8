internal import HTTPTypes
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

/// An HTTP/2 stream: one request and its answer; lives on the event loop of its connection.
final class HTTP2Stream {
    /// The bytes of an answer that may wait in the stream's window and in the socket.
    private static let highWatermark = 64 * 1024
    private static let lowWatermark = 32 * 1024

    private let id: HTTP2StreamID
    private unowned let connection: HTTP2Connection
    private var intake = BodyIntake()
    private var window = InboundWindow(target: InboundWindow.initialSize)
    private var job: AnswerJob?
    /// True if the request is HEAD; nil before it has arrived.
    ///
    /// Keeping the request itself would keep the stream alive.
    private var isHead: Bool?
    /// The target of a request whose answer may be repeated to others.
    private var target: HotTable.Target?
    private var life = StreamLife()
    private var clock = ConnectionClock()

    // The bytes of the answer that were written, and those of them that have left the program.
    private var written = 0
    private var sent = 0

    /// Creates a stream for which no frame has arrived.
    init(_ id: HTTP2StreamID, on connection: HTTP2Connection) {
        self.id = id
        self.connection = connection
        clock.begin(at: .now())
    }

    private var loop: any EventLoop { connection.state.loop }

    /// True if the last frame of the answer was written.
    var isEnded: Bool { life.isEnded }

    // MARK: Lifetime

    /// Takes note that the stream has ended.
    func close() {
        guard !life.isClosed else { return }
        life.apply(.closed)
        intake.fail(RequestCutShort())
        job?.cancel()
        job = nil
    }

    /// Returns true if the stream has timed out.
    func isOver(_ now: NIODeadline, limits: Server.Configuration.Limits) -> Bool {
        clock.isOver(activity, now: now, limits: limits)
    }

    /// True if nothing happens but that the request's body arrives.
    var isOnlyReceiving: Bool { intake.isDue && job?.isAnswered == false }

    private var activity: ConnectionClock.View {
        ConnectionClock.View(
            answered: life.isAnswered ? 1 : 0,
            sent: sent,
            received: intake.received,
            isSending: written != sent || isEnded,
            isReceiving: intake.isDue,
            isAnswering: job != nil,
            isLingering: false
        )
    }

    // MARK: Reading

    /// Handles the request's head, or its trailers.
    func receive(_ headers: HPACKHeaders, isEnd: Bool) {
        if isHead == nil { begin(headers, isWhole: isEnd) } else { _ = intake.end() }
    }

    /// Handles bytes of the request's body.
    func receive(_ bytes: ByteBuffer, isEnd: Bool) {
        intake.take(bytes)
        if isEnd { _ = intake.end() }
    }

    /// Takes note of the room that the client has for sending, and makes more if it is needed.
    func windowChanged(to size: Int) {
        window.size = size
        widenWindow()
    }

    private func widenWindow() {
        guard intake.isDue, let increment = window.increment() else { return }
        connection.write(.windowUpdate(windowSizeIncrement: increment), to: id)
    }

    private func begin(_ headers: HPACKHeaders, isWhole: Bool) {
        life.apply(.head)
        if isWhole, let target = connection.hot.target(of: headers) {
            isHead = target.isHead
            if let (fields, body) = connection.hot.message(to: target, headers) {
                life.apply(.answer)
                return send(fields, body: body, isWhole: true)
            }
            self.target = target
        }
        var body = RequestBody()
        if !isWhole {
            let length = headers.first(name: "content-length").flatMap { Int64($0) }
            let incoming = IncomingBody(length: length, to: self, on: loop)
            intake.begin(incoming, awaitsContinue: headers.first(name: "expect")?.lowercased() == "100-continue")
            body = incoming.body
        }
        let request = ServerRequest(headers, body: body, connection: connection.shared)
        isHead = request.isHead
        let job = AnswerJob(request, service: connection.service, state: connection.state, sink: self) {
            [weak self] job in
            self?.ended(job)
        }
        self.job = job
        job.start()
    }

    private func ended(_ job: AnswerJob) {
        guard self.job === job else { return }
        self.job = nil
        life.apply(.answer)
        job.report()
        refuseRest()
    }

    // MARK: Writing

    /// Continues the answer if there is room for more.
    func resume() {
        if isWritable { job?.resume() }
    }

    /// Writes a frame.
    ///
    /// - Parameters:
    ///   - payload: The frame.
    ///   - count: The bytes that the answer has in it.
    ///   - isLast: True if the frame ends the answer.
    private func write(_ payload: HTTP2Frame.FramePayload, count: Int, isLast: Bool) {
        guard !life.isClosed else { return }
        if isLast { life.apply(.lastFrame) }
        // The stream closes with its last frame, unless the request goes on.
        guard count > 0, !isLast || intake.isArriving else { return connection.write(payload, to: id) }
        written &+= count
        let stream = NIOLoopBound(self, eventLoop: loop)
        connection.write(payload, to: id) { stream.value.left(count) }
    }

    private func left(_ count: Int) {
        let wasFull = written &- sent >= Self.lowWatermark
        sent &+= count
        refuseRest()
        if wasFull, written &- sent < Self.lowWatermark { resume() }
    }

    /// Resets the stream when the whole answer has left, if the request still goes on: its body is unwanted (RFC 9113
    /// §8.1).
    private func refuseRest() {
        guard life.isDone, written == sent, intake.isArriving else { return }
        connection.reset(id, .noError)
    }
}

extension HTTP2Stream: AnswerSink {
    var isWritable: Bool { !life.isClosed && written &- sent < Self.highWatermark && connection.isWritable }

    func wantBody() {
        guard intake.isArriving, !life.isClosed else { return }
        if intake.demand(mayContinue: job?.isAnswered == false) { sendInterim(.continue, HTTPFields()) }
        widenWindow()
    }

    func sendInterim(_ status: HTTPResponse.Status, _ fields: HTTPFields) {
        write(.headers(.init(headers: HPACKHeaders(status, fields, length: nil))), count: 0, isLast: false)
    }

    func begin(_ answer: ServerAnswer, first: ByteBuffer?, length: Int64?, isWhole: Bool) {
        let hasBody = isHead == false && answer.status.mayHaveBody
        let length = answer.status.mayHaveLength ? length ?? answer.statedLength : nil
        let body = hasBody ? first : nil
        if isWhole || !hasBody, let target {
            connection.hot.remember(answer, to: target, body: body, length: length)
        }
        send(HPACKHeaders(answer.status, answer.fields, length: length), body: body, isWhole: isWhole || !hasBody)
    }

    private func send(_ fields: HPACKHeaders, body: ByteBuffer?, isWhole: Bool) {
        let count = body?.readableBytes ?? 0
        let isHeadLast = isWhole && count == 0
        write(.headers(.init(headers: fields, endStream: isHeadLast)), count: 0, isLast: isHeadLast)
        guard count > 0, let body else { return }
        write(.data(.init(data: .byteBuffer(body), endStream: isWhole)), count: count, isLast: isWhole)
    }

    /// None, since HTTP/2 comes over TLS.
    var files: (any FileSink)? { nil }

    func send(_ bytes: ByteBuffer) {
        write(.data(.init(data: .byteBuffer(bytes))), count: bytes.readableBytes, isLast: false)
    }

    func end(trailers: HTTPFields?) {
        if let trailers, !trailers.isEmpty {
            let fields = HPACKHeaders(nil, trailers, length: nil)
            write(.headers(.init(headers: fields, endStream: true)), count: 0, isLast: true)
        } else {
            write(.data(.init(data: .byteBuffer(ByteBuffer()), endStream: true)), count: 0, isLast: true)
        }
    }

    func cut() {
        guard !life.isClosed else { return }
        connection.reset(id, .cancel)
    }

    /// Cuts the stream, since only connections can become tunnels.
    func handOver(_ answer: ServerAnswer, to handover: Handover) { cut() }
}

@available(*, unavailable)
extension HTTP2Stream: Sendable {}

/// A pure state machine for the life of an HTTP/2 stream.
///
/// An answer from memory ends before its frames are written, any other after them.
struct StreamLife {
    enum Phase {
        /// No request has arrived.
        case waiting
        /// The request is being answered.
        case answering
        /// The last frame of the answer was written, but the answer hasn't ended yet.
        case written
        /// The answer has ended without its last frame, which follows, or the stream is about to be reset.
        case answered
        /// The answer has ended, and its last frame was written.
        case done
        /// The stream has ended, so nothing can be written to it.
        case closed
    }

    enum Event {
        /// A request has arrived.
        case head
        /// The last frame of the answer is written.
        case lastFrame
        /// The answer has ended.
        case answer
        /// The stream has ended.
        case closed
    }

    private(set) var phase = Phase.waiting

    var isClosed: Bool { phase == .closed }
    var isAnswered: Bool { phase == .answered || phase == .done }
    var isEnded: Bool { phase == .written || phase == .done }
    /// True if the client may be told that the rest of its request isn't needed.
    var isDone: Bool { phase == .done }

    /// Moves on after an event; one that can't happen in a phase changes nothing.
    mutating func apply(_ event: Event) {
        switch (phase, event) {
        case (.waiting, .head): phase = .answering
        case (.answering, .lastFrame): phase = .written
        case (.answering, .answer): phase = .answered
        case (.written, .answer), (.answered, .lastFrame): phase = .done
        case (.waiting, .closed), (.answering, .closed), (.written, .closed), (.answered, .closed), (.done, .closed):
            phase = .closed
        case (.waiting, .lastFrame), (.waiting, .answer), (.answering, .head), (.written, .head),
            (.written, .lastFrame),
            (.answered, .head), (.answered, .answer), (.done, .head), (.done, .lastFrame), (.done, .answer),
            (.closed, .head), (.closed, .lastFrame), (.closed, .answer), (.closed, .closed):
            break
        }
    }
}

/// The room that a peer has for sending on a stream or on the connection (RFC 9113 §5.2).
struct InboundWindow {
    /// The size with which each window begins (RFC 9113 §6.9.2).
    static let initialSize = 65_535

    /// The room now.
    var size = initialSize
    private let target: Int

    /// Creates a window.
    ///
    /// - Parameter target: The room that the peer gets again and again.
    init(target: Int) { self.target = target }

    /// Returns the room to add now, at least half of the target, and counts it; nil if there is enough.
    mutating func increment() -> Int? {
        guard size <= target / 2 else { return nil }
        let increment = target - size
        size = target
        return increment
    }
}
