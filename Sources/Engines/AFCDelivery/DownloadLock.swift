internal import AFCURL

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The right to write one package's partial file, held by one process at a time.
///
/// The kernel releases it when a process dies. The process that holds it may remove its file; a process that waited for
/// that file then finds that it has no name any more, and takes the new one.
final class DownloadLock: Sendable {
    /// How long to wait before asking for the lock again; unlike a call that blocks, this can be cancelled.
    private static let pause = Duration.milliseconds(100)

    private let descriptor: Int32
    private let path: String

    private init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

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
        var isWaiting = false
        while true {
            if let lock = try takeNow(path, for: url) { return lock }
            if !isWaiting { onWait() }
            isWaiting = true
            do {
                try await Task.sleep(for: pause)
            } catch {
                throw .cancelled(url)
            }
        }
    }

    /// Takes the lock where nobody has it.
    ///
    /// - Parameters:
    ///   - path: The lock's file, which is made where it isn't there.
    ///   - url: The package, for errors.
    /// - Returns: The lock; nil where another process has it.
    /// - Throws: ``DeliveryError`` where the file can't be opened or locked.
    private static func takeNow(_ path: String, for url: WebURL) throws(DeliveryError) -> DownloadLock? {
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            guard descriptor >= 0 else { throw .system("cannot open the lock", path, url) }
            // Users who can read a lock's file can hold it, so one that an older program made is closed to them.
            _ = fchmod(descriptor, 0o600)
            let lock = DownloadLock(descriptor: descriptor, path: path)
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                guard errno == EWOULDBLOCK || errno == EINTR else { throw .system("cannot lock", path, url) }
                return nil
            }
            if lock.hasName { return lock }
        }
    }

    /// Takes the lock of a file that is there, where nobody has it; nil where that can't be.
    static func existing(_ path: String) -> DownloadLock? {
        let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        let lock = DownloadLock(descriptor: descriptor, path: path)
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0 && lock.hasName ? lock : nil
    }

    /// Whether the file is the one that others would open.
    private var hasName: Bool {
        var own = stat()
        var named = stat()
        return fstat(descriptor, &own) == 0 && lstat(path, &named) == 0 && own.st_ino == named.st_ino
            && own.st_dev == named.st_dev
    }

    /// Lets others have it, and leaves nothing behind.
    func remove() {
        unlink(path)
        _ = flock(descriptor, LOCK_UN)
    }
}
