import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCZip
import TestSupport
import Testing

/// Packages that are encrypted, and signed, too.
struct EncryptedPackageTests {
    static func password(_ text: String = "secret") throws -> Password { try #require(Password(Array(text.utf8))) }

    static func code(of path: String, _ password: Password?) -> PackageError.Code? {
        do throws(PackageError) {
            _ = try PackageReader(path: path, password: password)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `an encrypted package opens with its password, and its signature is checked`() async throws {
        let password = try Self.password()
        let package = try await SignedPackage(signers: [SignedPackage.key(1)]) { $0.password = password }
        let reader = try PackageReader(path: package.path, password: password)
        try reader.requireLoadable()
        #expect(reader.index.resources.count == 4)
        let policy = TrustPolicy(requiresSignature: true, trusted: [try SignedPackage.key(1).publicKey])
        #expect(try reader.verifySignature(policy: policy).trusted.count == 1)
        // Manifest, sidecar and signature are encrypted as bodies are.
        #expect(reader.archive.members.allSatisfy { $0.encryption == .aes256 })
    }

    @Test func `the signature doesn't cover what encryption changes`() async throws {
        let password = try Self.password()
        let locked = try await SignedPackage(signers: [SignedPackage.key(1)]) { $0.password = password }
        let plain = try await SignedPackage(signers: [SignedPackage.key(1)])
        let signatures = try [
            PackageReader(path: locked.path, password: password).claimedSignatures(),
            PackageReader(path: plain.path).claimedSignatures(),
        ]
        let reader = try PackageReader(path: plain.path)
        let digest = PackageDigest(
            of: try reader.archive.members.map {
                PackageDigest.Member(name: $0.name, body: try reader.archive.read($0, maxBytes: 1 << 20))
            }
        )
        for signature in signatures.flatMap({ $0 }) { #expect(signature.isValid(for: digest)) }
    }

    @Test func `a missing password and a wrong one are distinguished`() async throws {
        let password = try Self.password()
        let package = try await SignedPackage(signers: []) { $0.password = password }
        #expect(Self.code(of: package.path, nil) == .locked(rule: "zip.password-missing"))
        #expect(Self.code(of: package.path, try Self.password("Secret")) == .locked(rule: "zip.password-wrong"))
    }
}
