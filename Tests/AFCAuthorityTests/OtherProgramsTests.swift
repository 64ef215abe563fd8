import AFCAuthority
import AFCHTTP
import Foundation
import TestSupport
import Testing

/// What other programs say of our certificates: openssl, GnuTLS, NSS, and Python and curl over TLS.
struct OtherProgramsTests {
    /// These programs read the clock, so the certificates must hold now.
    private static func made(_ hosts: [String] = []) throws -> Made {
        try Made(hosts: hosts, at: Timestamp(secondsSinceEpoch: Int64(time(nil))))
    }

    /// Whether openssl takes a certificate for a host, strictly.
    private func verify(_ made: Made, _ name: String, host: String? = nil) throws -> ProgramResult {
        let host = host.map { [$0.first?.isNumber == true ? "-verify_ip" : "-verify_hostname", $0] } ?? []
        return try Program.run(
            "openssl",
            ["verify", "-x509_strict", "-purpose", "sslserver"] + host
                + ["-CAfile", made.folder.certificatePath, "-no-CApath", made.scratch.path(name + ".pem")]
        )
    }

    @Test(arguments: ["docs.example", "127.0.0.1", String(repeating: "a.", count: 120) + "example"])
    func `openssl, GnuTLS and NSS accept a certificate for its host`(host: String) throws {
        for hosts in [[], [host]] {
            let made = try Self.made(hosts)
            _ = try made.issue(host)
            let verified = try verify(made, "leaf", host: host)
            #expect(verified.status == 0, "\(verified.text) \(verified.errors)")
            let other = try verify(made, "leaf", host: "other.example")
            #expect(other.errors.contains("mismatch"), "\(other.text) \(other.errors)")
            let gnutls = try gnutls(made, "leaf", host: host)
            #expect(gnutls.status == 0, "\(gnutls.text) \(gnutls.errors)")
            let nss = try nss(made, "leaf")
            #expect(nss.text.contains("certificate is valid"), "\(nss.text) \(nss.errors)")
        }
    }

    private func gnutls(_ made: Made, _ name: String, host: String? = nil) throws -> ProgramResult {
        let host = host.map { ["--verify-hostname", $0] } ?? []
        return try Program.run(
            "certtool",
            [
                "--verify", "--verify-purpose", "1.3.6.1.5.5.7.3.1", "--load-ca-certificate",
                made.folder.certificatePath,
                "--infile", made.scratch.path(name + ".pem"),
            ] + host
        )
    }

    private func nss(_ made: Made, _ name: String) throws -> ProgramResult {
        let base = "sql:" + made.scratch.path("nss-" + name)
        try FileManager.default.createDirectory(
            atPath: made.scratch.path("nss-" + name),
            withIntermediateDirectories: true
        )
        for arguments in [
            ["-N", "--empty-password"], ["-A", "-n", "ca", "-t", "C,,", "-i", made.folder.certificatePath],
            ["-A", "-n", "leaf", "-t", ",,", "-i", made.scratch.path(name + ".pem")],
        ] {
            let result = try Program.run("certutil", ["-d", base] + arguments)
            try #require(result.status == 0, "\(result.errors)")
        }
        return try Program.run("certutil", ["-d", base, "-V", "-n", "leaf", "-u", "V", "-e"])
    }

    /// Hosts of an authority, and a name that a thief of its key signs for.
    @Test(arguments: [
        (["docs.example"], "DNS:bank.example"), (["docs.example"], "DNS:docs.example.bank.example"),
        (["docs.example"], "IP:192.0.2.1"), (["docs.example"], "IP:2001:db8::1"), (["192.0.2.1"], "DNS:bank.example"),
        (["192.0.2.1"], "IP:192.0.2.2"),
    ])
    func `a certificate beyond the constraints is refused by openssl, GnuTLS and NSS`(
        hosts: [String],
        name: String
    ) throws {
        let made = try Self.made(hosts)
        try made.forge("subjectAltName=\(name)")
        let verified = try verify(made, "forged")
        #expect(verified.status == 2)
        #expect(verified.errors.contains("subtree violation"), "\(verified.text) \(verified.errors)")
        #expect(try gnutls(made, "forged").status != 0)
        let nss = try nss(made, "forged")
        #expect(nss.status != 0, "\(nss.text) \(nss.errors)")
    }

    @Test func `an authority doesn't sign further authorities`() throws {
        let made = try Self.made()
        try made.forge("basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign", to: "second")
        try made.forge("subjectAltName=DNS:docs.example", to: "third", by: "second")
        let result = try Program.run(
            "openssl",
            [
                "verify", "-CAfile", made.folder.certificatePath, "-no-CApath", "-untrusted",
                made.scratch.path("second.pem"),
                made.scratch.path("third.pem"),
            ]
        )
        #expect(result.errors.contains("path length constraint exceeded"), "\(result.errors)")
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func `Python with its strict flags and curl accept a server with a leaf`(host: String) async throws {
        let made = try Self.made(["localhost", "127.0.0.1"])
        _ = try made.issue(host)
        try await SecureServer.run(made, "leaf") { port in
            let client = """
                import ssl, socket, sys
                context = ssl.create_default_context(cafile=sys.argv[1])
                context.verify_flags |= ssl.VERIFY_X509_STRICT
                with socket.create_connection(("127.0.0.1", int(sys.argv[3]))) as plain:
                    with context.wrap_socket(plain, server_hostname=sys.argv[2]) as secure:
                        print(secure.version(), secure.getpeercert()["subjectAltName"][0][1])
                """
            let python = try Program.run("python3", ["-c", client, made.folder.certificatePath, host, port])
            #expect(python.text == "TLSv1.3 \(host)\n", "\(python.errors)")
            let url = "https://\(host):\(port)/"
            let base = ["--silent", "--show-error", "--noproxy", "*", "--ipv4"]
            let curl = try Program.run("curl", base + ["--cacert", made.folder.certificatePath, url])
            #expect(curl.text == "hello", "\(curl.errors)")
            // Whoever doesn't trust the authority, or asks for another host, isn't answered.
            let stranger = try Self.made(["localhost", "127.0.0.1"])
            #expect(try Program.run("curl", base + ["--cacert", stranger.folder.certificatePath, url]).status == 60)
            let other = host == "localhost" ? "127.0.0.1" : "localhost"
            let elsewhere = try Program.run(
                "curl",
                base + ["--cacert", made.folder.certificatePath, "https://\(other):\(port)/"]
            )
            #expect(elsewhere.status == 60)
        }
    }
}
