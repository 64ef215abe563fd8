/// Why an authority can't be made, read or used: what failed, on which file or host, in one sentence.
public struct AuthorityError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure, for exit codes and for what a proxy answers.
    public enum Code: Sendable, Equatable {
        /// There is no authority in the folder, or only a part of one.
        case missing
        /// There is one already.
        case exists
        /// A file can't be opened, read or written.
        case inputOutput
        /// The private key, or the folder that it lies in, is open to others than its owner.
        case exposed
        /// A file isn't a certificate or a key of the kind that is used here.
        case malformed
        /// Key and certificate don't belong together.
        case mismatched
        /// The certificate isn't one of an authority.
        case notAuthority
        /// The authority's time hasn't come, or is over.
        case expired
        /// A host that no certificate can be made for.
        case badHost
        /// A name that an authority can't have.
        case badName
        /// A host that the authority's constraints leave out.
        case notPermitted
        /// No signature could be made.
        case unsigned
    }

    /// The kind of failure.
    public var code: Code
    /// The path of a file or folder, or the host.
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
