internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCText
internal import AFCZip

/// Why a file isn't fixed; it then stays as it was.
public struct FixRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of reason.
    public enum Code: Sendable, Equatable {
        /// A change would break the package's signatures.
        case signed
        /// The package is encrypted.
        case encrypted
        /// What was made doesn't mean the same.
        case differs
        /// The file can't be read or written.
        case inputOutput
    }

    /// The kind of reason.
    public var code: Code
    /// The file.
    public var subject: String
    /// What is wrong and the remedy; lower case, no full stop, without raw control characters.
    public var message: String

    /// The file and the message.
    public var description: String { "\(PrintableText.quoted(subject)): \(message)" }
}

extension FixRefusal {
    static func signed(_ path: String) -> FixRefusal {
        FixRefusal(
            code: .signed,
            subject: path,
            message:
                "the package is signed, and a fix would break its signature; rebuild and sign it"
        )
    }

    static func encrypted(_ path: String) -> FixRefusal {
        FixRefusal(
            code: .encrypted,
            subject: path,
            message: "the package is encrypted, and nothing in it is fixed; rebuild it"
        )
    }

    static func differs(_ path: String, _ what: String) -> FixRefusal {
        FixRefusal(code: .differs, subject: path, message: "the fixed manifest would not mean the same: \(what)")
    }

    init(_ error: ZipError, subject: String) {
        self.init(code: error.code == .locked ? .encrypted : .inputOutput, subject: subject, message: error.message)
    }
}
