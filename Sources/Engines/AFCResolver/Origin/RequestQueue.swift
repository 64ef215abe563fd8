internal import Synchronization

/// A queue of requests: the highest priority goes first and, within a priority, the oldest.
final class RequestQueue: Sendable {
    private struct Waiter {
        var number: UInt64
        var priority: RequestPriority
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var running = 0
        var waiters: [Waiter] = []
        var next: UInt64 = 0
    }

    private enum Step {
        case run
        case wait
        case refuse
    }

    private let limit: Int
    private let waitingLimit: Int
    private let state = Mutex(State())

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - limit: The most requests at a time.
    ///   - waitingLimit: The most requests that wait.
    init(limit: Int, waitingLimit: Int) {
        self.limit = max(1, limit)
        self.waitingLimit = waitingLimit
    }

    /// The number of requests that wait.
    var waiting: Int { state.withLock { $0.waiters.count } }
    /// The number of requests whose turn it is.
    var running: Int { state.withLock { $0.running } }

    /// Waits for a turn, which ends with ``Turn/end()`` or when the value is released.
    func take(_ priority: RequestPriority) async throws(TransportFailure) -> Turn {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        do {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { enter(number, priority, $0) }
            } onCancel: {
                cancel(number)
            }
        } catch {
            throw TransportFailure(error)
        }
        return Turn(queue: self)
    }

    private func enter(
        _ number: UInt64,
        _ priority: RequestPriority,
        _ continuation: CheckedContinuation<Void, any Error>
    ) {
        let step = state.withLock { state -> Step in
            if state.running < limit {
                state.running += 1
                return .run
            }
            guard state.waiters.count < waitingLimit else { return .refuse }
            state.waiters.append(Waiter(number: number, priority: priority, continuation: continuation))
            return .wait
        }
        switch step {
        case .run: continuation.resume()
        case .wait: if Task.isCancelled { cancel(number) }
        case .refuse:
            continuation.resume(
                throwing: TransportFailure(
                    .refused,
                    "\(waitingLimit) requests are already waiting; try again later",
                    cause: .tooManyRequests
                )
            )
        }
    }

    private func cancel(_ number: UInt64) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.number == number }) else { return nil }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(throwing: CancellationError())
    }

    /// Passes the place to the next request.
    fileprivate func leave() {
        let waiter = state.withLock { state -> Waiter? in
            guard let highest = state.waiters.map(\.priority).max(),
                let index = state.waiters.firstIndex(where: { $0.priority == highest })
            else {
                state.running -= 1
                return nil
            }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume()
    }

    /// The right of a request to be sent.
    final class Turn: Sendable {
        private let queue: RequestQueue
        private let hasEnded = Mutex(false)

        fileprivate init(queue: RequestQueue) { self.queue = queue }

        deinit { end() }

        /// Passes the place to the next request; the first call counts.
        func end() {
            let isFirst = hasEnded.withLock { hasEnded in
                defer { hasEnded = true }
                return !hasEnded
            }
            if isFirst { queue.leave() }
        }
    }
}

/// The priority of a request among those that wait.
public enum RequestPriority: Int, Comparable, CaseIterable, Sendable {
    /// For resources that may be needed later.
    case low
    /// For resources that are needed.
    case normal
    /// For resources that a user is waiting for.
    case high

    /// Returns true if the first priority is lower than the second.
    public static func < (one: RequestPriority, other: RequestPriority) -> Bool { one.rawValue < other.rawValue }
}
