public import AFCHTTP

/// When to ask again for what failed: a pure decision from the failure, the attempt, and what the origin asked for.
public struct RetryPolicy: Sendable, Equatable {
    /// How often a URL is asked for again.
    public var retries: Int = 2
    /// The wait before the first further attempt; each later one waits twice as long.
    public var backoff: Duration = .milliseconds(500)
    /// The longest wait, also where Retry-After asks for more.
    public var longestWait: Duration = .seconds(30)

    /// Creates the defaults: two further attempts after half a second and one second.
    public init() {}

    /// How long to wait before asking again, or nil: give up.
    ///
    /// - Parameters:
    ///   - failure: Why the last attempt failed.
    ///   - attempt: How many attempts were made, from 1.
    ///   - retryAfter: The answer's Retry-After (RFC 9110 §10.2.3), seconds or a date.
    ///   - now: What a date in Retry-After is measured from.
    /// - Returns: The wait. An origin that asks for more than the longest wait gets the longest.
    public func wait(
        after failure: FetchFailure,
        attempt: Int,
        retryAfter: String? = nil,
        now: Timestamp
    ) -> Duration? {
        guard failure.isTransient, attempt <= retries else { return nil }
        if let asked = retryAfter.flatMap({ Self.seconds($0, now: now) }) {
            return min(.seconds(max(0, asked)), longestWait)
        }
        return min(backoff * (1 << min(attempt - 1, 16)), longestWait)
    }

    private static func seconds(_ text: String, now: Timestamp) -> Int64? {
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return Int64(text) ?? .max / 4 }
        return HTTPDate.parse(text).map { $0.secondsSinceEpoch - now.secondsSinceEpoch }
    }
}
