internal import AFCOrigin

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

    /// Creates a failure from an error of the network, TLS or the parser, for other transports.
    package init(cause: any Error) { self.init(cause, .init()) }

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
        case let error as Unreachable: self.init(.unreachable, ConnectionTrouble(error.cause).words)
        default:
            let trouble = ConnectionTrouble(cause)
            self.init(trouble.code, trouble.words)
        }
    }
}

extension ConnectionTrouble {
    /// The kind of failure that callers of the resolver see.
    fileprivate var code: TransportFailure.Code {
        switch self {
        case _ where isOfTLS: .insecure
        case .unknownHost, .refused, .unreachable, .proxyCredentials, .proxyAnswer: .unreachable
        case .unconnected, .timeout, .slow: .timedOut
        case .notHTTP: .malformed
        default: .disconnected
        }
    }
}
