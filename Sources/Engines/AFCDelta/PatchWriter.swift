public import AFCFiles
internal import AFCPackageFile
internal import AFCPackageFormat
public import AFCText
internal import AFCZip
internal import Crypto

/// Makes patches.
///
/// The same packages, program and libraries give the same bytes.
public enum PatchWriter {
    /// The options for making a patch.
    public struct Options: Sendable {
        /// The program and its version.
        public var generator: String
        /// The number of threads.
        public var workers: Int
        /// Called with the number of members that are done, and of all members, from any thread.
        public var onProgress: @Sendable (Int, Int) -> Void = { _, _ in }

        /// Creates options.
        ///
        /// - Parameters:
        ///   - generator: The program and its version.
        ///   - workers: The number of threads.
        public init(generator: String, workers: Int) {
            self.generator = generator
            self.workers = workers
        }
    }

    /// What a patch contains.
    public struct Summary: Sendable, Equatable {
        /// The digest of the old package's contents.
        public var oldDigest = ""
        /// The digest of the new package's contents.
        public var newDigest = ""
        /// The number of bodies that the patch doesn't contain.
        public var kept = 0
        /// The number of bodies that refer to an old body.
        public var patched = 0
        /// The size of their frames, in bytes.
        public var patchedBytes: Int64 = 0
        /// The number of bodies that refer to nothing.
        public var whole = 0
        /// The size of their frames or of their members' data, in bytes.
        public var wholeBytes: Int64 = 0
        /// The size of the table and of the new package's metadata as they are in the patch, in bytes.
        public var tableBytes: Int64 = 0
        /// The size of the new package, in bytes.
        public var packageBytes: Int64 = 0
        /// The size of the patch, in bytes.
        public var patchBytes: Int64 = 0

        /// Creates a summary of nothing.
        public init() {}
    }

    /// Makes a patch.
    ///
    /// Bodies and dictionaries of at most 16 MiB are read into memory; larger bodies are copied as the new package has
    /// them. This blocks.
    ///
    /// - Parameters:
    ///   - old: The path of the package that the patch leads from.
    ///   - new: The path of the package that the patch leads to.
    ///   - target: The patch's path; a file there stays unchanged until the end.
    ///   - options: The options.
    ///   - cancellation: Cancels the work.
    /// - Returns: What the patch contains.
    /// - Throws: ``PatchError`` if a package can't be read or loaded, is encrypted or is a patch, or if the patch can't
    ///   be written.
    public static func write(
        from old: String,
        to new: String,
        as target: String,
        options: Options,
        cancellation: CancellationFlag = CancellationFlag()
    ) throws(PatchError) -> Summary {
        let oldPackage = try package(old)
        let newPackage = try package(new)
        let bodies = try OldBodies(oldPackage, workers: options.workers)
        let spool = try onArchive(target) { () throws(ZipError) in
            try onFile { () throws(FileError) in try SpoolFile(in: OutputTarget.folder(for: target)) }
        }
        let assembly = PatchAssembly(newPackage, bodies, spool, options)
        return try assembly.write(to: target, cancellation)
    }

    private static func package(_ path: String) throws(PatchError) -> PackageReader {
        let package = try onPackage { () throws(PackageError) in try PackageReader(path: path) }
        guard !package.index.isPatch else {
            throw PatchError(.unsuitable, subject: path, message: "this is a patch; make patches from whole packages")
        }
        try onPackage { () throws(PackageError) in try package.requireLoadable() }
        guard !package.archive.members.contains(where: { $0.encryption != nil }) else {
            let message = "the package is encrypted, and a patch would reveal its bodies; use unencrypted packages"
            throw PatchError(.unsuitable, subject: path, message: message)
        }
        return package
    }
}

/// A patch that is being made.
private final class PatchAssembly {
    /// What becomes of one member.
    private struct Made: Sendable {
        var line: PatchLine
        var bytes: [UInt8]
    }

    private let package: PackageReader
    private let old: OldBodies
    private let spool: SpoolFile
    private let options: PatchWriter.Options
    private var summary = PatchWriter.Summary()
    private var metadata: [UInt8] = []
    private var table: [UInt8] = []
    private var digests: [PackageDigest.Member] = []
    private var copied: [NewMember] = []
    private var extents: [FileExtent] = []
    private var crc = CRC32()

    init(_ package: PackageReader, _ old: OldBodies, _ spool: SpoolFile, _ options: PatchWriter.Options) {
        (self.package, self.old, self.spool, self.options) = (package, old, spool, options)
    }

    func write(to target: String, _ cancellation: CancellationFlag) throws(PatchError) -> PatchWriter.Summary {
        let archive = package.archive
        try requireMetadata(archive)
        let (old, path) = (old, package.path)
        var count = 0
        try ParallelWork.forEach(Array(archive.members.indices), workers: options.workers) {
            archive.members[$0].uncompressedSize * 3
        } _: { index throws(PatchError) in
            try Self.make(archive.members[index], archive, old, path)
        } take: { made throws(PatchError) in
            guard !cancellation.isCancelled else { throw PatchError(.cancelled, subject: target, message: "cancelled") }
            try add(made, target)
            count += 1
            if count % 64 == 0 || count == archive.members.count { options.onProgress(count, archive.members.count) }
        }
        return try finish(to: target, cancellation)
    }

    /// Refuses a package whose metadata is too large for a reader of patches.
    private func requireMetadata(_ archive: ZipReader) throws(PatchError) {
        var size: Int64 = 0
        for member in archive.members {
            size += Int64(member.name.utf8.count) + 140
            if PatchLayout.isMetadata(member.name) { size += member.uncompressedSize }
        }
        guard size <= Int64(PatchLayout.tableByteLimit) else {
            throw PatchError(
                .unsuitable,
                subject: package.path,
                message: "the package has \(size) bytes of metadata, and a patch at most "
                    + "\(PatchLayout.tableByteLimit); publish the package as a whole, or divide it"
            )
        }
    }

    private static func make(
        _ member: ZipMember,
        _ archive: ZipReader,
        _ old: OldBodies,
        _ path: String
    ) throws(PatchError) -> Made {
        func stated(_ sha256: String) -> PackageDigest.Member {
            PackageDigest.Member(name: member.name, size: member.uncompressedSize, sha256: sha256)
        }
        let isInline = PatchLayout.isMetadata(member.name) || member.uncompressedSize == 0
        guard isInline || member.uncompressedSize <= PatchLayout.bodyByteLimit else {
            let sha256 = try onArchive(path) { () throws(ZipError) in try archive.sha256(of: member) }
            return Made(line: PatchLine(member: stated(sha256), way: old.contains(sha256) ? .kept : .member), bytes: [])
        }
        let body = try onArchive(path) { () throws(ZipError) in
            try archive.read(member, maxBytes: Int(member.uncompressedSize))
        }
        let sha256 = Hexadecimal.text(SHA256.hash(data: body))
        if isInline { return Made(line: PatchLine(member: stated(sha256), way: .inline), bytes: body) }
        if old.contains(sha256) { return Made(line: PatchLine(member: stated(sha256), way: .kept), bytes: []) }
        guard let encoder = ZstandardEncoder() else { throw .noZstandard(path) }
        var best: Made?
        for candidate in old.candidates(for: member.name) {
            guard let id = old.id(of: candidate) else { continue }
            let dictionary = try onArchive(path) { () throws(ZipError) in
                try old.archive.read(old.archive.members[candidate], maxBytes: Int(PatchLayout.bodyByteLimit))
            }
            guard let frame = encoder.frame(of: body, dictionary: dictionary) else { throw .memory(path) }
            guard frame.count < best?.bytes.count ?? .max else { continue }
            let way = PatchLine.Way.patched(length: frame.count, dictionary: id)
            best = Made(line: PatchLine(member: stated(sha256), way: way), bytes: frame)
        }
        // A good patch can't be beaten by a frame that refers to nothing.
        if let best, best.bytes.count < body.count / 16 { return best }
        guard let frame = encoder.frame(of: body, dictionary: []) else { throw .memory(path) }
        // Without a dictionary, the line is 17 bytes shorter, and nothing can be missing.
        if let best, best.bytes.count + 17 < frame.count { return best }
        return Made(line: PatchLine(member: stated(sha256), way: .whole(length: frame.count)), bytes: frame)
    }

    private func add(_ made: Made, _ target: String) throws(PatchError) {
        let line = made.line
        line.write(to: &table)
        digests.append(line.member)
        switch line.way {
        case .inline: metadata += made.bytes
        case .kept: summary.kept += 1
        case .patched(let length, _):
            summary.patched += 1
            summary.patchedBytes += Int64(length)
        case .whole(let length):
            summary.whole += 1
            summary.wholeBytes += Int64(length)
        case .member:
            summary.whole += 1
            let archive = package.archive
            guard let member = archive.member(named: line.member.name) else { return }
            summary.wholeBytes += member.compressedSize
            let data = try onArchive(package.path) { () throws(ZipError) in try archive.deflatedBody(of: member) }
            copied.append(NewMember(name: member.name, content: .deflated(data), isCompressible: false))
        }
        guard line.frameLength > 0 else { return }
        var failure: FileError?
        made.bytes.withUnsafeBytes { bytes in
            crc.update(bytes)
            do throws(FileError) { extents.append(try spool.append(bytes)) } catch { failure = error }
        }
        if let failure { throw PatchError(ZipError(failure), subject: target) }
    }

    private func finish(to target: String, _ cancellation: CancellationFlag) throws(PatchError) -> PatchWriter.Summary {
        guard let encoder = ZstandardEncoder() else { throw .noZstandard(target) }
        guard let frame = encoder.frame(of: metadata + table, dictionary: []) else { throw .memory(target) }
        summary.oldDigest = old.digest.hexadecimal
        summary.newDigest = PackageDigest(of: digests).hexadecimal
        summary.tableBytes = Int64(frame.count)
        let modified = package.archive.member(named: PackageLayout.manifest)?.modified
        let header = PatchHeader(
            old: summary.oldDigest,
            new: summary.newDigest,
            modified: modified ?? 315_532_800,
            generator: options.generator + " zstd/" + ZstandardEncoder.version,
            metadataBytes: metadata.count,
            tableBytes: table.count
        )
        let size = spool.size
        let totals = Deflater.Totals(crc32: crc.value, uncompressedSize: size, compressedSize: size)
        let bodies = spool.body(extents: extents, totals: totals, method: .stored)
        var zip = ZipWriter.Options()
        zip.modified = header.modified
        zip.workers = options.workers
        let (copied, package) = (copied, package)
        summary.patchBytes = try onArchive(target) { () throws(ZipError) in
            let output = try ZipOutput(to: target, options: zip, cancellation: cancellation)
            defer { output.abandon() }
            try output.add(NewMember(name: PatchLayout.header, content: .bytes(header.bytes), isCompressible: true))
            try output.add(NewMember(name: PatchLayout.table, content: .bytes(frame), isCompressible: false))
            for member in copied { try output.add(member) }
            if size > 0 {
                try output.add(NewMember(name: PatchLayout.bodies, content: .deflated(bodies), isCompressible: false))
            }
            return try output.finish()
        }
        summary.packageBytes = try onArchive(package.path) { () throws(ZipError) in
            try onFile { () throws(FileError) in try package.archive.file.size() }
        }
        return summary
    }
}
