import AFCAuthority
import NIOSSL
import Testing

/// The form in which the server takes chain and key.
struct NIOSSLTests {
    @Test func `swift-nio-ssl accepts chain and key unchanged`() throws {
        let certificates = ServerCertificates(authority: try CertificateAuthority.make(name: "test", at: .noon))
        let leaf = try certificates.certificate(for: "docs.example", at: .noon)
        let chain = try leaf.chain.map { try NIOSSLCertificate(bytes: $0, format: .der) }
        let key = try NIOSSLPrivateKey(bytes: leaf.privateKey, format: .der)
        _ = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(key)
            )
        )
        #expect(chain.count == 1)
        #expect(try chain[0].extractPublicKey().toSPKIBytes().count == 91)
    }
}
