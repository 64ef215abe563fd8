import OfflineCache
import ZipArchive

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is replaced as a whole: who opens it sees the old bytes or the new ones.
enum WholeFile {
    /// Writes aside, and gives the file its name once it is on the disk.
    ///
    /// - Throws: `CacheError`; what was there is then as it was.
    static func write(_ bytes: [UInt8], to path: String) throws {
        var generator = SystemRandomNumberGenerator()
        let aside = path + ".\(String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)).new"
        let descriptor = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw failure("make", path) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw abandon(descriptor, aside, path) }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw abandon(descriptor, aside, path) }
        close(descriptor)
        do throws(ZipError) {
            try Durable.rename(aside, to: path)
        } catch {
            unlink(aside)
            throw CacheError(.inputOutput, subject: path, message: error.message)
        }
    }

    /// Makes sure that the file can be written before hours are spent on what it shall hold.
    ///
    /// - Throws: `CacheError`.
    static func requireWritable(_ path: String) throws {
        guard access(Durable.folder(of: path), W_OK | X_OK) == 0 else { throw failure("make", path) }
    }

    private static func abandon(_ descriptor: Int32, _ aside: String, _ path: String) -> CacheError {
        let error = failure("write", path)
        close(descriptor)
        unlink(aside)
        return error
    }

    private static func failure(_ what: String, _ path: String) -> CacheError {
        CacheError(.inputOutput, subject: path, message: "cannot \(what) the file: \(String(cString: strerror(errno)))")
    }
}
