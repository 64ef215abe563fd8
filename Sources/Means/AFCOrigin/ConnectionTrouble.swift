package import AFCHTTP
internal import AFCPlatform
internal import AFCText
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// A failure to establish or keep a connection, in the categories that matter to users.
///
/// The layers below throw errors of the system or of the TLS library, whose texts name functions and
/// source files. None of that appears in the sentences here.
package enum ConnectionTrouble: Error, Equatable, Sendable {
    /// The host name doesn't exist.
    case unknownHost
    /// No server listens at the port, or a firewall rejects the connection.
    case refused
    /// The connection was not established in time.
    case unconnected
    /// No response arrived in time.
    case timeout
    /// Too few bytes arrived in time.
    case slow
    /// The other side reset the connection, or its machine has forgotten it.
    case reset
    /// The network has no route to the host.
    case unreachable
    /// The connection closed before the response was complete.
    case cut
    /// The response isn't valid HTTP, for this reason.
    case notHTTP(String)
    /// The response exceeds a limit of this client, as this sentence says.
    case limit(String)
    /// Too many requests were in progress for too long, so that this one wasn't sent.
    case busy
    /// This process may not open more connections.
    case noDescriptor
    /// The proxy doesn't accept the credentials.
    case proxyCredentials
    /// The proxy refuses CONNECT, with this status if it answered.
    case proxyAnswer(Int?)
    /// The certificate isn't trusted, for this reason, or for one that isn't known.
    case untrusted(Distrust?)
    /// The certificate is for other hosts: these, as far as they are known.
    case wrongHost([String])
    /// The certificate is trusted, but not one that the program accepts.
    case unaccepted
    /// The certificate names its host only in the way that RFC 9525 has abolished.
    case unnamedHost
    /// The server at the port doesn't speak TLS.
    case notTLS
    /// TLS failed otherwise, with the reason in the standard's words.
    case tls(String)
    /// Another failure, in the system's words.
    case other(String)

    /// The reason that a certificate isn't trusted.
    package enum Distrust: Equatable, Sendable {
        /// The certificate was valid until then.
        case expired(Timestamp)
        /// The certificate is valid from then on.
        case notYetValid(Timestamp)
        case selfSigned
        case unknownIssuer
    }

    /// Creates a failure from an error.
    ///
    /// - Parameter error: The error that a client or a connection threw.
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
        case let error as Unreachable: self.init(error.cause)
        case ChannelError.connectTimeout: self = .unconnected
        case is ChannelError: self = .cut
        // A connection that closes within a response may have delivered valid bytes so far.
        case let error as WireError:
            self = error.isCut ? .cut : error.isLimit ? .limit("\(error)") : .notHTTP("\(error)")
        case let error as NIOSSLError: self.init(tls: error)
        case let error as NIOSSLExtraError:
            self =
                error == .failedToValidateHostname || error == .serverHostnameImpossibleToMatch
                ? .wrongHost([]) : .tls("the host name can't be used")
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
        case EMFILE, ENFILE: self = .noDescriptor
        default: self = .other(String(cString: strerror(number)).lowercased())
        }
    }

    private init(tls error: NIOSSLError) {
        let text = "\(error)"
        switch error {
        // The connection ended without a TLS close, so the received bytes may be a part.
        case .uncleanShutdown: self = .cut
        case .handshakeFailed where text.contains("CERTIFICATE_VERIFY_FAILED"), .unableToValidateCertificate,
            .noCertificateToValidate:
            self = .untrusted(nil)
        case .handshakeFailed
        where ["WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST"].contains(where: text.contains):
            self = .notTLS
        case .handshakeFailed where ["UNSUPPORTED_PROTOCOL", "PROTOCOL_VERSION"].contains(where: text.contains):
            self = .tls("the server offers no version from TLS 1.2 on")
        default: self = .tls(Self.reason(text))
        }
    }

    /// Returns the TLS library's reason, without its functions, files and lines.
    private static func reason(_ text: String) -> String {
        guard let mark = text.firstRange(of: "OPENSSL_internal:") else { return "the handshake failed" }
        let name = text[mark.upperBound...].prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        return name.split(separator: "_").joined(separator: " ").lowercased()
    }

    /// Returns what a proxy did that refused CONNECT.
    package static func refusal(_ status: Int?) -> String {
        let words = "refused to connect to the server" + (status.map { " (status \($0))" } ?? "")
        // It forbids the host, or can't reach it at the moment.
        return (400..<500).contains(status ?? 0) ? words + "; ask its operator, or name the host in no_proxy" : words
    }

    /// The failure as a sentence of its own; lower case, no full stop.
    package var words: String {
        switch self {
        case .unknownHost: "the host name does not exist"
        case .refused: "the server refused the connection"
        case .unconnected: "the connection to the server timed out"
        case .timeout: "the server didn't respond in time"
        case .slow: "the server is sending too slowly"
        case .reset: "the server reset the connection"
        case .unreachable: "the network has no route to the host"
        case .cut: "the connection closed before the response was complete"
        case .notHTTP(let reason): "the server's response isn't valid HTTP: \(reason)"
        case .limit(let reason): reason
        case .busy: "too many requests are in progress; try again later"
        case .noDescriptor: "this program may not open more connections; raise the limit on open files"
        case .proxyCredentials: "the proxy doesn't accept the credentials"
        case .proxyAnswer(let status): "the proxy \(Self.refusal(status))"
        case .untrusted(.expired(let end)):
            "the server's certificate expired at \(end.iso8601), or this machine's clock is wrong"
        case .untrusted(.notYetValid(let start)):
            "the server's certificate isn't valid before \(start.iso8601), or this machine's clock is wrong"
        case .untrusted(.selfSigned):
            "the server's certificate is self-signed, and this machine doesn't trust it"
        case .untrusted(.unknownIssuer):
            "the server's certificate is from an authority that this machine doesn't trust"
        case .untrusted(nil): "this machine doesn't trust the server's certificate"
        case .wrongHost(let hosts):
            "the server's certificate is for another host"
                + (hosts.isEmpty
                    ? "" : ": for " + hosts.prefix(4).map { PrintableText.quoted($0) }.joined(separator: ", "))
                + "; use its name, or tell the server's operator"
        case .unaccepted: "the program doesn't accept the server's certificate"
        case .unnamedHost: "the server's certificate doesn't name its host (it has no subjectAltName)"
        case .notTLS: "the server doesn't speak TLS at this port; use 'http://' if you trust the network"
        case .tls(let reason): "the TLS handshake failed (\(reason))"
        case .other(let reason): reason
        }
    }

    /// True if a server that speaks TLS may have answered a plain request so.
    package var mayMeanTLS: Bool {
        switch self {
        case .reset, .notHTTP: true
        default: false
        }
    }

    /// True if TLS failed, because of the certificate or otherwise, so that a retry doesn't help.
    package var isOfTLS: Bool {
        switch self {
        case .untrusted, .wrongHost, .unaccepted, .unnamedHost, .notTLS, .tls: true
        default: false
        }
    }
}
