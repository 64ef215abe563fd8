import NIOPosix
import TestSupport

@testable import AFCServer

/// Certificates that sign themselves, made by openssl.
struct TestCertificates: Sendable {
    struct Failure: Error { var words: String }

    var certificates: [String: ServerCertificate] = [:]
    private let scratch: Scratch

    init(names: [String]) throws {
        scratch = try Scratch()
        for name in names {
            let (key, chain) = (scratch.path("\(name).key"), scratch.path("\(name).pem"))
            let result = try Program.run(
                "openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:\(name)", "-keyout", key, "-out", chain,
                ]
            )
            guard result.status == 0 else { throw Failure(words: result.errors) }
            certificates[name] = ServerCertificate(
                chain: String(decoding: try scratch.read("\(name).pem"), as: UTF8.self),
                key: String(decoding: try scratch.read("\(name).key"), as: UTF8.self)
            )
        }
    }

    /// Where the certificate of a name lies.
    func path(_ name: String) -> String { scratch.path("\(name).pem") }
    /// Where its key lies.
    func keyPath(_ name: String) -> String { scratch.path("\(name).key") }
}

/// Chooses by name, and remembers what it was asked.
struct NamedCertificates: CertificateProviding {
    var certificates: [String: ServerCertificate]
    var asked: Box<String>

    func certificate(for name: String?) async throws -> ServerCertificate {
        asked.append(name ?? "-")
        guard let certificate = certificates[name ?? ""] else { throw FakeCache.Failure() }
        return certificate
    }
}

/// Runs curl off the cooperative pool.
func curl(_ arguments: [String]) async throws -> ProgramResult {
    try await RawClient.pool.runIfActive {
        try Program.run("curl", ["-sS", "--max-time", "60", "--noproxy", ""] + arguments)
    }
}
