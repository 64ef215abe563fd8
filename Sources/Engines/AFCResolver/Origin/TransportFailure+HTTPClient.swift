internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension TransportFailure {
    /// What AsyncHTTPClient, or what lies below it, said.
    init(ofClient cause: any Error) {
        switch cause {
        case let error as HTTPClientError: self.init(error)
        case HTTPParserError.invalidEOFState: self.init(.disconnected, "the origin closed the connection too early")
        case let error as HTTPParserError: self.init(.malformed, "what the origin sends is no HTTP: \(error)")
        case let error as IOError where [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode):
            self.init(.unreachable, "the origin can't be reached: \(error)")
        default: self.init(cause)
        }
    }

    private init(_ error: HTTPClientError) {
        switch error {
        case .cancelled: self = .cancelled
        case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout:
            self.init(.timedOut, "the origin doesn't answer in time")
        case .readTimeout, .writeTimeout, .deadlineExceeded: self.init(.timedOut, "the origin stopped sending")
        case .invalidURL, .emptyHost, .emptyScheme:
            self.init(.unreachable, "the URL leads to no origin: \(error.shortDescription)")
        case .traceRequestWithBody, .bodyLengthMismatch:
            self.init(.refused, "the request can't be sent: \(error.shortDescription)")
        case .remoteConnectionClosed: self.init(.disconnected, "the origin closed the connection too early")
        default: self.init(.disconnected, "the connection broke off: \(error.shortDescription)")
        }
    }
}
