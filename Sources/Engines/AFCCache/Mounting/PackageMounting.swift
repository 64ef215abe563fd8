internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText

/// The mounting of packages, by indexes made beforehand or by reading them.
struct PackageMounting {
    private let options: MountedPackages.Options
    private let memory: IndexMemory
    private let now: Timestamp
    /// The indexes that no package has used yet.
    private var indexes: [MountedPackageReader.PreparedIndex] = []

    /// Opens the indexes that the options name.
    ///
    /// - Throws: ``CacheError`` if one can't be used.
    init(_ options: MountedPackages.Options, _ memory: IndexMemory, now: Timestamp) throws(CacheError) {
        (self.options, self.memory, self.now) = (options, memory, now)
        for path in options.indexes { indexes.append(try MountedPackageReader.PreparedIndex(path)) }
    }

    /// Opens a package; blocks, for as long as it takes to read all of it if nothing is known about it.
    ///
    /// - Parameters:
    ///   - path: The package.
    ///   - number: The number of the generation.
    ///   - known: The names that other packages have.
    /// - Returns: The package, by the name that it states, or that of its file; with a number if another package has it.
    /// - Throws: ``CacheError`` if it can't be mounted.
    mutating func open(_ path: String, number: Int64, besides known: [String] = []) throws(CacheError) -> OpenPackage {
        let (file, identity, record) = try MountedPackageReader(path, options, now: now).open(&indexes)
        let index = try record.index(memory)
        var row = record.row
        row.name = Self.name(row.name, of: path, besides: known)
        row.current.id = number
        row.current.loaded = now
        row.current.signers = record.signers.map(\.id)
        let members = MountedMembers(file, identity, record, count: index.count)
        return OpenPackage(row, files: GenerationFiles(members, index, record.rules))
    }

    /// Refuses indexes that are of none of the packages.
    func requireIndexesUsed() throws(CacheError) {
        guard let unused = indexes.first else { return }
        throw MountedPackageReader.PreparedIndex.unusable(
            unused.file.path,
            "this is the index of another package, or of another version of it; make it again"
        )
    }

    private static func name(_ stated: String, of path: String, besides known: [String]) -> String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        let dot = file.lastIndex(of: ".").flatMap { $0 == file.startIndex ? nil : $0 } ?? file.endIndex
        let name = stated == MountFile.unnamed ? PrintableText.escaped(String(file[..<dot])) : stated
        guard known.contains(name) else { return name }
        return (2...).lazy.map { "\(name)-\($0)" }.first { !known.contains($0) } ?? name
    }
}
