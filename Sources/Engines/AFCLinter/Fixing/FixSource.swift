internal import AFCFiles
internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCText
internal import AFCZip

/// The source of a manifest and of its bodies.
struct FixSource: Sendable {
    /// An open package.
    struct Package: Sendable {
        var archive: ZipReader
        var manifest: ZipMember
        var meaning: PackageMeaning
    }

    /// The open file.
    let file: OpenFile
    /// The state of the file before it was read.
    let state: OpenFile.State
    /// The whole manifest.
    let manifest: [UInt8]
    /// The package, or nil for a bare manifest.
    let package: Package?

    /// Opens a file; nil if it is a package that can't be opened or has no manifest, or another file.
    init?(_ path: String) throws(FixRefusal) {
        do throws(ZipError) {
            let file = try onFile { () throws(FileError) in try OpenFile(reading: path) }
            self.file = file
            state = try onFile { () throws(FileError) in try file.state() }
            guard try Linter.isPackage(file) else {
                guard try !Linter.isForeign(file) else { return nil }
                manifest = try onFile { () throws(FileError) in
                    try file.contents(upTo: PackageLayout.metadataByteLimit)
                }
                package = nil
                return
            }
        } catch {
            throw FixRefusal(error, subject: path)
        }
        guard let reader = try Self.open(path), let member = reader.archive.member(named: PackageLayout.manifest)
        else { return nil }
        guard member.encryption == nil else { throw .encrypted(path) }
        do throws(ZipError) {
            manifest = try reader.archive.read(member, maxBytes: PackageLayout.metadataByteLimit)
        } catch {
            return nil
        }
        package = Package(archive: reader.archive, manifest: member, meaning: PackageMeaning(reader))
    }

    private static func open(_ path: String) throws(FixRefusal) -> PackageReader? {
        do throws(PackageError) {
            return try PackageReader(path: path)
        } catch {
            switch error.code {
            case .locked: throw .encrypted(path)
            case .inputOutput: throw FixRefusal(.inputOutput, subject: path, message: error.message)
            // Linting reports what is wrong.
            default: return nil
            }
        }
    }

    /// Returns true if a member with the name exists or, for a bare manifest, a file beside it.
    func hasFile(named name: String) -> Bool {
        if let package { return package.archive.member(named: name).map { !$0.isDirectory } ?? false }
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else { return false }
        return OpenFile.isRegularFile(Durable.folder(of: file.path) + "/" + name)
    }
}
