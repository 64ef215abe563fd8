internal import CLibzip
internal import Synchronization

/// Tells what blocks a thread, and so knows nothing of tasks, that its work isn't wanted any more.
public final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    /// Nothing is cancelled yet.
    public init() {}

    /// Whether the work isn't wanted any more.
    public var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Says that the work isn't wanted any more.
    public func cancel() { flag.store(true, ordering: .relaxed) }

    /// Ends work that isn't wanted any more.
    ///
    /// - Throws: ``ZipError`` of the code ``ZipError/Code/cancelled``.
    public func check() throws(ZipError) {
        if isCancelled { throw .cancelled }
    }

    /// Has libzip ask before each member whether to go on.
    func onProgress(of archive: OpaquePointer) {
        let callback: zip_cancel_callback = { _, userData in
            guard let userData else { return 0 }
            return Unmanaged<CancellationFlag>.fromOpaque(userData).takeUnretainedValue().isCancelled ? 1 : 0
        }
        zip_register_cancel_callback_with_state(archive, callback, nil, Unmanaged.passUnretained(self).toOpaque())
    }
}
