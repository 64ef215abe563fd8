internal import AFCFiles
import AFCPlatform
internal import AFCText

/// The right to change the cache, held by one process at a time and given up by ``release()`` or with the value.
///
/// The lock file names the holder, for processes that wait.
struct WriterLock: ~Copyable {
    private let lock: FileLock

    /// Waits for the lock.
    ///
    /// - Parameters:
    ///   - layout: The cache.
    ///   - patience: The number of seconds to wait; nil for no limit.
    ///   - onWait: Called once if another process holds the lock, with words that name it.
    /// - Throws: ``CacheError`` if the lock file can't be opened, or the lock isn't free in time.
    init(_ layout: CacheLayout, patience: Int?, onWait: (String) -> Void) throws(CacheError) {
        let lock = try onDisk { () throws(FileError) in try FileLock(file: layout.lock) }
        var outcome = lock.take(waiting: false)
        if outcome == .busy {
            let holder = lock.note ?? Self.stranger
            if patience != 0 { onWait(holder) }
            outcome = lock.take(within: patience.map { Int64($0) }, pause: 20)
            guard outcome != .busy else {
                throw CacheError(
                    .busy,
                    subject: layout.root,
                    message: "\(holder) is writing to the cache; try again or wait longer",
                    remedy: .waitLonger
                )
            }
        }
        guard outcome == .held else { throw CacheError(lock.failure()) }
        guard lock.hasName else {
            throw CacheError(
                .busy,
                subject: layout.root,
                message: "the cache was removed while this process waited for it; try again"
            )
        }
        lock.write(note: Self.ownNote)
        self.lock = lock
    }

    /// Acquires the right to add received responses without waiting.
    ///
    /// - Throws: ``CacheError`` with `busy` if another process has it.
    init(_ layout: ReceivedLayout) throws(CacheError) {
        let lock = try onDisk { () throws(FileError) in try FileLock(file: layout.lock) }
        switch lock.take(waiting: false) {
        case .held: break
        case .failed: throw CacheError(lock.failure())
        case .busy:
            let holder = lock.note ?? Self.stranger
            let message =
                holder == Self.ownNote
                ? "this process has the cache open a second time, and stores received responses there; open it once"
                : "\(holder) is storing received responses in the cache; stop it or use another cache"
            throw CacheError(.busy, subject: layout.root, message: message)
        }
        lock.write(note: Self.ownNote)
        self.lock = lock
    }

    private static let stranger = "another process"
    private static var ownNote: String { "process \(getpid())" }

    /// Gives up the right.
    consuming func release() { lock.write(note: "") }
}

/// A lock under which one process at a time creates a cache in a folder.
///
/// A process that finds no cache examines the folder again once it has the lock, so that only the process that creates
/// a cache may undo that. An existing cache is opened without the lock.
struct CreationLock: ~Copyable {
    private let lock: FileLock

    /// Waits for other processes that create a cache there, and creates the folder if it is missing.
    ///
    /// - Parameter root: The cache's folder.
    /// - Throws: ``CacheError`` if the folder can't be created or opened, or is locked for half a minute.
    init(_ root: String) throws(CacheError) {
        try Folders.make(root)
        let lock = try onDisk { () throws(FileError) in try FileLock(folder: root) }
        switch lock.take(within: 30, pause: 10) {
        case .held: break
        case .failed: throw CacheError(lock.failure())
        case .busy:
            throw CacheError(.busy, subject: root, message: "another process is creating a cache here; try again")
        }
        self.lock = lock
    }
}
