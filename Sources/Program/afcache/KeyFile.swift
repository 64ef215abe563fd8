import AFCCache
import AFCFiles
import AFCPackageFormat
import AFCPlatform
import AFCText
import ArgumentParser

/// The files that keys are kept in.
enum KeyFile {
    /// The keys of a trust file.
    static func publicKeys(_ path: String) throws -> [PublicKey] {
        let bytes = try SmallFile.read(path, limit: 1 << 20)
        do throws(PublicKey.Malformation) {
            return try PublicKey.list(bytes)
        } catch {
            let advice = if case .notAKey = error { "; 'afcache keygen' makes keys" } else { "" }
            throw ValidationError("--trust \(PrintableText.quoted(path)) can't be used: \(error)\(advice)")
        }
    }

    /// A private key; whoever else may read its file is warned of.
    static func signingKey(_ path: String) throws -> SigningKey {
        let bytes = try SmallFile.read(path, limit: 64 << 10)
        let key: SigningKey
        do throws(SigningKey.Malformation) {
            key = try SigningKey(file: bytes)
        } catch {
            let advice = if case .notAKey = error { "; 'afcache keygen' makes keys" } else { "" }
            throw ValidationError("--sign \(PrintableText.quoted(path)) can't be used: \(error)\(advice)")
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
        do throws(FileError) {
            let file = try OpenFile(creating: path, mode: UInt32(mode))
            do throws(FileError) {
                try Array(text.utf8).span.bytes.withUnsafeBytes { bytes throws(FileError) in
                    try file.write(bytes, at: 0)
                }
                try file.sync()
                try Durable.sync(path: Durable.folder(of: path))
            } catch {
                unlink(path)
                throw error
            }
        } catch {
            let reason = error.number.map { "cannot make the file: \(String(cString: strerror($0)))" } ?? error.message
            let remedy =
                error.number == EEXIST ? "; a key is never replaced: take another name, or move it away" : ""
            throw CacheError(.inputOutput, subject: path, message: reason + remedy)
        }
    }
}
