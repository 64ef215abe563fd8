public import AFCHTTP
import Crypto
internal import SwiftASN1

/// The key pair of a server, ECDSA with P-256, made anew in each process and never written to a disk.
public struct ServerKey: Sendable {
    let key: P256.Signing.PrivateKey
    /// The private key as PKCS #8 (RFC 5958) in DER.
    let der: [UInt8]

    /// Makes a key pair.
    public init() {
        key = P256.Signing.PrivateKey()
        der = Array(key.derRepresentation)
    }
}

/// What a server needs to be taken for a host: a chain of certificates and the private key.
///
/// The bytes are what `NIOSSLCertificate(bytes:format:)` and `NIOSSLPrivateKey(bytes:format:)` read with the format
/// `.der`.
public struct HostCertificate: Sendable {
    /// The host that the certificate is for.
    public let host: CertifiedHost
    /// The certificates in DER, the server's own first, without the root.
    public let chain: [[UInt8]]
    /// The private key as PKCS #8 (RFC 5958) in DER.
    public let privateKey: [UInt8]
    /// From when on the certificate holds.
    public let notBefore: Timestamp
    /// Until when the certificate holds.
    public let notAfter: Timestamp
}

extension HostCertificate {
    /// The certificates in PEM (RFC 7468), the server's own first.
    public var chainPEM: String {
        chain.map { PEMDocument(type: "CERTIFICATE", derBytes: $0).pemString + "\n" }.joined()
    }

    /// The private key in PEM (RFC 7468).
    public var privateKeyPEM: String { PEMDocument(type: "PRIVATE KEY", derBytes: privateKey).pemString + "\n" }
}
