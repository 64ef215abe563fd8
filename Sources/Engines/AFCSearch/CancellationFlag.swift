internal import Synchronization

/// Tells blocking work on another thread that it is no longer needed.
final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    /// True once ``set()`` was called.
    var isSet: Bool { flag.load(ordering: .relaxed) }

    func set() { flag.store(true, ordering: .relaxed) }
}
