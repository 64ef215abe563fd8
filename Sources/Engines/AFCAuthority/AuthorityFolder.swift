public import AFCHTTP
public import AFCText

/// The folder that an authority is kept in: `key.pem`, for its owner alone, and `certificate.pem`, for everybody.
public struct AuthorityFolder: Sendable {
    /// The folder.
    public let path: String

    /// Names a folder, which need not exist yet.
    public init(path: String) { self.path = path }

    /// The file of the certificate.
    public var certificatePath: String { path + "/certificate.pem" }
    /// The file of the private key.
    public var keyPath: String { path + "/key.pem" }

    /// Reads the certificate, also one that expired.
    ///
    /// - Returns: The certificate.
    /// - Throws: ``AuthorityError``.
    public func certificate() throws(AuthorityError) -> AuthorityCertificate {
        let bytes = try AuthorityFile.read(certificatePath)
        try AuthorityFile.requireOwn(folder: path)
        return try AuthorityCertificate(pem: String(decoding: bytes, as: UTF8.self), subject: certificatePath)
    }

    /// Reads the authority.
    ///
    /// - Parameter now: The present time.
    /// - Returns: The authority, which holds now.
    /// - Throws: ``AuthorityError``: files that are missing or don't fit, a key that others may read or exchange, an
    ///   authority that expired.
    public func authority(at now: Timestamp) throws(AuthorityError) -> CertificateAuthority {
        let certificate = try certificate()
        try AuthorityFile.requireOwn(folder: path)
        let key = try AuthorityFile.read(keyPath, isSecret: true)
        return try CertificateAuthority(
            certificate: certificate,
            keyPEM: String(decoding: key, as: UTF8.self),
            subject: keyPath,
            at: now
        )
    }

    /// Writes an authority; what is on the disk afterwards survives a power cut.
    ///
    /// - Parameters:
    ///   - authority: The authority.
    ///   - isReplacing: Whether one that is there already is given up. Without it, neither file is ever replaced.
    /// - Throws: ``AuthorityError``.
    public func save(_ authority: CertificateAuthority, replacing isReplacing: Bool = false) throws(AuthorityError) {
        try AuthorityFile.make(folder: path)
        try AuthorityFile.requireOwn(folder: path)
        for path in [keyPath, certificatePath] where isReplacing { try AuthorityFile.requireReplaceable(path) }
        if !isReplacing {
            for path in [keyPath, certificatePath] where AuthorityFile.exists(path) {
                throw AuthorityError(
                    .exists,
                    subject: path,
                    message:
                        "there is an authority already, and what trusts it won't trust a new one",
                    remedy: .force
                )
            }
        }
        // The key first: a key that nobody knows the certificate of can do no harm.
        try AuthorityFile.write(authority.keyPEM, to: keyPath, mode: 0o600, replacing: isReplacing)
        do throws(AuthorityError) {
            try AuthorityFile.write(
                authority.certificate.pem,
                to: certificatePath,
                mode: 0o644,
                replacing: isReplacing
            )
        } catch {
            if !isReplacing { AuthorityFile.remove(keyPath) }
            throw error
        }
    }
}
