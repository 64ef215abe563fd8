import TestSupport

/// A certificate that signs itself, for origins and servers with TLS.
final class Identity: Sendable {
    private let scratch: Scratch
    let certificate: String
    let key: String

    /// Makes a key and a certificate that its key signs.
    ///
    /// - Parameters:
    ///   - names: Whom the certificate is for.
    ///   - days: For how long from now on; it has expired where this is negative.
    /// - Throws: Where openssl makes none.
    init(_ names: String = "DNS:localhost,IP:127.0.0.1", days: Int = 2) async throws {
        let scratch = try Scratch()
        self.scratch = scratch
        certificate = scratch.path("certificate.pem")
        key = scratch.path("key.pem")
        try scratch.write(Array("subjectAltName=\(names)\n".utf8), to: "names")
        // 'openssl req -x509' makes none that has expired.
        let steps = [
            [
                "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=test",
                "-keyout", key, "-out", scratch.path("request.pem"),
            ],
            [
                "x509", "-req", "-in", scratch.path("request.pem"), "-signkey", key, "-days", String(days),
                "-extfile", scratch.path("names"), "-out", certificate,
            ],
        ]
        for step in steps {
            let made = try await Programs.run("openssl", step)
            guard made.status == 0 else { throw Missing("openssl makes no certificate: \(made.errors)") }
        }
    }
}
