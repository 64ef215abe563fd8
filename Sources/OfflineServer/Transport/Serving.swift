internal import HTTPCaching
internal import Logging

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

    /// Tells of an answer that has gone out, or has failed to.
    func report(_ exchange: Exchange) {
        guard let answer = exchange.answer, let onAnswer else { return }
        var record = AccessRecord(method: exchange.request.method, target: exchange.request.target, answer: answer)
        record.bytes = exchange.sentBytes
        record.isComplete = exchange.isComplete
        onAnswer(record)
    }
}
