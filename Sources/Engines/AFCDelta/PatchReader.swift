public import AFCFiles
public import AFCPackageFile
internal import AFCPackageFormat
public import AFCText
internal import AFCZip
internal import Crypto

/// An open patch, whose header and table were read and checked, but none of its bodies.
///
/// A patch may be hostile: sizes, counts and memory are bounded, and nothing that it states is believed. Everything that
/// is made of it is hashed.
public struct PatchReader: Sendable {
    /// The patch's path.
    public let path: String
    /// The digest of the package that the patch leads from.
    public var oldDigest: String { header.old }
    /// The digest of the package that the patch leads to.
    public var newDigest: String { header.new }
    /// The number of members of the new package.
    public var count: Int { lines.count }
    /// The bodies of the old package that the patch needs.
    public let needs: Set<BodyID>

    private let header: PatchHeader
    private let archive: ZipReader
    private let metadata: [UInt8]
    private let lines: [PatchLine]
    /// The offset of each line's inline bytes or frame.
    private let offsets: [Int64]
    private let bodies: ZipMember?

    /// Opens a patch.
    ///
    /// - Parameters:
    ///   - path: The patch's path.
    ///   - file: The patch's file, if it is open already; the path is then only its name in errors.
    /// - Throws: ``PatchError`` if the file can't be read or isn't a patch as docs/reference/patches.md specifies.
    public init(path: String, file: OpenFile? = nil) throws(PatchError) {
        self.path = path
        let archive = try onArchive(path) { () throws(ZipError) in try ZipReader(path: path, file: file) }
        self.archive = archive
        guard !archive.members.contains(where: { $0.encryption != nil }) else {
            throw .invalid("encrypted", path, "the patch is encrypted, and patches can't be")
        }
        guard let member = archive.member(named: PatchLayout.header) else {
            throw .invalid("no-header", path, "the file has no member '\(PatchLayout.header)', so it isn't a patch")
        }
        let header: PatchHeader
        let bytes = try onArchive(path) { () throws(ZipError) in
            try archive.read(member, maxBytes: PatchLayout.headerByteLimit)
        }
        do throws(PatchHeader.Defect) {
            header = try PatchHeader(bytes)
        } catch {
            switch error {
            case .malformed(let what):
                throw .invalid("bad-header", path, "the member '\(PatchLayout.header)' \(what)")
            case .newerVersion(let version):
                let message = "the patch has version \(version) of the format, and this program reads 1; upgrade it"
                throw PatchError(.invalid(rule: "patch.newer-version"), subject: path, message: message)
            }
        }
        self.header = header
        let whole = try Self.table(in: archive, header, path)
        metadata = Array(whole[..<header.metadataBytes])
        lines = try Self.lines(whole[header.metadataBytes...], path)
        try Self.requireNamed(archive, by: lines, path)
        bodies = archive.member(named: PatchLayout.bodies)
        var needs: Set<BodyID> = []
        offsets = try Self.offsets(lines, metadata: Int64(metadata.count), bodies: bodies, path)
        for line in lines { if let need = line.need { needs.insert(need) } }
        self.needs = needs
        guard PackageDigest(of: lines.map(\.member)).hexadecimal == header.new else {
            throw .invalid("digest", path, "the patch's table doesn't have the digest that the patch states")
        }
    }

    private static func table(
        in archive: ZipReader,
        _ header: PatchHeader,
        _ path: String
    ) throws(PatchError) -> [UInt8] {
        guard let member = archive.member(named: PatchLayout.table) else {
            throw .invalid("no-table", path, "the patch has no member '\(PatchLayout.table)'")
        }
        let frame = try onArchive(path) { () throws(ZipError) in
            try archive.read(member, maxBytes: PatchLayout.tableByteLimit)
        }
        guard let decoder = ZstandardDecoder() else { throw .noZstandard(path) }
        let size = header.metadataBytes + header.tableBytes
        let table = frame.withUnsafeBytes { decoder.body(of: $0, size: size, dictionary: []) }
        guard let table else {
            throw .invalid("damaged-table", path, "the member '\(PatchLayout.table)' is damaged")
        }
        return table
    }

    private static func lines(_ text: ArraySlice<UInt8>, _ path: String) throws(PatchError) -> [PatchLine] {
        guard text.isEmpty || text.last == UInt8(ascii: "\n") else {
            throw .invalid("bad-line", path, "the patch's table ends within a line")
        }
        var lines: [PatchLine] = []
        var names: Set<String> = []
        var total: Int64 = 0
        let limits = ReadLimits()
        for bytes in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
            let number = lines.count + 1
            guard number <= limits.members, let decoded = String(validating: bytes, as: UTF8.self),
                let line = PatchLine(decoded[...])
            else { throw .invalid("bad-line", path, "line \(number) of the patch's table isn't as documented") }
            guard names.insert(line.member.name).inserted else {
                let name = PrintableText.quoted(line.member.name)
                throw .invalid("bad-line", path, "line \(number) of the patch's table repeats the name \(name)")
            }
            total += line.member.size
            guard total <= limits.totalBytes else {
                throw .invalid("too-large", path, "the new package would have more than \(limits.totalBytes) bytes")
            }
            lines.append(line)
        }
        return lines
    }

    /// Refuses members that the table doesn't name: another reader could take them for a package's.
    private static func requireNamed(
        _ archive: ZipReader,
        by lines: [PatchLine],
        _ path: String
    ) throws(PatchError) {
        var named: Set<String> = [PatchLayout.header, PatchLayout.table, PatchLayout.bodies]
        for line in lines where line.way == .member && !PatchLayout.isMetadata(line.member.name) {
            named.insert(line.member.name)
        }
        guard let other = archive.members.first(where: { !named.contains($0.name) }) else { return }
        let name = PrintableText.quoted(other.name)
        throw .invalid("foreign-member", path, "the patch has a member \(name) that its table doesn't name")
    }

    /// Returns the offset of each line's inline bytes or frame, and checks that these fill their members.
    private static func offsets(
        _ lines: [PatchLine],
        metadata: Int64,
        bodies: ZipMember?,
        _ path: String
    ) throws(PatchError) -> [Int64] {
        var (inline, frames) = (Int64(0), Int64(0))
        var offsets: [Int64] = []
        offsets.reserveCapacity(lines.count)
        for line in lines {
            if line.way == .inline {
                offsets.append(inline)
                inline += line.member.size
            } else {
                offsets.append(frames)
                frames += Int64(line.frameLength)
            }
        }
        guard inline == metadata else {
            throw .invalid("sizes", path, "the patch has \(metadata) bytes of metadata, and its table names \(inline)")
        }
        let size = bodies?.uncompressedSize ?? 0
        guard frames == size, bodies?.method ?? .stored == .stored else {
            throw .invalid("sizes", path, "the patch has frames of \(size) bytes, and its table names \(frames)")
        }
        return offsets
    }
}

extension PatchReader {
    /// The result of writing the new package.
    public struct Rebuilt: Sendable {
        /// The size of the package's file, in bytes.
        public let size: Int64
        /// The members whose bodies are left out of the file.
        public let lacking: MemberSet
    }

    /// Writes the new package.
    ///
    /// Its members are stored without compression. Every body that is written is compared with its SHA-256, so a whole
    /// package has the contents that ``newDigest`` stands for, or isn't written. This blocks.
    ///
    /// - Parameters:
    ///   - target: The package's path; a file there stays unchanged until the end.
    ///   - source: The bodies of the old package.
    ///   - leavesOutKept: True to leave out bodies that the old package has and a record describes. The file is then as
    ///     large as what is new, and opens like the package, but the data of these bodies is made up. Whoever loads it
    ///     takes them from elsewhere, by the SHA-256 of their records.
    ///   - workers: The number of threads.
    ///   - cancellation: Cancels the work.
    /// - Returns: The file's size, and what it lacks.
    /// - Throws: ``PatchError`` with the code `misfit` if a body of the old package is missing or damaged, otherwise if
    ///   the patch is damaged or the package can't be written.
    public func rebuild(
        to target: String,
        from source: some BodySource,
        leavesOutKept: Bool = false,
        workers: Int,
        cancellation: CancellationFlag = CancellationFlag()
    ) throws(PatchError) -> Rebuilt {
        try requireBodies(source)
        var options = ZipWriter.Options()
        options.modified = header.modified
        options.workers = workers
        let spool = try onArchive(target) { () throws(ZipError) in
            try onFile { () throws(FileError) in try SpoolFile(in: OutputTarget.folder(for: target)) }
        }
        let output = try onArchive(target) { () throws(ZipError) in
            try ZipOutput(to: target, options: options, cancellation: cancellation)
        }
        defer { output.abandon() }
        let lacking = leavesOutKept ? keptMembers : MemberSet()
        let filler = try filler(for: lacking, in: spool)
        try ParallelWork.forEach(Array(lines.indices), workers: workers) { index in
            lines[index].frameLength > 0 || lines[index].way == .inline ? lines[index].member.size * 2 : 0
        } _: { index throws(PatchError) in
            lacking.contains(index)
                ? standIn(for: lines[index], filler, spool) : try member(index, source, spool)
        } take: { member throws(PatchError) in
            guard !cancellation.isCancelled else { throw PatchError(.cancelled, subject: path, message: "cancelled") }
            try onArchive(target) { () throws(ZipError) in try output.add(member) }
        }
        let size = try onArchive(target) { () throws(ZipError) in try output.finish() }
        return Rebuilt(size: size, lacking: lacking)
    }

    // MARK: Bodies that are left out

    /// The members whose bodies the old package has, except those that no record describes.
    private var keptMembers: MemberSet {
        var members = MemberSet()
        for (index, line) in lines.enumerated() where line.way == .kept {
            let name = line.member.name
            guard !PackageLayout.isDescription(name), !name.hasPrefix(PackageLayout.userDataFolder) else { continue }
            members.insert(index)
        }
        return members
    }

    /// Writes what is used as the data of all bodies that are left out.
    private func filler(for lacking: MemberSet, in spool: SpoolFile) throws(PatchError) -> FileExtent {
        let largest = lines.indices.filter(lacking.contains).map { Self.leastData(lines[$0]) }.max() ?? 0
        let piece = [UInt8](repeating: 0, count: min(largest, 1 << 20))
        var extent = FileExtent(offset: spool.size, count: 0)
        while extent.count < largest {
            let count = min(piece.count, largest - extent.count)
            try onArchive(path) { () throws(ZipError) in
                try onFile { () throws(FileError) in
                    _ = try piece.span.bytes.withUnsafeBytes { bytes throws(FileError) in
                        try spool.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                    }
                }
            }
            extent.count += count
        }
        return extent
    }

    private func standIn(for line: PatchLine, _ filler: FileExtent, _ spool: SpoolFile) -> NewMember {
        let count = Self.leastData(line)
        let totals = Deflater.Totals(
            crc32: 0,
            uncompressedSize: line.member.size,
            compressedSize: Int64(count)
        )
        let extents = count > 0 ? [FileExtent(offset: filler.offset, count: count)] : []
        let body = spool.body(extents: extents, totals: totals, method: .deflated)
        return NewMember(name: line.member.name, content: .deflated(body), isCompressible: false)
    }

    private static func leastData(_ line: PatchLine) -> Int { Int(ReadLimits().leastData(for: line.member.size)) }

    // MARK: Requirements

    /// Throws unless a source has all bodies that the patch needs.
    private func requireBodies(_ source: some BodySource) throws(PatchError) {
        var missing = 0
        var example: PatchLine?
        for line in lines {
            guard let need = line.need else { continue }
            let body = source.body(need)
            if let body, line.way != .kept || body.size == line.member.size { continue }
            missing += 1
            example = example ?? line
        }
        if let example { throw misfit(example, missing) }
    }

    private func misfit(_ line: PatchLine, _ count: Int = 1) -> PatchError {
        let others = count > 1 ? " and for \(count - 1) more members" : ""
        return PatchError(
            .misfit,
            subject: path,
            message: "the patch needs a package with the digest \(header.old), and the cache doesn't hold an "
                + "unchanged body of it for member \(PrintableText.quoted(line.member.name))\(others); "
                + "load the whole package instead, which has the digest \(header.new)"
        )
    }

    private func damaged(_ line: PatchLine) -> PatchError {
        let name = PrintableText.quoted(line.member.name)
        return .invalid("damaged", path, "what the patch has for member \(name) is damaged")
    }

    // MARK: Members

    private func member(
        _ index: Int,
        _ source: some BodySource,
        _ spool: SpoolFile
    ) throws(PatchError) -> NewMember {
        let line = lines[index]
        switch line.way {
        case .inline:
            let start = Int(offsets[index])
            return try checked(Array(metadata[start..<(start + Int(line.member.size))]), line, spool)
        case .kept:
            guard let need = line.need, let body = source.body(need) else { throw misfit(line) }
            return try kept(body, line)
        case .patched(let length, let dictionary):
            guard let held = source.body(dictionary), let size = held.size, size <= PatchLayout.bodyByteLimit,
                let bytes = held.bytes(), BodyID(Array(SHA256.hash(data: bytes))) == dictionary
            else { throw misfit(line) }
            return try decoded(length, at: offsets[index], bytes, line, spool)
        case .whole(let length):
            return try decoded(length, at: offsets[index], [], line, spool)
        case .member:
            return try copied(line)
        }
    }

    private func decoded(
        _ length: Int,
        at offset: Int64,
        _ dictionary: [UInt8],
        _ line: PatchLine,
        _ spool: SpoolFile
    ) throws(PatchError) -> NewMember {
        guard let bodies, let decoder = ZstandardDecoder() else { throw .noZstandard(path) }
        let frame = try onArchive(path) { () throws(ZipError) in
            try onFile { () throws(FileError) in try archive.file.bytes(length, at: bodies.dataOffset + offset) }
        }
        let body = frame.withUnsafeBytes {
            decoder.body(of: $0, size: Int(line.member.size), dictionary: dictionary)
        }
        guard let body else { throw damaged(line) }
        return try checked(body, line, spool)
    }

    /// Hashes a body, and puts it aside if it is large.
    private func checked(_ body: [UInt8], _ line: PatchLine, _ spool: SpoolFile) throws(PatchError) -> NewMember {
        guard Hexadecimal.text(SHA256.hash(data: body)) == line.member.sha256 else { throw damaged(line) }
        guard body.count > 1 << 20 else {
            return NewMember(name: line.member.name, content: .bytes(body), isCompressible: false)
        }
        var crc = CRC32()
        body.withUnsafeBytes { crc.update($0) }
        let size = Int64(body.count)
        let totals = Deflater.Totals(crc32: crc.value, uncompressedSize: size, compressedSize: size)
        var extent = FileExtent(offset: 0, count: 0)
        var failure: FileError?
        body.withUnsafeBytes { bytes in
            do throws(FileError) { extent = try spool.append(bytes) } catch { failure = error }
        }
        if let failure { throw PatchError(ZipError(failure), subject: path) }
        let spooled = spool.body(extents: [extent], totals: totals, method: .stored)
        return NewMember(name: line.member.name, content: .deflated(spooled), isCompressible: false)
    }

    private func kept(_ body: HeldBody, _ line: PatchLine) throws(PatchError) -> NewMember {
        guard body.size == line.member.size else { throw misfit(line) }
        var hash = SHA256()
        let isRead = try? body.forEachPiece { hash.update(bufferPointer: $0) }
        guard isRead == true, Hexadecimal.text(hash.finalize()) == line.member.sha256 else { throw misfit(line) }
        switch body {
        case .file(let file):
            // A body that changes until it is written differs from its record, so the package isn't loaded.
            return NewMember(name: line.member.name, content: .file(file.path), isCompressible: false)
        case .member(let archive, let member):
            let data = try onArchive(path) { () throws(ZipError) in try archive.deflatedBody(of: member) }
            return NewMember(name: line.member.name, content: .deflated(data), isCompressible: false)
        }
    }

    private func copied(_ line: PatchLine) throws(PatchError) -> NewMember {
        guard let member = archive.member(named: line.member.name), member.uncompressedSize == line.member.size,
            !line.member.name.hasPrefix(PackageLayout.sidecarFolder)
        else { throw damaged(line) }
        var hash = SHA256()
        try onArchive(path) { () throws(ZipError) in
            try archive.forEachChunk(of: member) { hash.update(bufferPointer: $0) }
        }
        guard Hexadecimal.text(hash.finalize()) == line.member.sha256 else { throw damaged(line) }
        let data = try onArchive(path) { () throws(ZipError) in try archive.deflatedBody(of: member) }
        return NewMember(name: line.member.name, content: .deflated(data), isCompressible: false)
    }
}

extension PatchError {
    /// Creates the error for a compressor that can't be had: memory is exhausted, or the build has none.
    static func noZstandard(_ subject: String) -> PatchError {
        #if Zstandard
        memory(subject)
        #else
        PatchError(
            .package(.inputOutput),
            subject: subject,
            message: "this program was built without patches; use the whole package"
        )
        #endif
    }

    static func memory(_ subject: String) -> PatchError {
        PatchError(.package(.inputOutput), subject: subject, message: "there is not enough memory")
    }
}
