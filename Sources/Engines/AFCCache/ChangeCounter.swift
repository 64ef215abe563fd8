#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A number in a file that grows with each change of the store, so that readers notice one with a single small read.
///
/// It is a hint: a writer that is killed between its transaction and the new number leaves the old one, so readers also
/// ask SQLite once a second.
struct ChangeCounter: ~Copyable, Sendable {
    private let descriptor: Int32

    /// Opens the file, where it is there.
    init(path: String) { descriptor = Self.open(path, O_RDONLY) ?? -1 }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The number; 0 where there is none.
    var value: UInt64 { Self.read(descriptor) }

    private static func read(_ descriptor: Int32) -> UInt64 {
        var value: UInt64 = 0
        let count = withUnsafeMutableBytes(of: &value) { pread(descriptor, $0.baseAddress, $0.count, 0) }
        return count == 8 ? UInt64(littleEndian: value) : 0
    }

    /// Makes the file where it isn't there, before anybody reads it.
    static func make(path: String) throws(CacheError) {
        guard let descriptor = open(path, O_RDWR | O_CREAT) else { throw .system("cannot open", path: path) }
        close(descriptor)
    }

    /// Opens the file where it is a plain one; never waits, as an open of a pipe would.
    private static func open(_ path: String, _ flags: Int32) -> Int32? {
        let descriptor = systemOpen(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            errno = EINVAL
            return nil
        }
        return descriptor
    }

    /// Makes the number grow.
    ///
    /// - Parameters:
    ///   - path: The number's file.
    ///   - lock: A file that lets in one process at a time, which only those who may write can open, so that nobody else can
    ///     keep them waiting; nil where the caller is the only one anyway.
    /// - Returns: The new number.
    /// - Throws: ``CacheError`` where it can't be written.
    @discardableResult
    static func grow(path: String, lock: String? = nil) throws(CacheError) -> UInt64 {
        let held = try lock.map { path throws(CacheError) in try LockFile(path) }
        defer { withExtendedLifetime(held) {} }
        try held?.wait()
        guard let descriptor = open(path, O_RDWR | O_CREAT) else { throw .system("cannot open", path: path) }
        defer { close(descriptor) }
        let next = read(descriptor) &+ 1
        let count = withUnsafeBytes(of: next.littleEndian) { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        guard count == 8 else { throw .system("cannot write", path: path) }
        return next
    }
}
