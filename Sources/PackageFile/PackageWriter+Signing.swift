internal import Crypto
internal import PackageFormat
internal import ZipArchive

extension PackageWriter {
    /// Adds the member with the signatures.
    ///
    /// Bodies whose records have a digest aren't read again: a body that isn't what its record says keeps the package
    /// from being loaded anyway.
    static func sign(_ plan: inout Plan, path: String, options: Options) async throws(PackageError) {
        guard options.writesSidecar else {
            throw PackageError(
                .unwritable,
                subject: path,
                message: "a signed package needs its sidecar, which has its date; leave out '--no-sidecar'"
            )
        }
        let (members, known) = (plan.members, plan.digests)
        let digest = try await OffPool.run { () throws(PackageError) in
            try Self.digest(of: members, known: known, path: path)
        }
        var text: [UInt8] = []
        var signed: Set<PublicKey> = []
        for key in options.signers where signed.insert(key.publicKey).inserted {
            guard let signature = PackageSignature(digest, by: key, created: options.created) else {
                throw PackageError(.inputOutput, subject: path, message: "the system has no randomness to sign with")
            }
            text.append(contentsOf: signature.line.utf8)
        }
        plan.members.append(NewMember(name: PackageLayout.signature, content: .bytes(text), isCompressible: true))
    }

    private static func digest(
        of members: [NewMember],
        known: [String: PackageDigest.Member],
        path: String
    ) throws(PackageError) -> PackageDigest {
        var digests: [PackageDigest.Member] = []
        digests.reserveCapacity(members.count)
        for member in members {
            if let digest = known[member.name] {
                digests.append(digest)
            } else {
                digests.append(try digest(of: member, path: path))
            }
        }
        return PackageDigest(of: digests)
    }

    private static func digest(of member: NewMember, path: String) throws(PackageError) -> PackageDigest.Member {
        switch member.content {
        case .bytes(let bytes): return PackageDigest.Member(name: member.name, body: bytes)
        case .file(let file):
            do throws(ZipError) {
                return try digest(of: OpenFile(reading: file), name: member.name)
            } catch {
                throw PackageError(error, subject: path)
            }
        case .deflated:
            throw PackageError(
                .unwritable,
                subject: path,
                message: "the record of member \(PackageProblem.quoted(member.name)) has no SHA-256 to sign"
            )
        }
    }

    private static func digest(of file: OpenFile, name: String) throws(ZipError) -> PackageDigest.Member {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var hash = SHA256()
        var size: Int64 = 0
        while true {
            let count = try file.read(into: buffer, at: size)
            guard count > 0 else { break }
            size += Int64(count)
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        return PackageDigest.Member(name: name, size: size, sha256: Hexadecimal.text(hash.finalize()))
    }
}
