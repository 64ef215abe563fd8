import AFCCache
import AFCFiles
import AFCPackageFile
import AFCPlatform
import AFCText
import AFCZip
import ArgumentParser

/// Where passwords come from: a file, the environment, the terminal, and never an argument, which everybody can see.
enum PasswordSource {
    static let variable = "AFCACHE_PASSWORD"

    /// The password of the file, or else of the environment; nil where neither is there.
    static func given(file: String?) throws -> Password? {
        if let file {
            let bytes = try firstLine(of: file)
            return try password(bytes, from: "the first line of \(PrintableText.quoted(file))")
        }
        guard let value = getenv(variable) else { return nil }
        let bytes = UnsafeBufferPointer(start: value, count: strlen(value)).map { UInt8(bitPattern: $0) }
        return try password(bytes, from: variable)
    }

    /// The password that a user types, or nil where there is no terminal to type at.
    static func typed(_ prompt: String) throws -> Password? {
        guard let bytes = try Terminal.secret(prompt) else { return nil }
        return try password(bytes, from: "what was typed")
    }

    /// A password to encrypt with, from wherever it comes.
    static func new(file: String?) throws -> Password {
        if let given = try given(file: file) { return try portable(given) }
        guard let first = try Terminal.secret("password for the new package: "),
            let second = try Terminal.secret("once more: ")
        else {
            throw ValidationError("--encrypt needs a password; give it with '--password-file', or in \(variable)")
        }
        guard first == second else { throw ValidationError("the two passwords differ; nothing was written") }
        return try portable(try password(first, from: "what was typed"))
    }

    private static func portable(_ password: Password) throws -> Password {
        guard password.isPortable else {
            throw ValidationError(
                "the password has more than \(Password.portableByteLimit) bytes, which 7-Zip couldn't take"
            )
        }
        return password
    }

    private static func password(_ bytes: [UInt8], from source: String) throws -> Password {
        guard let password = Password(bytes) else {
            throw ValidationError("\(source) is no password: it must have 1 to \(Password.byteLimit) bytes and no NUL")
        }
        return password
    }

    /// The first line without its end; a pipe will do, too.
    private static func firstLine(of path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count <= Password.byteLimit + 1 {
            guard let count = withUnsafeMutableBytes(of: &byte, { Descriptor.readNext(descriptor, into: $0) }) else {
                throw failure("read", path)
            }
            if count == 0 || byte == UInt8(ascii: "\n") { break }
            line.append(byte)
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line
    }

    private static func failure(_ what: String, _ path: String) -> CacheError {
        let reason = String(cString: strerror(errno))
        return CacheError(.inputOutput, subject: path, message: "cannot \(what) the password file: \(reason)")
    }
}

extension TrustOptions {
    /// Does work that may meet an encrypted package: with the password that was given, or else without one, and once more
    /// with one that the user types where it turns out that one is needed.
    func unlocking<Value>(_ package: String, _ work: (Password?) async throws -> Value) async throws -> Value {
        let given = try PasswordSource.given(file: passwordFile)
        do {
            return try await work(given)
        } catch  where given == nil && Self.lacksPassword(error) {
            guard let typed = try PasswordSource.typed("password of \(PrintableText.quoted(package)): ") else {
                throw error
            }
            return try await work(typed)
        }
    }

    private static func lacksPassword(_ error: any Error) -> Bool {
        let code: PackageError.Code
        switch error {
        case let error as PackageError: code = error.code
        case let error as CacheError:
            guard case .package(let inner) = error.code else { return false }
            code = inner
        default: return false
        }
        return code == .locked(rule: "zip.password-missing")
    }
}
