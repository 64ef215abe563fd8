/// An error about one subject: a code for the kind of failure, the subject, and one sentence.
///
/// Each module defines its own type: `public typealias CacheError = CodedError<CacheErrorCode>`.
public struct CodedError<Kind: ErrorCode>: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure.
    public typealias Code = Kind

    /// The kind of failure.
    public var code: Kind
    /// The file, folder, host, address, URL or option.
    public var subject: String
    /// A sentence that says what is wrong; lower case, no full stop, without raw control characters.
    public var message: String
    /// A remedy for which the program has an option or a command; nil if the message says everything.
    public var remedy: Remedy?
    /// The system's error number, if the error came from the system.
    package var number: Int32?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - subject: The file, folder, host, address, URL or option.
    ///   - message: A sentence that says what is wrong; lower case, no full stop.
    ///   - remedy: A remedy for which the program has an option or a command.
    public init(_ code: Kind, subject: String, message: String, remedy: Remedy? = nil) {
        self.code = code
        self.subject = subject
        self.message = message
        self.remedy = remedy
    }

    /// The subject and the message.
    public var description: String { code.sentence(about: subject, message) }
}

/// The kinds of failure that a module distinguishes, for exit codes and for callers.
public protocol ErrorCode: Sendable, Equatable {
    /// Returns the whole sentence of an error.
    ///
    /// - Parameters:
    ///   - subject: The file, folder, host, address, URL or option.
    ///   - message: The message of the error.
    /// - Returns: The subject in quotes and the message, unless the kind has words of its own.
    func sentence(about subject: String, _ message: String) -> String
}

extension ErrorCode {
    /// Returns the subject in quotes and the message.
    public func sentence(about subject: String, _ message: String) -> String { "'\(subject)': \(message)" }
}
