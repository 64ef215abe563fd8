internal import NIOSSL

/// A server's certificate, for a program that accepts only some of those that its authorities vouch for.
package struct PeerCertificate: Sendable {
    /// The server's host as a URL serializes it.
    package let host: String
    /// The server's port.
    package let port: UInt16
    /// The certificate, in DER.
    package let certificate: [UInt8]
    /// The certificate's public key with its algorithm (SubjectPublicKeyInfo, RFC 5280 §4.1.2.7), in DER.
    package let publicKey: [UInt8]

    /// Creates a value; nil if a certificate's parts can't be written.
    init?(_ certificate: NIOSSLCertificate, host: String, port: UInt16) {
        (self.host, self.port) = (host, port)
        guard let bytes = try? certificate.toDERBytes(), let key = try? certificate.extractPublicKey().toSPKIBytes()
        else { return nil }
        (self.certificate, publicKey) = (bytes, key)
    }
}

/// The authorities that a client trusts over TLS.
package struct OriginTrust: Sendable {
    /// The error for a file without valid certificates.
    package struct Unreadable: Error {
        /// The error of the TLS library.
        package let cause: any Error
    }

    private var configuration = Self.configuration
    /// Decides which servers are accepted of those whose certificates are trusted; nil for all.
    private(set) var accepts: (@Sendable (PeerCertificate) -> Bool)?

    /// The configuration of clients; TLS before 1.2 must not be used (RFC 8996).
    static var configuration: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        return configuration
    }

    /// Creates a value that trusts the system's authorities.
    package init() {}

    /// Creates a value that trusts what an access says.
    ///
    /// - Throws: ``Unreadable``.
    package init(_ access: OriginAccess) throws(Unreadable) {
        if !access.verifiesCertificates { configuration.certificateVerification = .none }
        accepts = access.accepts
        guard let file = access.trustRoots else { return }
        do {
            configuration.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(file))]
        } catch {
            throw Unreadable(cause: error)
        }
    }

    /// True if certificates are verified.
    var verifies: Bool { configuration.certificateVerification != .none }

    /// Returns the TLS context for connections; reads the system's authorities.
    ///
    /// - Parameters:
    ///   - usesHTTP2: True to offer HTTP/2.
    ///   - checksHosts: True if TLS checks that the certificate names the host; otherwise the caller must check it.
    /// - Returns: The context.
    /// - Throws: An error of the TLS library.
    func context(usesHTTP2: Bool, checksHosts: Bool) throws -> NIOSSLContext {
        var configuration = configuration
        if verifies, !checksHosts { configuration.certificateVerification = .noHostnameVerification }
        configuration.applicationProtocols = usesHTTP2 ? ["h2", "http/1.1"] : ["http/1.1"]
        return try NIOSSLContext(configuration: configuration)
    }
}
