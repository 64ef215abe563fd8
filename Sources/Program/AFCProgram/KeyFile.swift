import AFCCache
import AFCFiles
import AFCPackageFormat
import AFCPlatform
import AFCText
import ArgumentParser

/// The files that contain keys.
enum KeyFile {
    /// Returns the keys in a trust file, which an option names.
    static func publicKeys(_ path: String, option: String = "--trust") throws -> [PublicKey] {
        let bytes = try SmallFile.read(path, limit: 1 << 20)
        do throws(PublicKey.Malformation) {
            return try PublicKey.list(bytes)
        } catch {
            let advice = if case .notAKey = error { "; 'afcache keygen' makes keys" } else { "" }
            throw ValidationError("'\(option)': \(PrintableText.quoted(path)) can't be used: \(error)\(advice)")
        }
    }

    /// Returns the private key in a file, and warns if other users can read the file.
    static func signingKey(_ path: String, option: String = "--sign") throws -> SigningKey {
        let bytes = try SmallFile.read(path, limit: 64 << 10)
        let key: SigningKey
        do throws(SigningKey.Malformation) {
            key = try SigningKey(file: bytes)
        } catch {
            let advice = if case .notAKey = error { "; 'afcache keygen' makes keys" } else { "" }
            throw ValidationError("'\(option)': \(PrintableText.quoted(path)) can't be used: \(error)\(advice)")
        }
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & 0o077 != 0 {
            let shown = PrintableText.quoted(path)
            Console.complain("warning: other users can read the private key \(shown); run 'chmod 600' on it")
        }
        return key
    }

    /// Creates a new file, which has its permissions from the beginning.
    static func make(_ path: String, _ text: String, mode: mode_t) throws {
        do throws(FileError) {
            try Durable.write(Array(text.utf8), to: path, mode: UInt32(mode), replacing: false)
        } catch {
            let reason =
                error.number.map { "cannot create the file: \(String(cString: strerror($0)))" } ?? error.message
            let remedy =
                error.number == EEXIST ? "; a key is never replaced: choose another name, or move the old key away" : ""
            throw CacheError(.inputOutput, subject: path, message: reason + remedy)
        }
    }
}
