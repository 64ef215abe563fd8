internal import AFCFiles
internal import AFCPackageFile
internal import AFCPackageFormat
public import AFCText
internal import AFCZip

/// A fix of a file, either a package or a bare manifest; nothing is written until ``write()``.
///
/// Creating a fix and writing it block.
public struct FileFix: Sendable {
    /// The file.
    public let path: String
    /// The fix of the manifest.
    public let fix: ManifestFix
    private let source: FixSource

    /// The original manifest.
    public var manifest: [UInt8] { source.manifest }
    /// True if there is anything to do.
    public var isNeeded: Bool { fix.isNeeded }
    /// The name of the manifest in a diff: the file or, as in a finding's line, the package and the member.
    public var label: String { source.package == nil ? path : "\(path)!\(PackageLayout.manifest)" }

    /// Prepares a fix; nil if the file is a package that can't be opened, or none and no manifest; linting says why.
    ///
    /// Bodies may be in files beside a bare manifest, as later in its package. Entries lead to the same bodies after
    /// the fix.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - allowsUnsafe: True to add fields and move headers, which older AFCache versions notice.
    /// - Throws: ``FixRefusal`` if the file can't be read or is encrypted, or if a fix would change its meaning.
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

    /// Checks that the file may be changed.
    ///
    /// - Throws: ``FixRefusal`` if it is a signed package.
    public func requireFixable() throws(FixRefusal) {
        if isNeeded, source.package?.meaning.isSigned == true { throw .signed(path) }
    }

    /// Replaces the file with the fixed one; on any error the file stays unchanged.
    ///
    /// In a package, only the manifest is replaced; all other members are copied unchanged.
    ///
    /// - Throws: ``FixRefusal`` if it is a signed package, writing fails, or the result has a different meaning.
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
