internal import NIOCore
internal import Synchronization

/// Which server a connection leads to.
struct OriginKey: Hashable, Sendable {
    var isSecure: Bool
    var host: String
    var port: UInt16
}

/// Connections that are open, by origin; bounds how many there are, and keeps those that are free for the next request.
final class ConnectionPool: Sendable {
    private struct Waiter {
        var number: UInt64
        var continuation: CheckedContinuation<OriginConnection?, any Error>
    }

    private struct Origin {
        var open = 0
        var free: [OriginConnection] = []
        var waiters: [Waiter] = []
    }

    private struct State {
        var origins: [OriginKey: Origin] = [:]
        var next: UInt64 = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Creates a pool.
    ///
    /// - Parameter limit: The most connections to one origin.
    init(limit: Int) { self.limit = limit }

    /// How many connections to an origin there are, or are being made.
    func open(_ key: OriginKey) -> Int { state.withLock { $0.origins[key]?.open ?? 0 } }

    private enum Step {
        case use(OriginConnection)
        case connect
        case wait
    }

    /// Waits for a free connection, or the right to make one.
    ///
    /// - Returns: A free connection, or nil where the caller is to make one and say so with ``opened(_:)`` or ``closed(_:)``.
    /// - Throws: `CancellationError` where nobody waits any more.
    func acquire(_ key: OriginKey, isFresh: Bool) async throws -> OriginConnection? {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let step = state.withLock { state -> Step in
                    while !isFresh, let connection = state.origins[key]?.free.popLast() {
                        if connection.channel.isActive { return .use(connection) }
                    }
                    if state.origins[key, default: Origin()].open < limit {
                        state.origins[key, default: Origin()].open += 1
                        return .connect
                    }
                    state.origins[key, default: Origin()].waiters.append(
                        Waiter(number: number, continuation: continuation)
                    )
                    return .wait
                }
                switch step {
                case .use(let connection): continuation.resume(returning: connection)
                case .connect: continuation.resume(returning: nil)
                case .wait: if Task.isCancelled { cancel(number, key) }
                }
            }
        } onCancel: {
            cancel(number, key)
        }
    }

    private func cancel(_ number: UInt64, _ key: OriginKey) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.origins[key]?.waiters.firstIndex(where: { $0.number == number }) else { return nil }
            return state.origins[key]?.waiters.remove(at: index)
        }
        waiter?.continuation.resume(throwing: CancellationError())
    }

    /// A connection can take another request.
    func free(_ connection: OriginConnection, _ key: OriginKey) {
        let waiter = state.withLock { state -> Waiter? in
            guard var origin = state.origins[key] else { return nil }
            defer { state.origins[key] = origin }
            if !origin.waiters.isEmpty { return origin.waiters.removeFirst() }
            origin.free.append(connection)
            return nil
        }
        waiter?.continuation.resume(returning: connection)
    }

    /// A connection is closed, or couldn't be made.
    func closed(_ key: OriginKey) {
        let waiter = state.withLock { state -> Waiter? in
            guard var origin = state.origins[key] else { return nil }
            origin.free.removeAll { !$0.channel.isActive }
            if !origin.waiters.isEmpty {
                // Its place goes to whoever waits first.
                let waiter = origin.waiters.removeFirst()
                state.origins[key] = origin
                return waiter
            }
            origin.open -= 1
            state.origins[key] = origin.open > 0 ? origin : nil
            return nil
        }
        waiter?.continuation.resume(returning: nil)
    }
}
