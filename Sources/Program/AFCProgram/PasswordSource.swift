import AFCCache
import AFCFiles
import AFCPackageFile
import AFCPlatform
import AFCText
import AFCZip
import ArgumentParser

/// The sources of passwords: a file, the environment or the terminal, but never an argument, which every user can see.
enum PasswordSource {
    static let variable = "AFCACHE_PASSWORD"

    /// Returns the password in the file, or else in the environment; nil if there is neither.
    static func given(file: String?) throws -> Password? {
        if let file {
            let bytes = try firstLine(of: file)
            return try password(bytes, from: "the first line of \(PrintableText.quoted(file))")
        }
        guard let value = getenv(variable) else { return nil }
        guard value[0] != 0 else {
            throw ValidationError("\(variable) is set, but empty; put the password into it, or unset it")
        }
        let bytes = UnsafeBufferPointer(start: value, count: strlen(value)).map { UInt8(bitPattern: $0) }
        return try password(bytes, from: variable)
    }

    /// Returns the password that a user types, or nil if there is no terminal.
    static func typed(_ prompt: String) throws -> Password? {
        guard let bytes = try Terminal.secret(prompt) else { return nil }
        return try password(bytes, from: "the typed text")
    }

    /// Returns the password to encrypt with, from any source.
    static func new(file: String?) throws -> Password {
        if let given = try given(file: file) { return try portable(given) }
        guard let first = try Terminal.secret("password for the new package: "),
            let second = try Terminal.secret("repeat the password: ")
        else {
            throw ValidationError("'--encrypt' needs a password; use '--password-file' or set \(variable)")
        }
        guard first == second else {
            throw ValidationError(
                """
                the two passwords differ, so nothing was written; try again
                """
            )
        }
        return try portable(try password(first, from: "the typed text"))
    }

    private static func portable(_ password: Password) throws -> Password {
        guard password.isPortable else {
            throw ValidationError(
                "the password has more than \(Password.portableByteLimit) bytes, which 7-Zip can't read; choose a shorter one"
            )
        }
        return password
    }

    private static func password(_ bytes: [UInt8], from source: String) throws -> Password {
        guard let password = Password(bytes) else {
            throw ValidationError(
                """
                \(source) is not a password: it must have 1 to \(Password.byteLimit) bytes and no NUL
                """
            )
        }
        return password
    }

    /// Returns the first line of a file or pipe, without its end.
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
    /// Does work that may need a password: with the given one, or without one and then, if the package turns out to be
    /// encrypted, again with a password that the user types.
    func unlocking<Value>(_ package: String, _ work: (Password?) async throws -> Value) async throws -> Value {
        let given = try PasswordSource.given(file: password.passwordFile)
        do {
            return try await work(given)
        } catch  where given == nil && Self.lacksPassword(error) {
            guard let typed = try PasswordSource.typed("password of \(PrintableText.quoted(package)): ") else {
                throw error
            }
            return try await work(typed)
        }
    }

    /// Opens a package that can be loaded, and checks its signature if the user wants that.
    func opened(_ package: String) async throws -> PackageReader {
        let policy = try policy()
        return try await unlocking(package) { password in
            let reader = try PackageReader(path: package, password: password)
            try reader.requireLoadable()
            if isUsed {
                _ = try await OffPool.run { () throws(PackageError) in try reader.verifySignature(policy: policy) }
            }
            return reader
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
