import AFCAuthority
import AFCHTTP
import AFCText
import Foundation
import TestSupport
import Testing

/// The two files: how they are written, and what is refused.
struct AuthorityFolderTests {
    static let now = Timestamp.noon

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }

    private func chmod(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: NSNumber(value: mode)], ofItemAtPath: path)
    }

    private func failure(_ folder: AuthorityFolder, at now: Timestamp = now) -> AuthorityError? {
        do throws(AuthorityError) {
            _ = try folder.authority(at: now)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a saved authority is read again, and only its owner can read the key`() throws {
        let scratch = try Scratch()
        let folder = AuthorityFolder(path: scratch.path("config/afcache/ca"))
        let authority = try CertificateAuthority.make(name: "test", at: Self.now)
        try folder.save(authority)
        #expect(try mode(folder.keyPath) == 0o600)
        #expect(try mode(folder.certificatePath) == 0o644)
        #expect(try mode(folder.path) == 0o700)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == ["certificate.pem", "key.pem"])
        let read = try folder.authority(at: Self.now)
        #expect(read.certificate.der == authority.certificate.der)
        #expect(try folder.certificate().pem == authority.certificate.pem)
    }

    @Test func `a link in place of a file is never replaced, and neither is its target`() throws {
        let made = try Made(at: Self.now)
        let key = try made.scratch.read("ca/key.pem")
        try made.scratch.write(Array("somebody's".utf8), to: "target")
        try FileManager.default.removeItem(atPath: made.folder.certificatePath)
        try FileManager.default.createSymbolicLink(
            atPath: made.folder.certificatePath,
            withDestinationPath: made.scratch.path("target")
        )
        let other = try CertificateAuthority.make(name: "other", at: Self.now)
        let error = #expect(throws: AuthorityError.self) { try made.folder.save(other, replacing: true) }
        #expect(error?.message == "not a regular file; remove it first")
        #expect(try made.scratch.read("target") == Array("somebody's".utf8))
        #expect(try made.scratch.read("ca/key.pem") == key)
    }

    @Test func `an authority is replaced only on request, and then as a whole`() throws {
        let made = try Made(at: Self.now)
        let key = try made.scratch.read("ca/key.pem")
        let other = try CertificateAuthority.make(name: "other", at: Self.now)
        let error = #expect(throws: AuthorityError.self) { try made.folder.save(other) }
        #expect(error?.code == .exists)
        #expect(try made.scratch.read("ca/key.pem") == key)
        // Nor where a half of one is there.
        try FileManager.default.removeItem(atPath: made.folder.keyPath)
        #expect(throws: AuthorityError.self) { try made.folder.save(other) }
        #expect(!FileManager.default.fileExists(atPath: made.folder.keyPath))
        try made.folder.save(other, replacing: true)
        #expect(try made.folder.authority(at: Self.now).certificate.der == other.certificate.der)
        #expect(try mode(made.folder.keyPath) == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: made.folder.path).count == 2)
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o644, 0o601])
    func `a key that other users can use is refused`(mode: Int) throws {
        let made = try Made(at: Self.now)
        try chmod(mode, made.folder.keyPath)
        let error = try #require(failure(made.folder))
        #expect(error.code == .exposed)
        #expect(error.subject == made.folder.keyPath)
        try chmod(0o400, made.folder.keyPath)
        #expect(failure(made.folder) == nil)
    }

    @Test(arguments: [(0o770, true), (0o707, true), (0o755, false), (0o1777, false)])
    func `a folder in which other users could replace the key is refused`(mode: Int, isRefused: Bool) throws {
        let made = try Made(at: Self.now)
        try chmod(mode, made.folder.path)
        #expect(failure(made.folder)?.code == (isRefused ? .exposed : nil))
        let other = try CertificateAuthority.make(name: "other", at: Self.now)
        if isRefused {
            #expect(throws: AuthorityError.self) { try made.folder.save(other, replacing: true) }
        } else {
            try made.folder.save(other, replacing: true)
        }
    }

    @Test(
        .enabled(if: geteuid() == 0, "only root can give a file away"),
        arguments: ["", "/key.pem", "/certificate.pem"]
    )
    func `an authority of another user is refused, also by root`(name: String) throws {
        let made = try Made(at: Self.now)
        #expect(chown(made.folder.path + name, 12345, 12345) == 0)
        let error = try #require(failure(made.folder))
        #expect(error.code == .exposed)
        #expect(error.subject == made.folder.path + name)
        #expect(error.message.hasPrefix("this belongs to another user"))
        guard name.isEmpty else { return }
        let other = try CertificateAuthority.make(name: "other", at: Self.now)
        #expect(throws: AuthorityError.self) { try made.folder.save(other, replacing: true) }
    }

    @Test func `missing files are reported with the command that makes them`() throws {
        let made = try Made(at: Self.now)
        try FileManager.default.removeItem(atPath: made.folder.keyPath)
        let key = try #require(failure(made.folder))
        #expect(key.code == .missing)
        #expect(key.subject == made.folder.keyPath)
        #expect(key.remedy == .createAuthority)
        #expect(failure(AuthorityFolder(path: made.scratch.path("none")))?.code == .missing)
    }

    @Test func `a key of another authority, or of another kind, is refused`() throws {
        let made = try Made(at: Self.now)
        let other = try Made(at: Self.now)
        try made.scratch.write(try other.scratch.read("ca/key.pem"), to: "ca/key.pem")
        try chmod(0o600, made.folder.keyPath)
        #expect(failure(made.folder)?.code == .mismatched)
        try made.openssl("genpkey", "-algorithm", "ed25519", "-out", made.folder.keyPath)
        try chmod(0o600, made.folder.keyPath)
        #expect(failure(made.folder)?.code == .malformed)
    }

    /// What stands in the place of a file, and the problem.
    @Test(arguments: [
        ("certificate.pem", "", AuthorityError.Code.malformed), ("key.pem", "", .malformed),
        ("certificate.pem", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n", .malformed),
        ("key.pem", "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n", .malformed),
        ("certificate.pem", String(repeating: "x", count: 65537), .malformed),
        ("key.pem", String(repeating: "x", count: 65537), .malformed),
    ])
    func `a file of another kind is refused`(name: String, text: String, code: AuthorityError.Code) throws {
        let made = try Made(at: Self.now)
        try made.scratch.write(Array(text.utf8), to: "ca/" + name)
        try chmod(0o600, made.folder.path + "/" + name)
        let error = try #require(failure(made.folder))
        #expect(error.code == code)
        #expect(error.subject == made.folder.path + "/" + name)
    }

    @Test func `a folder or pipe in place of the key is refused without waiting`() throws {
        let made = try Made(at: Self.now)
        try FileManager.default.removeItem(atPath: made.folder.keyPath)
        #expect(mkfifo(made.folder.keyPath, 0o600) == 0)
        #expect(failure(made.folder)?.code == .malformed)
        try FileManager.default.removeItem(atPath: made.folder.keyPath)
        try FileManager.default.createDirectory(atPath: made.folder.keyPath, withIntermediateDirectories: false)
        #expect(failure(made.folder)?.code == .malformed)
    }

    @Test func `an expired authority is reported with its end, and its certificate is still read`() throws {
        let made = try Made(days: 1, at: Self.now)
        let error = try #require(failure(made.folder, at: Self.now + 2 * 86400))
        #expect(error.code == .expired)
        #expect(error.message.hasPrefix("the authority expired on 2026-11-22T10:00:00Z"))
        #expect(failure(made.folder, at: Self.now - 86400)?.code == .expired)
        #expect(try made.folder.certificate().notAfter == Self.now + 86400)
    }

    /// Certificates made by openssl, and whether they are an authority's.
    @Test(arguments: [
        (["basicConstraints=critical,CA:FALSE"], AuthorityError.Code?.some(.notAuthority)),
        (["basicConstraints=critical,CA:TRUE", "keyUsage=critical,digitalSignature"], .notAuthority),
        (["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign"], nil),
        (["basicConstraints=critical,CA:TRUE"], nil),
    ])
    func `another program's certificate is accepted if it is an authority`(
        extensions: [String],
        code: AuthorityError.Code?
    ) throws {
        let scratch = try Scratch()
        let folder = AuthorityFolder(path: scratch.path)
        try scratch.write(
            Array("[req]\ndistinguished_name=dn\n[dn]\n[ext]\n\(extensions.joined(separator: "\n"))\n".utf8),
            to: "openssl.cnf"
        )
        let made = try Program.run(
            "openssl",
            [
                "req", "-x509", "-config", scratch.path("openssl.cnf"), "-extensions", "ext", "-newkey", "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256", "-nodes", "-days", "3", "-subj", "/CN=other", "-keyout", folder.keyPath,
                "-out",
                folder.certificatePath,
            ]
        )
        try #require(made.status == 0, "\(made.errors)")
        try chmod(0o600, folder.keyPath)
        let now = try folder.knownStart(scratch)
        #expect(failure(folder, at: now)?.code == code)
    }
}

extension AuthorityFolder {
    /// From when on the certificate in the folder holds, as openssl says.
    fileprivate func knownStart(_ scratch: Scratch) throws -> Timestamp {
        let result = try Program.run(
            "openssl",
            ["x509", "-in", certificatePath, "-noout", "-startdate", "-dateopt", "iso_8601"]
        )
        let text = result.text.dropFirst("notBefore=".count).dropLast().replacingOccurrences(of: " ", with: "T")
        return try #require(Timestamp(iso8601: text), "\(result.text) \(result.errors)")
    }
}
