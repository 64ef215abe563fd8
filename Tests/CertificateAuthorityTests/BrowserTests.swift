import CertificateAuthority
import Foundation
import HTTPCaching
import TestSupport
import Testing

/// Chromium, with the authority imported as docs/authority.md says.
@Suite(.serialized)
struct BrowserTests {
    private func made(_ hosts: [String]) throws -> Made {
        try Made(hosts: hosts, at: Timestamp(secondsSinceEpoch: Int64(time(nil))))
    }

    private func certutil(_ made: Made, _ arguments: String...) throws {
        let base = made.scratch.path("home/.pki/nssdb")
        try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
        let result = try Program.run("certutil", ["-d", "sql:" + base] + arguments)
        try #require(result.status == 0, "\(result.errors)")
    }

    /// Loads a page, in a home of its own, with every name leading to this machine, so that nothing is asked outside.
    private func load(_ host: String, _ port: String, _ made: Made) throws -> ProgramResult {
        try Program.run(
            "chromium",
            [
                "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
                "--disable-component-update", "--disable-sync", "--disable-default-apps", "--no-proxy-server",
                "--user-data-dir=\(made.scratch.path("home/profile"))", "--host-resolver-rules=MAP * 127.0.0.1",
                "--dump-dom", "https://\(host):\(port)/",
            ],
            environment: ["HOME": made.scratch.path("home")]
        )
    }

    @Test func `Chromium opens a page of a host, and none once the authority is taken out`() async throws {
        let made = try made(["docs.example"])
        _ = try made.issue("docs.example")
        let server = try await SecureServer(made, "leaf")
        try certutil(made, "-N", "--empty-password")
        try certutil(made, "-A", "-t", "C,,", "-n", "afcache", "-i", made.folder.certificatePath)
        var page = try load("docs.example", server.port, made)
        // Now and then a browser that makes its profile ends without having asked for anything.
        for _ in 0..<3 where page.output.isEmpty && !page.errors.contains("ERR_") {
            page = try load("docs.example", server.port, made)
        }
        #expect(page.text.contains("hello"), "\(page.errors)")
        try certutil(made, "-D", "-n", "afcache")
        page = try load("docs.example", server.port, made)
        #expect(page.errors.contains("ERR_CERT_AUTHORITY_INVALID"), "\(page.text) \(page.errors)")
    }

    @Test func `Chromium refuses what a thief of the key signs for another host`() async throws {
        let made = try made(["docs.example"])
        try made.forge("subjectAltName=DNS:bank.example\nextendedKeyUsage=serverAuth")
        let server = try await SecureServer(made, "forged")
        try certutil(made, "-N", "--empty-password")
        try certutil(made, "-A", "-t", "C,,", "-n", "afcache", "-i", made.folder.certificatePath)
        var page = try load("bank.example", server.port, made)
        for _ in 0..<3 where page.output.isEmpty && !page.errors.contains("ERR_") {
            page = try load("bank.example", server.port, made)
        }
        #expect(page.errors.contains("ERR_CERT_INVALID"), "\(page.text) \(page.errors)")
    }
}
