internal import AFCPlatform
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// What kept a connection from coming about, or ended it, told apart as far as people can do something about it.
///
/// Whatever carries requests throws errors of its own, of the system or of the TLS library, whose texts name functions and
/// source files. None of that gets into the words here.
package enum ConnectionTrouble: Error, Equatable, Sendable {
    /// The name is not known.
    case unknownHost
    /// Nobody listens at the port, or a firewall says so.
    case refused
    /// No connection came about in time.
    case unconnected
    /// No answer came in time.
    case timeout
    /// Hardly anything came in time.
    case slow
    /// The other side ended the connection at once, or its machine forgot it.
    case reset
    /// The network has no way to the host.
    case unreachable
    /// The connection ended before the answer did.
    case cut
    /// What came is no HTTP, and why.
    case notHTTP(String)
    /// The proxy wants other credentials.
    case proxyCredentials
    /// The proxy answers a CONNECT with something else than a connection.
    case proxyAnswer
    /// The certificate can't be trusted; ``CertificateProbe`` finds out why.
    case untrusted(Distrust?)
    /// The certificate is for other hosts.
    case wrongHost
    /// The port speaks something else than TLS.
    case notTLS
    /// TLS failed otherwise; in the words of the standard.
    case tls(String)
    /// Something else, in the system's words.
    case other(String)

    /// Why a certificate isn't trusted.
    package enum Distrust: Equatable, Sendable {
        case expired
        case notYetValid
        case selfSigned
        case unknownIssuer
    }

    /// Tells what an error means.
    ///
    /// - Parameter error: What a client or a connection threw.
    package init(_ error: any Error) {
        switch error {
        case let error as ConnectionTrouble: self = error
        case let error as NIOConnectionError:
            if let first = error.connectionErrors.first {
                self.init(first.error)
            } else {
                self = .unknownHost
            }
        case let error as IOError: self.init(number: error.errnoCode)
        case ChannelError.connectTimeout: self = .unconnected
        case is ChannelError: self = .cut
        // One that is closed within a response may have been whole so far.
        case let error as WireError:
            self = error.isCut ? .cut : .notHTTP("\(error)")
        case let error as NIOSSLError: self.init(tls: error)
        case let error as NIOSSLExtraError:
            self =
                error == .failedToValidateHostname || error == .serverHostnameImpossibleToMatch
                ? .wrongHost : .tls("the host's name can't be used")
        case let error as BoringSSLError: self = .tls(Self.reason("\(error)"))
        default: self = .other("\(type(of: error))")
        }
    }

    private init(number: CInt) {
        switch number {
        case ECONNREFUSED: self = .refused
        case ECONNRESET, EPIPE, ECONNABORTED: self = .reset
        case ETIMEDOUT: self = .unconnected
        case EHOSTUNREACH, ENETUNREACH, ENETDOWN, EHOSTDOWN: self = .unreachable
        default: self = .other(String(cString: strerror(number)).lowercased())
        }
    }

    private init(tls error: NIOSSLError) {
        let text = "\(error)"
        switch error {
        // The connection ended without saying so: what came before may be a part.
        case .uncleanShutdown: self = .cut
        case .handshakeFailed where text.contains("CERTIFICATE_VERIFY_FAILED"), .unableToValidateCertificate,
            .noCertificateToValidate:
            self = .untrusted(nil)
        case .handshakeFailed
        where ["WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST"].contains(where: text.contains):
            self = .notTLS
        default: self = .tls(Self.reason(text))
        }
    }

    /// What the TLS library calls the reason, without its functions, files and lines.
    private static func reason(_ text: String) -> String {
        guard let mark = text.firstRange(of: "OPENSSL_internal:") else { return "the handshake failed" }
        let name = text[mark.upperBound...].prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        return name.split(separator: "_").joined(separator: " ").lowercased()
    }

    /// What happened, to stand by itself; lower case, no full stop.
    package var words: String {
        switch self {
        case .unknownHost: "the host's name is not known"
        case .refused: "the server refused the connection"
        case .unconnected: "the server can't be reached in time"
        case .timeout: "the server didn't answer in time"
        case .slow: "the server sends hardly anything"
        case .reset: "the server reset the connection"
        case .unreachable: "the network has no route to the host"
        case .cut: "the connection was closed before the end"
        case .notHTTP(let reason): "what the server sends isn't HTTP: \(reason)"
        case .proxyCredentials: "the proxy asks for other credentials"
        case .proxyAnswer: "the proxy doesn't connect to the server"
        case .untrusted(.expired): "the server's certificate has expired, or this machine's clock is wrong"
        case .untrusted(.notYetValid): "the server's certificate isn't valid yet, or this machine's clock is wrong"
        case .untrusted(.selfSigned):
            "the server's certificate is self-signed, and this machine doesn't trust it"
        case .untrusted(.unknownIssuer):
            "the server's certificate is from an authority that this machine doesn't trust"
        case .untrusted(nil): "the server's certificate isn't one that this machine trusts"
        case .wrongHost: "the server's certificate is for another host"
        case .notTLS: "the server doesn't speak TLS at this port"
        case .tls(let reason): "the TLS handshake failed (\(reason))"
        case .other(let reason): reason
        }
    }

    /// Whether TLS failed because of the certificate or otherwise, so that asking again doesn't help.
    package var isOfTLS: Bool {
        switch self {
        case .untrusted, .wrongHost, .notTLS, .tls: true
        default: false
        }
    }
}
