internal import SwiftASN1

extension HostCertificate {
    /// The certificates in PEM (RFC 7468), the server's own first.
    public var chainPEM: String {
        chain.map { PEMDocument(type: "CERTIFICATE", derBytes: $0).pemString + "\n" }.joined()
    }

    /// The private key in PEM (RFC 7468).
    public var privateKeyPEM: String { PEMDocument(type: "PRIVATE KEY", derBytes: privateKey).pemString + "\n" }
}
