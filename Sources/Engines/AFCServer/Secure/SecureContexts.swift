public import AFCHTTP
internal import NIOSSL
internal import Synchronization

/// The TLS contexts, one per certificate, each created once.
final class SecureContexts: Sendable {
    private static let limit = 1000
    private let known = Mutex<[ServerCertificate: NIOSSLContext]>([:])

    /// Returns the TLS context for a certificate: TLS 1.2 or later, with HTTP/2 and HTTP/1.1.
    ///
    /// - Parameter certificate: The certificate.
    /// - Returns: The context.
    /// - Throws: An error if the certificate or the key can't be parsed, or they don't match.
    func context(for certificate: ServerCertificate) throws -> NIOSSLContext {
        if let context = known.withLock({ $0[certificate] }) { return context }
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.chain.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(certificate.key.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["h2", "http/1.1"]
        let context = try NIOSSLContext(configuration: configuration)
        known.withLock { known in
            if known.count >= Self.limit { known.removeAll() }
            known[certificate] = context
        }
        return context
    }
}

/// A provider with one certificate for all names.
public struct FixedCertificate: CertificateProviding {
    private let certificate: ServerCertificate

    /// Creates a provider, and checks that TLS can use the certificate.
    ///
    /// - Parameter certificate: The certificate.
    /// - Throws: An error if the certificate or the key can't be parsed, or they don't match.
    public init(_ certificate: ServerCertificate) throws {
        _ = try SecureContexts().context(for: certificate)
        self.certificate = certificate
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.chain.utf8))
        expires = Timestamp(secondsSinceEpoch: chain.map { Int64($0.notValidAfter) }.min() ?? .max)
    }

    /// When the first certificate of the chain is no longer valid.
    public let expires: Timestamp

    /// Returns the certificate.
    public func certificate(for name: String?) async throws -> ServerCertificate { certificate }
}
