public import AFCFiles
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
    /// The folder for temporary files.
    private let folder: String

    /// Opens a package.
    ///
    /// Problems of manifest and sidecar are in ``index``. Call ``requireLoadable()`` to accept only a package that
    /// loads.
    ///
    /// - Parameters:
    ///   - path: The package's path.
    ///   - limits: The limits on what reading the package may cost.
    ///   - password: The password, if the package is encrypted.
    ///   - folder: The folder for nameless copies of directory, manifest and records that are too large for memory, which
    ///     disappear with the reader; nil for the system's folder for temporary files.
    ///   - keepsDigests: True to keep the digests of what is read while opening even without a signature, for
    ///     ``contentDigest(bodyDigest:)``.
    ///   - file: The package's file, if it is open already; the path is then only its name in errors.
    /// - Throws: ``PackageError`` if the file can't be read or its archive can't be trusted; its code is
    ///   `PackageError.Code.locked(rule:)` if the password is missing or wrong.
    public init(
        path: String,
        limits: ReadLimits = ReadLimits(),
        password: Password? = nil,
        folder: String? = nil,
        keepsDigests: Bool = false,
        file: OpenFile? = nil
    ) throws(PackageError) {
        self.path = path
        do throws(ZipError) {
            let folder = folder ?? OutputTarget.temporaryFolder
            self.folder = folder
            let archive = try ZipReader(path: path, limits: limits, password: password, folder: folder, file: file)
            let parts = try PackageParts(archive, limits: limits, folder: folder, keepsDigests: keepsDigests)
            index = parts.index
            claims = try Self.claims(in: archive)
            var digests: [Int: [UInt8]] = [:]
            for (name, digest) in parts.digests {
                if let member = archive.index(ofMember: name) { digests[member] = digest }
            }
            openingDigests = digests
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
            message: first.place.prefix + first.sentence + others,
            remedy: ProblemRule(rawValue: first.rule)?.remedy
        )
    }

    // MARK: Provenance

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

    /// The number of URLs that the crawl requested and didn't get, without guesses; nil if the package doesn't say.
    package var missing: Int? { provenance?.missing ?? index.info?.missing.flatMap { Int(exactly: $0) } }

    /// Reads `.afcache/crawl.json`.
    ///
    /// - Returns: The crawl that made the package, or what is wrong; nil if the package has no such member.
    public func readProvenance() -> Result<CrawlProvenance, ProvenanceDefect>? {
        guard let member = archive.member(named: PackageLayout.crawl) else { return nil }
        do throws(ZipError) {
            let bytes = try archive.read(member, maxBytes: PackageLayout.crawlByteLimit)
            guard let provenance = CrawlProvenance(bytes) else { return .failure(.malformed) }
            var urls = URLDigest()
            for resource in index.resources { urls.add(resource.url) }
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
    /// - Throws: ``PackageError`` with the code `untrusted(rule:)`.
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
    ///   - policy: The rules for which signers are trusted.
    ///   - bodyDigest: Returns the SHA-256, 32 bytes, of a body that the caller has read itself, by index into the
    ///     archive's members, or nil.
    /// - Returns: The signers.
    /// - Throws: ``PackageError`` if a signature is wrong, if a trusted signature is required and missing, or if a
    ///   member is damaged.
    public func verifySignature(
        policy: TrustPolicy,
        bodyDigest: (Int) -> [UInt8]? = { _ in nil }
    ) throws(PackageError) -> SignatureVerdict {
        try requireSigner(policy)
        let signatures = try claimedSignatures()
        guard !signatures.isEmpty else { return SignatureVerdict() }
        guard index.info?.created != nil else { throw PackageError(SignatureRefusal.undated, subject: path) }
        let digest = try contentDigest(bodyDigest: bodyDigest)
        do throws(SignatureRefusal) {
            return try policy.judge(signatures, for: digest)
        } catch {
            throw PackageError(error, subject: path)
        }
    }

    /// Returns the digest of the package's contents, which signatures cover; see docs/reference/signatures.md.
    ///
    /// It reads members whose digests aren't given, and blocks meanwhile.
    ///
    /// - Parameter bodyDigest: Returns the SHA-256, 32 bytes, of a body that the caller has read itself, by index into
    ///   the archive's members, or nil.
    /// - Returns: The digest.
    /// - Throws: ``PackageError`` if a member is damaged.
    public func contentDigest(bodyDigest: (Int) -> [UInt8]? = { _ in nil }) throws(PackageError) -> PackageDigest {
        try digest { member in bodyDigest(member).map { Hexadecimal.text($0) } }
    }

    /// Returns the digest that the package's contents have if each body is as its record says, without reading bodies
    /// that have a record.
    ///
    /// A package that differs from its records doesn't load.
    ///
    /// - Returns: The digest.
    /// - Throws: ``PackageError`` if a member that has no record is damaged.
    public func statedDigest() throws(PackageError) -> PackageDigest {
        var stated: [Int: String] = [:]
        for resource in index.resources {
            if let member = resource.member, let sha256 = resource.record?.sha256 { stated[member] = sha256 }
        }
        return try digest { stated[$0] }
    }

    private func digest(_ bodyDigest: (Int) -> String?) throws(PackageError) -> PackageDigest {
        var spool = DigestSpool(folder: folder)
        do throws(ZipError) {
            for (index, member) in archive.members.enumerated() where member.name != PackageLayout.signature {
                let known = openingDigests[index].map { Hexadecimal.text($0) } ?? bodyDigest(index)
                let sha256 = if let known { known } else { Hexadecimal.text(try hash(member)) }
                try spool.add(
                    PackageDigest.Member(name: member.name, size: member.uncompressedSize, sha256: sha256)
                )
            }
            return try spool.digest()
        } catch {
            throw PackageError(error, subject: path)
        }
    }

    private func hash(_ member: ZipMember) throws(ZipError) -> [UInt8] {
        var hash = SHA256()
        try archive.forEachChunk(of: member) { chunk throws(ZipError) in hash.update(bufferPointer: chunk) }
        return Array(hash.finalize())
    }

    private static func claims(in archive: ZipReader) throws(ZipError) -> Result<[PackageSignature], SignatureRefusal> {
        guard let member = archive.member(named: PackageLayout.signature) else { return .success([]) }
        let bytes = try archive.read(member, maxBytes: PackageLayout.signatureByteLimit)
        return Result { () throws(SignatureRefusal) in try PackageSignature.list(bytes) }
    }
}

extension PackageError {
    init(_ refusal: SignatureRefusal, subject: String) {
        var remedy: Remedy?
        if case .untrusted = refusal { remedy = .trustSigner }
        self.init(.untrusted(rule: refusal.rule), subject: subject, message: refusal.sentence, remedy: remedy)
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
            let remedies: [String: Remedy] = [
                "zip.password-missing": .givePassword, "zip.password-wrong": .checkPassword,
            ]
            self.init(.locked(rule: error.rule), subject: subject, message: error.message, remedy: remedies[error.rule])
        case .cancelled: self.init(.cancelled, subject: subject, message: error.message)
        default: self.init(.invalidArchive(rule: error.rule), subject: subject, message: error.message)
        }
    }
}
