/// Why the server can't run: what failed, in one sentence.
public struct ServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure, for exit codes.
    public enum Code: Sendable, Equatable {
        /// Another program listens at the address.
        case addressInUse
        /// The address isn't one of this machine's, isn't an address, or may not be used.
        case cannotListen
    }

    /// The kind of failure.
    public var code: Code
    /// The address, for example `127.0.0.1:8080`.
    public var subject: String
    /// What is wrong and the remedy; lower case, no full stop.
    public var message: String

    /// The subject and the message.
    public var description: String { "cannot listen at '\(subject)': \(message)" }
}
