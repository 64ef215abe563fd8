public import AFCHTTP
public import AFCText
import Crypto
import X509

extension CertificateAuthority {
    /// How long an authority lasts at most and by default, in days.
    public static let longestDays = 3650
    /// How long the name of an authority may be, in characters, so that the common name keeps RFC 5280's limit of 64.
    public static let longestName = 26

    /// Makes an authority, in memory.
    ///
    /// The certificate signs itself, may sign certificates of servers but no further authorities, and is called
    /// `afcache local authority (NAME, DATE)`.
    ///
    /// - Parameters:
    ///   - name: What tells it from other authorities, such as the name of the machine.
    ///   - hosts: The hosts that it may sign for, each with the names below it; any where there are none.
    ///   - days: How long it lasts, 1 to ``longestDays``.
    ///   - now: The present time. The certificate holds from an hour earlier on, for clocks that are late.
    /// - Returns: The authority, which is nowhere on the disk yet.
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
                message: "a name has 1 to \(longestName) characters, none of them a control character"
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
            throw AuthorityError(.unsigned, subject: name, message: "the certificate can't be made: \(error)")
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
            // Programs that honour it take the authority for servers alone, not for mail or code.
            try ExtendedKeyUsage([.serverAuth])
            identifier
            AuthorityKeyIdentifier(keyIdentifier: identifier.keyIdentifier)
        }
        if let names = constraints.nameConstraints { try extensions.append(.init(names, critical: true)) }
        return extensions
    }
}
