public import AFCHTTP
internal import Synchronization

/// A promise that an answer stays the same for a while.
///
/// The server then repeats it for requests whose head is the same byte for byte, and for plain requests for the same
/// target (no condition, no range, nothing that a cache heeds), as long as ``Responding/changes`` stays what it was and
/// the ``token`` isn't revoked.
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

    /// What revokes this promise alone, where a change needn't end all of them.
    public var token: RepetitionToken?

    /// Creates a promise.
    ///
    /// - Parameters:
    ///   - changes: What ``Responding/changes`` was before the answer was looked up.
    ///   - made: For what time the answer was made.
    ///   - end: The time from which on the answer may be another.
    ///   - isForAllPlainRequests: Whether the answer depends on method, target and Host only.
    ///   - token: What revokes this promise alone.
    public init(
        changes: UInt64,
        made: Timestamp,
        end: Timestamp,
        isForAllPlainRequests: Bool,
        token: RepetitionToken? = nil
    ) {
        self.changes = changes
        self.made = made
        self.end = end
        self.isForAllPlainRequests = isForAllPlainRequests
        self.token = token
    }
}

/// Revokes promises that answers stay the same; shared by all answers that change together, such as those of one URL.
public final class RepetitionToken: Sendable, Equatable {
    private let revoked = Atomic<Bool>(false)

    /// Creates a token, which isn't revoked.
    public init() {}

    /// Whether the promises have ended.
    public var isRevoked: Bool { revoked.load(ordering: .acquiring) }

    /// Ends the promises: requests that come from here on are looked up.
    public func revoke() { revoked.store(true, ordering: .releasing) }

    /// Whether two are the same token.
    public static func == (left: RepetitionToken, right: RepetitionToken) -> Bool { left === right }
}
