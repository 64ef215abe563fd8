internal import NIOCore

/// Decides when the time of a connection has run out, from what has moved since it was looked at before.
struct ConnectionClock {
    /// What a connection is to those that wait for its place.
    enum Use {
        /// Something is on its way, so that it keeps its place.
        case busy
        /// Nothing is on its way.
        case idle
        /// Bytes pass through, about which nothing else is known: a quiet one may be in use all the same.
        case tunnel
    }

    /// What can be seen of a connection.
    struct View: Equatable {
        /// How many answers have ended.
        var answered: Int
        /// The bytes that have left for the socket.
        var sent: Int
        /// The bytes of bodies that came.
        var received: Int
        /// Whether bytes wait for room in the socket.
        var isSending: Bool
        /// Whether bytes of a request's body are due.
        var isReceiving: Bool
        /// Whether an answer is being made.
        var isAnswering: Bool
        /// Whether this side is closed.
        var isLingering: Bool
        /// What it is to those that wait for its place.
        var use = Use.busy
    }

    private var last: View?
    /// Since when the connection is in the state that `last` shows.
    private var since = NIODeadline.distantPast

    /// Begins to count.
    mutating func begin(at now: NIODeadline) { since = now }

    /// Whether the time has run out.
    ///
    /// A head that arrives byte by byte doesn't move anything here, so that it doesn't keep a connection open.
    mutating func isOver(_ view: View, now: NIODeadline, limits: OfflineServer.Configuration.Limits) -> Bool {
        guard isStill(view, now: now) else { return false }
        if view.use == .tunnel {
            return since + (view.isLingering && !view.isSending ? limits.lingerTimeout : limits.tunnelTimeout) <= now
        }
        if view.isSending { return since + limits.stallTimeout <= now }
        if view.isLingering { return since + limits.lingerTimeout <= now }
        if view.isReceiving { return since + limits.stallTimeout <= now }
        return !view.isAnswering && since + limits.idleTimeout <= now
    }

    /// Since when the connection is as it is now.
    mutating func stillSince(_ view: View, now: NIODeadline) -> NIODeadline {
        _ = isStill(view, now: now)
        return since
    }

    private mutating func isStill(_ view: View, now: NIODeadline) -> Bool {
        if last == view { return true }
        // The first look comes a while after the connection began.
        if last != nil { since = now }
        last = view
        return false
    }
}
