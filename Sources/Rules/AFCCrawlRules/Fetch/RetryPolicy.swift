public import AFCHTTP

/// The rules for retries: a pure decision from the failure, the number of attempts, and the origin's Retry-After.
public struct RetryPolicy: Sendable, Equatable {
    /// The largest number of retries of a URL.
    public var retries: Int = 2
    /// The wait before the first retry; it doubles with each further one.
    public var backoff: Duration = .milliseconds(500)
    /// The longest wait, even if Retry-After asks for more.
    public var longestWait: Duration = .seconds(30)

    /// Creates the defaults: two retries, after half a second and one second.
    public init() {}

    /// Returns the time to wait before the next attempt, or nil to give up.
    ///
    /// - Parameters:
    ///   - failure: The failure of the last attempt.
    ///   - attempt: The number of attempts so far, at least 1.
    ///   - retryAfter: The response's Retry-After (RFC 9110 §10.2.3), in seconds or as a date.
    ///   - now: The time that a date in Retry-After is relative to.
    /// - Returns: The wait, which never exceeds the longest one.
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
