internal import NIOCore

/// The clock that decides when a connection has timed out, from its progress since the last look.
struct ConnectionClock {
    /// The state of a connection for those that wait for a free place.
    enum Use {
        /// A request or answer is in progress, so the connection keeps its place.
        case busy
        /// Nothing is in progress.
        case idle
        /// Only a request's body is in progress, which may never end.
        case receiving
        /// A tunnel, about whose use nothing is known: it may be in use even when it is quiet.
        case tunnel
    }

    /// The visible state of a connection.
    struct View: Equatable {
        /// The number of answers that have ended.
        var answered: Int
        /// The bytes handed to the socket.
        var sent: Int
        /// The bytes of bodies received.
        var received: Int
        /// True if bytes wait for room in the socket.
        var isSending: Bool
        /// True if bytes of a request's body are expected.
        var isReceiving: Bool
        /// True if an answer is being made.
        var isAnswering: Bool
        /// True if this side is closed.
        var isLingering: Bool
        /// The state of the connection for those that wait for a free place.
        var use = Use.busy
    }

    /// The bytes of a body that together count as progress: a client that sends one at a time could hold a place for weeks.
    private static let leastReceived = 1024

    private var last: View?
    /// The time since which the connection is in the state `last`.
    private var since = NIODeadline.distantPast

    /// Starts the clock.
    mutating func begin(at now: NIODeadline) { since = now }

    /// Returns true if the connection has timed out.
    ///
    /// A head that arrives byte by byte doesn't count as progress, so it doesn't keep a connection open.
    mutating func isOver(_ view: View, now: NIODeadline, limits: Server.Configuration.Limits) -> Bool {
        guard isStill(view, now: now) else { return false }
        if view.use == .tunnel {
            return since + (view.isLingering && !view.isSending ? limits.lingerTimeout : limits.tunnelTimeout) <= now
        }
        if view.isSending { return since + limits.stallTimeout <= now }
        if view.isLingering { return since + limits.lingerTimeout <= now }
        if view.isReceiving { return since + limits.stallTimeout <= now }
        return !view.isAnswering && since + limits.idleTimeout <= now
    }

    /// Returns the time since which the connection is in its current state.
    mutating func stillSince(_ view: View, now: NIODeadline) -> NIODeadline {
        _ = isStill(view, now: now)
        return since
    }

    private mutating func isStill(_ view: View, now: NIODeadline) -> Bool {
        var view = view
        if view.isReceiving, let last, (0..<Self.leastReceived).contains(view.received &- last.received) {
            view.received = last.received
        }
        if last == view { return true }
        // The first look comes a while after the connection began.
        if last != nil { since = now }
        last = view
        return false
    }
}
