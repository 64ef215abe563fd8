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
    init(path: String) { descriptor = open(path, O_RDONLY | O_CLOEXEC) }

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
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw .system("cannot open", path: path) }
        close(descriptor)
    }

    /// Makes the number grow; a short lock lets in one process at a time.
    ///
    /// - Returns: The new number.
    @discardableResult
    static func grow(path: String) throws(CacheError) -> UInt64 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw .system("cannot open", path: path) }
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw .system("cannot lock", path: path) }
        }
        let next = read(descriptor) &+ 1
        let count = withUnsafeBytes(of: next.littleEndian) { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        guard count == 8 else { throw .system("cannot write", path: path) }
        return next
    }
}
