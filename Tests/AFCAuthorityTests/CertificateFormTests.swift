import AFCAuthority
import AFCHTTP
import AFCText
import TestSupport
import Testing

/// What stands in the certificates, as openssl reads them.
struct CertificateFormTests {
    static let now = Timestamp.noon

    private func text(_ made: Made, _ file: String) throws -> String {
        try made.openssl("x509", "-in", file, "-noout", "-text", "-nameopt", "RFC2253", "-certopt", "no_sigdump")
    }

    @Test func `an authority can sign, names itself, and is valid as long as requested`() throws {
        let made = try Made(days: 3650, at: Self.now)
        let text = try text(made, made.folder.certificatePath)
        for line in [
            "Version: 3 (0x2)", "Signature Algorithm: ecdsa-with-SHA256", "NIST CURVE: P-256",
            "Issuer: CN=afcache local authority (test\\, 2026-11-21),O=afcache",
            "Subject: CN=afcache local authority (test\\, 2026-11-21),O=afcache",
            // An hour back, and ten years of 365 days.
            "Not Before: Nov 21 09:00:00 2026 GMT", "Not After : Nov 18 10:00:00 2036 GMT",
            "X509v3 Basic Constraints: critical\n                CA:TRUE, pathlen:0",
            "X509v3 Key Usage: critical\n                Certificate Sign, CRL Sign",
            "X509v3 Subject Key Identifier:", "X509v3 Authority Key Identifier:",
            "X509v3 Extended Key Usage: \n                TLS Web Server Authentication",
        ] {
            #expect(text.contains(line), "'\(line)' is in\n\(text)")
        }
        #expect(!text.contains("Name Constraints"))
        #expect(made.authority.certificate.name == "afcache local authority (test, 2026-11-21)")
        #expect(made.authority.certificate.permittedHosts.isEmpty)
        #expect(!made.authority.certificate.isConstrained)
        let fingerprint = try made.openssl(
            "x509",
            "-in",
            made.folder.certificatePath,
            "-noout",
            "-fingerprint",
            "-sha256",
            "-serial"
        )
        #expect(fingerprint.lowercased().contains(made.authority.certificate.fingerprint.lowercased()))
        #expect(fingerprint.contains("serial=\(made.authority.certificate.serialNumber.uppercased())"))
        // 20 bytes whose first bit isn't set: 159 bits, never shorter.
        #expect(made.authority.certificate.serialNumber.count == 40)
        #expect("4567".contains(made.authority.certificate.serialNumber.prefix(1)))
    }

    /// The hosts that are named, and what openssl says of the constraints.
    @Test(arguments: [
        (
            ["docs.example", "Wiki.Example."],
            "Permitted:\n DNS:docs.example\n DNS:wiki.example\n Excluded:\n IP:0.0.0.0/0.0.0.0\n IP:0:0:0:0:0:0:0:0/0:0:0:0:0:0:0:0"
        ),
        (
            ["127.0.0.1"],
            "Permitted:\n IP:127.0.0.1/255.255.255.255\n Excluded:\n DNS:\n IP:0:0:0:0:0:0:0:0/0:0:0:0:0:0:0:0"
        ),
        (
            ["localhost", "127.0.0.1", "::1"],
            "Permitted:\n DNS:localhost\n IP:127.0.0.1/255.255.255.255\n IP:0:0:0:0:0:0:0:1/FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF"
        ),
    ])
    func `constraints name the hosts, and exclude kinds of names without any`(
        hosts: [String],
        constraints: String
    ) throws {
        let made = try Made(hosts: hosts, at: Self.now)
        let text = try text(made, made.folder.certificatePath)
        let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
        let start = try #require(lines.firstIndex { $0 == "X509v3 Name Constraints: critical" }, "\(text)")
        let expected = constraints.split(separator: "\n").map { $0.drop { $0 == " " } }
        #expect(lines[(start + 1)...].prefix(expected.count) == expected[...], "\(text)")
        #expect(try made.folder.certificate().isConstrained)
    }

    @Test func `a leaf is for one host and for servers, from an hour ago and for 90 days`() throws {
        let made = try Made(days: 3650, at: Self.now - 30 * 86400)
        let authority = made.authority
        let leaf = try authority.issue(for: CertifiedHost("Docs.example"), key: ServerKey(), at: Self.now)
        try made.scratch.write(leaf.chain[0], to: "leaf.der")
        let text = try text(made, made.scratch.path("leaf.der"))
        for line in [
            "Version: 3 (0x2)", "Not Before: Nov 21 09:00:00 2026 GMT", "Not After : Feb 19 10:00:00 2027 GMT",
            "Issuer: CN=afcache local authority (test\\, 2026-10-22),O=afcache",
            "X509v3 Basic Constraints: critical\n                CA:FALSE",
            "X509v3 Key Usage: critical\n                Digital Signature",
            "X509v3 Extended Key Usage: \n                TLS Web Server Authentication",
            "X509v3 Subject Alternative Name: \n                DNS:docs.example\n", "X509v3 Authority Key Identifier:",
        ] {
            #expect(text.contains(line), "'\(line)' is in\n\(text)")
        }
        #expect(leaf.chain.count == 1)
        #expect(leaf.notBefore == Self.now - 3600)
        #expect(leaf.notAfter == Self.now + 90 * 86400)
    }

    @Test(arguments: [
        ("127.0.0.1", "IP Address:127.0.0.1"), ("[2001:db8::1]", "IP Address:2001:DB8:0:0:0:0:0:1"),
    ])
    func `a leaf for an address names an address`(host: String, name: String) throws {
        let made = try Made(at: Self.now)
        _ = try made.issue(host)
        #expect(try text(made, made.scratch.path("leaf.pem")).contains("                \(name)\n"))
    }

    @Test func `a leaf never outlives its authority`() throws {
        let made = try Made(days: 30, at: Self.now)
        let leaf = try made.issue("docs.example")
        #expect(leaf.notBefore == made.authority.certificate.notBefore)
        #expect(leaf.notAfter == made.authority.certificate.notAfter)
        #expect(leaf.notAfter == Self.now + 30 * 86400)
    }

    @Test func `an authority signs neither before its time nor after it`() throws {
        let made = try Made(days: 30, at: Self.now)
        let host = try CertifiedHost("docs.example")
        let key = ServerKey()
        let early = #expect(throws: AuthorityError.self) {
            try made.authority.issue(for: host, key: key, at: Self.now - 3601)
        }
        #expect(early?.code == .expired)
        #expect(early?.message == "the authority is not valid before 2026-11-21T09:00:00Z; is the clock right?")
        _ = try made.authority.issue(for: host, key: key, at: Self.now + 30 * 86400)
        let late = #expect(throws: AuthorityError.self) {
            try made.authority.issue(for: host, key: key, at: Self.now + 30 * 86400 + 1)
        }
        #expect(late?.message.hasPrefix("the authority expired on 2026-12-21T10:00:00Z") == true)
    }

    /// Hosts of an authority, and whether it may sign for another host.
    @Test(arguments: [
        (["docs.example"], "docs.example", true), (["docs.example"], "a.docs.example", true),
        (["docs.example"], "adocs.example", false), (["docs.example"], "example", false),
        (["docs.example"], "192.0.2.1", false), (["docs.example"], "::1", false),
        (["192.0.2.1"], "192.0.2.1", true), (["192.0.2.1"], "192.0.2.2", false), (["192.0.2.1"], "::1", false),
        (["192.0.2.1"], "docs.example", false), (["::1", "docs.example"], "::1", true),
        (["::1", "docs.example"], "192.0.2.1", false), ([], "docs.example", true), ([], "192.0.2.1", true),
    ])
    func `an authority signs only for its hosts`(hosts: [String], host: String, isPermitted: Bool) throws {
        // Read from the disk, so that what counts is what stands in the certificate.
        let made = try Made(hosts: hosts, at: Self.now)
        let authority = try made.folder.authority(at: Self.now)
        let host = try CertifiedHost(host)
        #expect(authority.certificate.permits(host) == isPermitted)
        do throws(AuthorityError) {
            _ = try authority.issue(for: host, key: ServerKey(), at: Self.now)
            #expect(isPermitted)
        } catch {
            #expect(!isPermitted)
            #expect(error.code == .notPermitted)
            #expect(error.message.contains(hosts[0]))
        }
    }

    @Test(arguments: ["", "a\nb", "a\u{7F}", String(repeating: "x", count: 27)])
    func `an invalid name is refused`(name: String) {
        let error = #expect(throws: AuthorityError.self) { try CertificateAuthority.make(name: name, at: Self.now) }
        #expect(error?.code == .badName)
    }
}
