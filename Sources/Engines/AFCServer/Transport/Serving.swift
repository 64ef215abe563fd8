internal import AFCHTTP
internal import HTTPTypes
internal import Logging
internal import NIOCore

/// What all connections of a server share.
final class Serving: Sendable {
    /// Who answers.
    let responder: any Responding
    /// The same where it looks up.
    let lookup: (any LookingUp)?
    /// What bounds a connection.
    let limits: OfflineServer.Configuration.Limits
    /// The clock.
    let now: @Sendable () -> Timestamp
    /// Told of each answer.
    let onAnswer: (@Sendable (AccessRecord) -> Void)?
    /// The hosts that mean this server beyond the loopback names.
    let boundHosts: [String]
    /// The loops that connections live on.
    let loops: [Loop]
    /// The TLS of each certificate.
    let secureContexts = SecureContexts()
    /// Told of what goes wrong.
    let logger: Logger

    init(
        responder: any Responding,
        configuration: OfflineServer.Configuration,
        loops: [Loop],
        logger: Logger
    ) {
        self.responder = responder
        lookup = responder as? any LookingUp
        limits = configuration.limits
        now = configuration.now
        onAnswer = configuration.onAnswer
        boundHosts = [configuration.host]
        self.loops = loops
        self.logger = logger
    }

    /// Counts a refusal of what can't be understood, and tells the log of it.
    func reportRefusal(_ status: HTTPResponse.Status, _ connection: ConnectionContext, state: LoopState) {
        state.counters.count(status: status.code, verdict: .own, bytes: 0, microseconds: 0, isComplete: true)
        guard let onAnswer else { return }
        var request = ServerRequest(method: "-", target: "-", hosts: [], server: connection.server)
        request.remoteAddress = connection.remoteAddress
        var record = AccessRecord(request, answer: ServerAnswer(status: status), time: now())
        record.isComplete = true
        onAnswer(record)
    }
}
