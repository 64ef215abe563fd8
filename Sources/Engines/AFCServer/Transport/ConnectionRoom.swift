internal import Logging
internal import NIOCore
internal import Synchronization

/// The count of open connections on all sockets of a server, and the listeners that wait for room.
final class ConnectionRoom: Sendable {
    /// A connection that may be closed to make room; the smallest one is closed first.
    struct Idle: Comparable, Sendable {
        /// The connection's identity in its loop.
        let connection: ObjectIdentifier
        /// The state that was seen.
        let view: ConnectionClock.View
        /// The time since which the connection has been quiet.
        let since: NIODeadline
        /// The connection's loop.
        let part: Loop

        /// Compares by idle time: the connection that has been idle longest is closed first.
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

    /// Sets the loops of the connections.
    func begin(_ loops: [Loop]) { state.withLock { $0.loops = loops } }

    /// True if the limit of open connections is reached.
    var isFull: Bool { state.withLock { $0.open >= limit } }

    /// Counts a new connection.
    ///
    /// - Returns: True if it took the last place.
    func enter() -> Bool {
        state.withLock { state in
            state.open += 1
            return state.open >= limit
        }
    }

    /// Counts a closed connection, and wakes the listeners that wait.
    func leave() {
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            state.open -= 1
            guard state.open < limit else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for wake in waiting { wake() }
    }

    /// Checks for room for one more connection.
    ///
    /// - Parameter wake: A closure called once, from any thread, when there may be room; not called if there is room
    ///   now.
    /// - Returns: True if there is room now.
    func hasRoom(orLater wake: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if state.open < limit { return true }
            state.waiting.append(wake)
            return false
        }
    }

    /// Closes a few idle connections, at most one in 64 of the limit, if there is no room for others.
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
        // Closing several at once saves each new connection from asking all loops.
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
