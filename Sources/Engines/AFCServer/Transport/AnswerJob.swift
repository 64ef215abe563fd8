internal import AFCBlocking
internal import AFCCaching
internal import AFCHTTP
internal import HTTPTypes
internal import Logging
internal import NIOCore

/// The work for one request: asks the responder and writes the answer to the connection; lives on its event loop.
final class AnswerJob {
    private enum Phase {
        case asking
        case sending
        case finished
    }

    /// The result of a look-up: the answer and, for a stored body, the first bytes and the rest.
    private typealias Found = (answer: ServerAnswer, first: ByteBuffer?, rest: BodyStream?)

    private let request: ServerRequest
    private let service: Serving
    private let state: LoopState
    private weak var sink: (any AnswerSink)?
    private let onEnd: (AnswerJob) -> Void
    private var phase = Phase.asking
    private var task: Task<Void, Never>?
    private var stored: BodyStream?
    private var isReading = false
    /// The bytes of a stream that are still to come, if its length is known.
    private var remaining: Int64?
    private var roomWanted: EventLoopPromise<Void>?
    private var answer: ServerAnswer?
    /// The bytes of the body that were handed to the connection.
    private var sentBytes: Int64 = 0
    private let began = NIODeadline.now()
    /// The time at which the request was read, by the clock for logs.
    private let asked: Timestamp

    /// True if the whole answer was handed to the connection.
    private(set) var isComplete = false

    /// Creates the work, which doesn't begin yet.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - service: The state that all connections share.
    ///   - state: The state that this loop's connections share.
    ///   - sink: The receiver of the answer.
    ///   - onEnd: A closure called when the whole answer has been handed over, or has failed.
    init(
        _ request: ServerRequest,
        service: Serving,
        state: LoopState,
        sink: any AnswerSink,
        onEnd: @escaping (AnswerJob) -> Void
    ) {
        self.request = request
        self.service = service
        self.state = state
        self.sink = sink
        self.onEnd = onEnd
        asked = service.now()
    }

    private var loop: any EventLoop { state.loop }

    /// True if the answer has begun.
    var isAnswered: Bool { phase != .asking }

    /// Counts and logs the answer; does nothing if there was none.
    func report() {
        guard let answer else { return }
        let microseconds = (NIODeadline.now() - began).nanoseconds / 1000
        state.counters.count(
            status: answer.status.code,
            verdict: Counters.Verdict(answer.cacheStatus),
            bytes: sentBytes,
            microseconds: microseconds,
            isComplete: isComplete
        )
        if let unanswered = answer.unanswered { service.note(unanswered) }
        guard let onAnswer = service.onAnswer else { return }
        var record = AccessRecord(request, answer: answer, time: asked)
        record.bytes = sentBytes
        record.microseconds = microseconds
        record.isComplete = isComplete
        onAnswer(record)
    }

    // MARK: Requesting the answer

    /// Requests the answer, which may be sent before this returns.
    func start() {
        if let refusal = request.host.refusal(needsHost: request.needsHost) {
            return deliver(ServerAnswer(refusal, isHead: request.isHead, now: service.now()))
        }
        if let page = OwnPages.page(request, keepsVersions: service.keepsVersions) {
            let (request, service) = (request, service)
            return run { await OwnPages.answer(page, to: request, service: service) }
        }
        guard let lookup = service.lookup else { return ask() }
        if let answer = lookup.lookUpAtOnce(request) { return deliver(answer) }
        let request = request
        let bound = NIOLoopBound(self, eventLoop: loop)
        Blocking.submit(to: loop) { () throws -> Found? in
            guard var answer = try lookup.lookUp(request) else { return nil }
            guard case .stored(var stream) = answer.body, !request.isHead, !stream.isFar else {
                return (answer, nil, nil)
            }
            let first = try stream.next()
            answer.body = .none
            return (answer, first ?? ByteBuffer(), stream)
        } then: {
            bound.value.lookedUp($0)
        }
    }

    private func lookedUp(_ result: Result<Found?, any Error>) {
        guard phase == .asking else { return }
        switch result {
        case .success(let found?):
            if let first = found.first {
                begin(found.answer, first: first, rest: found.rest)
            } else {
                deliver(found.answer)
            }
        case .success(nil): ask()
        case .failure(let error): fail(error)
        }
    }

    private func ask() {
        let (request, loop, responder) = (request, loop, service.responder)
        let bound = NIOLoopBound(self, eventLoop: loop)
        run {
            try await responder.answer(request) { status, fields in
                loop.execute { bound.value.interim(status, fields) }
            }
        }
    }

    /// Requests the answer in a task, which is cancelled when the client disconnects.
    private func run(_ work: @escaping @Sendable () async throws -> ServerAnswer) {
        let loop = loop
        let bound = NIOLoopBound(self, eventLoop: loop)
        task = Task {
            do {
                let answer = try await work()
                loop.execute { bound.value.deliver(answer) }
            } catch {
                loop.execute { bound.value.fail(error) }
            }
        }
    }

    private func interim(_ status: HTTPResponse.Status, _ fields: HTTPFields) {
        guard phase == .asking, status.kind == .informational, status.code > 101, request.version > .http10 else {
            return
        }
        sink?.sendInterim(status, fields)
    }

    private func fail(_ error: any Error) {
        guard phase == .asking else { return }
        guard !(error is CancellationError) else { return cut() }
        service.logger.error("cannot answer", metadata: ["target": "\(request.target)", "error": "\(error)"])
        let (now, isHead) = (service.now(), request.isHead)
        deliver(
            error is any GatewayFailure
                ? ServerAnswer(gatewayFailureAt: now, isHead: isHead)
                : ServerAnswer(storeFailureAt: now, isHead: isHead)
        )
    }

    // MARK: Sending stored or available bytes

    private func deliver(_ answer: ServerAnswer) {
        guard phase == .asking else { return }
        if let handover = answer.handover {
            self.answer = answer
            phase = .finished
            isComplete = true
            sink?.handOver(answer, to: handover)
            onEnd(self)
            return
        }
        switch answer.body {
        case .none: begin(answer, first: nil, rest: nil)
        case .stored where request.isHead: begin(answer, first: nil, rest: nil)
        case .bytes(let bytes): begin(answer, first: bytes, rest: nil)
        case .stored(var stream):
            if sink?.files != nil, let part = stream.partAtOnce() {
                sendHead(answer, first: nil, length: answer.statedLength, isWhole: false)
                return sendPart(part, rest: stream)
            }
            if let first = stream.nextAtOnce() { return begin(answer, first: first, rest: stream) }
            // The length must be known before the head is sent, and reading blocks.
            self.answer = answer
            stored = stream
            readMore()
        case .stream(let stream): beginStream(answer, stream)
        }
    }

    /// Sends the head, and the available part of the body; all answers but repeated ones and tunnels are sent from
    /// here.
    private func sendHead(_ answer: ServerAnswer, first: ByteBuffer?, length: Int64?, isWhole: Bool) {
        phase = .sending
        let answer = service.sendsTiming ? answer.timed(since: began) : answer
        self.answer = answer
        sink?.begin(answer, first: first, length: length, isWhole: isWhole)
    }

    private func begin(_ answer: ServerAnswer, first: ByteBuffer?, rest: BodyStream?) {
        let isWhole = rest?.isFinished ?? true
        let whole = first.map { Int64($0.readableBytes) }
        let hasBody = !request.isHead && answer.status.mayHaveBody
        sentBytes = hasBody ? whole ?? 0 : 0
        // An HTTP/2 stream closes with its last frame, before this returns.
        isComplete = isWhole || !hasBody
        sendHead(answer, first: first, length: isWhole ? whole : answer.statedLength, isWhole: isWhole)
        guard hasBody, !isWhole else { return finish() }
        guard phase == .sending else { return }
        stored = rest
        resume()
    }

    /// Continues when there is room for more.
    func resume() {
        if let promise = roomWanted {
            roomWanted = nil
            promise.succeed()
        }
        if phase == .sending, stored != nil, sink?.isWritable ?? false { readMore() }
    }

    private func readMore() {
        guard var stream = stored, !isReading else { return }
        isReading = true
        guard !stream.isFar else { return advance(stream) }
        let bound = NIOLoopBound(self, eventLoop: loop)
        // In a turn of its own, so that other connections get theirs.
        if phase == .sending, sink?.files != nil, let part = stream.partAtOnce() {
            let rest = stream
            return loop.execute { bound.value.sendPart(part, rest: rest) }
        }
        if phase == .sending, let chunk = stream.nextAtOnce() {
            let rest = stream
            return loop.execute { bound.value.read(.success((chunk, rest))) }
        }
        let unread = stream
        Blocking.submit(to: loop) { () throws -> (ByteBuffer?, BodyStream) in
            var rest = unread
            return (try rest.next(), rest)
        } then: {
            bound.value.read($0)
        }
    }

    /// Does the work before the next bytes can be read, a part at a time, so that it neither occupies the threads that
    /// ordinary requests need nor goes on when the client has disconnected.
    private func advance(_ stream: BodyStream) {
        let bound = NIOLoopBound(self, eventLoop: loop)
        service.longWork.submit(to: loop) { () throws -> (ByteBuffer?, BodyStream) in
            try stream.advance()
            return (nil, stream)
        } then: { result in
            let job = bound.value
            guard case .success = result, job.phase != .finished else { return job.read(result) }
            job.isReading = false
            job.readMore()
        }
    }

    private func read(_ result: Result<(ByteBuffer?, BodyStream), any Error>) {
        isReading = false
        guard phase != .finished, let sink else { return }
        switch (result, phase) {
        case (.success(let (chunk, rest)), .asking):
            stored = nil
            if let answer { begin(answer, first: chunk ?? ByteBuffer(), rest: rest) }
        case (.success(let (chunk, rest)), _):
            // Sending may continue with the rest before it returns.
            stored = rest
            if let chunk {
                sentBytes += Int64(chunk.readableBytes)
                sink.send(chunk)
            }
            continueOrFinish(rest)
        case (.failure(let error), .asking):
            stored = nil
            fail(error)
        case (.failure(let error), _):
            service.logger.error("cannot send", metadata: ["target": "\(request.target)", "error": "\(error)"])
            cut()
        }
    }

    private func sendPart(_ part: FilePart, rest: BodyStream) {
        isReading = false
        guard phase != .finished, let files = sink?.files else { return part.release() }
        stored = rest
        sentBytes += Int64(part.region.readableBytes)
        files.send(part)
        continueOrFinish(rest)
    }

    private func continueOrFinish(_ rest: BodyStream) {
        guard phase != .finished else { return }
        guard rest.isFinished else { return resume() }
        isComplete = true
        sink?.end(trailers: nil)
        finish()
    }

    // MARK: Sending a stream

    /// The error for a stream with more or fewer bytes than its Content-Length.
    private struct WrongLength: Error {}

    private func beginStream(_ answer: ServerAnswer, _ stream: any AsyncSequence<ByteBuffer, any Error> & Sendable) {
        remaining = answer.statedLength
        isComplete = request.isHead || !answer.status.mayHaveBody
        sendHead(answer, first: nil, length: remaining, isWhole: false)
        guard sink != nil, !isComplete else { return finish() }
        guard phase == .sending else { return }
        let loop = loop
        let bound = NIOLoopBound(self, eventLoop: loop)
        task = Task {
            do {
                for try await chunk in stream where chunk.readableBytes > 0 {
                    try await loop.flatSubmit { bound.value.push(chunk) }.get()
                }
                try Task.checkCancellation()
                loop.execute { bound.value.streamEnded() }
            } catch {
                loop.execute { bound.value.streamFailed(error) }
            }
        }
    }

    private func push(_ chunk: ByteBuffer) -> EventLoopFuture<Void> {
        guard phase == .sending, let sink else { return loop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
        if let left = remaining {
            guard left >= Int64(chunk.readableBytes) else { return loop.makeFailedFuture(WrongLength()) }
            remaining = left - Int64(chunk.readableBytes)
        }
        sentBytes += Int64(chunk.readableBytes)
        // A client that counts may disconnect as soon as it has all bytes, before the end is sent.
        if remaining == 0 { isComplete = true }
        sink.send(chunk)
        guard phase == .sending, !sink.isWritable else { return loop.makeSucceededVoidFuture() }
        let promise = loop.makePromise(of: Void.self)
        roomWanted = promise
        return promise.futureResult
    }

    private func streamEnded() {
        guard phase == .sending else { return }
        guard (remaining ?? 0) == 0 else { return streamFailed(WrongLength()) }
        let trailers = answer?.trailers?()
        isComplete = true
        sink?.end(trailers: trailers)
        finish()
    }

    private func streamFailed(_ error: any Error) {
        guard phase == .sending else { return }
        isComplete = false
        service.logger.debug("stream failed", metadata: ["target": "\(request.target)", "error": "\(error)"])
        cut()
    }

    // MARK: Ending

    private func finish() {
        isComplete = true
        end()
    }

    /// Cuts the answer off: the connection is lost, or must be closed.
    func cut() {
        guard phase != .finished else { return }
        let sink = sink
        end()
        sink?.cut()
    }

    /// Ends the work, because the client has disconnected.
    func cancel() { end() }

    private func end() {
        guard phase != .finished else { return }
        phase = .finished
        stored = nil
        task?.cancel()
        task = nil
        roomWanted?.fail(ChannelError.ioOnClosedChannel)
        roomWanted = nil
        onEnd(self)
    }
}
