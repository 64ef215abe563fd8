import AFCCache
import AFCFiles
import AFCPackageFormat
import AFCText
import AFCZip
import ArgumentParser

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The files that keys are kept in.
enum KeyFile {
    /// The keys of a trust file.
    static func publicKeys(_ path: String) throws -> [PublicKey] {
        let bytes = try SmallFile.read(path, limit: 1 << 20)
        do throws(PublicKey.Malformation) {
            return try PublicKey.list(bytes)
        } catch {
            throw ValidationError("--trust \(PrintableText.quoted(path)) can't be used: \(error)")
        }
    }

    /// A private key; whoever else may read its file is warned of.
    static func signingKey(_ path: String) throws -> SigningKey {
        let bytes = try SmallFile.read(path, limit: 64 << 10)
        let key: SigningKey
        do throws(SigningKey.Malformation) {
            key = try SigningKey(file: bytes)
        } catch {
            throw ValidationError("--sign \(PrintableText.quoted(path)) can't be used: \(error)")
        }
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & 0o077 != 0 {
            let shown = PrintableText.quoted(path)
            Console.complain("warning: the private key \(shown) is not for its owner alone; 'chmod 600' makes it so")
        }
        return key
    }

    /// Makes a file that isn't there yet, readable from its first moment on by those who may.
    static func make(_ path: String, _ text: String, mode: mode_t) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw failure("make", path) }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw abandon(descriptor, path) }
            bytes = bytes.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw abandon(descriptor, path) }
        close(descriptor)
        do throws(FileError) {
            try Durable.sync(path: Durable.folder(of: path))
        } catch {
            unlink(path)
            throw CacheError(.inputOutput, subject: path, message: error.message)
        }
    }

    private static func abandon(_ descriptor: Int32, _ path: String) -> CacheError {
        let error = failure("write", path)
        close(descriptor)
        unlink(path)
        return error
    }

    private static func failure(_ what: String, _ path: String) -> CacheError {
        let reason = String(cString: strerror(errno))
        let remedy = errno == EEXIST ? "; a key is never replaced: take another name, or move it away" : ""
        return CacheError(.inputOutput, subject: path, message: "cannot \(what) the file: \(reason)\(remedy)")
    }
}
