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

/// The public half of an authority: what browsers and programs are told to trust.
public struct AuthorityCertificate: Sendable {
    let certificate: Certificate
    let constraints: HostConstraints

    /// The bytes, in DER (X.690).
    public let der: [UInt8]
    /// The text that most programs import (RFC 7468), with a line end behind it.
    public let pem: String

    /// Reads a certificate, and checks that it is one of an authority.
    ///
    /// - Parameters:
    ///   - pem: The text of a PEM file with one certificate.
    ///   - subject: What errors call the text: its path.
    /// - Throws: ``AuthorityError``.
    public init(pem: String, subject: String) throws(AuthorityError) {
        let certificate: Certificate
        do {
            certificate = try Certificate(pemEncoded: pem)
        } catch {
            throw AuthorityError(.malformed, subject: subject, message: "this is not a certificate in PEM: \(error)")
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
            throw AuthorityError(.malformed, subject: subject, message: "the certificate can't be read: \(error)")
        }
        guard mayIssue else {
            throw AuthorityError(
                .notAuthority,
                subject: subject,
                message: "the certificate isn't one of an authority, so nothing that it signs would be trusted",
                remedy: .createAuthority
            )
        }
    }

    /// Whom it is for, as RFC 4514 writes it.
    public var subject: String { certificate.subject.description }
    /// What it is called in lists, its common name; the whole subject where it has none.
    public var name: String {
        for attribute in certificate.subject.joined() where attribute.type == .RDNAttributeType.commonName {
            if let name = String(attribute.value) { return name }
        }
        return subject
    }
    /// The number that the certificate is known by, in hexadecimal.
    public var serialNumber: String { Hexadecimal.text(certificate.serialNumber.bytes) }
    /// SHA-256 of the certificate, as 32 pairs of hexadecimal digits with colons, as browsers show it.
    public var fingerprint: String {
        SHA256.hash(data: der).map { Hexadecimal.text([$0]) }.joined(separator: ":").uppercased()
    }
    /// From when on it holds.
    public var notBefore: Timestamp { Timestamp(certificate.notValidBefore) }
    /// Until when it holds.
    public var notAfter: Timestamp { Timestamp(certificate.notValidAfter) }
    /// Whether it may sign only for some hosts.
    public var isConstrained: Bool { !constraints.isEmpty }
    /// The hosts that it may sign for, each with the names below it; empty where no host is named.
    public var permittedHosts: [String] { constraints.permittedHosts }

    /// Whether it may sign for a host.
    public func permits(_ host: CertifiedHost) -> Bool { constraints.permits(host) }

    /// Whether it holds at a time.
    public func isValid(at time: Timestamp) -> Bool { notBefore <= time && time <= notAfter }
}

extension Timestamp {
    init(_ date: Date) { self.init(secondsSinceEpoch: Int64(date.timeIntervalSince1970)) }

    var date: Date { Date(timeIntervalSince1970: Double(secondsSinceEpoch)) }
}
