internal import AFCFiles
public import AFCHTTP
public import AFCPackageFormat
public import AFCText
public import AFCZip
internal import Crypto

/// An open package: its archive was checked, and its manifest and sidecar were read, but no body.
public struct PackageReader: Sendable {
    /// The package's path.
    public let path: String
    /// The archive with the members.
    public let archive: ZipReader
    /// The resources and the problems of the package.
    public let index: PackageIndex

    /// The signatures in `.afcache/signature`; empty if there are none.
    private let claims: Result<[PackageSignature], SignatureRefusal>
    /// The SHA-256 of members that were read while opening, by index into the archive's members.
    ///
    /// The signature is checked against the bytes that were read then, even if the file changes later.
    private let openingDigests: [Int: [UInt8]]

    /// Opens a package.
    ///
    /// Problems of manifest and sidecar are in ``index``. Call ``requireLoadable()`` to accept only a package that
    /// loads.
    ///
    /// - Parameters:
    ///   - path: The package's path.
    ///   - limits: The limits on what reading the package may cost.
    ///   - password: The password, if the package is encrypted.
    /// - Throws: ``PackageError`` if the file can't be read or its archive can't be trusted; its code is
    ///   ``PackageError/Code/locked(rule:)`` if the password is missing or wrong.
    public init(
        path: String,
        limits: ReadLimits = ReadLimits(),
        password: Password? = nil
    ) throws(PackageError) {
        self.path = path
        do throws(ZipError) {
            let archive = try ZipReader(path: path, limits: limits, password: password)
            let members = archive.members.map { member in
                PackageIndex.Member(name: member.name, size: member.uncompressedSize, isFolder: member.isDirectory)
            }
            let parts = try PackageParts(archive, members: members, bodyLimit: limits.totalBytes)
            index = parts.index
            claims = try Self.claims(in: archive)
            openingDigests = Self.digests(parts.bodies, in: archive)
            self.archive = archive
        } catch {
            throw PackageError(error, subject: path)
        }
    }

    /// Returns the time when the package was made: as the sidecar says, else the time of its manifest, else the current
    /// time.
    ///
    /// - Parameter now: The current time.
    /// - Returns: The time that responses without Date get.
    public func date(orElse now: Timestamp) -> Timestamp {
        if let created = index.info?.created { return created }
        let modified = archive.member(named: PackageLayout.manifest)?.modified.map { Timestamp(secondsSinceEpoch: $0) }
        // Writers without a clock use 1980-01-01.
        guard let modified, modified.secondsSinceEpoch > 315_619_200, modified <= now else { return now }
        return modified
    }

    /// Throws unless the package can be loaded.
    ///
    /// - Throws: ``PackageError`` with the first error among the problems, and the number of further ones.
    public func requireLoadable() throws(PackageError) {
        let errors = index.problems.filter { $0.severity == .error }
        guard let first = errors.first else { return }
        let others = errors.count > 1 ? " (and \(errors.count - 1) more; linting lists them)" : ""
        throw PackageError(
            .invalidPackage(rule: first.rule),
            subject: path,
            message: first.place.prefix + first.sentence + others
        )
    }

    // MARK: Digest and provenance

    /// Reads the whole open file and returns its SHA-256 in lower-case hexadecimal digits.
    ///
    /// - Returns: The digits.
    /// - Throws: ``PackageError`` if it can't be read.
    public func fileDigest() throws(PackageError) -> String { try Self.digest(archive.file, path) }

    /// Reads a whole file and returns its SHA-256 in lower-case hexadecimal digits.
    ///
    /// - Parameter path: The file.
    /// - Returns: The digits.
    /// - Throws: ``PackageError`` if it can't be read.
    public static func fileDigest(path: String) throws(PackageError) -> String {
        let file: OpenFile
        do throws(FileError) {
            file = try OpenFile(reading: path)
        } catch {
            throw PackageError(ZipError(error), subject: path)
        }
        return try digest(file, path)
    }

    private static func digest(_ file: OpenFile, _ path: String) throws(PackageError) -> String {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        var hash = SHA256()
        var offset: Int64 = 0
        do throws(FileError) {
            while true {
                let count = try file.read(into: buffer, at: offset)
                if count == 0 { return Hexadecimal.text(hash.finalize()) }
                hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                offset += Int64(count)
            }
        } catch {
            throw PackageError(ZipError(error), subject: path)
        }
    }

    /// The reason why a package's provenance can't be used.
    public enum ProvenanceDefect: Error, Equatable, Sendable {
        /// The member can't be read, or isn't as documented.
        case malformed
        /// The package has other resources than the crawl fetched.
        case otherResources
    }

    /// The crawl that made the package, if `.afcache/crawl.json` describes it and is valid.
    public var provenance: CrawlProvenance? {
        if case .success(let provenance)? = readProvenance() { provenance } else { nil }
    }

    /// Reads `.afcache/crawl.json`.
    ///
    /// - Returns: The crawl that made the package, or what is wrong; nil if the package has no such member.
    public func readProvenance() -> Result<CrawlProvenance, ProvenanceDefect>? {
        guard let member = archive.member(named: PackageLayout.crawl) else { return nil }
        do throws(ZipError) {
            let bytes = try archive.read(member, maxBytes: PackageLayout.crawlByteLimit)
            guard let provenance = CrawlProvenance(bytes) else { return .failure(.malformed) }
            var urls = URLDigest()
            for place in index.resources.indices { urls.add(index.resources[place].url) }
            return urls.text == provenance.resources ? .success(provenance) : .failure(.otherResources)
        } catch {
            return .failure(.malformed)
        }
    }

    // MARK: Signatures

    /// Returns the signatures in the package without verifying them.
    ///
    /// - Returns: The signatures in their order; empty for an unsigned package.
    /// - Throws: ``PackageError`` if `.afcache/signature` is malformed.
    public func claimedSignatures() throws(PackageError) -> [PackageSignature] {
        do throws(SignatureRefusal) {
            return try claims.get()
        } catch {
            throw PackageError(error, subject: path)
        }
    }

    /// Refuses, before any body is read, a package that needs a trusted signer but names none.
    ///
    /// - Parameter policy: The rules for which signers are trusted.
    /// - Throws: ``PackageError`` with the code ``PackageError/Code/untrusted(rule:)``.
    public func requireSigner(_ policy: TrustPolicy) throws(PackageError) {
        do throws(SignatureRefusal) {
            try policy.requireSigner(among: try claims.get())
        } catch {
            throw PackageError(error, subject: path)
        }
    }

    /// Verifies the package's signatures against the bytes that were read.
    ///
    /// Call it after the last body was read and before anything becomes visible. It reads members whose digests aren't
    /// given, and blocks meanwhile. In an unsigned package, it reads nothing.
    ///
    /// - Parameters:
    ///   - bodyDigests: The SHA-256, 32 bytes each, of bodies that the caller has read itself, by index into the
    ///     archive's members.
    ///   - policy: The rules for which signers are trusted.
    /// - Returns: The signers.
    /// - Throws: ``PackageError`` if a signature is wrong, if a trusted signature is required and missing, or if a
    ///   member is damaged.
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

    private static func claims(in archive: ZipReader) throws(ZipError) -> Result<[PackageSignature], SignatureRefusal> {
        guard let member = archive.member(named: PackageLayout.signature) else { return .success([]) }
        let bytes = try archive.read(member, maxBytes: PackageLayout.signatureByteLimit)
        return Result { () throws(SignatureRefusal) in try PackageSignature.list(bytes) }
    }

    /// Returns the digests of members that were already read, by index; empty if there is no signature to verify.
    private static func digests(_ bodies: [String: [UInt8]?], in archive: ZipReader) -> [Int: [UInt8]] {
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

extension PackageProblem.Place {
    /// The place in words, to put before a sentence; empty for the package as a whole.
    public var prefix: String {
        switch self {
        case .manifest(let line, let column): "\(PackageLayout.manifest):\(line):\(column): "
        case .record(let line): "\(PackageLayout.records):\(line): "
        case .member(let name): "member \(PrintableText.quoted(name)): "
        case .package: ""
        }
    }
}

extension PackageError {
    /// Converts an error of reading or writing an archive.
    public init(_ error: ZipError, subject: String) {
        switch error.code {
        case .inputOutput: self.init(.inputOutput, subject: subject, message: error.message)
        case .locked:
            let remedy: Remedy? = error.rule == "zip.password-missing" ? .givePassword : nil
            self.init(.locked(rule: error.rule), subject: subject, message: error.message, remedy: remedy)
        case .cancelled: self.init(.cancelled, subject: subject, message: error.message)
        default: self.init(.invalidArchive(rule: error.rule), subject: subject, message: error.message)
        }
    }
}
