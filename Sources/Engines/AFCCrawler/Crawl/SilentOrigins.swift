internal import AFCCrawlRules
internal import Synchronization

/// The origins that have answered nothing so far: after some URLs, the others fail without a request.
///
/// Each request to a dead host takes the time limit for a connection. An origin that answered once, and then stops, is asked
/// for every URL, since it may only be busy. Safe to use from any thread.
final class SilentOrigins: Sendable {
    private enum State {
        case answers
        /// The number of URLs that failed in a row, the last failure, and the time of the last request after the limit.
        case silent(count: Int, FetchFailure, asked: ContinuousClock.Instant?)
    }

    /// The number of URLs that must fail.
    static let limit = 8
    /// The time after which such an origin is asked again.
    static let pause = Duration.seconds(10)
    /// The most origins that are remembered.
    private static let originLimit = 10_000

    private let states = Mutex<[String: State]>([:])

    /// Returns the failure of a request that isn't worth sending, or nil.
    func failure(of origin: String, at now: ContinuousClock.Instant) -> FetchFailure? {
        states.withLock { states in
            guard case .silent(let count, let failure, let asked)? = states[origin], count >= Self.limit else {
                return nil
            }
            if let asked, asked.duration(to: now) < Self.pause { return failure }
            states[origin] = .silent(count: count, failure, asked: now)
            // The first time, the origin has just been asked.
            return asked == nil ? failure : nil
        }
    }

    /// Notes the final failure of a URL, or nil for an answer.
    func note(_ failure: FetchFailure?, of origin: String) {
        states.withLock { states in
            guard states[origin] != nil || states.count < Self.originLimit else { return }
            switch (states[origin], failure) {
            case (.answers?, _): return
            case (_, nil): states[origin] = .answers
            case (nil, let failure?) where failure.isOfHost:
                states[origin] = .silent(count: 1, failure, asked: nil)
            case (.silent(let count, _, let asked)?, let failure?) where failure.isOfHost:
                states[origin] = .silent(count: count + 1, failure, asked: asked)
            case (nil, _), (.silent?, _): return
            }
        }
    }
}
