internal import Synchronization

/// The number of connections in use per host, and the tasks that wait for one.
final class ConnectionSlots: Sendable {
    private typealias Waiter = CheckedContinuation<Void, any Error>

    /// The right to use one connection of a host.
    final class Slot: Sendable {
        private let slots: ConnectionSlots
        private let host: String
        private let isGiven = Atomic(false)

        fileprivate init(_ slots: ConnectionSlots, _ host: String) {
            self.slots = slots
            self.host = host
        }

        /// Returns the slot; only the first call counts.
        func give() { if !isGiven.exchange(true, ordering: .acquiringAndReleasing) { slots.give(host) } }
    }

    private struct Host {
        var inUse = 0
        /// The waiting tasks, in the order of their numbers.
        var waiting: [(number: Int, waiter: Waiter)] = []
    }

    private struct State {
        var hosts: [String: Host] = [:]
        var lastNumber = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: The most connections that one host may have in use.
    init(limit: Int) { self.limit = max(1, limit) }

    /// Waits for a slot of a host, after all tasks that already wait.
    ///
    /// - Returns: The slot, which must be returned.
    /// - Throws: `CancellationError`; then there is no slot to return.
    func take(_ host: String) async throws -> Slot {
        let slot = Slot(self, host)
        if takeFree(host) { return slot }
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: Waiter) in
                if let result = wait(waiter, number, for: host) { waiter.resume(with: result) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let place = state.hosts[host]?.waiting.firstIndex(where: { $0.number == number }) else {
                    return nil
                }
                return state.hosts[host]?.waiting.remove(at: place).waiter
            }
            waiter?.resume(throwing: CancellationError())
        }
        return slot
    }

    /// Passes a slot to the task that has waited longest.
    private func give(_ host: String) {
        let waiter = state.withLock { state -> Waiter? in
            guard let first = state.hosts[host]?.waiting.first else {
                state.hosts[host]?.inUse -= 1
                if state.hosts[host]?.inUse == 0 { state.hosts[host] = nil }
                return nil
            }
            state.hosts[host]?.waiting.removeFirst()
            return first.waiter
        }
        waiter?.resume()
    }

    /// Returns the number of a host's slots in use.
    func inUse(_ host: String) -> Int { state.withLock { $0.hosts[host]?.inUse ?? 0 } }

    private func takeFree(_ host: String) -> Bool {
        state.withLock { state in
            guard state.hosts[host, default: Host()].inUse < limit else { return false }
            state.hosts[host, default: Host()].inUse += 1
            return true
        }
    }

    /// Adds a waiting task, unless its wait is already over.
    private func wait(_ waiter: Waiter, _ number: Int, for host: String) -> Result<Void, any Error>? {
        state.withLock { state in
            // The cancellation handler may already have run, and found no waiter.
            if Task.isCancelled { return .failure(CancellationError()) }
            guard state.hosts[host, default: Host()].inUse >= limit else {
                state.hosts[host, default: Host()].inUse += 1
                return .success(())
            }
            state.hosts[host]?.waiting.append((number, waiter))
            return nil
        }
    }
}
