public import AFCHTTP
public import AFCText

/// The folder of an authority: `key.pem`, readable by its owner alone, and `certificate.pem`, readable by everyone.
public struct AuthorityFolder: Sendable {
    /// The path of the folder.
    public let path: String

    /// Creates a value for a folder, which need not exist yet.
    public init(path: String) { self.path = path }

    /// The path of the certificate.
    public var certificatePath: String { path + "/certificate.pem" }
    /// The path of the private key.
    public var keyPath: String { path + "/key.pem" }

    /// Reads the certificate, even if it has expired.
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
    /// - Parameter now: The current time.
    /// - Returns: The authority, which is valid now.
    /// - Throws: ``AuthorityError`` if files are missing or don't match, if other users can read or replace the key, or
    ///   if the authority has expired.
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

    /// Writes an authority durably, so that it survives a power failure.
    ///
    /// - Parameters:
    ///   - authority: The authority.
    ///   - isReplacing: True to replace an existing authority; otherwise neither file is ever replaced.
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
                        "an authority already exists, and programs that trust it won't trust a new one",
                    remedy: .overwrite
                )
            }
        }
        // The key first: a key without a known certificate does no harm.
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
