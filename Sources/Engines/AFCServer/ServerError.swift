/// Why the server can't run: what failed, in one sentence.
public struct ServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure, for exit codes.
    public enum Code: Sendable, Equatable {
        /// Another program listens at the address.
        case addressInUse
        /// The address isn't one of this machine's, isn't an address, or may not be used.
        case cannotListen
        /// The access log can't be opened.
        case cannotLog
        /// Certificate or key can't be used.
        case badCertificate
    }

    /// The kind of failure.
    public var code: Code
    /// The address, for example `127.0.0.1:8080`, or the file.
    public var subject: String
    /// What is wrong and the remedy; lower case, no full stop.
    public var message: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - subject: The address or file.
    ///   - message: What is wrong and the remedy; lower case, no full stop.
    public init(code: Code, subject: String, message: String) {
        self.code = code
        self.subject = subject
        self.message = message
    }

    /// The subject and the message.
    public var description: String {
        switch code {
        case .addressInUse, .cannotListen: "cannot listen at '\(subject)': \(message)"
        case .cannotLog: "cannot write the log '\(subject)': \(message)"
        case .badCertificate: "cannot use the certificate '\(subject)': \(message)"
        }
    }
}
