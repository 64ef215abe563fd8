public import AFCHTTP
public import AFCText
import Crypto
import SwiftASN1
import X509

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The certificate of an authority, its public half, which browsers and programs are set to trust.
public struct AuthorityCertificate: Sendable {
    let certificate: Certificate
    let constraints: HostConstraints

    /// The bytes, in DER (X.690).
    public let der: [UInt8]
    /// The certificate in PEM, as most programs import it (RFC 7468), with a line end.
    public let pem: String

    /// Parses a certificate, and checks that it belongs to an authority.
    ///
    /// - Parameters:
    ///   - pem: The text of a PEM file with one certificate.
    ///   - subject: The path of the file, for errors.
    /// - Throws: ``AuthorityError``.
    public init(pem: String, subject: String) throws(AuthorityError) {
        let certificate: Certificate
        do {
            certificate = try Certificate(pemEncoded: pem)
        } catch {
            throw AuthorityError(
                .malformed,
                subject: subject,
                message:
                    "this isn't a certificate in PEM; put a copy of the authority's back, or begin a new authority",
                remedy: .replaceAuthority
            )
        }
        try self.init(certificate, subject: subject)
    }

    init(_ certificate: Certificate, subject: String) throws(AuthorityError) {
        self.certificate = certificate
        let mayIssue: Bool
        do {
            let extensions = certificate.extensions
            if case .isCertificateAuthority? = try extensions.basicConstraints {
                // Without a key usage any is allowed (RFC 5280 §4.2.1.3).
                mayIssue = try extensions.keyUsage?.keyCertSign ?? true
            } else {
                mayIssue = false
            }
            constraints = try extensions.nameConstraints.map { HostConstraints($0) } ?? HostConstraints()
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            der = serializer.serializedBytes
            pem = try certificate.serializeAsPEM().pemString + "\n"
        } catch {
            throw AuthorityError(.malformed, subject: subject, message: "the certificate cannot be parsed: \(error)")
        }
        guard mayIssue else {
            throw AuthorityError(
                .notAuthority,
                subject: subject,
                message: "this is not the certificate of an authority, so clients would not trust what it signs",
                remedy: .createAuthority
            )
        }
    }

    /// The subject of the certificate, as RFC 4514 writes it.
    public var subject: String { certificate.subject.description }
    /// The common name; the whole subject if there is none.
    public var name: String {
        for attribute in certificate.subject.joined() where attribute.type == .RDNAttributeType.commonName {
            if let name = String(attribute.value) { return name }
        }
        return subject
    }
    /// The serial number in hexadecimal.
    public var serialNumber: String { Hexadecimal.text(certificate.serialNumber.bytes) }
    /// SHA-256 of the certificate, as 32 pairs of hexadecimal digits with colons, as browsers show it.
    public var fingerprint: String {
        SHA256.hash(data: der).map { Hexadecimal.text([$0]) }.joined(separator: ":").uppercased()
    }
    /// The time from which the certificate is valid.
    public var notBefore: Timestamp { Timestamp(certificate.notValidBefore) }
    /// The time until which the certificate is valid.
    public var notAfter: Timestamp { Timestamp(certificate.notValidAfter) }
    /// True if the authority may sign only for some hosts.
    public var isConstrained: Bool { !constraints.isEmpty }
    /// The hosts that the authority may sign for, each with the names below it; empty if no host is named.
    public var permittedHosts: [String] { constraints.permittedHosts }

    /// Returns true if the authority may sign for a host.
    public func permits(_ host: CertifiedHost) -> Bool { constraints.permits(host) }

    /// Returns true if the certificate is valid at a time.
    public func isValid(at time: Timestamp) -> Bool { notBefore <= time && time <= notAfter }
}

extension Timestamp {
    init(_ date: Date) { self.init(secondsSinceEpoch: Int64(date.timeIntervalSince1970)) }

    var date: Date { Date(timeIntervalSince1970: Double(secondsSinceEpoch)) }
}
