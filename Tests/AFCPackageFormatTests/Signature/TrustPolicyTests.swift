import AFCCaching
import AFCHTTP
import AFCPackageFormat
import Testing

/// The table of docs/reference/signatures.md, "What a reader does".
struct TrustPolicyTests {
    static let digest = PackageDigest(of: SignatureTests.members)
    static let changed = PackageDigest(of: SignatureTests.members.dropLast())
    static let time = Timestamp(secondsSinceEpoch: 1_700_000_000)

    static func known() throws -> PackageSignature { try SignatureTests.listed() }

    static func unknown(_ digest: PackageDigest = digest) throws -> PackageSignature {
        try #require(PackageSignature(digest, by: try KeyTests.other(), created: time))
    }

    static func policy(required: Bool) throws -> TrustPolicy {
        TrustPolicy(requiresSignature: required, trusted: [try KeyTests.signer().publicKey])
    }

    @Test func `a package without a signature is accepted unless one is required`() throws {
        #expect(try Self.policy(required: false).judge([], for: Self.digest) == SignatureVerdict())
        #expect(throws: SignatureRefusal.missing) { try Self.policy(required: true).judge([], for: Self.digest) }
    }

    @Test(arguments: [false, true])
    func `a package with a trusted signature is accepted, even with others`(required: Bool) throws {
        let verdict = try Self.policy(required: required).judge([Self.unknown(), Self.known()], for: Self.digest)
        #expect(verdict.trusted.map(\.key.comment) == ["news desk"])
        #expect(verdict.unknown.map(\.key) == [try KeyTests.other().publicKey])
    }

    @Test func `a package signed only by unknown keys is accepted unless a signature is required`() throws {
        let verdict = try Self.policy(required: false).judge([Self.unknown()], for: Self.digest)
        #expect(verdict.trusted.isEmpty)
        #expect(verdict.isSigned)
        let refusal = SignatureRefusal.untrusted([try KeyTests.other().publicKey])
        #expect(throws: refusal) { try Self.policy(required: true).judge([Self.unknown()], for: Self.digest) }
        #expect(throws: refusal) { try Self.policy(required: true).requireSigner(among: [Self.unknown()]) }
    }

    @Test func `a policy that requires a signature but trusts no key accepts nothing`() throws {
        let refusal = SignatureRefusal.untrusted([try KeyTests.signer().publicKey])
        #expect(throws: refusal) {
            try TrustPolicy(requiresSignature: true).judge([Self.known()], for: Self.digest)
        }
    }

    @Test(arguments: [false, true])
    func `a wrong signature is refused, whatever the key, even beside a valid one`(required: Bool) throws {
        let policy = try Self.policy(required: required)
        let known = try Self.known()
        #expect(throws: SignatureRefusal.wrong(known.key)) { try policy.judge([known], for: Self.changed) }
        let unknown = try Self.unknown(Self.changed)
        #expect(throws: SignatureRefusal.wrong(unknown.key)) {
            try policy.judge([known, unknown], for: Self.digest)
        }
    }
}
