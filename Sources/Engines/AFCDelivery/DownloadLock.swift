internal import AFCFiles
import AFCPlatform
internal import AFCText
internal import AFCURL

/// The lock for writing one package's partial file, held by one process at a time.
///
/// The kernel releases it when a process dies. The process that holds the lock may remove the lock file; a process that
/// waited for that file then finds that it has lost its name, and locks the new one.
final class DownloadLock: Sendable {
    /// The pause before trying the lock again; unlike a blocking call, it can be cancelled.
    private static let pause = Duration.milliseconds(100)

    private let lock: FileLock
    private let path: String

    private init(_ lock: consuming FileLock, path: String) {
        self.lock = lock
        self.path = path
    }

    /// Waits for the lock.
    ///
    /// - Parameters:
    ///   - path: The lock's file, which is created if it is missing.
    ///   - url: The package, for errors.
    ///   - limit: The longest time to wait; nil for no limit.
    ///   - onWait: A closure called once if another process holds the lock.
    /// - Returns: The lock.
    /// - Throws: ``DeliveryError`` if the file can't be opened or locked, the time is over, or the task is cancelled.
    static func take(
        _ path: String,
        for url: WebURL,
        within limit: Duration? = nil,
        onWait: () -> Void
    ) async throws(DeliveryError) -> DownloadLock {
        var isWaiting = false
        let start = ContinuousClock.now
        while true {
            if let lock = try takeNow(path, for: url) { return lock }
            if let limit, ContinuousClock.now - start >= limit {
                var error = DeliveryError(.busy, url, "another process is downloading it")
                error.remedy = .waitLonger
                throw error
            }
            if !isWaiting { onWait() }
            isWaiting = true
            do {
                try await Task.sleep(for: pause)
            } catch {
                throw .cancelled(url)
            }
        }
    }

    /// Takes the lock if it is free.
    ///
    /// - Parameters:
    ///   - path: The lock's file, which is created if it is missing.
    ///   - url: The package, for errors.
    /// - Returns: The lock; nil if another process holds it.
    /// - Throws: ``DeliveryError`` if the file can't be opened or locked.
    private static func takeNow(_ path: String, for url: WebURL) throws(DeliveryError) -> DownloadLock? {
        while true {
            let lock: FileLock
            do throws(FileError) { lock = try FileLock(file: path) } catch {
                let isSystem = error.number != nil
                let message = isSystem ? error.message : "\(PrintableText.quoted(path)): \(error.message)"
                throw DeliveryError(.inputOutput, url, message)
            }
            switch lock.take(waiting: false) {
            case .held: if lock.hasName { return DownloadLock(lock, path: path) }
            case .busy: return nil
            case .failed: throw .system("cannot lock", path, url)
            }
        }
    }

    /// Takes the lock of an existing file if it is free; nil otherwise.
    static func existing(_ path: String) -> DownloadLock? {
        guard let lock = try? FileLock(file: path, making: false), lock.take(waiting: false) == .held, lock.hasName
        else { return nil }
        return DownloadLock(lock, path: path)
    }

    /// Releases the lock and removes its file.
    func remove() {
        unlink(path)
        lock.release()
    }
}
