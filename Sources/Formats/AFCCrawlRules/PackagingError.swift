/// Why nothing can be packed: what failed, on which file or option, in one sentence.
public struct PackagingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure, for exit codes.
    public enum Code: Sendable, Equatable {
        /// A file or folder can't be read.
        case inputOutput
        /// What was asked for makes no sense.
        case badOption
        /// A file changed while it was packed.
        case changed
        /// There is nothing to pack.
        case nothing
        /// An interrupted crawl is kept that is another one.
        case otherCrawl
        /// The package that is to be updated can't be.
        case olderPackage
    }

    /// The kind of failure.
    public var code: Code
    /// The file, folder, URL or option.
    public var subject: String
    /// What is wrong and the remedy; lower case, no full stop.
    public var message: String

    /// Creates an error.
    public init(_ code: Code, subject: String, message: String) {
        self.code = code
        self.subject = subject
        self.message = message
    }

    /// The subject and the message.
    public var description: String { "'\(subject)': \(message)" }
}
