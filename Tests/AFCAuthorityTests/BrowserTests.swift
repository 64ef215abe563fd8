import AFCAuthority
import AFCHTTP
import Foundation
import TestSupport
import Testing

/// Chromium, with the authority imported as docs/reference/authority.md says.
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
        let arguments = [
            "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--disable-default-apps", "--no-proxy-server",
            "--user-data-dir=\(made.scratch.path("home/profile"))", "--host-resolver-rules=MAP * 127.0.0.1",
            "--dump-dom", "https://\(host):\(port)/",
        ]
        let environment = ["HOME": made.scratch.path("home")]
        var page = try Program.run("chromium", arguments, environment: environment)
        // Now and then a browser that makes its profile ends without having asked for anything.
        for _ in 0..<3 where page.output.isEmpty && !page.errors.contains("ERR_") {
            page = try Program.run("chromium", arguments, environment: environment)
        }
        return page
    }

    @Test func `Chromium opens a page of a host, but not after the authority is removed`() async throws {
        let made = try made(["docs.example"])
        _ = try made.issue("docs.example")
        try certutil(made, "-N", "--empty-password")
        try certutil(made, "-A", "-t", "C,,", "-n", "afcache", "-i", made.folder.certificatePath)
        try await SecureServer.run(made, "leaf") { port in
            let page = try load("docs.example", port, made)
            #expect(page.text.contains("hello"), "\(page.errors)")
            try certutil(made, "-D", "-n", "afcache")
            let refused = try load("docs.example", port, made)
            #expect(refused.errors.contains("ERR_CERT_AUTHORITY_INVALID"), "\(refused.text) \(refused.errors)")
        }
    }

    @Test func `Chromium refuses a certificate that a stolen key signed for another host`() async throws {
        let made = try made(["docs.example"])
        try made.forge("subjectAltName=DNS:bank.example\nextendedKeyUsage=serverAuth")
        try certutil(made, "-N", "--empty-password")
        try certutil(made, "-A", "-t", "C,,", "-n", "afcache", "-i", made.folder.certificatePath)
        try await SecureServer.run(made, "forged") { port in
            let page = try load("bank.example", port, made)
            #expect(page.errors.contains("ERR_CERT_INVALID"), "\(page.text) \(page.errors)")
        }
    }
}
