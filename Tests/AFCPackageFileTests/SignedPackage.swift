import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCURL
import AFCZip
import HTTPTypes
import TestSupport
import Testing

/// A small package, signed or not, and ways to pack it again with something changed.
struct SignedPackage {
    static let time = Timestamp(secondsSinceEpoch: 1_763_719_200)
    static let bodies = ["index.html": "<p>hello</p>", "a.css": "p { color: red }", "empty.txt": ""]

    let scratch: Scratch
    let path: String

    static func key(_ byte: UInt8) throws -> SigningKey {
        try #require(SigningKey(seed: [UInt8](repeating: byte, count: 32), comment: "key \(byte)"))
    }

    /// Writes the package with three resources, a redirect and user data.
    init(signers: [SigningKey], _ change: (inout PackageWriter.Options) -> Void = { _ in }) async throws {
        scratch = try Scratch()
        path = scratch.path("p.zip")
        var options = PackageWriter.Options(created: Self.time, generator: "test/1")
        options.signers = signers
        options.userData = [
            PackageWriter.UserData(
                member: ".userdata/k/note",
                path: try scratch.write(Array("a note".utf8), to: "note")
            )
        ]
        change(&options)
        var resources = try Self.bodies.map { name, body in
            let url = try WebURL("http://d.example/\(name)")
            let member = PackageDigest.Member(name: name, body: Array(body.utf8))
            return PackageWriter.Resource(
                record: ResourceRecord(url: url, fetched: Self.time, size: member.size, sha256: member.sha256),
                entry: ManifestEntry(url: url),
                body: .bytes(Array(body.utf8)),
                isCompressible: true
            )
        }
        var fields = HTTPFields()
        fields[.location] = "/index.html"
        let old = ResourceRecord(url: try WebURL("http://d.example/old"), status: 301, fields: fields)
        resources.append(PackageWriter.Resource(record: old, entry: nil, body: nil, isCompressible: false))
        _ = try await PackageWriter.write(resources, to: path, options: options)
    }

    /// Packs the members anew, after a change of their names and bodies.
    func repacked(
        compressible: Bool = true,
        modified: Int64 = 1_000_000_000,
        _ change: (inout [(name: String, body: [UInt8])]) throws -> Void
    ) async throws -> String {
        let archive = try ZipReader(path: path)
        var members = try archive.members.map { (name: $0.name, body: try archive.read($0, maxBytes: 1 << 20)) }
        try change(&members)
        var options = ZipWriter.Options()
        options.modified = modified
        let target = scratch.path("changed.zip")
        let new = members.map { NewMember(name: $0.name, content: .bytes($0.body), isCompressible: compressible) }
        _ = try await ZipWriter.write(to: target, members: new, options: options)
        return target
    }

    /// The rule that refuses a package, or nil where it is taken.
    static func refusal(of path: String, _ policy: TrustPolicy = TrustPolicy()) -> String? {
        do throws(PackageError) {
            _ = try PackageReader(path: path).verifySignature(policy: policy)
            return nil
        } catch {
            guard case .untrusted(let rule) = error.code else { return "\(error.code)" }
            return rule
        }
    }
}
