internal import AFCCache
internal import Foundation
internal import Synchronization

/// The state of what other processes change in a cache, looked at no more than twenty times a second.
final class ForeignChanges: Sendable {
    private let store: OfflineCache
    private let known: Mutex<(time: TimeInterval, mark: UInt64?)>
    /// The time for which a look counts, in seconds.
    private static let interval = 0.05

    init(_ store: OfflineCache) {
        self.store = store
        known = Mutex((-.infinity, nil))
    }

    /// Returns the state at a time, in seconds; nil if it isn't known.
    func mark(at now: TimeInterval) -> UInt64? {
        known.withLock { known in
            let passed = now - known.time
            if known.mark != nil, passed >= 0, passed < Self.interval { return known.mark }
            known = (now, store.foreignChangeMark())
            return known.mark
        }
    }
}
