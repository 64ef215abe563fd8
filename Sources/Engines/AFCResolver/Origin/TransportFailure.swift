internal import AFCOrigin
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// Why an origin gave no response.
public struct TransportFailure: Error, Equatable, CustomStringConvertible, Sendable {
    /// What kind of failure it is.
    public enum Code: Sendable, Equatable {
        /// Nobody answers there: unknown name, refused, unreachable.
        case unreachable
        /// The origin took too long.
        case timedOut
        /// The connection broke off before a response was there.
        case disconnected
        /// What came isn't HTTP, or more of it than is taken.
        case malformed
        /// The connection isn't secure: certificate or TLS.
        case insecure
        /// There are too many requests at a time, or this one can't be sent.
        case refused
        /// The address may not be asked.
        case forbidden
        /// Nobody waits for the response any more.
        case cancelled
    }

    /// What kind of failure it is.
    public var code: Code
    /// In words.
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
    /// The caller was cancelled.
    static let cancelled = TransportFailure(.cancelled, "nobody waits for the response any more")

    /// What the network, TLS or the parser said.
    init(_ cause: any Error, _ limits: DirectTransport.Limits = .init()) {
        switch cause {
        case let failure as TransportFailure: self = failure
        case let error as WireError:
            self.init(error == .closed ? .disconnected : .malformed, error.description)
        case is CancellationError: self = .cancelled
        case is RequestBodyMismatch: self.init(.refused, "the request's body isn't as long as was said")
        case ConnectionTrouble.timeout, ConnectionTrouble.slow:
            self.init(.timedOut, "the origin sent too little for \(limits.silentSeconds) seconds")
        case ChannelError.connectTimeout: self.init(.timedOut, "the origin doesn't answer in time")
        case let error as Unreachable: self.init(.unreachable, "the origin can't be reached: \(error.cause)")
        case let error as NIOConnectionError: self.init(.unreachable, Self.words(error))
        case let error as IOError: self.init(.disconnected, "the connection broke off: \(error)")
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            self.init(.insecure, "the connection isn't secure: \(cause)")
        default: self.init(.disconnected, "the connection broke off: \(cause)")
        }
    }

    private static func words(_ error: NIOConnectionError) -> String {
        if error.dnsAError != nil || error.dnsAAAAError != nil { return "there is no host '\(error.host)'" }
        guard let last = error.connectionErrors.last else { return "the origin can't be reached" }
        return "the origin can't be reached: \(last.error)"
    }
}
