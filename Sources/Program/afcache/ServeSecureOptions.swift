import AFCAuthority
import AFCServer
import AFCText
import ArgumentParser

/// The options with which `afcache serve` speaks TLS.
struct ServeSecureOptions: ParsableArguments {
    @Option(
        help: "Serve over TLS with this certificate chain (PEM, server certificate first). Enables HTTP/2.",
        completion: .file()
    )
    var tlsCert: String?

    @Option(help: "The private key of the certificate: PEM.", completion: .file())
    var tlsKey: String?

    func validate() throws {
        guard (tlsCert == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-cert and --tls-key belong together.")
        }
    }

    /// The certificate of every connection; nil for plain HTTP.
    func certificates() throws -> (any CertificateProviding)? {
        guard let tlsCert, let tlsKey else { return nil }
        let certificate = ServerCertificate(
            chain: String(decoding: try SmallFile.read(tlsCert, limit: 1_000_000), as: UTF8.self),
            key: String(decoding: try SmallFile.read(tlsKey, limit: 1_000_000), as: UTF8.self)
        )
        do {
            return try FixedCertificate(certificate)
        } catch {
            let message = "'\(tlsKey)' must be its key, and both must be PEM"
            throw ServerError(.badCertificate, subject: tlsCert, message: message)
        }
    }
}

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
