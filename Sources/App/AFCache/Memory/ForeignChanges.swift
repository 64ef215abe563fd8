internal import AFCCache
internal import Foundation
internal import Synchronization

/// The state of what others change in a cache's folder, looked at no more than twenty times a second.
final class ForeignChanges: Sendable {
    private let shared: SharedFolder
    private let onLoss: @Sendable () -> Void
    private let known: Mutex<(time: TimeInterval, mark: UInt64?, losses: Int)>
    /// The time for which a look counts, in seconds.
    private static let interval = 0.05

    /// Creates the state of a folder.
    ///
    /// - Parameters:
    ///   - shared: The folder.
    ///   - onLoss: A closure called when the folder is found to have been removed or replaced.
    init(_ shared: SharedFolder, onLoss: @escaping @Sendable () -> Void) {
        (self.shared, self.onLoss) = (shared, onLoss)
        known = Mutex((-.infinity, nil, shared.losses()))
    }

    /// Returns the state at a time, in seconds; nil if it isn't known.
    func mark(at now: TimeInterval) -> UInt64? {
        let (mark, isLost) = known.withLock { known in
            let passed = now - known.time
            if known.mark != nil, passed >= 0, passed < Self.interval { return (known.mark, false) }
            let (mark, losses) = (shared.store.foreignChangeMark(), shared.losses())
            defer { known = (now, mark, losses) }
            return (mark, losses != known.losses)
        }
        guard isLost else { return mark }
        onLoss()
        return nil
    }

    /// Looks at the folder whatever the time; calls the closure if it was removed or replaced.
    func look() {
        let isLost = known.withLock { known in
            let losses = shared.losses()
            defer { known.losses = losses }
            return losses != known.losses
        }
        if isLost { onLoss() }
    }
}
