import AFCCaching
import AFCHTTP
import AFCPackageFormat
import Testing

/// Digests and signatures; expected values come from Python's hashlib and `openssl pkeyutl -sign -rawin`.
struct SignatureTests {
    typealias Member = PackageDigest.Member

    static let members = [
        Member(name: "manifest.afcache", body: Array("http://a.example/x ; NULL ; NULL ; text/plain\n".utf8)),
        Member(name: "a.example/x", body: Array("hello".utf8)),
        Member(
            name: ".afcache/package.json",
            body: Array(#"{"format":1,"created":"2026-11-21T10:00:00Z"}"#.utf8)
        ),
        Member(name: "a.example/", body: []), Member(name: "a.example/\u{E4}", body: [0xFF]),
    ]
    static let digest = "b5e2d6f725cab5a491e9f4a5b9abdeeaed83c06b500e459c87fbb771c31fac17"
    static let signature =
        "9IqFKYwNUoR/uNpheti8fHlFj7rZL4Z85MSVO/lesrSaQ/hD5Y2vmVloqLNox7JUWED7Y+ZZdxH8jamtp0AnCg=="
    static let line = "afcache-signature-1 ed25519 \(KeyTests.keyText) 2026-11-21T10:00:00Z \(signature)\n"

    static func listed() throws -> PackageSignature { try PackageSignature.list(Array(line.utf8))[0] }

    @Test func `the digest is that of the documented text, in any order, without the signature`() {
        #expect(PackageDigest(of: Self.members).hexadecimal == Self.digest)
        let signed = Self.members.reversed() + [Member(name: ".afcache/signature", body: [1])]
        #expect(PackageDigest(of: signed).hexadecimal == Self.digest)
        #expect(
            PackageDigest(of: []).hexadecimal == "f80103bf48ab7b4599e5e061a91945fe243c044b18d1cc1698bbfb3f82e95706"
        )
    }

    @Test func `a signature made by another program is valid`() throws {
        let signature = try Self.listed()
        #expect(signature.key.id == KeyTests.id)
        #expect(signature.created == Timestamp(iso8601: "2026-11-21T10:00:00Z"))
        #expect(signature.isValid(for: PackageDigest(of: Self.members)))
        #expect(signature.line == Self.line)
    }

    @Test func `what we sign is valid, and no other key, time or package fits`() throws {
        let digest = PackageDigest(of: Self.members)
        let time = Timestamp(secondsSinceEpoch: 1_700_000_000)
        let signature = try #require(PackageSignature(digest, by: try KeyTests.signer(), created: time))
        #expect(signature.isValid(for: digest))
        var changed = signature
        changed.created.secondsSinceEpoch += 1
        #expect(!changed.isValid(for: digest))
        changed = signature
        changed.key = try KeyTests.other().publicKey
        #expect(!changed.isValid(for: digest))
        #expect(!signature.isValid(for: PackageDigest(of: Self.members.dropLast())))
        for index in signature.bytes.indices {
            changed = signature
            changed.bytes[index] ^= 1
            #expect(!changed.isValid(for: digest), "byte \(index)")
        }
    }

    @Test func `each change of a member changes the digest`() {
        let changes: [(inout [Member]) -> Void] = [
            { $0[1].name = "a.example/y" }, { $0[1].size += 1 },
            { $0[1].sha256 = String(repeating: "0", count: 64) }, { $0.removeLast() },
            { $0.append(Member(name: "b.example/", body: [])) },
            // One name that looks like the end of a line and the whole next one.
            { $0[3].name += " \(String(repeating: "0", count: 64)) 1" },
            {
                let (one, other) = ($0[0].name, $0[1].name)
                ($0[0].name, $0[1].name) = (other, one)
            },
        ]
        for (index, change) in changes.enumerated() {
            var members = Self.members
            change(&members)
            #expect(PackageDigest(of: members).hexadecimal != Self.digest, "change \(index)")
        }
    }

    @Test func `several keys may sign`() throws {
        let digest = PackageDigest(of: Self.members)
        let time = Timestamp(secondsSinceEpoch: 1_700_000_000)
        let other = try #require(PackageSignature(digest, by: try KeyTests.other(), created: time))
        let signatures = try PackageSignature.list(Array((Self.line + other.line).utf8))
        #expect(signatures.map(\.key.id) == [KeyTests.id, other.key.id])
    }

    @Test(
        arguments: [
            ("", 1), ("\n", 1), (String(line.dropLast()), 1), (line + "\n", 2), (line + line, 2),
            (line.replacing("signature-1", with: "signature-2"), 1), (line.replacing("ed25519", with: "ed448"), 1),
            (line.replacing("T10", with: "t10"), 1), (line.replacing("00Z", with: "00+00:00"), 1),
            (line.replacing(" 2026", with: "  2026"), 1), (line.replacing("Cg==", with: "Ch=="), 1),
            (line.replacing("\n", with: " \n"), 1), (line.replacing("\n", with: "\r\n"), 1),
            (line.replacing(KeyTests.keyText, with: "AAAA"), 1),
        ]
    )
    func `a member that isn't as documented is malformed`(text: String, line: Int) {
        do throws(SignatureRefusal) {
            _ = try PackageSignature.list(Array(text.utf8))
            Issue.record("it was read")
        } catch {
            guard case .malformed(line, _) = error else {
                Issue.record("\(error)")
                return
            }
        }
    }
}
