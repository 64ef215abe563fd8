internal import AFCText

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is locked, and that only its owner can open.
///
/// `flock` works on files that are open for reading, so a user who could read a lock's file could block its owner.
final class LockFile: Sendable {
    private let path: String
    private let descriptor: Int32

    /// Opens the file, and makes it where it isn't there.
    init(_ path: String) throws(CacheError) {
        self.path = path
        descriptor = try Self.open(path)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Waits until no other process holds the lock; the lock is released with the value.
    func wait() throws(CacheError) {
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw .system("cannot lock", path: path) }
        }
    }

    /// Opens a lock's file for its owner alone, also one that an older program made for all to read.
    ///
    /// - Returns: Its descriptor, which the caller closes.
    /// - Throws: ``CacheError`` where it can't be opened, or is not a regular file.
    static func open(_ path: String) throws(CacheError) -> Int32 {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = systemOpen(path, flags, 0o600)
        guard descriptor >= 0 else { throw .system("cannot open the lock", path: path) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw CacheError(.damaged, subject: path, message: "this must be a regular file; remove it")
        }
        // Only the owner can, and root may lock what belongs to somebody else; then it stays as it is.
        if status.st_mode & 0o077 != 0 { _ = fchmod(descriptor, 0o600) }
        return descriptor
    }
}
