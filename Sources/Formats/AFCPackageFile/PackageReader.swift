public import AFCHTTP
public import AFCPackageFormat
public import AFCText
public import AFCZip

/// A package that was opened and understood: its archive checked, its manifest and sidecar read, no body touched.
public struct PackageReader: Sendable {
    /// The package's path.
    public let path: String
    /// The members.
    public let archive: ZipReader
    /// The resources, and whatever is wrong with them.
    public let index: PackageIndex

    /// What `.afcache/signature` says; empty where there is none.
    let claims: Result<[PackageSignature], SignatureRefusal>
    /// The SHA-256 of members that were read while opening, by index into the archive's members.
    ///
    /// What was understood is what the signature is checked against, even where the file is changed meanwhile.
    let openingDigests: [Int: [UInt8]]

    /// Opens a package.
    ///
    /// Problems of manifest and sidecar are in ``index``; a reader that wants only a sound package calls
    /// ``requireLoadable()``.
    ///
    /// - Parameters:
    ///   - path: The package's path.
    ///   - limits: What the package may cost.
    ///   - password: What decrypts the package, where it is encrypted.
    /// - Throws: ``PackageError`` where the file can't be read, or its archive can't be trusted; of the code
    ///   ``PackageError/Code/locked(rule:)`` where the password is missing or wrong.
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

    /// When the package was made: as it says, or the time of its manifest, or when it is read.
    ///
    /// - Parameter now: The present time.
    /// - Returns: The time that counts for responses that don't say when they were made.
    public func date(orElse now: Timestamp) -> Timestamp {
        if let created = index.info?.created { return created }
        let modified = archive.member(named: PackageLayout.manifest)?.modified.map { Timestamp(secondsSinceEpoch: $0) }
        // 1980-01-01 is what writers put where they have no time.
        guard let modified, modified.secondsSinceEpoch > 315_619_200, modified <= now else { return now }
        return modified
    }

    /// Makes sure that nothing keeps the package from being loaded.
    ///
    /// - Throws: ``PackageError`` with the first problem that does, and the number of the others.
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
}

extension PackageProblem.Place {
    /// The place as words before a sentence, or nothing for the package as a whole.
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
    /// Wraps what the archive's reader or writer found.
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
