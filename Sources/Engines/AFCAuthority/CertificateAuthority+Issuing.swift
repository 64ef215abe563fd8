public import AFCHTTP
public import AFCText
import Crypto
import SwiftASN1
import X509

extension CertificateAuthority {
    /// How long a certificate of a host lasts at most, in seconds: 90 days.
    static let leafSeconds: Int64 = 90 * 86400

    /// Signs a certificate for a host.
    ///
    /// It holds from an hour ago, for clients whose clock is late, for at most 90 days, and never longer than the
    /// authority.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - key: The key of the server.
    ///   - now: The present time.
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
                // The host stands in the alternative name, where clients look (RFC 9525 §2). No common name: GnuTLS takes
                // it for a DNS name where there is no other, and then refuses an address that is permitted.
                subject: try DistinguishedName { OrganizationName("afcache offline server") },
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: try leafExtensions(host, key: .init(key.key.publicKey)),
                issuerPrivateKey: .init(self.key)
            )
            var serializer = DER.Serializer()
            try serializer.serialize(leaf)
            // A root is at the client already; an authority that another one signed must be sent.
            let isRoot = issuer.subject == issuer.issuer
            return HostCertificate(
                host: host,
                chain: [serializer.serializedBytes] + (isRoot ? [] : [certificate.der]),
                privateKey: key.der,
                notBefore: notBefore,
                notAfter: notAfter
            )
        } catch {
            throw AuthorityError(.unsigned, subject: host.description, message: "no certificate can be made: \(error)")
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

extension CertifiedHost {
    fileprivate var generalName: GeneralName {
        switch form {
        case .name(let name): .dnsName(name)
        case .address(let bytes): .ipAddress(ASN1OctetString(contentBytes: bytes[...]))
        }
    }
}
