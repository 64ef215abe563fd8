public import AFCText
internal import AFCZip

/// The error for a file that isn't fixed and stays unchanged.
public typealias FixRefusal = CodedError<FixRefusalCode>

/// The reasons for not fixing a file.
public enum FixRefusalCode: ErrorCode {
    /// A change would break the package's signatures.
    case signed
    /// The package is encrypted.
    case encrypted
    /// The result would have a different meaning.
    case differs
    /// The file can't be read or written.
    case inputOutput

    /// Returns the file name and the message.
    public func sentence(about subject: String, _ message: String) -> String {
        "\(PrintableText.quoted(subject)): \(message)"
    }
}

extension FixRefusal {
    static func signed(_ path: String) -> FixRefusal {
        FixRefusal(
            .signed,
            subject: path,
            message:
                "the package is signed, and a fix would break its signature; rebuild it and sign it again"
        )
    }

    static func encrypted(_ path: String) -> FixRefusal {
        FixRefusal(
            .encrypted,
            subject: path,
            message: "encrypted packages can't be fixed; rebuild the package"
        )
    }

    static func differs(_ path: String, _ what: String) -> FixRefusal {
        FixRefusal(.differs, subject: path, message: "the fix would change the meaning of the manifest: \(what)")
    }

    init(_ error: ZipError, subject: String) {
        self.init(error.code == .locked ? .encrypted : .inputOutput, subject: subject, message: error.message)
    }
}
