internal import Synchronization
internal import URLStandard

/// A request on its way to the origin, for which several clients may wait.
final class Flight: Sendable {
    /// What came of it.
    enum Outcome: Sendable {
        /// The answer for whoever began, and for nobody else.
        case own(ResolverResponse)
        /// A response that is being stored, for everybody whom it suits.
        case shared(SharedResponse)
        /// The origin gave no response.
        case failed(TransportFailure)
    }

    private struct State {
        var outcome: Outcome?
        var waiters: [UInt64: CheckedContinuation<Outcome, any Error>] = [:]
        var next: UInt64 = 0
        var onLastWaiter: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// What came of it, once it is known.
    ///
    /// - Throws: `CancellationError` where the caller is cancelled.
    func outcome() async throws -> Outcome {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = state.withLock { state -> Outcome? in
                    if let outcome = state.outcome { return outcome }
                    state.waiters[number] = continuation
                    return nil
                }
                if let known { continuation.resume(returning: known) } else if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func cancel(_ number: UInt64) {
        let (waiter, action) = state.withLock {
            state -> (CheckedContinuation<Outcome, any Error>?, (@Sendable () -> Void)?) in
            let waiter = state.waiters.removeValue(forKey: number)
            return (waiter, waiter != nil && state.waiters.isEmpty ? state.onLastWaiter : nil)
        }
        waiter?.resume(throwing: CancellationError())
        action?()
    }

    /// Calls a closure when the last of those who wait has gone, before there is an outcome.
    func onLastWaiter(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onLastWaiter = action } }

    /// Tells everybody; the first call counts.
    func resolve(_ outcome: Outcome) {
        let waiters = state.withLock { state -> [UInt64: CheckedContinuation<Outcome, any Error>] in
            guard state.outcome == nil else { return [:] }
            state.outcome = outcome
            state.onLastWaiter = nil
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume(returning: outcome) }
    }
}

/// The flights that others may join, by URL.
final class Flights: Sendable {
    private let state = Mutex<[WebURL: Flight]>([:])

    /// The flight of a URL; a new one, which the caller is to begin, where there is none.
    func join(_ url: WebURL) -> (flight: Flight, isNew: Bool) {
        state.withLock { flights in
            if let flight = flights[url] { return (flight, false) }
            let flight = Flight()
            flights[url] = flight
            return (flight, true)
        }
    }

    /// Ends a flight: whoever comes now looks into the store.
    func leave(_ url: WebURL, _ flight: Flight) {
        state.withLock { flights in
            if flights[url] === flight { flights[url] = nil }
        }
    }
}
