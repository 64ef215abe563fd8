import AFCAuthority
import AFCHTTP
import TestSupport
import Testing

/// Authorities and certificates as files, for other programs to look at.
struct Made {
    let scratch: Scratch
    let folder: AuthorityFolder
    let authority: CertificateAuthority
    let now: Timestamp

    /// Makes an authority and saves it in a folder of its own.
    init(hosts: [String] = [], days: Int = 30, at now: Timestamp) throws {
        scratch = try Scratch()
        folder = AuthorityFolder(path: scratch.path("ca"))
        let hosts = try hosts.map { try CertifiedHost($0) }
        authority = try CertificateAuthority.make(name: "test", hosts: hosts, days: days, at: now)
        try folder.save(authority)
        self.now = now
    }

    /// Signs for a host, and writes chain and key in DER and PEM.
    func issue(_ host: String, to name: String = "leaf") throws -> HostCertificate {
        let leaf = try authority.issue(for: CertifiedHost(host), key: ServerKey(), at: now)
        try scratch.write(try #require(leaf.chain.first), to: name + ".der")
        try scratch.write(leaf.privateKey, to: name + "-key.der")
        try openssl("x509", "-inform", "DER", "-in", scratch.path(name + ".der"), "-out", scratch.path(name + ".pem"))
        try openssl(
            "pkey",
            "-inform",
            "DER",
            "-in",
            scratch.path(name + "-key.der"),
            "-out",
            scratch.path(name + "-key.pem")
        )
        return leaf
    }

    /// Signs whatever is wanted with openssl, as a thief of the key would, whatever the constraints are.
    func forge(_ extensions: String, to name: String = "forged", by issuer: String? = nil) throws {
        let (certificate, key) =
            issuer.map { (scratch.path($0 + ".pem"), scratch.path($0 + "-key.pem")) }
            ?? (folder.certificatePath, folder.keyPath)
        try scratch.write(Array((extensions + "\n").utf8), to: name + ".ext")
        try openssl(
            "req",
            "-new",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-subj",
            "/O=" + name,
            "-keyout",
            scratch.path(name + "-key.pem"),
            "-out",
            scratch.path(name + ".csr")
        )
        try openssl(
            "x509",
            "-req",
            "-in",
            scratch.path(name + ".csr"),
            "-CA",
            certificate,
            "-CAkey",
            key,
            "-CAcreateserial",
            "-CAserial",
            scratch.path(name + ".serial"),
            "-days",
            "10",
            "-extfile",
            scratch.path(name + ".ext"),
            "-out",
            scratch.path(name + ".pem")
        )
    }

    /// Runs openssl, which must succeed.
    @discardableResult
    func openssl(_ arguments: String...) throws -> String {
        let result = try Program.run("openssl", arguments)
        try #require(result.status == 0, "openssl \(arguments.joined(separator: " ")): \(result.errors)")
        return result.text
    }
}

extension Timestamp {
    /// 2026-11-21T10:00:00Z, by `date -u -d … +%s`.
    static let noon = Timestamp(secondsSinceEpoch: 1_795_255_200)
}
