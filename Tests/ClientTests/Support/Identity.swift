import TestSupport

/// A certificate that signs itself, for origins and servers with TLS.
final class Identity: Sendable {
    private let scratch: Scratch
    let certificate: String
    let key: String

    init(_ names: String = "DNS:localhost,IP:127.0.0.1") async throws {
        let scratch = try Scratch()
        self.scratch = scratch
        certificate = scratch.path("certificate.pem")
        key = scratch.path("key.pem")
        let made = try await Programs.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=test", "-addext", "subjectAltName=\(names)", "-keyout", key, "-out", certificate,
            ]
        )
        guard made.status == 0 else { throw Missing("openssl makes no certificate: \(made.errors)") }
    }
}
