public import NIOCore

/// The new use of a connection after an answer (RFC 9110 §9.3.6 and §7.8).
public enum Handover: Sendable {
    /// Bytes in both directions; the connection closes when the closure returns.
    case raw(@Sendable (RawConnection) async throws -> Void)
    /// TLS with this server at its end, over which requests are read as on any connection; a client may also send them
    /// without TLS.
    ///
    /// They carry the authority as ``ServerRequest/tunnelled``.
    case secure(any CertificateProviding, authority: Authority)
}

/// A connection as bytes in both directions, with backpressure.
///
/// It is closed if no bytes move in either direction for longer than the server's idle time for tunnels.
public struct RawConnection: Sendable {
    /// The bytes from the peer; ends when the peer has closed its side.
    public var inbound: any AsyncSequence<ByteBuffer, any Error> & Sendable
    /// Sends bytes, and returns when there is room for more.
    public var send: @Sendable (ByteBuffer) async throws -> Void
    /// Closes this side: the peer sees the end after all that was sent.
    public var finish: @Sendable () -> Void

    /// Creates a connection, for example for tests.
    ///
    /// - Parameters:
    ///   - inbound: The bytes from the peer.
    ///   - send: Sends bytes.
    ///   - finish: Closes this side.
    public init(
        inbound: any AsyncSequence<ByteBuffer, any Error> & Sendable,
        send: @escaping @Sendable (ByteBuffer) async throws -> Void,
        finish: @escaping @Sendable () -> Void
    ) {
        self.inbound = inbound
        self.send = send
        self.finish = finish
    }
}

/// A server certificate with its key and the intermediate certificates.
public struct ServerCertificate: Sendable, Hashable {
    /// The certificates in PEM, the server's own first.
    public var chain: String
    /// The private key in PEM.
    public var key: String

    /// Creates a certificate.
    ///
    /// - Parameters:
    ///   - chain: The certificates in PEM, the server's own first.
    ///   - key: The private key in PEM.
    public init(chain: String, key: String) {
        self.chain = chain
        self.key = key
    }
}

/// Chooses the certificate of a connection when TLS begins on it.
public protocol CertificateProviding: Sendable {
    /// Returns the certificate for a name.
    ///
    /// - Parameter name: The name that the client asked for (RFC 6066 §3), or nil if it asked for none.
    /// - Returns: The certificate.
    /// - Throws: An error if there is none; the server then closes the connection.
    func certificate(for name: String?) async throws -> ServerCertificate
}

/// Certificates for clients that send no name, as for addresses (RFC 6066 §3): the host that they connected to is used
/// instead.
struct AddressedCertificates: CertificateProviding {
    let base: any CertificateProviding
    let host: String?

    func certificate(for name: String?) async throws -> ServerCertificate {
        try await base.certificate(for: name ?? host)
    }
}
