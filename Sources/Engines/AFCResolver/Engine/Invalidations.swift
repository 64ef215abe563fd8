internal import AFCURL
internal import Synchronization

/// The number of times that the responses of each URL were invalidated, so that what an origin was asked before isn't
/// taken for what it has since (RFC 9111 §4.4).
final class Invalidations: Sendable {
    private struct State {
        var urls = Counts()
        var origins = Counts()
    }

    private let state = Mutex(State())

    /// Returns the number for a URL.
    subscript(url: WebURL) -> UInt64 { state.withLock { $0.urls[url] &+ $0.origins[url.origin] } }

    /// Notes that the responses of a URL are invalid from now on.
    func note(_ url: WebURL) { state.withLock { $0.urls[url] += 1 } }

    /// Notes that responses of an origin are invalid from now on whose URLs aren't known, such as those of a group.
    func note(origin: String) { state.withLock { $0.origins[origin] += 1 } }
}

/// Numbers by the hash of what they are about, so that they take the same memory for any number of things; a number that
/// changes for something else costs one more look or validation.
struct Counts {
    private var slots = [UInt64](repeating: 0, count: 1024)

    subscript(key: some Hashable) -> UInt64 {
        get { slots[slot(key)] }
        set { slots[slot(key)] = newValue }
    }

    private func slot(_ key: some Hashable) -> Int { Int(UInt(bitPattern: key.hashValue) % UInt(slots.count)) }
}
