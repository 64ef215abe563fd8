/// An error of one subject: the kind of failure, the file, host or URL, and one sentence.
///
/// Each module names its own: `public typealias CacheError = CodedError<CacheErrorCode>`.
public struct CodedError<Kind: ErrorCode>: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure.
    public typealias Code = Kind

    /// The kind of failure.
    public var code: Kind
    /// The file, folder, host, address, URL or option.
    public var subject: String
    /// What is wrong; lower case, no full stop, without raw control characters.
    public var message: String
    /// A way out for which the program has an option or a command; nil where the sentence says all.
    public var remedy: Remedy?
    /// The system's number of the error, where it is one of the system's and its maker knows it.
    package var number: Int32?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - subject: The file, folder, host, address, URL or option.
    ///   - message: What is wrong; lower case, no full stop.
    ///   - remedy: A way out for which the program has an option or a command.
    public init(_ code: Kind, subject: String, message: String, remedy: Remedy? = nil) {
        self.code = code
        self.subject = subject
        self.message = message
        self.remedy = remedy
    }

    /// The subject and the message.
    public var description: String { code.sentence(about: subject, message) }
}

/// The kinds of failure that a module tells apart, for exit codes and for callers.
public protocol ErrorCode: Sendable, Equatable {
    /// The whole sentence of an error.
    ///
    /// - Parameters:
    ///   - subject: The file, folder, host, address, URL or option.
    ///   - message: What is wrong.
    /// - Returns: The subject in quotes, and the message, unless the kind has words of its own.
    func sentence(about subject: String, _ message: String) -> String
}

extension ErrorCode {
    /// The subject in quotes, and the message.
    public func sentence(about subject: String, _ message: String) -> String { "'\(subject)': \(message)" }
}
