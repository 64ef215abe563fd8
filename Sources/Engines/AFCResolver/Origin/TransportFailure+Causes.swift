internal import AFCOrigin
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

extension TransportFailure {
    /// The caller was cancelled.
    static let cancelled = TransportFailure(.cancelled, "nobody waits for the response any more")

    /// What the network, TLS or the parser said.
    init(_ cause: any Error) {
        switch cause {
        case let failure as TransportFailure: self = failure
        case let error as WireError:
            self.init(error == .closed ? .disconnected : .malformed, error.description)
        case is CancellationError: self = .cancelled
        case ChannelError.connectTimeout: self.init(.timedOut, "the origin doesn't answer in time")
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
