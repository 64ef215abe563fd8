internal import Logging
internal import NIOCore
internal import Synchronization

/// The count of open connections on all sockets of a server, and the listeners that wait until there is room again.
final class ConnectionRoom: Sendable {
    /// A connection that can give way to others; the least one goes first.
    struct Idle: Comparable, Sendable {
        /// The connection among those of its loop.
        let connection: ObjectIdentifier
        /// What was seen of it.
        let view: ConnectionClock.View
        /// Since when nothing has moved.
        let since: NIODeadline
        /// Where it lives.
        let part: Loop

        /// The one place that decides who goes first: whoever has been idle longest.
        static func < (left: Idle, right: Idle) -> Bool {
            (left.since, left.connection) < (right.since, right.connection)
        }

        static func == (left: Idle, right: Idle) -> Bool {
            (left.since, left.connection) == (right.since, right.connection)
        }
    }

    private struct State {
        var open = 0
        var waiting: [@Sendable () -> Void] = []
        var loops: [Loop] = []
        var isMakingRoom = false
        var lastComplaint: NIODeadline?
    }

    /// The most connections at a time.
    private let limit: Int
    private let logger: Logger
    private let state = Mutex(State())

    init(limit: Int, logger: Logger) {
        self.limit = limit
        self.logger = logger
    }

    /// Says where the connections live.
    func begin(_ loops: [Loop]) { state.withLock { $0.loops = loops } }

    /// A Boolean value that is true where the limit of open connections is reached.
    var isFull: Bool { state.withLock { $0.open >= limit } }

    /// Counts a connection in.
    ///
    /// - Returns: Whether it took the last place.
    func enter() -> Bool {
        state.withLock { state in
            state.open += 1
            return state.open >= limit
        }
    }

    /// Counts a connection out, and calls those who wait.
    func leave() {
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            state.open -= 1
            guard state.open < limit else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for wake in waiting { wake() }
    }

    /// Tells whether one connection more may be accepted.
    ///
    /// - Parameter wake: Called once, from any thread, when there may be room; not where there is some now.
    /// - Returns: Whether there is room now.
    func hasRoom(orLater wake: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if state.open < limit { return true }
            state.waiting.append(wake)
            return false
        }
    }

    /// Closes a few idle connections, at most one in 64 of the limit, where there is no room for others.
    func makeRoom() {
        let now = NIODeadline.now()
        let loops = state.withLock { state -> [Loop] in
            guard state.open >= limit, !state.isMakingRoom else { return [] }
            state.isMakingRoom = true
            if state.lastComplaint.map({ $0 + .minutes(1) <= now }) ?? true {
                state.lastComplaint = now
                logger.warning(
                    "connection limit reached; closing idle connections",
                    metadata: ["limit": "\(limit)"]
                )
            }
            return state.loops
        }
        guard let first = loops.first else { return }
        // A few at once, or each new connection would ask all loops.
        let count = max(1, limit / 64)
        let idle = loops.map { part in part.loop.submit { part.state.value.idle(count, now: now, part: part) } }
        EventLoopFuture.whenAllComplete(idle, on: first.loop).whenSuccess { lists in
            let all = lists.flatMap { (try? $0.get()) ?? [] }
            for idle in all.sorted().prefix(count) {
                idle.part.loop.execute { idle.part.state.value.close(idle, now: .now()) }
            }
            self.state.withLock { $0.isMakingRoom = false }
        }
    }
}
