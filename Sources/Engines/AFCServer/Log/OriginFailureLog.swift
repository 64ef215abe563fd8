public import AFCHTTP
public import AFCResolver
public import AFCURL
internal import Synchronization

/// The failures of origins as lines of a log, limited in number, since clients of a proxy choose the origins; and how many
/// lines about the cache may be among them.
public final class OriginFailureLog: Sendable {
    /// The time in which a failure of an origin is logged once, in seconds.
    public static let period: Int64 = 60
    /// The most lines in that time.
    public static let limit = 64

    private struct Failure: Hashable {
        var origin: String
        var cause: TransportFailure.Cause
    }

    private struct State {
        var began: Timestamp
        var logged: Set<Failure> = []
        var troubles = 0
    }

    private let state: Mutex<State>

    /// Creates a log without lines.
    ///
    /// - Parameter now: The time.
    public init(at now: Timestamp) { state = Mutex(State(began: now)) }

    /// Returns the line for a failure, or nil if the same failure has just been logged, or too many have.
    ///
    /// - Parameters:
    ///   - failure: The failure.
    ///   - url: The URL that was requested, whose path and query may be secret and aren't part of the line.
    ///   - now: The time.
    /// - Returns: The line.
    public func line(_ failure: TransportFailure, _ url: WebURL, at now: Timestamp) -> String? {
        let origin = url.origin
        let isNew = state.withLock { state in
            Self.renew(&state, at: now)
            guard state.logged.count < Self.limit else { return false }
            return state.logged.insert(Failure(origin: origin, cause: failure.cause)).inserted
        }
        return isNew ? "cannot fetch from '\(origin)': \(failure.message)" : nil
    }

    /// Returns whether a line about the cache may be logged: as many as about origins.
    ///
    /// - Parameter now: The time.
    /// - Returns: False if too many have been.
    public func mayLogTrouble(at now: Timestamp) -> Bool {
        state.withLock { state in
            Self.renew(&state, at: now)
            state.troubles += 1
            return state.troubles <= Self.limit
        }
    }

    private static func renew(_ state: inout State, at now: Timestamp) {
        guard !(0..<period).contains(now.secondsSinceEpoch - state.began.secondsSinceEpoch) else { return }
        state = State(began: now)
    }
}
