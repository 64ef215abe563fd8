public import AFCText

/// An error that keeps the server from running, as one sentence.
public typealias ServerError = CodedError<ServerErrorCode>

/// The kinds of failure, for exit codes.
public enum ServerErrorCode: ErrorCode {
    /// Another program already uses the address.
    case addressInUse
    /// The address is invalid, isn't one of this machine's, or may not be used.
    case cannotListen
    /// The process may open too few files.
    case tooFewFiles
    /// The access log can't be opened.
    case cannotLog
    /// The certificate or the key can't be used.
    case badCertificate

    /// Returns the sentence about the subject and the message.
    public func sentence(about subject: String, _ message: String) -> String {
        switch self {
        case .addressInUse, .cannotListen: "cannot listen at '\(subject)': \(message)"
        case .tooFewFiles: "cannot serve: this process may open only \(subject) files, and \(message)"
        case .cannotLog: "cannot write the log '\(subject)': \(message)"
        case .badCertificate: "cannot use the certificate '\(subject)': \(message)"
        }
    }
}
