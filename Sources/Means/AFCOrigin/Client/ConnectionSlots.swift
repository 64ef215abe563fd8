internal import NIOCore
internal import Synchronization

/// The number of exchanges in progress, for each origin and in all, and the tasks that wait for one.
final class ConnectionSlots: Sendable {
    /// A scheme, host and port.
    struct Origin: Hashable, Sendable {
        var host: String
        var port: UInt16
        var isSecure: Bool
    }

    private typealias Waiter = CheckedContinuation<Void, any Error>

    /// The right to one exchange with an origin.
    final class Slot: Sendable {
        private let slots: ConnectionSlots
        private let origin: Origin
        private let isGiven = Atomic(false)

        fileprivate init(_ slots: ConnectionSlots, _ origin: Origin) {
            self.slots = slots
            self.origin = origin
        }

        /// Returns the slot; only the first call counts.
        func give() { if !isGiven.exchange(true, ordering: .acquiringAndReleasing) { slots.give(origin) } }
    }

    private struct Queue {
        var inUse = 0
        /// The waiting tasks, in the order of their numbers.
        var waiting: [(number: Int, waiter: Waiter)] = []
    }

    private struct State {
        var queues: [Origin: Queue] = [:]
        /// The origins for which tasks wait.
        var awaited: Set<Origin> = []
        var inUse = 0
        var lastNumber = 0
    }

    private let limit: Int
    private let total: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: The most exchanges with one origin at a time.
    ///   - total: The most exchanges with all origins together.
    init(limit: Int, total: Int) {
        self.limit = max(1, limit)
        self.total = max(1, total)
    }

    /// Waits for a slot of an origin, after all tasks that already wait for it.
    ///
    /// - Parameters:
    ///   - origin: The origin.
    ///   - patience: The longest wait, or nil for any.
    ///   - loop: The loop that measures the time.
    /// - Returns: The slot, which must be returned.
    /// - Throws: `CancellationError`, or ``ConnectionTrouble/busy``; then there is no slot to return.
    func take(_ origin: Origin, within patience: TimeAmount?, on loop: any EventLoop) async throws -> Slot {
        let slot = Slot(self, origin)
        let number = state.withLock { state -> Int? in
            guard !takeFree(origin, &state) else { return nil }
            state.lastNumber += 1
            return state.lastNumber
        }
        guard let number else { return slot }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: Waiter) in
                if let result = wait(waiter, number, for: origin) { return waiter.resume(with: result) }
                guard let patience else { return }
                loop.scheduleTask(in: patience) { self.leave(number, origin, ConnectionTrouble.busy) }
            }
        } onCancel: {
            leave(number, origin, CancellationError())
        }
        return slot
    }

    /// Ends the wait of a task, if it still waits.
    private func leave(_ number: Int, _ origin: Origin, _ error: any Error) {
        let waiter = state.withLock { state -> Waiter? in
            guard let place = state.queues[origin]?.waiting.firstIndex(where: { $0.number == number }) else {
                return nil
            }
            let waiter = state.queues[origin]?.waiting.remove(at: place).waiter
            tidy(origin, &state)
            return waiter
        }
        waiter?.resume(throwing: error)
    }

    /// Returns a slot, and passes it to the task that has waited longest of those that may have it.
    private func give(_ origin: Origin) {
        let waiter = state.withLock { state -> Waiter? in
            state.inUse -= 1
            state.queues[origin]?.inUse -= 1
            let next = state.awaited.filter { state.queues[$0].map { $0.inUse < limit } ?? false }
                .min { number($0, state) < number($1, state) }
            guard let next, let first = state.queues[next]?.waiting.first else {
                tidy(origin, &state)
                return nil
            }
            state.queues[next]?.waiting.removeFirst()
            state.queues[next]?.inUse += 1
            state.inUse += 1
            tidy(next, &state)
            tidy(origin, &state)
            return first.waiter
        }
        waiter?.resume()
    }

    private func number(_ origin: Origin, _ state: State) -> Int {
        state.queues[origin]?.waiting.first?.number ?? .max
    }

    /// Forgets what an origin no longer needs.
    private func tidy(_ origin: Origin, _ state: inout State) {
        guard let queue = state.queues[origin], queue.waiting.isEmpty else { return }
        state.awaited.remove(origin)
        if queue.inUse == 0 { state.queues[origin] = nil }
    }

    /// The number of slots in use.
    var inUse: Int { state.withLock { $0.inUse } }

    /// Returns the number of a host's slots in use, for all its origins.
    func inUse(_ host: String) -> Int {
        state.withLock { $0.queues.reduce(0) { $0 + ($1.key.host == host ? $1.value.inUse : 0) } }
    }

    private func takeFree(_ origin: Origin, _ state: inout State) -> Bool {
        let queue = state.queues[origin] ?? Queue()
        guard state.inUse < total, queue.inUse < limit, queue.waiting.isEmpty else { return false }
        state.queues[origin, default: Queue()].inUse += 1
        state.inUse += 1
        return true
    }

    /// Adds a waiting task, unless its wait is already over.
    private func wait(_ waiter: Waiter, _ number: Int, for origin: Origin) -> Result<Void, any Error>? {
        state.withLock { state in
            // The cancellation handler may already have run, and found no waiter.
            if Task.isCancelled { return .failure(CancellationError()) }
            guard !takeFree(origin, &state) else { return .success(()) }
            state.queues[origin, default: Queue()].waiting.append((number, waiter))
            state.awaited.insert(origin)
            return nil
        }
    }
}
