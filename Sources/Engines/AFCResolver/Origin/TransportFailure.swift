internal import AFCOrigin
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// An error for a request to which the origin gave no response.
public struct TransportFailure: Error, Equatable, CustomStringConvertible, Sendable {
    /// The kind of a failure.
    public enum Code: Sendable, Equatable {
        /// The origin is unreachable: unknown name, connection refused, no route.
        case unreachable
        /// The origin took too long.
        case timedOut
        /// The connection broke before the response was complete.
        case disconnected
        /// The response isn't valid HTTP, or exceeds a limit.
        case malformed
        /// The connection isn't secure: a certificate or TLS failed.
        case insecure
        /// There are too many requests at a time, or this one can't be sent.
        case refused
        /// The address must not be contacted.
        case forbidden
        /// The response is no longer needed.
        case cancelled
    }

    /// The kind of failure.
    public var code: Code
    /// The failure as a sentence.
    public var message: String

    /// Creates a failure.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}

extension TransportFailure {
    /// The failure of a request whose caller was cancelled.
    static let cancelled = TransportFailure(.cancelled, "the request was cancelled")

    /// Creates a failure from an error of the network, TLS or the parser.
    init(_ cause: any Error, _ limits: DirectTransport.Limits = .init()) {
        switch cause {
        case let failure as TransportFailure: self = failure
        case let error as WireError:
            self.init(error == .closed ? .disconnected : .malformed, error.description)
        case is CancellationError: self = .cancelled
        case is RequestBodyMismatch: self.init(.refused, "the request's body differs in length from its Content-Length")
        case ConnectionTrouble.timeout, ConnectionTrouble.slow:
            self.init(.timedOut, "the origin sent too little for \(limits.silentSeconds) seconds")
        case ChannelError.connectTimeout: self.init(.timedOut, "the origin didn't respond in time")
        case let error as Unreachable: self.init(.unreachable, "the origin is unreachable: \(error.cause)")
        case let error as NIOConnectionError: self.init(.unreachable, Self.words(error))
        case let error as IOError: self.init(.disconnected, "the connection broke: \(error)")
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            self.init(.insecure, "the connection isn't secure: \(cause)")
        default: self.init(.disconnected, "the connection broke: \(cause)")
        }
    }

    private static func words(_ error: NIOConnectionError) -> String {
        if error.dnsAError != nil || error.dnsAAAAError != nil { return "the host '\(error.host)' does not exist" }
        guard let last = error.connectionErrors.last else { return "the origin is unreachable" }
        return "the origin is unreachable: \(last.error)"
    }
}
