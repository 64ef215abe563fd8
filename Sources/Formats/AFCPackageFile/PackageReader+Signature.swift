public import AFCPackageFormat
public import AFCText
internal import AFCZip
internal import Crypto

extension PackageReader {
    /// What the package claims of its signers; nobody has checked it.
    ///
    /// - Returns: The signatures in their order, none for a package that isn't signed.
    /// - Throws: ``PackageError`` where `.afcache/signature` is malformed.
    public func claimedSignatures() throws(PackageError) -> [PackageSignature] {
        do throws(SignatureRefusal) {
            return try claims.get()
        } catch {
            throw PackageError(error, subject: path)
        }
    }

    /// Refuses, before a body is read, a package that no trusted key claims to have signed where that is required.
    ///
    /// - Parameter policy: Whose packages are taken.
    /// - Throws: ``PackageError`` of the code ``PackageError/Code/untrusted(rule:)``.
    public func requireSigner(_ policy: TrustPolicy) throws(PackageError) {
        do throws(SignatureRefusal) {
            try policy.requireSigner(among: try claims.get())
        } catch {
            throw PackageError(error, subject: path)
        }
    }

    /// Checks the package's signatures against what was read of it.
    ///
    /// Call it after the last body was read and before anything becomes visible. Members whose digests aren't given are
    /// read by it, which blocks; none is read where the package isn't signed.
    ///
    /// - Parameters:
    ///   - bodyDigests: The SHA-256, 32 bytes each, of bodies that the caller has read itself, by index into the archive's
    ///     members.
    ///   - policy: Whose packages are taken.
    /// - Returns: Who signed.
    /// - Throws: ``PackageError`` where a signature is wrong, or none by a trusted key is there and that is required, or
    ///   a member is damaged.
    public func verifySignature(
        bodyDigests: [Int: [UInt8]] = [:],
        policy: TrustPolicy
    ) throws(PackageError) -> SignatureVerdict {
        try requireSigner(policy)
        let signatures = try claimedSignatures()
        guard !signatures.isEmpty else { return SignatureVerdict() }
        guard index.info?.created != nil else { throw PackageError(SignatureRefusal.undated, subject: path) }
        let digest = try digest(bodyDigests: bodyDigests)
        do throws(SignatureRefusal) {
            return try policy.judge(signatures, for: digest)
        } catch {
            throw PackageError(error, subject: path)
        }
    }

    private func digest(bodyDigests: [Int: [UInt8]]) throws(PackageError) -> PackageDigest {
        var members: [PackageDigest.Member] = []
        members.reserveCapacity(archive.members.count)
        for (index, member) in archive.members.enumerated() where member.name != PackageLayout.signature {
            let sha256: [UInt8]
            if let known = openingDigests[index] ?? bodyDigests[index] {
                sha256 = known
            } else {
                sha256 = try hash(member)
            }
            members.append(
                PackageDigest.Member(
                    name: member.name,
                    size: member.uncompressedSize,
                    sha256: Hexadecimal.text(sha256)
                )
            )
        }
        return PackageDigest(of: members)
    }

    private func hash(_ member: ZipMember) throws(PackageError) -> [UInt8] {
        var hash = SHA256()
        do throws(ZipError) {
            try archive.forEachChunk(of: member) { chunk throws(ZipError) in hash.update(bufferPointer: chunk) }
        } catch {
            throw PackageError(error, subject: path)
        }
        return Array(hash.finalize())
    }

    static func claims(in archive: ZipReader) throws(ZipError) -> Result<[PackageSignature], SignatureRefusal> {
        guard let member = archive.member(named: PackageLayout.signature) else { return .success([]) }
        let bytes = try archive.read(member, maxBytes: PackageLayout.signatureByteLimit)
        return Result { () throws(SignatureRefusal) in try PackageSignature.list(bytes) }
    }

    /// The digests of what was read already, by index; none where there is no signature that would need them.
    static func digests(_ bodies: [String: [UInt8]?], in archive: ZipReader) -> [Int: [UInt8]] {
        guard archive.member(named: PackageLayout.signature) != nil else { return [:] }
        var digests: [Int: [UInt8]] = [:]
        for (index, member) in archive.members.enumerated() {
            guard let body = bodies[member.name] ?? nil else { continue }
            digests[index] = Array(SHA256.hash(data: body))
        }
        return digests
    }
}

extension PackageError {
    init(_ refusal: SignatureRefusal, subject: String) {
        self.init(.untrusted(rule: refusal.rule), subject: subject, message: refusal.sentence)
    }
}
