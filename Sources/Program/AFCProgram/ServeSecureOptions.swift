import AFCAuthority
import AFCHTTP
import AFCServer
internal import AFCText
import ArgumentParser

/// The options for serving over TLS.
struct ServeSecureOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Serve over TLS with this certificate chain (PEM, server certificate first). Enables HTTP/2.
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var tlsCert: String?

    @Option(help: ArgumentHelp("The private key of the certificate (PEM).", valueName: "file"), completion: .file())
    var tlsKey: String?

    @Option(
        name: .customLong("tls-ca"),
        help: ArgumentHelp(
            """
            Serve over TLS with certificates of the authority in this folder ('afcache ca create'), made for each name \
            or address by which clients connect. Enables HTTP/2.
            """,
            valueName: "dir"
        ),
        completion: .directory
    )
    var tlsAuthority: String?

    func validate() throws {
        guard tlsAuthority == nil || tlsCert == nil else {
            throw ValidationError("'--tls-ca' can't be combined with '--tls-cert'; remove one of them")
        }
        guard (tlsCert == nil) == (tlsKey == nil) else {
            throw ValidationError("'--tls-cert' and '--tls-key' work only together; give both")
        }
    }

    /// The certificate of every connection; nil for plain HTTP.
    func certificates() throws -> (any CertificateProviding)? {
        if let tlsAuthority { return try ServeCertificates(AuthorityFolder(path: tlsAuthority)) }
        guard let tlsCert, let tlsKey else { return nil }
        let certificate = ServerCertificate(
            chain: String(decoding: try SmallFile.read(tlsCert, limit: 1_000_000), as: UTF8.self),
            key: String(decoding: try SmallFile.read(tlsKey, limit: 1_000_000), as: UTF8.self)
        )
        do {
            let fixed = try FixedCertificate(certificate)
            if fixed.expires < Clock.now {
                Console.complain(
                    "warning: the certificate \(PrintableText.quoted(tlsCert)) expired at \(fixed.expires.iso8601), so clients "
                        + "refuse it; renew it, and restart the server"
                )
            }
            return fixed
        } catch {
            throw ServerError(.badCertificate, subject: tlsCert, message: Self.problem(certificate, tlsCert, tlsKey))
        }
    }

    /// Returns why a certificate and a key can't be used together, and what to do.
    private static func problem(_ certificate: ServerCertificate, _ chainFile: String, _ keyFile: String) -> String {
        let (chain, key) = (PrintableText.escaped(chainFile), PrintableText.escaped(keyFile))
        let isSwapped = certificate.chain.contains("PRIVATE KEY-----") && certificate.key.contains("BEGIN CERTIFICATE-")
        guard !isSwapped else { return "the file has the private key; '--tls-cert' and '--tls-key' are swapped" }
        guard certificate.chain.contains("-----BEGIN CERTIFICATE-") else {
            return "the file has no certificate in PEM form; 'openssl x509 -in \(chain) -out NEW.pem' writes one"
        }
        guard !certificate.key.contains("ENCRYPTED") else {
            return "the private key '\(key)' is encrypted; 'openssl pkey -in \(key) -out PLAIN.key' decrypts it"
        }
        guard certificate.key.contains("PRIVATE KEY-----") || !certificate.key.contains("BEGIN CERTIFICATE-") else {
            return "'\(key)' is a certificate; name the file of its private key, with '-----BEGIN PRIVATE KEY-----'"
        }
        guard certificate.key.contains("PRIVATE KEY-----") else {
            return "'\(key)' has no private key in PEM form; 'openssl pkey -in \(key) -out NEW.key' writes one"
        }
        return "'\(key)' is the private key of another certificate, or one of the files is damaged; for a pair, "
            + "'openssl x509 -in \(chain) -noout -pubkey' and 'openssl pkey -in \(key) -pubout' print the same"
    }
}

/// The certificates of the local authority for the server.
struct ServeCertificates: CertificateProviding {
    /// The authority and the certificates that it has signed.
    let certificates: ServerCertificates

    /// Reads the authority.
    ///
    /// - Parameter folder: The folder of the authority.
    /// - Throws: `AuthorityError` if it can't be used.
    init(_ folder: AuthorityFolder) throws {
        self.init(authority: try folder.authority(at: Clock.now))
    }

    /// Uses an authority.
    init(authority: CertificateAuthority) { certificates = ServerCertificates(authority: authority) }

    func certificate(for name: String?) async throws -> ServerCertificate {
        let made = try certificates.certificate(for: name ?? "", at: Clock.now)
        return ServerCertificate(chain: made.chainPEM, key: made.privateKeyPEM)
    }
}
