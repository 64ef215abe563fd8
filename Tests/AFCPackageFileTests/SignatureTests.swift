import AFCCaching
import AFCPackageFile
import AFCPackageFormat
import AFCZip
import Crypto
import Foundation
import TestSupport
import Testing

/// Packages that are signed, changed, and checked.
struct SignatureTests {
    typealias Members = [(name: String, body: [UInt8])]

    static func position(_ name: String, in members: Members) throws -> Int {
        try #require(members.firstIndex { $0.name == name })
    }

    struct Change: Sendable {
        var what: String
        var rule = "signature.wrong"
        var change: @Sendable (inout Members) throws -> Void

        init(_ what: String, _ change: @escaping @Sendable (inout Members) throws -> Void) {
            self.what = what
            self.change = change
        }

        static func flip(_ name: String) -> Change {
            Change("a byte of \(name)") { members in
                let index = try position(name, in: members)
                // The last byte but one: JSON and the date in it stay valid.
                members[index].body[members[index].body.count - 2] ^= 1
            }
        }

        static func replace(_ name: String, by text: String, _ what: String, rule: String) -> Change {
            var change = Change(what) { $0[try position(name, in: $0)].body = Array(text.utf8) }
            change.rule = rule
            return change
        }
    }

    static let changes: [Change] = [
        .flip("d.example/index.html"), .flip("d.example/a.css"), .flip("manifest.afcache"),
        .flip(".afcache/resources.jsonl"), .flip(".userdata/k/note"),
        .replace(
            ".afcache/package.json",
            by: #"{"format":1,"created":"2026-11-21T10:00:01Z"}"#,
            "another date",
            rule: "signature.wrong"
        ),
        .replace(".afcache/package.json", by: #"{"format":1}"#, "no date", rule: "signature.undated"),
        .replace(".afcache/signature", by: "signed, me\n", "no signature", rule: "signature.malformed"),
        .replace(".afcache/signature", by: "", "an empty signature", rule: "signature.malformed"),
        Change("a member more") { $0.append(("d.example/more", [])) },
        Change("a member of the sidecar more") { $0.append((".afcache/more", [])) },
        Change("a member less") { $0.removeAll { $0.name == ".userdata/k/note" } },
        Change("an empty member less") { $0.removeAll { $0.name == "d.example/empty.txt" } },
        Change("another name") { $0[try position(".userdata/k/note", in: $0)].name = ".userdata/k/Note" },
        Change("two bodies exchanged") { members in
            let one = try position("d.example/a.css", in: members)
            let other = try position("d.example/index.html", in: members)
            let body = members[one].body
            members[one].body = members[other].body
            members[other].body = body
        },
    ]

    @Test func `a signed package names its signers, and loads`() async throws {
        let package = try await SignedPackage(signers: [SignedPackage.key(1), SignedPackage.key(2)])
        let reader = try PackageReader(path: package.path)
        try reader.requireLoadable()
        #expect(reader.archive.members.map(\.name).contains(PackageLayout.signature))
        let policy = TrustPolicy(requiresSignature: true, trusted: [try SignedPackage.key(2).publicKey])
        try reader.requireSigner(policy)
        let verdict = try reader.verifySignature(policy: policy)
        #expect(verdict.trusted.map(\.key.comment) == ["key 2"])
        #expect(verdict.unknown.map(\.key) == [try SignedPackage.key(1).publicKey])
        #expect(verdict.trusted.map(\.created) == [SignedPackage.time])
    }

    @Test func `digests that the caller has computed are taken, and the rest is read`() async throws {
        let package = try await SignedPackage(signers: [SignedPackage.key(1)])
        let reader = try PackageReader(path: package.path)
        var digests: [Int: [UInt8]] = [:]
        for (index, member) in reader.archive.members.enumerated() where member.name.hasPrefix("d.example/") {
            let body = try reader.archive.read(member, maxBytes: 1 << 20)
            digests[index] = Array(SHA256.hash(data: body))
        }
        #expect(digests.count == 3)
        #expect(try reader.verifySignature(policy: TrustPolicy()) { digests[$0] }.isSigned)
        let first = try #require(digests.keys.first)
        digests[first] = [UInt8](repeating: 0, count: 32)
        #expect(throws: PackageError.self) {
            try reader.verifySignature(policy: TrustPolicy()) { digests[$0] }
        }
    }

    @Test func `a package with any significant byte changed is refused, whoever is trusted`() async throws {
        let package = try await SignedPackage(signers: [SignedPackage.key(1)])
        let trusting = TrustPolicy(requiresSignature: true, trusted: [try SignedPackage.key(1).publicKey])
        for item in Self.changes {
            let path = try await package.repacked { try item.change(&$0) }
            #expect(SignedPackage.refusal(of: path) == item.rule, "\(item.what)")
            #expect(SignedPackage.refusal(of: path, trusting) == item.rule, "\(item.what)")
        }
    }

    @Test func `a package with an additional folder is refused`() async throws {
        let package = try await SignedPackage(signers: [SignedPackage.key(1)])
        let script = "import sys, zipfile; zipfile.ZipFile(sys.argv[1], 'a').writestr('.userdata/empty/', b'')"
        #expect(try Program.run("python3", ["-c", script, package.path]).status == 0)
        #expect(SignedPackage.refusal(of: package.path) == "signature.wrong")
    }

    @Test func `with any byte changed, the package is refused or has the same meaning`() async throws {
        let package = try await SignedPackage(signers: [SignedPackage.key(1)])
        let policy = TrustPolicy(requiresSignature: true, trusted: [try SignedPackage.key(1).publicKey])
        let original = try PackageReader(path: package.path)
        let bytes = try package.scratch.read("p.zip")
        var taken = 0
        for position in bytes.indices {
            var changed = bytes
            changed[position] ^= 0x01
            let path = try package.scratch.write(changed, to: "flipped.zip")
            guard let reader = try? PackageReader(path: path),
                (try? reader.requireLoadable()) != nil,
                (try? reader.verifySignature(policy: policy)) != nil
            else { continue }
            taken += 1
            #expect(reader.index.resources == original.index.resources, "byte \(position)")
            #expect(reader.index.info == original.index.info, "byte \(position)")
            #expect(reader.archive.members.map(\.name) == original.archive.members.map(\.name), "byte \(position)")
        }
        // Versions, modes and the like, which nobody reads.
        #expect(taken > 0)
        #expect(taken < bytes.count / 4, "\(taken) of \(bytes.count)")
    }

    @Test func `order, compression and times of members don't matter`() async throws {
        let package = try await SignedPackage(signers: [SignedPackage.key(1)])
        let policy = TrustPolicy(requiresSignature: true, trusted: [try SignedPackage.key(1).publicKey])
        #expect(SignedPackage.refusal(of: try await package.repacked { $0.reverse() }, policy) == nil)
        #expect(SignedPackage.refusal(of: try await package.repacked(compressible: false) { _ in }, policy) == nil)
        #expect(SignedPackage.refusal(of: try await package.repacked(modified: 1_500_000_000) { _ in }, policy) == nil)
    }

    @Test func `a package that another program repacked is still signed`() async throws {
        let package = try await SignedPackage(signers: [SignedPackage.key(1)])
        let folder = package.scratch.path("out")
        #expect(try Program.run("unzip", ["-q", package.path, "-d", folder]).status == 0)
        let zip = try Program.run("zip", ["-q", "-D", "-9", "-r", "../again.zip", "."], in: folder)
        #expect(zip.status == 0, "\(zip.errors)")
        let policy = TrustPolicy(requiresSignature: true, trusted: [try SignedPackage.key(1).publicKey])
        #expect(SignedPackage.refusal(of: package.scratch.path("again.zip"), policy) == nil)
    }

    @Test func `the documented Python and openssl agree with the signature`() async throws {
        let package = try await SignedPackage(signers: [SignedPackage.key(1)])
        let page = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../docs/reference/signatures.md"),
            encoding: .utf8
        )
        let start = try #require(page.range(of: "    import hashlib, zipfile\n"))
        let end = try #require(page.range(of: "hexdigest())\n", range: start.upperBound..<page.endIndex))
        let script = page[start.lowerBound..<end.upperBound].split(separator: "\n").map { $0.dropFirst(4) }
            .joined(separator: "\n").replacing("news.zip", with: package.path)
        let digest = try Program.run("python3", ["-c", script])
        #expect(digest.status == 0, "\(digest.errors)")
        let archive = try ZipReader(path: package.path)
        let member = try #require(archive.member(named: PackageLayout.signature))
        let line = String(decoding: try archive.read(member, maxBytes: 1 << 16), as: UTF8.self)
        let words = line.split { $0 == " " || $0 == "\n" }
        let message = "afcache package signature 1\ncreated \(words[3])\ndigest \(digest.text)"
        try package.scratch.write(Array(message.utf8), to: "message")
        try package.scratch.write(Array(try #require(Data(base64Encoded: String(words[4])))), to: "signature")
        // The head of a SubjectPublicKeyInfo for Ed25519 (RFC 8410 §4).
        let head: [UInt8] = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00]
        try package.scratch.write(head + Array(try #require(Data(base64Encoded: String(words[2])))), to: "key")
        let check = try Program.run(
            "openssl",
            [
                "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", "key", "-rawin", "-in", "message",
                "-sigfile", "signature",
            ],
            in: package.scratch.path
        )
        #expect(check.status == 0, "\(check.text) \(check.errors)")
    }

    @Test func `a package without a trusted signature is refused where one is required`() async throws {
        let policy = TrustPolicy(requiresSignature: true, trusted: [try SignedPackage.key(1).publicKey])
        let plain = try await SignedPackage(signers: [])
        #expect(SignedPackage.refusal(of: plain.path) == nil)
        #expect(SignedPackage.refusal(of: plain.path, policy) == "signature.missing")
        let foreign = try await SignedPackage(signers: [SignedPackage.key(2)])
        #expect(SignedPackage.refusal(of: foreign.path) == nil)
        #expect(SignedPackage.refusal(of: foreign.path, policy) == "signature.untrusted")
    }

    @Test func `a signature of another package doesn't fit`() async throws {
        let package = try await SignedPackage(signers: [SignedPackage.key(1)])
        let other = try await SignedPackage(signers: [SignedPackage.key(1)]) { $0.seeds = ["http://d.example/"] }
        let archive = try ZipReader(path: other.path)
        let member = try #require(archive.member(named: PackageLayout.signature))
        let signature = try archive.read(member, maxBytes: 1 << 16)
        let path = try await package.repacked {
            $0[try Self.position(PackageLayout.signature, in: $0)].body = signature
        }
        #expect(SignedPackage.refusal(of: path) == "signature.wrong")
    }

    @Test func `a key that is named twice signs once`() async throws {
        let package = try await SignedPackage(signers: [SignedPackage.key(1), SignedPackage.key(1)])
        #expect(try PackageReader(path: package.path).claimedSignatures().count == 1)
    }

    @Test func `a package without a sidecar can't be signed`() async throws {
        await #expect(throws: PackageError.self) {
            try await SignedPackage(signers: [SignedPackage.key(1)]) { $0.writesSidecar = false }
        }
    }
}
