internal import CLibzip
internal import Synchronization

/// Tells libzip, which knows nothing of tasks, that its work isn't wanted any more.
final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    var isCancelled: Bool { flag.load(ordering: .relaxed) }

    func cancel() { flag.store(true, ordering: .relaxed) }

    /// Has libzip ask before each member whether to go on.
    func onProgress(of archive: OpaquePointer) {
        let callback: zip_cancel_callback = { _, userData in
            guard let userData else { return 0 }
            return Unmanaged<CancellationFlag>.fromOpaque(userData).takeUnretainedValue().isCancelled ? 1 : 0
        }
        zip_register_cancel_callback_with_state(archive, callback, nil, Unmanaged.passUnretained(self).toOpaque())
    }
}
