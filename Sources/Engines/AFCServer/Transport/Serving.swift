internal import AFCCaching
internal import AFCHTTP
internal import HTTPTypes
internal import Logging
internal import NIOCore

/// What all connections of a server share.
struct Serving: Sendable {
    /// Who answers.
    var responder: any Responding
    /// The same where it looks up.
    var lookup: (any LookingUp)?
    /// What bounds a connection.
    var limits: OfflineServer.Configuration.Limits
    /// The clock.
    var now: @Sendable () -> Timestamp
    /// Told of each answer.
    var onAnswer: (@Sendable (AccessRecord) -> Void)?
    /// The hosts that mean this server beyond the loopback names.
    var boundHosts: [String]
    /// The loops that connections live on.
    var loops: [Loop] = []
    /// The TLS of each certificate.
    let secureContexts = SecureContexts()
    /// Told of what goes wrong.
    var logger: Logger

    init(
        responder: any Responding,
        configuration: OfflineServer.Configuration,
        logger: Logger
    ) {
        self.responder = responder
        lookup = responder as? any LookingUp
        limits = configuration.limits
        now = configuration.now
        onAnswer = configuration.onAnswer
        boundHosts = [configuration.host]
        self.logger = logger
    }

    /// Counts an answer that has gone out, or has failed to, and tells the log of it.
    func report(_ exchange: Exchange, state: LoopState) {
        guard let answer = exchange.answer else { return }
        let microseconds = (NIODeadline.now() - exchange.began).nanoseconds / 1000
        state.counters.count(
            status: answer.status.code,
            verdict: Counters.Verdict(cacheStatus: answer.fields[.cacheStatus] ?? ""),
            bytes: exchange.sentBytes,
            microseconds: microseconds,
            isComplete: exchange.isComplete
        )
        guard let onAnswer else { return }
        var record = AccessRecord(exchange.request, answer: answer, time: exchange.asked)
        record.bytes = exchange.sentBytes
        record.microseconds = microseconds
        record.isComplete = exchange.isComplete
        onAnswer(record)
    }

    /// Counts a 400 to what was no HTTP, and tells the log of it.
    func reportMalformed(_ connection: ConnectionContext, state: LoopState) {
        state.counters.count(status: 400, verdict: .own, bytes: 0, microseconds: 0, isComplete: true)
        guard let onAnswer else { return }
        var request = ServerRequest(method: "-", target: "-", hosts: [], server: connection.server)
        request.remoteAddress = connection.remoteAddress
        var record = AccessRecord(request, answer: ServerAnswer(status: .badRequest), time: now())
        record.isComplete = true
        onAnswer(record)
    }
}
