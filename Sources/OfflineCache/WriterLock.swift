#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The right to change the store, held by one process at a time and given back when the value goes.
///
/// The kernel releases the lock when a process dies, so a killed writer never blocks the next one.
struct WriterLock: ~Copyable {
    private let descriptor: Int32

    /// Waits for the lock.
    ///
    /// - Parameters:
    ///   - layout: The store.
    ///   - onWait: Called once where another process holds the lock.
    /// - Throws: ``CacheError`` where the lock's file can't be opened.
    init(_ layout: StoreLayout, onWait: () -> Void) throws(CacheError) {
        let descriptor = open(layout.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .system("cannot open the lock", path: layout.lock) }
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            onWait()
            var result = flock(descriptor, LOCK_EX)
            while result != 0, errno == EINTR { result = flock(descriptor, LOCK_EX) }
            guard result == 0 else {
                let error = CacheError.system("cannot lock the store", path: layout.lock)
                close(descriptor)
                throw error
            }
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}

extension CacheError {
    /// An error from the last failed system call.
    static func system(_ what: String, path: String, number: Int32 = errno) -> CacheError {
        CacheError(.inputOutput, subject: path, message: "\(what): \(String(cString: strerror(number)))")
    }
}
