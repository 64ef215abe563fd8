internal import AFCCaching
internal import AFCHTTP
internal import HTTPTypes
internal import Logging
internal import NIOCore
internal import NIOPosix

/// One request and its answer: asks the responder, and drives the body into the connection; lives on its event loop.
final class Exchange {
    enum Phase {
        case asking
        case sending
        case finished
    }

    let request: ServerRequest
    let service: Serving
    let loop: any EventLoop
    weak var sink: (any AnswerSink)?
    /// Told when the answer has been handed over whole, or failed.
    let onEnd: (Exchange) -> Void
    var phase = Phase.asking
    var task: Task<Void, Never>?
    var stored: BodyStream?
    var isReading = false
    var remaining: Int64?
    var roomWanted: EventLoopPromise<Void>?

    /// The answer, once there is one.
    var answer: ServerAnswer?
    /// The bytes of the body that were handed to the connection.
    var sentBytes: Int64 = 0
    /// Whether the whole answer was handed to the connection.
    var isComplete = false
    /// When it began.
    let began = NIODeadline.now()
    /// The same by the clock that logs go by.
    let asked: Timestamp

    init(
        _ request: ServerRequest,
        service: Serving,
        loop: any EventLoop,
        sink: any AnswerSink,
        onEnd: @escaping (Exchange) -> Void
    ) {
        self.request = request
        self.service = service
        self.loop = loop
        self.sink = sink
        self.onEnd = onEnd
        asked = service.now()
    }

    /// Whether there is an answer.
    var isAnswered: Bool { phase != .asking }

    // MARK: Asking

    /// Asks for the answer; it may be sent before this returns.
    func start() {
        if let refusal = HostCheck.refusal(request) {
            return deliver(ServerAnswer(refusal, isHead: request.isHead, now: service.now()))
        }
        if let page = OwnPages.page(request) {
            let (request, service) = (request, service)
            return run { await OwnPages.answer(page, to: request, service: service) }
        }
        if let answer = service.responder.ready(request) { return deliver(answer) }
        guard let lookup = service.lookup else { return ask() }
        let (request, loop) = (request, loop)
        let bound = NIOLoopBound(self, eventLoop: loop)
        NIOThreadPool.singleton.submit { state in
            let result = Result { () throws -> (ServerAnswer, ByteBuffer?, BodyStream?)? in
                guard case .active = state else { throw CancellationError() }
                guard var answer = try lookup.lookUp(request) else { return nil }
                guard case .stored(var stream) = answer.body, !request.isHead else { return (answer, nil, nil) }
                let first = try stream.next()
                answer.body = .none
                return (answer, first ?? ByteBuffer(), stream)
            }
            loop.execute { bound.value.lookedUp(result) }
        }
    }

    private func lookedUp(_ result: Result<(ServerAnswer, ByteBuffer?, BodyStream?)?, any Error>) {
        guard phase == .asking else { return }
        switch result {
        case .success(let (answer, first, stream)?):
            if let first { begin(answer, first: first, rest: stream) } else { deliver(answer) }
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

    /// Asks in a task, which is cancelled when the client goes away.
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

    func fail(_ error: any Error) {
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
}
