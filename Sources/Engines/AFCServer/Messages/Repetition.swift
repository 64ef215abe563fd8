public import AFCHTTP

/// A promise that an answer stays the same for a while.
///
/// The server then repeats the answer for requests whose head is the same byte for byte, and for plain requests for the
/// same target (no condition, no range, no field that a cache obeys), as long as ``Responding/changes`` is unchanged.
/// Only Age and the `ttl` in Cache-Status are updated.
public struct Repetition: Sendable, Equatable {
    /// The value of ``Responding/changes`` before the answer was looked up.
    public var changes: UInt64
    /// The time for which the answer was made.
    public var made: Timestamp
    /// The time after which the answer may differ; at most a minute after ``made`` counts.
    public var end: Timestamp
    /// True if the answer is the same for all plain requests for the target; false if it depends on other fields.
    public var isForAllPlainRequests: Bool

    /// Creates a promise.
    ///
    /// - Parameters:
    ///   - changes: The value of ``Responding/changes`` before the answer was looked up.
    ///   - made: The time for which the answer was made.
    ///   - end: The time after which the answer may differ.
    ///   - isForAllPlainRequests: True if the answer depends on method, target and Host only.
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
