internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import OriginClient

/// Why no whole answer came, and whether asking again may help.
struct ConnectionFailure: Error {
    /// What happened; lower case, no full stop.
    var message: String
    /// Whether asking again may help.
    var isTransient = true

    init(_ message: String, isTransient: Bool = true) {
        self.message = message
        self.isTransient = isTransient
    }

    /// Puts into words what the client and what lies below it throw.
    init(_ error: any Error) {
        switch error {
        case let error as ConnectionFailure: self = error
        case let error as HTTPClientError: self.init(error)
        case let error as NIOConnectionError: self.init(error)
        case HTTPParserError.invalidEOFState: self.init("the connection ended before the package did")
        case let error as HTTPParserError:
            self.init("what the server sends is no HTTP (\(error))", isTransient: false)
        case let error as WireError: self.init("what the server sends is no HTTP: \(error)", isTransient: false)
        case let error as IOError where error.errnoCode == ECONNREFUSED: self.init("the server refused the connection")
        case let error as IOError: self.init("the connection failed: \(String(cString: strerror(error.errnoCode)))")
        case let error as NIOSSLError: self.init(error)
        case is NIOSSLExtraError:
            self.init("the server's certificate is for another host", isTransient: false)
        case is ChannelError: self.init("the connection was closed")
        default: self.init("the connection failed (\(error))")
        }
    }

    private init(_ error: HTTPClientError) {
        switch error {
        case .connectTimeout, .getConnectionFromPoolTimeout: self.init("the server can't be reached in time")
        case .tlsHandshakeTimeout: self.init("no secure connection came about in time")
        case .readTimeout, .writeTimeout, .deadlineExceeded: self.init("the server fell silent")
        case .remoteConnectionClosed: self.init("the connection ended before the package did")
        default: self.init("the connection failed (\(error.shortDescription))")
        }
    }

    private init(_ error: NIOConnectionError) {
        if let first = error.connectionErrors.first {
            self.init(first.error)
        } else if error.dnsAError != nil || error.dnsAAAAError != nil {
            self.init("the name \(error.host) is not known")
        } else {
            self.init("\(error.host) has no address")
        }
    }

    private init(_ error: NIOSSLError) {
        let text = "\(error)"
        switch error {
        case .uncleanShutdown: self.init("the connection ended before the package did")
        case .handshakeFailed where text.contains("CERTIFICATE_VERIFY_FAILED"), .unableToValidateCertificate,
            .noCertificateToValidate:
            self.init(
                "the server's certificate isn't one that this machine trusts, or the machine's clock is wrong",
                isTransient: false
            )
        case .handshakeFailed where text.contains("WRONG_VERSION_NUMBER") || text.contains("HTTP_REQUEST"):
            self.init("the server doesn't speak TLS at this port", isTransient: false)
        case .handshakeFailed: self.init("no secure connection: \(text)")
        default: self.init("the secure connection failed: \(text)")
        }
    }
}
