public import HTTPTypes

/// What answers the requests that a server reads.
///
/// The server asks ``LookingUp/lookUp(_:)`` first, where the type has it, then ``answer(_:interim:)``; the first answer goes out.
public protocol Responding: Sendable {
    /// A number that moves when answers that were given before may no longer be repeated; see ``Repetition``.
    ///
    /// Read on the event loop before each repeated answer, so it must cost next to nothing.
    var changes: UInt64 { get }

    /// Makes an answer, however long that takes.
    ///
    /// The task is cancelled when the client goes away. An error is answered with 500, and 502 where it is a
    /// ``GatewayFailure``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - interim: Sends an interim response, such as 103 (RFC 9110 §15.2); 100 and 101 are the server's own.
    /// - Returns: The answer.
    /// - Throws: Where there is none.
    func answer(
        _ request: ServerRequest,
        interim: @escaping @Sendable (HTTPResponse.Status, HTTPFields) async -> Void
    ) async throws -> ServerAnswer
}

extension Responding {
    /// Nothing ever changes.
    public var changes: UInt64 { 0 }
}

/// A responder that finds answers by reading files.
public protocol LookingUp: Responding {
    /// Finds an answer without asking anybody; may block for as long as a few files are read.
    ///
    /// Called on a thread of the server's pool, which costs much less than a task.
    ///
    /// - Parameter request: The request; its body must not be read here.
    /// - Returns: The answer, or nil where ``Responding/answer(_:interim:)`` must be asked.
    /// - Throws: Where reading fails: 500.
    func lookUp(_ request: ServerRequest) throws -> ServerAnswer?
}
