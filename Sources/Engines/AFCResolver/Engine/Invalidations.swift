internal import AFCURL
internal import Synchronization

/// The number of times that the responses of each URL were invalidated, so that what an origin was asked before isn't
/// taken for what it has since (RFC 9111 §4.4).
final class Invalidations: Sendable {
    private static let slots = 1024
    /// The numbers, by the hash of the URL: a number that changes for another URL costs one more validation.
    private let counts = Mutex([UInt64](repeating: 0, count: slots))

    private static func slot(_ url: WebURL) -> Int { Int(UInt(bitPattern: url.hashValue) % UInt(slots)) }

    /// Returns the number for a URL.
    subscript(url: WebURL) -> UInt64 { counts.withLock { $0[Self.slot(url)] } }

    /// Notes that the responses of a URL are invalid from now on.
    func note(_ url: WebURL) { counts.withLock { $0[Self.slot(url)] += 1 } }

    /// Notes that responses whose URLs aren't known are invalid from now on, such as those of a group.
    func noteAll() { counts.withLock { counts in for slot in counts.indices { counts[slot] += 1 } } }
}
