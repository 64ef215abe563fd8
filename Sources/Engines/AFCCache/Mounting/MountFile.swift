internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFile
internal import AFCPackageFormat
import AFCPlatform
internal import AFCText
internal import AFCZip
internal import Crypto

/// The values that tell an unchanged file from a changed one, or from another file at its path.
struct FileIdentity: Equatable, Sendable {
    /// Device, inode, size, and the times of the last change of the contents and of the file, in seconds and
    /// nanoseconds.
    private(set) var numbers: [UInt64]

    static let count = 7

    /// Reads the identity of an open file.
    ///
    /// - Throws: ``CacheError`` if it can't be read.
    init(_ file: OpenFile) throws(CacheError) {
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else { throw .system("cannot access", path: file.path) }
        #if canImport(Darwin)
        let times = [status.st_mtimespec, status.st_ctimespec]
        #else
        let times = [status.st_mtim, status.st_ctim]
        #endif
        numbers = [
            UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino), UInt64(clamping: status.st_size),
        ]
        for time in times {
            numbers += [UInt64(truncatingIfNeeded: time.tv_sec), UInt64(truncatingIfNeeded: time.tv_nsec)]
        }
    }

    init(numbers: [UInt64]) { self.numbers = numbers }

    /// The size of the file, in bytes.
    var size: Int64 { Int64(clamping: numbers[2]) }

    /// Returns true if the contents are the same; a file that was renamed or removed has the same contents.
    func hasContents(of other: FileIdentity) -> Bool { numbers[..<5] == other.numbers[..<5] }
}

/// The values that tell a package from others wherever its file is: its size, and the SHA-256 of its last 64 KiB.
///
/// These contain sizes and checksums of manifest and records. A package that differs in other bytes has a body that
/// isn't as its place says, which is an error when it is read.
struct PackageSeal: Equatable, Sendable {
    private static let endSize: Int64 = 64 << 10

    let size: UInt64
    /// The SHA-256 as four little-endian numbers.
    fileprivate let digest: [UInt64]

    /// Reads the seal of an open package.
    ///
    /// - Throws: ``CacheError`` if it can't be read.
    init(_ file: OpenFile) throws(CacheError) {
        let (size, end) = try onDisk { () throws(FileError) in
            let size = try file.size()
            let count = min(size, Self.endSize)
            return (size, try file.bytes(Int(count), at: size - count))
        }
        self.size = UInt64(size)
        digest = Array(SHA256.hash(data: end)).withUnsafeBytes { digest in
            stride(from: 0, to: 32, by: 8).map { digest.u64($0) }
        }
    }

    fileprivate init(size: UInt64, digest: [UInt64]) { (self.size, self.digest) = (size, digest) }
}

/// The package from which a mount file was made.
enum MountSource: Equatable, Sendable {
    /// A file on this machine.
    case file(FileIdentity)
    /// A package in any place.
    case package(PackageSeal)

    /// The size of the package, in bytes.
    var size: Int64 {
        switch self {
        case .file(let identity): identity.size
        case .package(let seal): Int64(clamping: seal.size)
        }
    }

    fileprivate static let count = FileIdentity.count

    /// The bytes with which the footer of a mount file begins, and the numbers at its end.
    fileprivate var footer: (magic: [UInt8], numbers: [UInt64]) {
        switch self {
        case .file(let identity): (Array("afcmnt05".utf8), identity.numbers)
        case .package(let seal): (Array("afcmnt06".utf8), [seal.size] + seal.digest + [0, 0])
        }
    }

    fileprivate init?(magic: some Sequence<UInt8>, numbers: [UInt64]) {
        switch String(decoding: Array(magic), as: UTF8.self) {
        case "afcmnt05": self = .file(FileIdentity(numbers: numbers))
        case "afcmnt06": self = .package(PackageSeal(size: numbers[0], digest: Array(numbers[1...4])))
        default: return nil
        }
    }
}

/// The place of a member's data in a package.
struct MemberPlace: Equatable, Sendable {
    /// The number of bytes in which a mount file stores a place.
    static let size = 24

    var method: ZipMember.Method
    var crc32: UInt32
    /// The offset of the data in the package.
    var offset: Int64
    /// The size of the data, in bytes.
    var count: Int64

    init(_ member: ZipMember) {
        (method, crc32) = (member.method, member.crc32)
        (offset, count) = (member.dataOffset, member.compressedSize)
    }

    /// Reads a place; nil if it isn't one in a package of a size.
    init?(_ bytes: UnsafeRawBufferPointer, packageSize: Int64) {
        guard bytes.count == Self.size, let method = ZipMember.Method(rawValue: bytes.u16(20)),
            let offset = Int64(exactly: bytes.u64(0)), let count = Int64(exactly: bytes.u64(8)),
            offset <= packageSize, count <= packageSize - offset
        else { return nil }
        (self.method, self.offset, self.count) = (method, offset, count)
        crc32 = bytes.u32(16)
    }

    /// Appends the place, or zeros for a resource without a body.
    static func append(_ place: MemberPlace?, to bytes: inout [UInt8]) {
        bytes.append(UInt64(place?.offset ?? 0))
        bytes.append(UInt64(place?.count ?? 0))
        bytes.append(place?.crc32 ?? 0)
        bytes.append(UInt32(place?.method.rawValue ?? 0))
    }
}

/// What a mounted package needs from its manifest, sidecar and directory, as a file; docs/developers/cache-format.md has the
/// format.
///
/// It is written when a package is read, and never changes afterwards.
final class MountFile: Sendable {
    /// The name of a package that states none.
    static let unnamed = "package"

    /// The number of sizes in the footer, before the source.
    private static let sizes = 6
    private static let footerSize = 8 + (sizes + MountSource.count) * 8

    /// The path of the file, for errors.
    let path: String
    /// The package, by the name that it states, or else by ``unnamed``; the number of the generation is 0.
    let row: CataloguedPackage
    /// The keys that signed the package; the row has them in Base64.
    let signers: [PublicKey]
    let rules: GenerationRules
    /// The package from which the file was made.
    let source: MountSource

    private let descriptor: Int32
    private let indexSize: UInt64
    private let count: UInt64

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - descriptor: A descriptor of the file, which the value closes.
    ///   - path: The path of the file, for errors.
    /// - Throws: ``CacheError`` with `damaged` if it isn't such a file.
    init(_ descriptor: Int32, path: String) throws(CacheError) {
        self.descriptor = descriptor
        self.path = path
        guard let parts = Self.read(descriptor, path: path) else {
            close(descriptor)
            throw Self.damaged(path)
        }
        (indexSize, count, source) = (parts.indexSize, parts.count, parts.source)
        (row, rules) = (parts.row, parts.rules)
        signers = parts.row.current.signers.compactMap { Base64.decode($0).flatMap { PublicKey(bytes: $0) } }
    }

    deinit { close(descriptor) }

    private struct Parts {
        var indexSize: UInt64
        var count: UInt64
        var source: MountSource
        var row: CataloguedPackage
        var rules: GenerationRules
    }

    private static func read(_ descriptor: Int32, path: String) -> Parts? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let size = Int64(exactly: status.st_size), size >= Int64(footerSize),
            let footer = bytes(descriptor, footerSize, at: size - Int64(footerSize))
        else { return nil }
        let numbers = footer.withUnsafeBytes { footer in
            stride(from: 8, to: footerSize, by: 8).map { footer.u64($0) }
        }
        let limits: [UInt64] = [
            UInt64(size), UInt64(Int32.max), UInt64(CatalogueFile.byteLimit),
            UInt64(PackageLayout.matchByteLimit), UInt64(PackageLayout.fallbackByteLimit),
            UInt64(PackageLayout.absentByteLimit),
        ]
        guard zip(numbers, limits).allSatisfy({ $0 <= $1 }),
            let source = MountSource(magic: footer.prefix(8), numbers: Array(numbers[sizes...]))
        else { return nil }
        let catalogueOffset = numbers[0] + numbers[1] * UInt64(MemberPlace.size)
        let lengths = numbers[2..<sizes].map { Int($0) }
        guard catalogueOffset + numbers[2..<sizes].reduce(0, +) + UInt64(footerSize) == UInt64(size),
            let text = bytes(descriptor, lengths[0], at: Int64(catalogueOffset)),
            let rules = bytes(descriptor, lengths[1...].reduce(0, +), at: Int64(catalogueOffset) + Int64(lengths[0])),
            let catalogue = CatalogueFormat.parse(text), catalogue.packages.count == 1
        else { return nil }
        return Parts(
            indexSize: numbers[0],
            count: numbers[1],
            source: source,
            row: catalogue.packages[0],
            rules: GenerationRules(
                match: rules.prefix(lengths[1]),
                fallback: rules.dropFirst(lengths[1]).prefix(lengths[2]),
                absent: rules.dropFirst(lengths[1] + lengths[2])
            )
        )
    }

    private static func bytes(_ descriptor: Int32, _ count: Int, at offset: Int64) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = bytes.withUnsafeMutableBytes { Descriptor.read(descriptor, into: $0, at: offset) }
        return read == count ? bytes : nil
    }

    /// Opens the index in the file.
    func index(_ memory: IndexMemory) throws(CacheError) -> GenerationIndex {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .system("cannot open", path: path) }
        let index = try GenerationIndex(mounted: copy, size: indexSize, path: path, memory: memory)
        guard UInt64(index.count) == count else { throw Self.damaged(path) }
        return index
    }

    /// Returns the place of a resource's body.
    ///
    /// - Parameters:
    ///   - number: The number of the resource, which has a body.
    ///   - atOnce: True if the call may not wait for a disk.
    /// - Returns: The place; nil if the call would wait, or fails.
    func place(of number: UInt32, atOnce: Bool) -> MemberPlace? {
        guard number < count else { return nil }
        let offset = Int64(indexSize) + Int64(number) * Int64(MemberPlace.size)
        return withUnsafeTemporaryAllocation(byteCount: MemberPlace.size, alignment: 8) { bytes in
            let read =
                atOnce
                ? Descriptor.readAtOnce(descriptor, into: bytes, at: offset)
                : Descriptor.read(descriptor, into: bytes, at: offset)
            guard read == bytes.count else { return nil }
            return MemberPlace(UnsafeRawBufferPointer(bytes), packageSize: source.size)
        }
    }

    static func damaged(_ path: String) -> CacheError {
        CacheError(.damaged, subject: path, message: "the index of the mounted package is damaged; remove this file")
    }

    // MARK: Writing

    /// Writes the file for a package.
    ///
    /// - Parameters:
    ///   - path: The path of the file, which doesn't exist.
    ///   - package: The package, which can be loaded.
    ///   - signers: The keys that signed it.
    ///   - source: What tells the package from others.
    ///   - now: The current time; for a package in any place, it makes no difference unless the package has no date.
    /// - Throws: ``CacheError`` if it can't be written; a part of it may then be there.
    static func write(
        to path: String,
        _ package: PackageReader,
        _ signers: [PublicKey],
        source: MountSource,
        now: Timestamp
    ) throws(CacheError) {
        let contents = GenerationContents(package, now: now)
        let count = package.index.resources.count
        let writing = MountIndexing(package, contents, try IndexWriter(path: path, capacity: count))
        let (digest, places, summary) = try writing.run()
        let generation = Generation(
            folder: "mounted",
            created: contents.date,
            // Whoever mounts the package knows when.
            loaded: contents.date,
            generator: package.index.info?.generator,
            seeds: package.index.info?.seeds ?? [],
            resources: count,
            bodyBytes: package.index.bodyBytes,
            sharedBytes: 0,
            latestExpiry: summary.latestExpiry,
            missing: package.missing,
            indexDigest: digest,
            signers: signers.map { Base64.encode($0.bytes) },
            origins: summary.origins
        )
        let name = package.index.info?.name ?? Self.unnamed
        let row = CataloguedPackage(name: name, settings: PackageSettings(), current: generation)
        let text = CatalogueFormat.bytes(Catalogue(packages: [row])).bytes
        let (match, fallback) = (package.index.matchRules?.bytes ?? [], package.index.fallback?.bytes ?? [])
        let absent = package.index.absent?.bytes ?? []
        guard let descriptor = Descriptor.open(path, O_RDWR | O_NOFOLLOW) else {
            throw .system("cannot open", path: path)
        }
        let file = OpenFile(descriptor: descriptor, path: path)
        let indexSize = try onDisk { () throws(FileError) in try file.size() }
        let numbers = source.footer.numbers
        var footer = source.footer.magic
        for length in [Int(indexSize), count, text.count, match.count, fallback.count, absent.count] {
            footer.append(UInt64(length))
        }
        for number in numbers { footer.append(number) }
        let bytes = places + text + match + fallback + absent + footer
        try onDisk { () throws(FileError) in
            try bytes.span.bytes.withUnsafeBytes { bytes throws(FileError) in try file.write(bytes, at: indexSize) }
        }
    }
}
