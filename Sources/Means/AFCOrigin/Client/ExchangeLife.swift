/// The error for a connection that was closed before any of the request was sent, so that any request may be repeated.
struct NotBegun: Error {}

/// A pure state machine for the exchanges of a connection, one after the other, which decides what happens to the
/// connection.
///
/// - **Only the peer ends a body**, by its framing or by closing its side. If this side closes the connection, or it is
///   lost, an incomplete response fails.
/// - **The connection is closed** if anything fails, if the origin doesn't keep it open, and if an unfinished exchange
///   is abandoned; also after a request with a body, since an origin that didn't read the body takes it for the next
///   request (RFC 9112 §11.2). If the response is complete and the request is sent, abandoning the exchange frees the connection
///   instead.
/// - **An exchange keeps its slot** from its start until the connection is free or closed.
/// - **Calls name their exchange** by a rising number, so that a late call doesn't affect the next exchange, and an
///   exchange that is abandoned before it begins never begins.
struct ExchangeLife {
    /// The next action for the connection.
    enum Action {
        case keep
        case free
        case close
    }

    enum Phase {
        /// There is no exchange, or it is over.
        case free
        /// More of the response may come.
        case receiving
        /// The response is complete, but its end hasn't been read yet.
        case whole
        /// The whole response was read; the request is still being sent, or bytes pass through.
        case taken
        /// The response failed.
        case failed
    }

    private(set) var isClosed = false
    /// True if bytes pass through unchanged in both directions.
    private(set) var isRaw = false
    /// True if all of the request was sent.
    private(set) var isSent = true
    private let isStream: Bool
    private(set) var phase = Phase.free
    private var number = 0
    private var keepsConnection = false
    private var hasBody = false

    /// - Parameter isStream: True if the channel carries a single exchange and ends with it.
    init(isStream: Bool) { self.isStream = isStream }

    var isBusy: Bool { phase != .free }
    var isReceiving: Bool { phase == .receiving }
    /// True if the response was read, and only the rest of the request keeps the connection busy.
    var isOnlySending: Bool { phase == .taken && !isRaw }

    /// Returns true if a call belongs to the current exchange.
    func isCurrent(_ number: Int) -> Bool { isBusy && self.number == number }

    /// Begins an exchange.
    ///
    /// - Throws: `CancellationError` if it was abandoned before, ``NotBegun`` if the connection was closed.
    mutating func begin(_ number: Int, hasBody: Bool) throws {
        guard number > self.number else { throw CancellationError() }
        switch phase {
        case .free where !isClosed: break
        case .free, .receiving, .whole, .taken, .failed: throw NotBegun()
        }
        self.number = number
        phase = .receiving
        isSent = !hasBody
        self.hasBody = hasBody
    }

    /// Passes bytes through unchanged from now on.
    mutating func becomeRaw() { isRaw = true }

    /// Notes that the origin ended the response.
    mutating func end(keepsConnection: Bool) -> Action {
        switch phase {
        case .receiving:
            phase = .whole
            // The requests of streams can't run into one another.
            self.keepsConnection = keepsConnection && (isStream || !hasBody)
            return keepsConnection || isRaw || isStream && isSent ? .keep : .close
        case .free, .whole, .taken, .failed: return .keep
        }
    }

    /// Notes that the reader has read the end of the response.
    mutating func take() -> Action {
        switch phase {
        case .whole:
            phase = .taken
            return settle()
        case .free, .receiving, .taken, .failed: return .keep
        }
    }

    /// Notes that the whole request was sent.
    mutating func send() -> Action {
        isSent = true
        switch phase {
        case .taken: return settle()
        case .free, .receiving, .whole, .failed: return .keep
        }
    }

    /// Notes that the response won't be complete.
    mutating func fail() {
        switch phase {
        case .receiving: phase = .failed
        case .free, .whole, .taken, .failed: break
        }
    }

    /// Notes that the reader has gone.
    mutating func abandon(_ number: Int) -> Action {
        guard number >= self.number else { return .keep }
        guard number == self.number else {
            self.number = number
            return .close
        }
        switch phase {
        case .free: return .keep
        case .whole where isSent && !isRaw: return take()
        case .receiving, .whole, .taken, .failed: return .close
        }
    }

    /// Notes that the connection is closed; received bytes can still be read.
    mutating func close() { isClosed = true }

    private mutating func settle() -> Action {
        guard isSent, !isRaw else { return .keep }
        phase = .free
        return isClosed || isStream ? .keep : keepsConnection ? .free : .close
    }
}
