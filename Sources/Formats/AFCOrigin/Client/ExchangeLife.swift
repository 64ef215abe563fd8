/// A connection was closed before anything of a request was sent on it, so that any request may be sent again.
struct NotBegun: Error {}

/// The exchanges of a connection, one after the other: a pure state machine that says what becomes of the connection.
///
/// - **The peer alone ends a body**, by its framing or by closing its side. A connection that this side closes, or that is lost,
///   fails a response that isn't whole.
/// - **The connection is closed** when anything fails, when the origin doesn't keep it, and when an exchange is abandoned that
///   isn't over: one whose response is whole and whose request is sent frees it instead.
/// - **An exchange keeps its slot** from the beginning until the connection is free or closed.
/// - **Calls name their exchange** by a number that rises, so that a late one doesn't mean the next exchange, and an exchange that
///   is abandoned before it begins never begins.
struct ExchangeLife {
    /// What becomes of the connection.
    enum Action {
        case keep
        case free
        case close
    }

    private enum Phase {
        /// There is no exchange, or it is over.
        case free
        /// More of the response may come.
        case receiving
        /// All of the response came, and its end isn't taken yet.
        case whole
        /// All of it is taken; the request is still being sent, or bytes as they are.
        case taken
        /// The response failed.
        case failed
    }

    private(set) var isClosed = false
    /// Whether bytes are carried as they are, in both directions.
    private(set) var isRaw = false
    /// Whether all of the request was sent.
    private(set) var isSent = true
    private let isStream: Bool
    private var phase = Phase.free
    private var number = 0
    private var keepsConnection = false

    /// - Parameter isStream: Whether the channel carries one exchange and ends by itself with it.
    init(isStream: Bool) { self.isStream = isStream }

    var isBusy: Bool { phase != .free }
    var isReceiving: Bool { phase == .receiving }
    /// Whether the response is taken, and only the rest of the request keeps the connection busy.
    var isOnlySending: Bool { phase == .taken && !isRaw }

    /// Whether a call means the exchange that has the connection.
    func isCurrent(_ number: Int) -> Bool { isBusy && self.number == number }

    /// Begins an exchange.
    ///
    /// - Throws: `CancellationError` where it was abandoned before, ``NotBegun`` where the connection was closed.
    mutating func begin(_ number: Int, hasBody: Bool) throws {
        guard number > self.number else { throw CancellationError() }
        guard !isClosed, !isBusy else { throw NotBegun() }
        self.number = number
        phase = .receiving
        isSent = !hasBody
    }

    /// Carries bytes as they are from now on.
    mutating func becomeRaw() { isRaw = true }

    /// The origin ended the response.
    mutating func end(keepsConnection: Bool) -> Action {
        phase = .whole
        self.keepsConnection = keepsConnection
        return keepsConnection || isRaw || isStream && isSent ? .keep : .close
    }

    /// The reader takes the end of the response.
    mutating func take() -> Action {
        phase = .taken
        return settle()
    }

    /// The last of the request was sent.
    mutating func send() -> Action {
        isSent = true
        return phase == .taken ? settle() : .keep
    }

    /// The response won't become whole.
    mutating func fail() { if phase == .receiving { phase = .failed } }

    /// The reader leaves.
    mutating func abandon(_ number: Int) -> Action {
        guard number >= self.number else { return .keep }
        guard number == self.number else {
            self.number = number
            return .close
        }
        guard isBusy else { return .keep }
        return phase == .whole && isSent && !isRaw ? take() : .close
    }

    /// The connection is closed; what came can still be taken.
    mutating func close() { isClosed = true }

    private mutating func settle() -> Action {
        guard isSent, !isRaw else { return .keep }
        phase = .free
        return isClosed || isStream ? .keep : keepsConnection ? .free : .close
    }
}
