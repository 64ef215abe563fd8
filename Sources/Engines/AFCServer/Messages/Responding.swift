public import HTTPTypes

/// A type that answers the requests that a server reads.
///
/// If the type is also ``LookingUp``, the server calls ``LookingUp/lookUp(_:)`` first, then ``answer(_:interim:)``. It
/// sends the first answer it gets.
public protocol Responding: Sendable {
    /// A number that changes when earlier answers may no longer be repeated; see ``Repetition``.
    ///
    /// It is read on the event loop before each repeated answer, so it must cost next to nothing.
    var changes: UInt64 { get }

    /// True if a client's Cache-Control can lead to another answer, other than by its `max-stale` and `min-fresh`.
    ///
    /// If it is false, reloads and requests of caches are plain ones; see ``Repetition``.
    var heedsCacheControl: Bool { get }

    /// Makes an answer, however long that takes.
    ///
    /// The task is cancelled when the client disconnects. The server answers an error with 500, or with 502 if it is a
    /// ``GatewayFailure``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - interim: Sends an interim response, such as 103 (RFC 9110 §15.2); 100 and 101 are the server's own.
    /// - Returns: The answer.
    /// - Throws: An error if there is no answer.
    func answer(
        _ request: ServerRequest,
        interim: @escaping @Sendable (HTTPResponse.Status, HTTPFields) async -> Void
    ) async throws -> ServerAnswer
}

extension Responding {
    /// Zero: answers never change.
    public var changes: UInt64 { 0 }
    /// True, which is safe for all.
    public var heedsCacheControl: Bool { true }
}

/// A responder that finds answers by reading files.
public protocol LookingUp: Responding {
    /// Finds an answer without contacting an origin; may block for as long as it takes to read a few files.
    ///
    /// Called on a thread of the server's pool, which costs much less than a task.
    ///
    /// - Parameter request: The request; its body must not be read here.
    /// - Returns: The answer, or nil if ``Responding/answer(_:interim:)`` must be called.
    /// - Throws: An error if reading fails; the server then answers 500.
    func lookUp(_ request: ServerRequest) throws -> ServerAnswer?

    /// Finds an answer as ``lookUp(_:)`` does, but only if that takes no wait for a disk.
    ///
    /// Called on the event loop, before ``lookUp(_:)``.
    ///
    /// - Parameter request: The request; its body must not be read here.
    /// - Returns: The answer, or nil if ``lookUp(_:)`` must be called.
    func lookUpAtOnce(_ request: ServerRequest) -> ServerAnswer?
}

extension LookingUp {
    /// Returns nil.
    public func lookUpAtOnce(_ request: ServerRequest) -> ServerAnswer? { nil }
}
