public import AFCHTTP
public import AFCText
import Crypto
import SwiftASN1
import X509

/// A certificate authority of this machine, for users who set their programs to trust it.
///
/// Anyone with its private key can impersonate any host that its constraints allow, to everyone who trusts it.
public struct CertificateAuthority: Sendable {
    /// The certificate.
    public let certificate: AuthorityCertificate
    let key: P256.Signing.PrivateKey

    init(certificate: AuthorityCertificate, key: P256.Signing.PrivateKey) {
        self.certificate = certificate
        self.key = key
    }

    /// Combines a certificate with its private key.
    ///
    /// - Parameters:
    ///   - certificate: The certificate.
    ///   - keyPEM: The private key, ECDSA with P-256, as PKCS #8 (RFC 5958) or SEC 1 (RFC 5915), in PEM.
    ///   - subject: The path of the key, for errors.
    ///   - now: The current time.
    /// - Throws: ``AuthorityError`` if they don't match, or the certificate isn't valid now.
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
            // The cause is omitted: it might quote the key.
            throw AuthorityError(
                .malformed,
                subject: subject,
                message:
                    "not a private key for ECDSA with P-256 in PEM",
                remedy: .replaceAuthority
            )
        }
        self.init(certificate: certificate, key: key)
        guard Certificate.PublicKey(key.publicKey) == certificate.certificate.publicKey else {
            throw AuthorityError(
                .mismatched,
                subject: subject,
                message:
                    "the private key doesn't match the certificate; restore the one that does, or make both again",
                remedy: .replaceAuthority
            )
        }
        try requireValid(at: now)
    }

    /// The private key as PKCS #8 in PEM, with a line end.
    var keyPEM: String { key.pemRepresentation + "\n" }

    func requireValid(at now: Timestamp) throws(AuthorityError) {
        guard !certificate.isValid(at: now) else { return }
        let problem =
            now < certificate.notBefore
            ? "the authority is not valid before \(certificate.notBefore.iso8601); is the clock right?"
            : "the authority expired on \(certificate.notAfter.iso8601)"
        throw AuthorityError(
            .expired,
            subject: certificate.name,
            message: problem,
            remedy: now < certificate.notBefore ? nil : .replaceAuthority
        )
    }

    /// The longest lifetime of an authority, which is also the default, in days.
    public static let longestDays = 3650
    /// The longest name of an authority, in characters, so that the common name keeps RFC 5280's limit of 64.
    public static let longestName = 26

    /// Makes an authority in memory.
    ///
    /// The certificate is self-signed, may sign certificates of servers but no further authorities, and has the common
    /// name `afcache local authority (NAME, DATE)`.
    ///
    /// - Parameters:
    ///   - name: A name to tell this authority from others, such as the machine's name.
    ///   - hosts: The hosts that it may sign for, each with the names below it; if empty, any host.
    ///   - days: The lifetime in days, 1 to ``longestDays``.
    ///   - now: The current time. The certificate is valid from an hour earlier, for clocks that are slow.
    /// - Returns: The authority, which isn't saved yet.
    /// - Throws: ``AuthorityError`` with ``AuthorityError/Code/badName`` or ``AuthorityError/Code/unsigned``.
    public static func make(
        name: String,
        hosts: [CertifiedHost] = [],
        days: Int = longestDays,
        at now: Timestamp
    ) throws(AuthorityError) -> CertificateAuthority {
        precondition((1...longestDays).contains(days), "an authority can't last \(days) days")
        let isPlain = name.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
        guard isPlain, !name.isEmpty, name.unicodeScalars.count <= longestName else {
            throw AuthorityError(
                .badName,
                subject: name,
                message: "a name must have 1 to \(longestName) characters and no control characters"
            )
        }
        let key = P256.Signing.PrivateKey()
        let certificate: Certificate
        do {
            let subject = try DistinguishedName {
                OrganizationName("afcache")
                CommonName("afcache local authority (\(name), \(now.iso8601.prefix(10)))")
            }
            certificate = try Certificate(
                version: .v3,
                serialNumber: .random(),
                publicKey: .init(key.publicKey),
                notValidBefore: (now - 3600).date,
                notValidAfter: (now + Int64(days) * 86400).date,
                issuer: subject,
                subject: subject,
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: try extensions(.init(key.publicKey), HostConstraints(only: hosts)),
                issuerPrivateKey: .init(key)
            )
        } catch {
            throw AuthorityError(.unsigned, subject: name, message: "cannot make the certificate: \(error)")
        }
        return CertificateAuthority(certificate: try AuthorityCertificate(certificate, subject: name), key: key)
    }

    private static func extensions(
        _ key: Certificate.PublicKey,
        _ constraints: HostConstraints
    ) throws -> Certificate.Extensions {
        let identifier = SubjectKeyIdentifier(hash: key)
        var extensions = try Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
            Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            // Programs that honor it trust the authority for servers only, not for mail or code.
            try ExtendedKeyUsage([.serverAuth])
            identifier
            AuthorityKeyIdentifier(keyIdentifier: identifier.keyIdentifier)
        }
        if let names = constraints.nameConstraints { try extensions.append(.init(names, critical: true)) }
        return extensions
    }

    /// The longest lifetime of a host's certificate, in seconds: 90 days.
    static let leafSeconds: Int64 = 90 * 86400

    /// Signs a certificate for a host.
    ///
    /// It is valid from an hour ago, for clients whose clock is slow, for at most 90 days, and never longer than the
    /// authority.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - key: The key of the server.
    ///   - now: The current time.
    /// - Returns: The certificate, in memory only.
    /// - Throws: ``AuthorityError`` with ``AuthorityError/Code/notPermitted``, ``AuthorityError/Code/expired`` or
    ///   ``AuthorityError/Code/unsigned``.
    public func issue(for host: CertifiedHost, key: ServerKey, at now: Timestamp) throws(AuthorityError)
        -> HostCertificate
    {
        try requireValid(at: now)
        guard certificate.permits(host) else {
            throw AuthorityError(
                .notPermitted,
                subject: host.description,
                message: "the local authority may sign only for \(certificate.permittedHosts.joined(separator: ", "))"
            )
        }
        let issuer = certificate.certificate
        let notBefore = max(now - 3600, certificate.notBefore)
        let notAfter = min(now + Self.leafSeconds, certificate.notAfter)
        do {
            let leaf = try Certificate(
                version: .v3,
                serialNumber: .random(),
                publicKey: .init(key.key.publicKey),
                notValidBefore: notBefore.date,
                notValidAfter: notAfter.date,
                issuer: issuer.subject,
                // The host is in the alternative name, where clients look (RFC 9525 §2). There is no common name:
                // GnuTLS treats it as a DNS name if there is no other, and then refuses a permitted address.
                subject: try DistinguishedName { OrganizationName("afcache offline server") },
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: try leafExtensions(host, key: .init(key.key.publicKey)),
                issuerPrivateKey: .init(self.key)
            )
            var serializer = DER.Serializer()
            try serializer.serialize(leaf)
            // The client already has the root; an authority that another one signed must be sent.
            let isRoot = issuer.subject == issuer.issuer
            return HostCertificate(
                host: host,
                chain: [serializer.serializedBytes] + (isRoot ? [] : [certificate.der]),
                privateKey: key.der,
                notBefore: notBefore,
                notAfter: notAfter
            )
        } catch {
            throw AuthorityError(.unsigned, subject: host.description, message: "cannot make a certificate: \(error)")
        }
    }

    private func leafExtensions(_ host: CertifiedHost, key: Certificate.PublicKey) throws -> Certificate.Extensions {
        let identifier = try certificate.certificate.extensions.subjectKeyIdentifier?.keyIdentifier
        var extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
            try ExtendedKeyUsage([.serverAuth])
            SubjectAlternativeNames([host.generalName])
            SubjectKeyIdentifier(hash: key)
        }
        if let identifier {
            try extensions.append(.init(AuthorityKeyIdentifier(keyIdentifier: identifier), critical: false))
        }
        return extensions
    }
}

extension Certificate.SerialNumber {
    /// Returns 20 unpredictable bytes without the sign bit (RFC 5280 §4.1.2.2), never fewer.
    static func random() -> Self {
        var generator = SystemRandomNumberGenerator()
        var bytes = (0..<20).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        bytes[0] = bytes[0] & 0x7F | 0x40
        return Self(bytes: bytes)
    }
}

extension CertifiedHost {
    fileprivate var generalName: GeneralName {
        switch form {
        case .name(let name): .dnsName(name)
        case .address(let bytes): .ipAddress(ASN1OctetString(contentBytes: bytes[...]))
        }
    }
}
