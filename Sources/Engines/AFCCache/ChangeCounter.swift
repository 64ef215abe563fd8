internal import AFCFiles
import AFCPlatform

/// A number in a file that increases with each change of the cache, so that readers detect changes with a single small
/// read.
///
/// It is a hint: a writer that is killed between its change and the update leaves the old number. Readers
/// therefore also check the catalogue once a second.
struct ChangeCounter: ~Copyable, Sendable {
    private let descriptor: Int32

    /// Opens the file if it exists.
    init(path: String) { descriptor = Self.open(path, O_RDONLY) ?? -1 }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The number; 0 if there is none.
    var value: UInt64 { Self.read(descriptor) }

    private static func read(_ descriptor: Int32) -> UInt64 {
        guard descriptor >= 0 else { return 0 }
        var value: UInt64 = 0
        let count = withUnsafeMutableBytes(of: &value) { Descriptor.read(descriptor, into: $0, at: 0) }
        return count == 8 ? UInt64(littleEndian: value) : 0
    }

    /// Creates the file if it doesn't exist, before readers need it.
    static func make(path: String) throws(CacheError) {
        guard let descriptor = open(path, O_RDWR | O_CREAT) else { throw .system("cannot open", path: path) }
        close(descriptor)
    }

    /// Opens the file if it is a regular file; never blocks, as opening a pipe would.
    private static func open(_ path: String, _ flags: Int32) -> Int32? {
        guard let descriptor = Descriptor.open(path, flags | O_NOFOLLOW | O_NONBLOCK) else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            errno = EINVAL
            return nil
        }
        return descriptor
    }

    /// Increases the number.
    ///
    /// - Parameters:
    ///   - path: The file with the number.
    ///   - lock: A lock file for the update, which only users with write access can open, so that no one else can block
    ///     them; nil if the caller is the only writer anyway.
    /// - Returns: The new number.
    /// - Throws: ``CacheError`` if it can't be written.
    @discardableResult
    static func grow(path: String, lock: String? = nil) throws(CacheError) -> UInt64 {
        let held: FileLock? =
            if let lock { try onDisk { () throws(FileError) in try FileLock(file: lock) } } else { nil }
        if let lock, held?.take(waiting: true) != .held { throw .system("cannot lock", path: lock) }
        defer { withExtendedLifetime(held) {} }
        guard let descriptor = open(path, O_RDWR | O_CREAT) else { throw .system("cannot open", path: path) }
        defer { close(descriptor) }
        let next = read(descriptor) &+ 1
        let isWritten = withUnsafeBytes(of: next.littleEndian) { Descriptor.write($0, to: descriptor, at: 0) }
        guard isWritten else { throw .system("cannot write", path: path) }
        return next
    }
}
