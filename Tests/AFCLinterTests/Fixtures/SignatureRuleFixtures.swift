import AFCLinter
import AFCPackageFile
import AFCPackageFormat
import AFCURL
import AFCZip
import TestSupport
import Testing

extension RuleFixture {
    /// Fixtures of signatures.
    static let signature: [RuleFixture] = [
        RuleFixture(rule: "signature.missing", bad: signed(by: nil, trusting: 1), good: signed(by: 1, trusting: 1)),
        RuleFixture(rule: "signature.untrusted", bad: signed(by: 1, trusting: 2), good: signed(by: 1, trusting: 1)),
        RuleFixture(
            rule: "signature.wrong",
            bad: signed(by: 1) { name, body in name == "d.example/a" ? Array("Body".utf8) : body },
            good: signed(by: 1) { _, body in body }
        ),
        RuleFixture(
            rule: "signature.malformed",
            bad: signed(by: 1) { name, body in name == PackageLayout.signature ? Array("signed\n".utf8) : body },
            good: signed(by: 1)
        ),
        RuleFixture(
            rule: "signature.undated",
            bad: signed(by: 1) { name, body in name == PackageLayout.info ? Array(#"{"format":1}"#.utf8) : body },
            good: signed(by: 1)
        ),
    ]

    private typealias Change = @Sendable (_ name: String, _ body: [UInt8]) -> [UInt8]

    /// A package that a key signed, linted with or without trust, its members perhaps changed after that.
    private static func signed(by signer: UInt8?, trusting: UInt8? = nil, _ change: Change? = nil) -> Sample {
        .made { options in
            guard let trusting else { return }
            options.trust = TrustPolicy(requiresSignature: true, trusted: [try key(trusting).publicKey])
        } _: { scratch in
            let path = scratch.path("signed.zip")
            var options = PackageWriter.Options(created: LinterTests.now, generator: "test/1")
            options.signers = try signer.map { [try key($0)] } ?? []
            let url = try WebURL("http://d.example/a")
            let resource = PackageWriter.Resource(
                record: ResourceRecord(url: url, fetched: LinterTests.now),
                entry: ManifestEntry(url: url, mediaType: "text/plain"),
                body: .bytes(Array("body".utf8)),
                isCompressible: true
            )
            _ = try await PackageWriter.write([resource], to: path, options: options)
            guard let change else { return path }
            return try await repacked(path, to: scratch.path("changed.zip"), change)
        }
    }

    private static func key(_ byte: UInt8) throws -> SigningKey {
        try #require(SigningKey(seed: [UInt8](repeating: byte, count: 32), comment: "key \(byte)"))
    }

    private static func repacked(_ path: String, to target: String, _ change: Change) async throws -> String {
        let archive = try ZipReader(path: path)
        let members = try archive.members.map { member in
            let body = change(member.name, try archive.read(member, maxBytes: 1 << 20))
            return NewMember(name: member.name, content: .bytes(body), isCompressible: false)
        }
        _ = try await ZipWriter.write(to: target, members: members, options: ZipWriter.Options())
        return target
    }
}
