internal import URLStandard

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The right to write one package's partial file, held by one process at a time.
///
/// The kernel gives it back when a process dies. Its file stays, since others may be waiting for it.
final class DownloadLock: Sendable {
    /// How long to wait before asking for the lock again; unlike a call that blocks, this can be cancelled.
    private static let pause = Duration.milliseconds(100)

    private let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Waits for the lock.
    ///
    /// - Parameters:
    ///   - path: The lock's file, which is made where it isn't there.
    ///   - url: The package, for errors.
    ///   - onWait: Called once where another process has the lock.
    /// - Returns: The lock.
    /// - Throws: ``DeliveryError`` where the file can't be opened or locked, or the task is cancelled.
    static func take(_ path: String, for url: WebURL, onWait: () -> Void) async throws(DeliveryError) -> DownloadLock {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw .system("cannot open the lock", path, url) }
        let lock = DownloadLock(descriptor: descriptor)
        var isWaiting = false
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw .system("cannot lock", path, url) }
            if !isWaiting { onWait() }
            isWaiting = true
            do {
                try await Task.sleep(for: pause)
            } catch {
                throw .cancelled(url)
            }
        }
        return lock
    }

    /// Lets others have it.
    func release() { _ = flock(descriptor, LOCK_UN) }
}
