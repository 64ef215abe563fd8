internal import AFCHTTP
internal import AFCSearch
internal import HTTPTypes
internal import Logging
internal import NIOCore

/// The state that all connections of a server share.
final class Serving: Sendable {
    /// The responder that answers requests.
    let responder: any Responding
    /// True if the responder has pages for versions of resources.
    let keepsVersions: Bool
    /// The same responder, if it can look answers up.
    let lookup: (any LookingUp)?
    /// The limits of one connection.
    let limits: Server.Configuration.Limits
    /// The clock.
    let now: @Sendable () -> Timestamp
    /// The closure called for each answer.
    let onAnswer: (@Sendable (AccessRecord) -> Void)?
    /// True if each response says how long it took.
    let sendsTiming: Bool
    /// The list of URLs that aren't stored; nil if there is none.
    let missing: MissingURLs?
    /// The list of requests that were stopped; nil if there is none.
    let stopped: StoppedRequests?
    /// Returns the server's identity on a connection, by the local port and address.
    let identity: @Sendable (UInt16, String?) -> ServerIdentity
    /// The answers that may be repeated.
    let hot: HotTable
    /// The event loops of the connections.
    let loops: [Loop]
    /// The TLS contexts, one per certificate.
    let secureContexts = SecureContexts()
    /// The search over the cache; nil if there is none.
    let search: SearchLibrary?
    /// The service for agents; nil for none.
    let endpoint: (any OwnEndpoint)?
    /// The threads for long work of single requests.
    let longWork = WorkLane(limit: max(1, System.coreCount / 2))
    /// Throws if the server isn't healthy.
    let health: @Sendable () throws -> Void
    /// The logger for errors.
    let logger: Logger

    init(
        responder: any Responding,
        configuration: Server.Configuration,
        loops: [Loop],
        logger: Logger
    ) {
        self.responder = responder
        lookup = responder as? any LookingUp
        keepsVersions = (responder as? CacheResponder)?.kept != nil
        limits = configuration.limits
        now = configuration.now
        onAnswer = configuration.onAnswer
        sendsTiming = configuration.sendsTiming
        missing = configuration.missing
        stopped = configuration.stopped
        identity = { ServerIdentity(port: $0, address: $1, configuration) }
        hot = HotTable(byteLimit: configuration.memoryBytes)
        self.loops = loops
        search = configuration.search
        endpoint = configuration.endpoint
        health = configuration.health
        self.logger = logger
    }

    /// Counts a request that got nothing.
    func note(_ request: UnansweredRequest) {
        switch request {
        case .missing(let request): missing?.note(request)
        case .stopped(let url): stopped?.note(url)
        }
    }

    /// Counts and logs the refusal of malformed input.
    func reportRefusal(_ answer: ServerAnswer, bytes: Int, _ connection: ConnectionContext, state: LoopState) {
        state.counters.count(
            status: answer.status.code,
            verdict: .own,
            bytes: Int64(bytes),
            microseconds: 0,
            isComplete: true
        )
        guard let onAnswer else { return }
        var request = ServerRequest(method: "-", target: "-", hosts: [], server: connection.server)
        request.remoteAddress = connection.remoteAddress
        var record = AccessRecord(request, answer: answer, time: now())
        record.bytes = Int64(bytes)
        record.isComplete = true
        onAnswer(record)
    }
}
