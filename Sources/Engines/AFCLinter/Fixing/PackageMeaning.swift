internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCZip

/// A compact form of a package's contents, to compare it with the same package after a fix.
struct PackageMeaning: Equatable, Sendable {
    /// A hash of each resource and the member with its body.
    private let resources: [Int]
    /// A hash of each member except the manifest, with the size and checksum of its data, in order.
    private let members: [Int]
    private let baseURL: String?
    /// The number of errors that keep the package from being loaded, by rule.
    private let errors: [String: Int]
    /// True if a change would break a signature.
    let isSigned: Bool

    init(_ reader: PackageReader) {
        resources = reader.index.resources.map { resource in
            var hasher = Hasher()
            hasher.combine(resource.url)
            hasher.combine(resource.entry?.lastModified)
            hasher.combine(resource.entry?.expires)
            hasher.combine(resource.entry?.mediaType)
            hasher.combine(resource.member)
            hasher.combine(resource.record == nil)
            return hasher.finalize()
        }
        members = reader.archive.members.compactMap { member in
            guard member.name != PackageLayout.manifest else { return nil }
            var hasher = Hasher()
            hasher.combine(member.name)
            hasher.combine(member.method)
            hasher.combine(member.crc32)
            hasher.combine(member.compressedSize)
            hasher.combine(member.uncompressedSize)
            hasher.combine(member.dosDateTime)
            return hasher.finalize()
        }
        baseURL = reader.index.baseURL
        errors = reader.index.problems.reduce(into: [:]) { count, problem in
            if problem.severity == .error { count[problem.rule, default: 0] += 1 }
        }
        isSigned = reader.archive.member(named: PackageLayout.signature) != nil
    }
}

/// A hash of an entry, to compare entries in little memory; different entries collide once in 2⁶⁴.
struct EntryMeaning: Equatable {
    private let hash: Int

    init(_ entry: ManifestEntry) {
        var hasher = Hasher()
        hasher.combine(entry)
        hash = hasher.finalize()
    }
}
