internal import AFCURL
internal import Synchronization

/// A request on its way to the origin, whose response several clients may wait for.
final class Flight: Sendable {
    /// The result of a flight.
    enum Outcome: Sendable {
        /// The answer for the client that began the flight, and for no other.
        case own(ResolverResponse)
        /// A response that is being stored, for all clients whose requests it matches.
        case shared(SharedResponse)
        /// The origin gave no response.
        case failed(TransportFailure)

        /// The outcome for one of several clients.
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
        /// True if it was called, so that no complete response will come, and later clients send their own requests.
        var isLeft = false
        /// True until the client that began the flight asks for the outcome.
        var awaitsFirst: Bool
        /// The outcome for the client that began the flight.
        var first: Outcome?
    }

    /// True if the flight revalidates a response that is being served (RFC 5861 §3), so it continues even if no client
    /// waits.
    let isBehind: Bool
    /// The number of invalidations of the URL before the request was sent.
    let invalidations: UInt64
    private let state: Mutex<State>

    init(isBehind: Bool = false, invalidations: UInt64 = 0) {
        (self.isBehind, self.invalidations) = (isBehind, invalidations)
        state = Mutex(State(awaitsFirst: !isBehind))
    }

    /// Waits for the outcome.
    ///
    /// `isFirst` is true for the client that began the flight, which always asks.
    ///
    /// - Throws: `CancellationError` if the caller is cancelled.
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

    /// Sets a closure that is called when the last waiting client has gone before there is an outcome.
    func onLastWaiter(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onLastWaiter = action } }

    /// Sets the outcome for all clients; the first call counts.
    func resolve(_ outcome: Outcome) {
        let told = state.withLock { state -> [(CheckedContinuation<Outcome, any Error>, Outcome)] in
            guard state.outcome == nil else { return [] }
            let outcome = state.isLeft ? .failed(.cancelled) : outcome
            state.outcome = outcome
            state.onLastWaiter = nil
            if state.awaitsFirst { state.first = outcome.forOne }
            defer { state.waiters = [:] }
            // All clients get their place in the body before one of them can leave.
            return state.waiters.values.map { ($0, outcome.forOne) }
        }
        for (waiter, outcome) in told { waiter.resume(returning: outcome) }
    }
}

/// The flights that other clients may join, by URL.
final class Flights: Sendable {
    private struct State {
        var flights: [WebURL: Flight] = [:]
        /// The number of flights that ended.
        var ended = Counts()
    }

    private let state = Mutex(State())
    private let invalidations: Invalidations

    init(_ invalidations: Invalidations = Invalidations()) { self.invalidations = invalidations }

    /// Creates a flight that no other client may join.
    func single(_ url: WebURL) -> Flight { Flight(invalidations: invalidations[url]) }

    /// Returns the number of flights that have ended for a URL, and for a few others; to be read before looking into
    /// the cache.
    func ended(_ url: WebURL) -> UInt64 { state.withLock { $0.ended[url] } }

    /// Joins the flight of a URL, or creates one, which the caller must begin; one that began before the URL was
    /// invalidated isn't joined any more.
    ///
    /// - Parameters:
    ///   - url: The resource.
    ///   - isBehind: True if a new flight revalidates a response that is being served.
    ///   - ended: The value of ``ended(_:)`` before the cache was looked into, or nil after a second look.
    /// - Returns: The flight, or nil if one has ended since, so that the cache may have its response.
    func join(_ url: WebURL, isBehind: Bool = false, ended: UInt64?) -> (flight: Flight, isNew: Bool)? {
        let current = invalidations[url]
        return state.withLock { state in
            if let flight = state.flights[url], flight.invalidations == current { return (flight, false) }
            if let ended, ended != state.ended[url] { return nil }
            let flight = Flight(isBehind: isBehind, invalidations: current)
            state.flights[url] = flight
            return (flight, true)
        }
    }

    /// Ends a flight: later requests look into the cache.
    func leave(_ url: WebURL, _ flight: Flight) {
        state.withLock { state in
            guard state.flights[url] === flight else { return }
            state.flights[url] = nil
            state.ended[url] += 1
        }
    }
}
