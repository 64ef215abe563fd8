internal import AFCFiles
internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCText
internal import AFCZip
internal import Crypto

/// The bodies of the old package that a cache has after loading it, and the search for a dictionary among them.
struct OldBodies: Sendable {
    /// The package's archive.
    let archive: ZipReader
    /// The digest of the package's contents.
    let digest: PackageDigest

    /// The SHA-256 of each member in hexadecimal digits, by index.
    private let digests: [String]
    /// The index of a member with a body, by the body's SHA-256.
    private var members: [String: Int] = [:]
    /// The identifiers of bodies that two different bodies share.
    private var ambiguous: Set<BodyID> = []
    /// The members that can be dictionaries: sorted by name, and by the last part of their names.
    private var sorted: [(name: String, member: Int)] = []
    private var byLeaf: [Substring: [Int]] = [:]

    /// Reads and hashes all bodies.
    init(_ package: PackageReader, workers: Int) throws(PatchError) {
        archive = package.archive
        let archive = archive
        var digests: [String] = []
        try ParallelWork.forEach(Array(archive.members.indices), workers: workers, cost: { _ in 0 }) {
            index throws(PatchError) in
            try onArchive(package.path) { () throws(ZipError) in try archive.sha256(of: archive.members[index]) }
        } take: { (digest: String) throws(PatchError) in
            digests.append(digest)
        }
        self.digests = digests
        let members = archive.members.enumerated().map { index, member in
            PackageDigest.Member(name: member.name, size: member.uncompressedSize, sha256: digests[index])
        }
        digest = PackageDigest(of: members)
        // Only bodies of resources: the cache finds nothing else by SHA-256.
        let bodies = Set(package.index.resources.indices.compactMap { package.index.resources.member(at: $0) }).sorted()
        var ids: [BodyID: String] = [:]
        for index in bodies {
            guard self.members.updateValue(index, forKey: digests[index]) == nil, let id = id(of: index) else {
                continue
            }
            if ids.updateValue(digests[index], forKey: id) != nil { ambiguous.insert(id) }
        }
        for index in bodies where isDictionary(index) {
            let name = archive.members[index].name
            sorted.append((name, index))
            byLeaf[Self.leaf(of: name), default: []].append(index)
        }
        sorted.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Returns true if the package has a body with a SHA-256.
    func contains(_ sha256: String) -> Bool {
        guard members[sha256] != nil, let id = BodyID(digits: sha256[...]) else { return false }
        return !ambiguous.contains(id)
    }

    /// Returns the identifier of a member's body.
    func id(of member: Int) -> BodyID? { BodyID(digits: digests[member][...]) }

    /// Returns the members that may have a body similar to that of a new member, the likeliest first.
    ///
    /// A member of the same name is the only one. Otherwise it is one with the same last part of the name, with the
    /// longest common end, and the nearest neighbor in the order of names with the same extension.
    func candidates(for name: String) -> [Int] {
        let place = sorted.partition { !$0.name.utf8.lexicographicallyPrecedes(name.utf8) }
        if place < sorted.count, sorted[place].name == name { return [sorted[place].member] }
        var found: [Int] = []
        let namesakes = byLeaf[Self.leaf(of: name)]?.prefix(64) ?? []
        let similar = namesakes.max {
            Self.commonEnd(archive.members[$0].name, name) < Self.commonEnd(archive.members[$1].name, name)
        }
        if let similar { found.append(similar) }
        let suffix = Self.suffix(of: name)
        let near = sorted[max(0, place - 8)..<min(sorted.count, place + 8)].filter {
            Self.suffix(of: $0.name) == suffix
        }
        let nearest = near.max { Self.commonStart($0.name, name) < Self.commonStart($1.name, name) }
        if let nearest, !found.contains(nearest.member) { found.append(nearest.member) }
        return found
    }

    private func isDictionary(_ index: Int) -> Bool {
        let size = archive.members[index].uncompressedSize
        guard size > 0, size <= PatchLayout.bodyByteLimit, let id = id(of: index) else { return false }
        return !ambiguous.contains(id)
    }

    private static func leaf(of name: String) -> Substring {
        name.utf8.lastIndex(of: UInt8(ascii: "/")).map { name[name.utf8.index(after: $0)...] } ?? name[...]
    }

    private static func suffix(of name: String) -> Substring {
        let leaf = leaf(of: name)
        return leaf.utf8.lastIndex(of: UInt8(ascii: ".")).map { leaf[$0...] } ?? ""
    }

    private static func commonStart(_ one: String, _ other: String) -> Int {
        zip(one.utf8, other.utf8).prefix { $0 == $1 }.count
    }

    private static func commonEnd(_ one: String, _ other: String) -> Int {
        zip(one.utf8.reversed(), other.utf8.reversed()).prefix { $0 == $1 }.count
    }
}

extension Array {
    /// Returns the first index whose element satisfies a condition that holds for all later ones, too.
    fileprivate func partition(_ condition: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension ZipReader {
    /// Reads a member and returns its SHA-256 in hexadecimal digits.
    func sha256(of member: ZipMember) throws(ZipError) -> String {
        var hash = SHA256()
        try forEachChunk(of: member) { hash.update(bufferPointer: $0) }
        return Hexadecimal.text(hash.finalize())
    }
}
