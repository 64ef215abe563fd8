internal import AFCFiles
internal import AFCPackageFile
internal import AFCPackageFormat
public import AFCText
internal import AFCZip

/// What a fix makes of a file, a package or a bare manifest; nothing is written until ``write()``.
///
/// Both calls block.
public struct FileFix: Sendable {
    /// The file.
    public let path: String
    /// The manifest as it should be.
    public let fix: ManifestFix
    private let source: FixSource

    /// The manifest as it is.
    public var manifest: [UInt8] { source.manifest }
    /// Whether anything is to do.
    public var isNeeded: Bool { fix.isNeeded }
    /// What stands for the manifest in a diff: the file itself or, as in a finding's line, the member behind its package.
    public var label: String { source.package == nil ? path : "\(path)!\(PackageLayout.manifest)" }

    /// Finds out what is to do; nil where it is a package that can't be opened, and linting says why.
    ///
    /// Beside a bare manifest bodies may lie as they will in its package: where its entries lead to, they lead afterwards.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - allowsUnsafe: Whether lines may get more fields, and a header another place, which AFCache's own readers notice.
    /// - Throws: ``FixRefusal`` where the file can't be read, is encrypted, or nothing means the same.
    public init?(_ path: String, allowsUnsafe: Bool = false) throws(FixRefusal) {
        guard let source = try FixSource(path) else { return nil }
        (self.path, self.source) = (path, source)
        fix = try ManifestFix(
            source.manifest,
            path: path,
            allowsUnsafe: allowsUnsafe,
            isMember: source.hasFile(named:)
        )
    }

    /// Makes sure that the file may be changed.
    ///
    /// - Throws: ``FixRefusal`` where it is a signed package.
    public func requireFixable() throws(FixRefusal) {
        if isNeeded, source.package?.meaning.isSigned == true { throw .signed(path) }
    }

    /// Writes what was fixed in the place of the file, which on any error stays as it was.
    ///
    /// Of a package, the manifest is replaced, and all other members are copied as they are.
    ///
    /// - Throws: ``FixRefusal`` where it is a signed package, writing fails, or what was written doesn't mean the same.
    public func write() throws(FixRefusal) {
        guard isNeeded else { return }
        try requireFixable()
        let output: FileReplacement
        do throws(ZipError) {
            output = try onFile { () throws(FileError) in
                try FileReplacement(of: source.file, seenAs: source.state)
            }
            if let package = source.package {
                try MemberReplacement(package.manifest, in: package.archive).write(fix.bytes, to: output)
            } else {
                try onFile { () throws(FileError) in try output.append(fix.bytes) }
            }
            try onFile { () throws(FileError) in try output.finishWriting() }
        } catch {
            throw FixRefusal(error, subject: path)
        }
        if let package = source.package { try compare(output.path, with: package.meaning) }
        do throws(FileError) {
            try output.commit()
        } catch {
            throw FixRefusal(ZipError(error), subject: path)
        }
    }

    private func compare(_ written: String, with meaning: PackageMeaning) throws(FixRefusal) {
        do throws(PackageError) {
            guard PackageMeaning(try PackageReader(path: written)) == meaning else {
                throw PackageError(.unwritable, subject: path, message: "the package would contain different resources")
            }
        } catch {
            if error.code == .inputOutput {
                throw FixRefusal(.inputOutput, subject: path, message: error.message)
            }
            throw .differs(path, error.message)
        }
    }
}
