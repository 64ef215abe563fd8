internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPCompression
internal import NIOPosix
internal import NIOSSL
internal import OriginClient
internal import ZipArchive

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

extension FetchFailure {
    /// What the client, the network, TLS or a coding said.
    ///
    /// - Parameters:
    ///   - cause: What was thrown; nothing of it that a request said gets into the failure.
    ///   - hasBegun: Whether the response's head had come: what then ends the connection cuts the body short.
    init(cause: any Error, hasBegun: Bool) {
        self = Self.failure(cause)
        if hasBegun, case .connection = self { self = .truncated }
    }

    private static func failure(_ cause: any Error) -> FetchFailure {
        switch cause {
        case let failure as FetchFailure: return failure
        case is UnadmittedPeer: return .privateAddress
        case ExchangeFailure.timeout: return .timeout
        case ExchangeFailure.truncated: return .truncated
        case ExchangeFailure.closed: return .connection("it was closed before the end")
        case let error as WireError: return .connection("no HTTP (\(error))")
        case ContentDecoder.Failure.expansion: return .expansion
        case ContentDecoder.Failure.truncated: return .truncated
        case ContentDecoder.Failure.damaged: return .coding("gzip or deflate")
        case let error as HTTPClientError: return failure(error)
        case NIOHTTPDecompression.DecompressionError.limit: return .expansion
        case is NIOHTTPDecompression.DecompressionError: return .coding("gzip or deflate")
        case let error as NIOHTTPDecompression.ExtraDecompressionError:
            return error == .truncatedData ? .truncated : .coding("gzip or deflate")
        case HTTPParserError.invalidEOFState: return .truncated
        case let error as HTTPParserError: return .connection("no HTTP (\(error))")
        case let error as NIOConnectionError:
            if error.dnsAError != nil || error.dnsAAAAError != nil, error.connectionErrors.isEmpty {
                return .unknownHost
            }
            return error.connectionErrors.first.map { failure($0.error) } ?? .connection("no address")
        case let error as IOError:
            return error.errnoCode == ECONNREFUSED ? .refused : .connection("\(error)")
        // The connection ended without saying so: what came before may be a part.
        case NIOSSLError.uncleanShutdown: return .connection("it was cut")
        case let error as NIOSSLError: return .tls("\(error)")
        case let error as NIOSSLExtraError: return .tls("\(error)")
        case is BoringSSLError: return .tls("\(cause)")
        case is ChannelError: return .connection("it was closed")
        default: return .connection("\(cause)")
        }
    }

    private static func failure(_ error: HTTPClientError) -> FetchFailure {
        switch error {
        case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout,
            .tlsHandshakeTimeout, .httpProxyHandshakeTimeout:
            .timeout
        // Also what the client says of a request for a connection that a GOAWAY ends (RFC 9113 §6.8).
        case .cancelled: .connection("it was closing")
        case .remoteConnectionClosed: .connection("it was closed before the end")
        case .proxyAuthenticationRequired: .proxy("it asks for other credentials")
        case .invalidProxyResponse: .proxy("it doesn't connect to the origin")
        default: .connection(error.shortDescription)
        }
    }
}
