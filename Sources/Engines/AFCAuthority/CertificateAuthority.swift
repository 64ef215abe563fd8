public import AFCHTTP
public import AFCText
import Crypto
import X509

/// A certificate authority of this machine, for those who told their programs to trust it.
///
/// Whoever has its private key can stand in for any host that its constraints allow, towards everybody who trusts it.
public struct CertificateAuthority: Sendable {
    /// What it is known by.
    public let certificate: AuthorityCertificate
    let key: P256.Signing.PrivateKey

    init(certificate: AuthorityCertificate, key: P256.Signing.PrivateKey) {
        self.certificate = certificate
        self.key = key
    }

    /// Puts a certificate and its private key together.
    ///
    /// - Parameters:
    ///   - certificate: The certificate.
    ///   - keyPEM: The private key, ECDSA with P-256, as PKCS #8 (RFC 5958) or SEC 1 (RFC 5915), in PEM.
    ///   - subject: What errors call the key: its path.
    ///   - now: The present time.
    /// - Throws: ``AuthorityError`` where they don't fit, or the certificate doesn't hold now.
    public init(
        certificate: AuthorityCertificate,
        keyPEM: String,
        subject: String,
        at now: Timestamp
    ) throws(AuthorityError) {
        let key: P256.Signing.PrivateKey
        do {
            key = try P256.Signing.PrivateKey(pemRepresentation: keyPEM)
        } catch {
            // The cause isn't told: it might quote the key.
            throw AuthorityError(
                .malformed,
                subject: subject,
                message:
                    "this is not a private key for ECDSA with P-256 in PEM",
                remedy: .replaceAuthority
            )
        }
        self.init(certificate: certificate, key: key)
        guard Certificate.PublicKey(key.publicKey) == certificate.certificate.publicKey else {
            throw AuthorityError(
                .mismatched,
                subject: subject,
                message:
                    "the private key doesn't belong to the certificate; restore the one that does, or make both again",
                remedy: .replaceAuthority
            )
        }
        try requireValid(at: now)
    }

    /// The private key as PKCS #8 in PEM, with a line end behind it.
    var keyPEM: String { key.pemRepresentation + "\n" }

    func requireValid(at now: Timestamp) throws(AuthorityError) {
        guard !certificate.isValid(at: now) else { return }
        let problem =
            now < certificate.notBefore
            ? "the authority holds from \(certificate.notBefore.iso8601) on; is the clock right?"
            : "the authority expired on \(certificate.notAfter.iso8601)"
        throw AuthorityError(
            .expired,
            subject: certificate.name,
            message: problem,
            remedy: now < certificate.notBefore ? nil : .replaceAuthority
        )
    }
}

extension Certificate.SerialNumber {
    /// 20 bytes that nobody can foresee, without the sign bit (RFC 5280 §4.1.2.2), and never shorter.
    static func random() -> Self {
        var generator = SystemRandomNumberGenerator()
        var bytes = (0..<20).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        bytes[0] = bytes[0] & 0x7F | 0x40
        return Self(bytes: bytes)
    }
}
