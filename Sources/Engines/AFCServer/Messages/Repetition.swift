public import AFCHTTP

/// A promise that an answer stays the same for a while.
///
/// The server then repeats it for requests whose head is the same byte for byte, and for plain requests for the same
/// target (no condition, no range, nothing that a cache heeds), as long as ``Responding/changes`` stays what it was.
/// Only Age and the `ttl` in Cache-Status move on with the clock.
public struct Repetition: Sendable, Equatable {
    /// What ``Responding/changes`` was before the answer was looked up.
    public var changes: UInt64
    /// For what time the answer was made.
    public var made: Timestamp
    /// The time from which on the answer may be another; at most a minute after ``made`` counts.
    public var end: Timestamp
    /// Whether the answer is the same for all plain requests for the target; false where it depends on other fields.
    public var isForAllPlainRequests: Bool

    /// Creates a promise.
    ///
    /// - Parameters:
    ///   - changes: What ``Responding/changes`` was before the answer was looked up.
    ///   - made: For what time the answer was made.
    ///   - end: The time from which on the answer may be another.
    ///   - isForAllPlainRequests: Whether the answer depends on method, target and Host only.
    public init(
        changes: UInt64,
        made: Timestamp,
        end: Timestamp,
        isForAllPlainRequests: Bool
    ) {
        self.changes = changes
        self.made = made
        self.end = end
        self.isForAllPlainRequests = isForAllPlainRequests
    }
}
