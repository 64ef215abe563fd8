internal import AFCText

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Lets one process at a time make a cache in a folder.
///
/// While SQLite makes the catalogue, the folder holds a journal and an empty file, which look like a stranger's. A
/// process that finds them looks again once it has the lock. An existing cache is opened without it.
struct CreationLock: ~Copyable {
    private let descriptor: Int32

    /// Waits for other processes that create a cache there, and makes the folder if it is missing.
    ///
    /// - Parameter root: The cache's folder.
    /// - Throws: ``CacheError`` where the folder can't be made or opened, or is locked for half a minute.
    init(_ root: String) throws(CacheError) {
        try Folders.make(root)
        let opened = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw .system("cannot open the folder", path: root) }
        let end = monotonicSeconds() + 30
        while flock(opened, LOCK_EX | LOCK_NB) != 0 {
            let number = errno
            guard number == EWOULDBLOCK || number == EINTR, monotonicSeconds() < end else {
                close(opened)
                throw CacheError(.busy, subject: root, message: "another process is creating a cache here; try again")
            }
            usleep(10_000)
        }
        descriptor = opened
    }

    deinit { close(descriptor) }
}
