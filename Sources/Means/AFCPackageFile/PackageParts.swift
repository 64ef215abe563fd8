internal import AFCFiles
internal import AFCPackageFormat
internal import AFCZip
internal import Crypto
internal import Dispatch
internal import Synchronization

/// The members that describe a package's contents, read and combined on several processors if that helps.
struct PackageParts {
    /// The index of the package.
    let index: PackageIndex
    /// The SHA-256 of the members that were read for it, by name; empty if nobody needs them.
    let digests: [String: [UInt8]]

    /// The results of two threads.
    private struct Halves {
        var index: PackageIndex?
        var records: MemberText?
        var digests: [String: [UInt8]] = [:]
        var failures: (first: ZipError?, second: ZipError?)

        mutating func add(_ other: Halves) {
            index = index ?? other.index
            records = records ?? other.records
            digests.merge(other.digests) { one, _ in one }
            failures = (failures.first ?? other.failures.first, failures.second ?? other.failures.second)
        }
    }

    /// The archive's members, as the index sees them.
    private struct Members: PackageMembers {
        let archive: ZipReader

        var count: Int { archive.members.count }
        subscript(index: Int) -> PackageIndex.Member {
            let member = archive.members[index]
            return PackageIndex.Member(name: member.name, size: member.uncompressedSize, isFolder: member.isDirectory)
        }
        func index(of name: String) -> Int? { archive.index(ofMember: name) }
    }

    /// The size up to which reading takes less time than starting a second thread.
    private static let smallSize: Int64 = 128 << 10

    /// Reads the members that describe a package's contents.
    ///
    /// - Parameters:
    ///   - archive: The package.
    ///   - limits: The limits on what reading may cost.
    ///   - folder: The folder for nameless copies of members that are too large for memory.
    ///   - keepsDigests: True to hash what is read even if the package has no signature.
    /// - Throws: ``ZipError`` if a member can't be read, or its copy can't be written.
    init(_ archive: ZipReader, limits: ReadLimits, folder: String, keepsDigests: Bool) throws(ZipError) {
        let names = [PackageLayout.manifest, PackageLayout.records]
        let size = names.reduce(Int64(0)) { $0 + (archive.member(named: $1)?.uncompressedSize ?? 0) }
        let isLarge = size > Self.smallSize
        let loop: PackageIndex.Loop = { count, body in
            if isLarge {
                DispatchQueue.concurrentPerform(iterations: count, execute: body)
            } else {
                for number in 0..<count { body(number) }
            }
        }
        let members = Members(archive: archive)
        let reading = Mutex(Halves())
        loop(2) { number in
            var half = Halves()
            var source = Source(
                archive,
                folder: folder,
                memoryLimit: limits.memoryBytes,
                keepsDigests: keepsDigests
            )
            do throws(ZipError) {
                if number == 0 {
                    half.index = try Self.index(members, &source)
                } else {
                    half.records = try source.text(PackageLayout.records)
                }
                half.digests = source.digests
            } catch {
                half.failures = number == 0 ? (error, nil) : (nil, error)
            }
            reading.withLock { $0.add(half) }
        }
        // Moved out, so that it is modified in place.
        var halves = reading.withLock { (state: inout Halves) -> Halves in
            let all = state
            state = Halves()
            return all
        }
        if let failure = halves.failures.first ?? halves.failures.second { throw failure }
        halves.index?.complete(members: members, records: halves.records, bodyLimit: limits.totalBytes, loop)
        guard let index = halves.index else { preconditionFailure("the loop hasn't called its body with 0") }
        self.index = index
        digests = halves.digests
    }

    private static func index(_ members: Members, _ source: inout Source) throws(ZipError) -> PackageIndex {
        PackageIndex(
            members: members,
            manifest: try source.text(PackageLayout.manifest),
            info: try source.bytes(PackageLayout.info, upTo: PackageLayout.metadataByteLimit),
            match: try source.bytes(PackageLayout.match, upTo: PackageLayout.matchByteLimit),
            fallback: try source.bytes(PackageLayout.fallback, upTo: PackageLayout.fallbackByteLimit),
            absent: try source.bytes(PackageLayout.absent, upTo: PackageLayout.absentByteLimit)
        )
    }
}

/// Reads the members that describe a package, and hashes them if the package is signed or its digest is needed.
private struct Source {
    private let archive: ZipReader
    private let folder: String
    private let memoryLimit: Int64
    private let isHashed: Bool
    /// The SHA-256 of each member that was read.
    private(set) var digests: [String: [UInt8]] = [:]

    init(_ archive: ZipReader, folder: String, memoryLimit: Int64, keepsDigests: Bool) {
        (self.archive, self.folder, self.memoryLimit) = (archive, folder, memoryLimit)
        isHashed = keepsDigests || archive.index(ofMember: PackageLayout.signature) != nil
    }

    /// Reads a member into memory; nil if there is none.
    mutating func bytes(_ name: String, upTo limit: Int) throws(ZipError) -> [UInt8]? {
        guard let member = archive.member(named: name) else { return nil }
        let bytes = try archive.read(member, maxBytes: limit)
        if isHashed { digests[name] = Array(SHA256.hash(data: bytes)) }
        return bytes
    }

    /// Reads a text; nil if there is no such member.
    mutating func text(_ name: String) throws(ZipError) -> MemberText? {
        guard let member = archive.member(named: name) else { return nil }
        var hash = isHashed ? SHA256() : nil
        let text = try archive.text(of: member, memoryLimit: memoryLimit, folder: folder) {
            hash?.update(bufferPointer: $0)
        }
        if let hash { digests[name] = Array(hash.finalize()) }
        return text
    }
}
