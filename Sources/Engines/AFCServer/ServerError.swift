public import AFCText

/// Why the server can't run: what failed, in one sentence.
public typealias ServerError = CodedError<ServerErrorCode>

/// The kinds of failure, for exit codes.
public enum ServerErrorCode: ErrorCode {
    /// Another program listens at the address.
    case addressInUse
    /// The address isn't one of this machine's, isn't an address, or may not be used.
    case cannotListen
    /// The access log can't be opened.
    case cannotLog
    /// Certificate or key can't be used.
    case badCertificate

    /// What can't be done, the subject and the message.
    public func sentence(about subject: String, _ message: String) -> String {
        switch self {
        case .addressInUse, .cannotListen: "cannot listen at '\(subject)': \(message)"
        case .cannotLog: "cannot write the log '\(subject)': \(message)"
        case .badCertificate: "cannot use the certificate '\(subject)': \(message)"
        }
    }
}
