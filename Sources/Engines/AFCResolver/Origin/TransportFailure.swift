package import AFCCaching
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

    /// The cause of a failure; more exact than its ``Code``.
    ///
    /// The raw value is the word for it in Cache-Status (RFC 9211 §2.8).
    public enum Cause: String, Sendable, CaseIterable {
        /// The host name doesn't exist.
        case unknownHost = "origin-unknown-host"
        /// No server listens at the port.
        case connectionRefused = "origin-refused"
        /// The origin is unreachable otherwise, for example because there is no route to it.
        case unreachable = "origin-unreachable"
        /// The connection, or the response, took too long.
        case timedOut = "origin-timeout"
        /// The connection was reset.
        case reset = "origin-reset"
        /// The connection was closed before the response was complete.
        case closed = "origin-closed"
        /// The certificate has expired.
        case expiredCertificate = "origin-certificate-expired"
        /// The certificate isn't valid yet.
        case earlyCertificate = "origin-certificate-not-yet-valid"
        /// The certificate is self-signed, and isn't trusted itself.
        case selfSignedCertificate = "origin-certificate-self-signed"
        /// The certificate isn't trusted for another reason, mostly because its issuer isn't.
        case untrustedCertificate = "origin-certificate-untrusted"
        /// The certificate is for other hosts.
        case wrongCertificate = "origin-certificate-wrong-host"
        /// The certificate is trusted, but the program doesn't accept it.
        case unacceptedCertificate = "origin-certificate-unaccepted"
        /// TLS failed otherwise.
        case tls = "origin-tls-failed"
        /// The response isn't valid HTTP, or exceeds a limit.
        case malformed = "origin-malformed"
        /// The request can't be sent.
        case notSent = "request-not-sent"
        /// Too many requests are in progress.
        case tooManyRequests = "too-many-requests"
        /// The address must not be contacted.
        case forbiddenAddress = "forbidden-address"
        /// The response is no longer needed.
        case cancelled = "request-cancelled"
    }

    /// The kind of failure.
    public var code: Code
    /// The cause, as far as it is known.
    public var cause: Cause
    /// The failure as a sentence, in lower case and without a full stop; clients may read it.
    public var message: String
    /// The kind of error in Proxy-Status, if it is known more exactly than by the cause.
    private var exactError: ProxyStatus.ErrorType?

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: The failure as a sentence.
    ///   - cause: The cause, or nil for the one that the code implies.
    public init(_ code: Code, _ message: String, cause: Cause? = nil) {
        self.code = code
        self.message = message
        self.cause = cause ?? code.cause
    }

    /// The message.
    public var description: String { message }

    /// The member of Proxy-Status for an answer in place of the origin's (RFC 9209 §2.3); nil if the caller was cancelled.
    package var proxyStatus: ProxyStatus? {
        (exactError ?? cause.proxyError).map { ProxyStatus(error: $0, details: message) }
    }

    /// Returns the failure with an exact kind of error, if there is one.
    fileprivate func with(_ error: ProxyStatus.ErrorType?) -> TransportFailure {
        var failure = self
        failure.exactError = error
        return failure
    }
}

extension TransportFailure.Cause {
    /// The kind of error in Proxy-Status (RFC 9209 §2.3); nil if nobody gets an answer.
    fileprivate var proxyError: ProxyStatus.ErrorType? {
        switch self {
        case .unknownHost: .dnsError
        case .connectionRefused: .connectionRefused
        case .unreachable: .destinationUnavailable
        case .timedOut: .responseTimeout
        case .reset: .connectionTerminated
        case .closed: .responseIncomplete
        case .expiredCertificate, .earlyCertificate, .selfSignedCertificate, .untrustedCertificate, .wrongCertificate,
            .unacceptedCertificate:
            .tlsCertificate
        case .tls: .tlsProtocol
        case .malformed: .protocolError
        case .notSent: .internalError
        case .tooManyRequests: .connectionLimit
        case .forbiddenAddress: .destinationProhibited
        case .cancelled: nil
        }
    }
}

extension TransportFailure {
    /// Creates a failure whose kind in Proxy-Status is known.
    init(_ code: Code, _ message: String, error: ProxyStatus.ErrorType) {
        self = TransportFailure(code, message).with(error)
    }

    /// The failure of a request whose caller was cancelled.
    static let cancelled = TransportFailure(.cancelled, "the request was cancelled")

    /// Creates a failure from an error of the network, TLS or the parser, for other transports.
    package init(cause: any Error) { self.init(cause, .init()) }

    /// Creates a failure from an error of the network, TLS or the parser.
    init(_ cause: any Error, _ limits: DirectTransport.Limits = .init()) {
        switch cause {
        case let failure as TransportFailure: self = failure
        case let error as WireError:
            // A part of a head isn't valid HTTP; a body that breaks off was valid so far.
            let isCut = error == .closed || error == .truncated
            self = TransportFailure(isCut ? .disconnected : .malformed, error.description)
                .with(error == .closed ? .connectionTerminated : nil)
        case is CancellationError: self = .cancelled
        case is RequestBodyMismatch: self.init(.refused, "the request's body differs in length from its Content-Length")
        case ConnectionTrouble.timeout, ConnectionTrouble.slow:
            self.init(.timedOut, "the origin sent too little for \(limits.silentSeconds) seconds")
        case let error as Unreachable:
            let trouble = ConnectionTrouble(error.cause)
            self = TransportFailure(.unreachable, trouble.words, cause: trouble.cause).with(trouble.proxyError)
        default:
            let trouble = ConnectionTrouble(cause)
            self = TransportFailure(trouble.code, trouble.words, cause: trouble.cause).with(trouble.proxyError)
        }
    }
}

extension TransportFailure.Code {
    /// The cause of a failure of which only the kind is known.
    fileprivate var cause: TransportFailure.Cause {
        switch self {
        case .unreachable: .unreachable
        case .timedOut: .timedOut
        case .disconnected: .closed
        case .malformed: .malformed
        case .insecure: .tls
        case .refused: .notSent
        case .forbidden: .forbiddenAddress
        case .cancelled: .cancelled
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
        case .notHTTP, .limit: .malformed
        case .busy, .noDescriptor: .refused
        default: .disconnected
        }
    }

    /// The cause that callers of the resolver see.
    fileprivate var cause: TransportFailure.Cause {
        switch self {
        case .unknownHost: .unknownHost
        case .refused: .connectionRefused
        case .unreachable, .proxyCredentials, .proxyAnswer: .unreachable
        case .unconnected, .timeout, .slow: .timedOut
        case .reset: .reset
        case .cut, .other: .closed
        case .notHTTP, .limit: .malformed
        case .busy, .noDescriptor: .tooManyRequests
        case .untrusted(.expired): .expiredCertificate
        case .untrusted(.notYetValid): .earlyCertificate
        case .untrusted(.selfSigned): .selfSignedCertificate
        case .untrusted(.unknownIssuer), .untrusted(nil): .untrustedCertificate
        case .wrongHost, .unnamedHost: .wrongCertificate
        case .unaccepted: .unacceptedCertificate
        case .notTLS, .tls: .tls
        }
    }
}

extension ConnectionTrouble {
    /// The kind of error in Proxy-Status, if the cause doesn't tell it.
    fileprivate var proxyError: ProxyStatus.ErrorType? {
        switch self {
        case .unconnected: .connectionTimeout
        case .unreachable: .destinationUnroutable
        default: nil
        }
    }
}
