internal import Synchronization

/// A flag that cancels work on blocking threads, which know nothing of tasks.
public final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    /// Creates a flag that isn't set.
    public init() {}

    /// True if the work was cancelled.
    public var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Cancels the work.
    public func cancel() { flag.store(true, ordering: .relaxed) }
}
