internal import AFCURL
internal import Synchronization

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

        /// The outcome for one of several.
        fileprivate var forOne: Outcome {
            if case .shared(let response) = self { return .shared(response.forOne) }
            return self
        }
    }

    private struct State {
        var outcome: Outcome?
        var waiters: [UInt64: CheckedContinuation<Outcome, any Error>] = [:]
        var next: UInt64 = 0
        var onLastWaiter: (@Sendable () -> Void)?
        /// Whether that was called, so that nothing whole comes any more: who has come since asks for itself.
        var isLeft = false
        /// Whether the one that began has still to ask what came of it.
        var awaitsFirst: Bool
        /// What that one gets.
        var first: Outcome?
    }

    /// Whether it validates what is being served (RFC 5861 §3), so that it goes on though nobody waits for it.
    let isBehind: Bool
    private let state: Mutex<State>

    init(isBehind: Bool = false) {
        self.isBehind = isBehind
        state = Mutex(State(awaitsFirst: !isBehind))
    }

    /// What came of it, once it is known.
    ///
    /// `isFirst` is for the one that began, which asks in any case.
    ///
    /// - Throws: `CancellationError` where the caller is cancelled.
    func outcome(isFirst: Bool) async throws -> Outcome {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = state.withLock { state -> Outcome? in
                    if isFirst { state.awaitsFirst = false }
                    guard let outcome = state.outcome else {
                        state.waiters[number] = continuation
                        return nil
                    }
                    defer { if isFirst { state.first = nil } }
                    return isFirst ? state.first ?? outcome.forOne : outcome.forOne
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
            let isLast = waiter != nil && state.waiters.isEmpty && !state.awaitsFirst
            let action = isLast ? state.onLastWaiter : nil
            if action != nil { state.isLeft = true }
            return (waiter, action)
        }
        waiter?.resume(throwing: CancellationError())
        action?()
    }

    /// Calls a closure when the last of those who wait has gone, before there is an outcome.
    func onLastWaiter(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onLastWaiter = action } }

    /// Tells everybody; the first call counts.
    func resolve(_ outcome: Outcome) {
        let told = state.withLock { state -> [(CheckedContinuation<Outcome, any Error>, Outcome)] in
            guard state.outcome == nil else { return [] }
            let outcome = state.isLeft ? .failed(.cancelled) : outcome
            state.outcome = outcome
            state.onLastWaiter = nil
            if state.awaitsFirst { state.first = outcome.forOne }
            defer { state.waiters = [:] }
            // Each has its place in a body before any of them may leave.
            return state.waiters.values.map { ($0, outcome.forOne) }
        }
        for (waiter, outcome) in told { waiter.resume(returning: outcome) }
    }
}

/// The flights that others may join, by URL.
final class Flights: Sendable {
    private struct State {
        var flights: [WebURL: Flight] = [:]
        /// How many flights ended, by the hash of their URLs.
        var ended = [UInt64](repeating: 0, count: 1024)

        func slot(_ url: WebURL) -> Int { Int(UInt(bitPattern: url.hashValue) % UInt(ended.count)) }
    }

    private let state = Mutex(State())

    /// How many flights of a URL, and of a few others, ended so far; to be read before a look into the store.
    func ended(_ url: WebURL) -> UInt64 { state.withLock { $0.ended[$0.slot(url)] } }

    /// The flight of a URL; a new one, which the caller is to begin, where there is none.
    ///
    /// - Parameters:
    ///   - url: The resource.
    ///   - isBehind: Whether a new one validates what is being served.
    ///   - ended: What ``ended(_:)`` was when the store was looked into, or nil where that was done twice.
    /// - Returns: The flight, or nil where one ended since, so that the store may have its answer.
    func join(_ url: WebURL, isBehind: Bool = false, ended: UInt64?) -> (flight: Flight, isNew: Bool)? {
        state.withLock { state in
            if let flight = state.flights[url] { return (flight, false) }
            if let ended, ended != state.ended[state.slot(url)] { return nil }
            let flight = Flight(isBehind: isBehind)
            state.flights[url] = flight
            return (flight, true)
        }
    }

    /// Ends a flight: whoever comes now looks into the store.
    func leave(_ url: WebURL, _ flight: Flight) {
        state.withLock { state in
            guard state.flights[url] === flight else { return }
            state.flights[url] = nil
            state.ended[state.slot(url)] += 1
        }
    }
}
