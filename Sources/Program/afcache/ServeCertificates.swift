import AFCAuthority
import AFCServer

/// The local authority's certificates, as the server asks for them.
struct ServeCertificates: CertificateProviding {
    /// Who signs, and what was signed before.
    let certificates: ServerCertificates

    /// Reads the authority.
    ///
    /// - Parameter folder: Where it is.
    /// - Throws: `AuthorityError` where it can't be used.
    init(_ folder: AuthorityFolder) throws {
        certificates = ServerCertificates(authority: try folder.authority(at: Clock.now))
    }

    func certificate(for name: String?) async throws -> ServerCertificate {
        let made = try certificates.certificate(for: name ?? "", at: Clock.now)
        return ServerCertificate(chain: made.chainPEM, key: made.privateKeyPEM)
    }
}
