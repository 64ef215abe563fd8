internal import AFCFiles
internal import AFCPackageFile
internal import AFCPackageFormat
import AFCPlatform
internal import AFCText
internal import AFCZip
internal import Crypto

/// Writes bodies to the folder of a new generation, or links them to the same bodies of the previous one.
final class BodyExtraction: Sendable {
    /// A body in its final place.
    struct Body {
        /// The SHA-256 of the body.
        var digest: [UInt8]
        /// True if the body shares its file with the previous generation.
        var isShared: Bool
    }

    private let package: PackageReader
    private let target: GenerationLayout
    private let previous: OpenFolder?
    private let held: HeldBodies?

    init(
        _ package: PackageReader,
        into target: GenerationLayout,
        sharingWith previous: GenerationLayout?,
        held: HeldBodies? = nil
    ) {
        self.package = package
        self.target = target
        self.held = held
        // Without the previous generation's bodies, all bodies are written.
        self.previous = previous.flatMap { try? $0.openFiles() }
    }

    /// Creates buffers for one thread.
    func buffers() throws(CacheError) -> ExtractionBuffers {
        do throws(ZipError) {
            return ExtractionBuffers(body: try BodyBuffers(size: 128 << 10))
        } catch {
            throw CacheError(PackageError(error, subject: package.path))
        }
    }

    /// Writes or links the body of a member.
    ///
    /// - Parameters:
    ///   - member: A member of the package.
    ///   - index: The index of the member.
    ///   - expected: The SHA-256 that the body must have, in hexadecimal digits, or nil.
    ///   - buffers: Buffers for the duration of the call.
    /// - Returns: The body's digest.
    /// - Throws: ``CacheError`` if it can't be written, or differs from what the package says.
    func extract(
        _ member: ZipMember,
        _ index: Int,
        expecting expected: String?,
        using buffers: inout ExtractionBuffers
    ) throws(CacheError) -> Body {
        let leaf = try buffers.folder.enter(target.files, member.name)
        if let held, held.members.contains(index) {
            return try link(member, expecting: expected, from: held, as: leaf, using: &buffers)
        }
        if let previous, let digest = try share(member, from: previous, as: leaf, using: &buffers) {
            try check(digest, expected, member)
            return Body(digest: digest, isShared: true)
        }
        let digest = try write(member, as: leaf, using: &buffers)
        try check(digest, expected, member)
        return Body(digest: digest, isShared: false)
    }

    /// Links a body that the cache holds, or copies it if hard links aren't possible.
    private func link(
        _ member: ZipMember,
        expecting expected: String?,
        from held: HeldBodies,
        as leaf: String,
        using buffers: inout ExtractionBuffers
    ) throws(CacheError) -> Body {
        guard let digest = expected.flatMap(Hexadecimal.bytes), let key = BodyLookUp.key(digest),
            let body = held.bodies.open(key), try isBody(body.file, member, digest)
        else { throw missing(member) }
        if linkat(body.folder.descriptor, body.name, buffers.folder.descriptor, leaf, 0) == 0 {
            return Body(digest: digest, isShared: body.generation.folder == held.previous)
        }
        // Two entries may name one member; the second one only checks it, and counts like the first.
        guard errno != EEXIST else {
            let isShared = body.generation.folder == held.previous
            return Body(digest: digest, isShared: isShared && buffers.folder.holds(body.file.descriptor, as: leaf))
        }
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = openat(buffers.folder.descriptor, leaf, flags, 0o644)
        guard descriptor >= 0 else { throw .system("cannot create", path: buffers.folder.path(leaf)) }
        defer { close(descriptor) }
        var room = buffers.room
        defer { buffers.room = room }
        let path = buffers.folder.path(leaf)
        let isSame = try isBody(body.file, member, digest) { piece throws(CacheError) in
            guard room.admits(piece.count, to: descriptor) else { throw .diskFull(path: path) }
            guard Descriptor.append(piece, to: descriptor) else { throw .system("cannot write", path: path) }
        }
        guard isSame else { throw missing(member) }
        return Body(digest: digest, isShared: false)
    }

    private func missing(_ member: ZipMember) -> CacheError {
        CacheError(
            .bodyMissing,
            subject: package.path,
            message: "the cache no longer holds the body of member \(PrintableText.quoted(member.name)) unchanged, and "
                + "the download left it out; load the package again"
        )
    }

    /// Reads a file from its start, and returns whether it is a member's body.
    private func isBody(
        _ file: OpenFile,
        _ member: ZipMember,
        _ digest: [UInt8],
        onPiece: (UnsafeRawBufferPointer) throws(CacheError) -> Void = { _ throws(CacheError) in }
    ) throws(CacheError) -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Int(min(128 << 10, member.uncompressedSize + 1)),
            alignment: 16
        )
        defer { buffer.deallocate() }
        var hash = SHA256()
        var size: Int64 = 0
        while size <= member.uncompressedSize {
            // A file that can't be read is as good as missing.
            guard let count = try? file.read(into: buffer, at: size) else { return false }
            guard count > 0 else { break }
            let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            hash.update(bufferPointer: piece)
            try onPiece(piece)
            size += Int64(count)
        }
        // The checksum in the directory says nothing more, and isn't known if the directory wasn't needed.
        return size == member.uncompressedSize && Array(hash.finalize()) == digest
    }

    /// Writes a file of the package's user data.
    func extractUserData(_ index: Int, using buffers: inout ExtractionBuffers) throws(CacheError) -> [UInt8] {
        let member = package.archive.members[index]
        let name = String(member.name.dropFirst(PackageLayout.userDataFolder.count))
        let leaf = try buffers.folder.enter(target.userData, name)
        return try write(member, as: leaf, using: &buffers)
    }

    private func check(_ digest: [UInt8], _ expected: String?, _ member: ZipMember) throws(CacheError) {
        guard let expected, expected != Hexadecimal.text(digest) else { return }
        throw CacheError(
            .package(.invalidPackage(rule: ProblemRule.sidecarDigest.id)),
            subject: package.path,
            message: "member \(PrintableText.quoted(member.name)) has a different SHA-256 than its record",
            remedy: ProblemRule.sidecarDigest.remedy
        )
    }

    private func write(_ member: ZipMember, as leaf: String, using buffers: inout ExtractionBuffers) throws(CacheError)
        -> [UInt8]
    {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = openat(buffers.folder.descriptor, leaf, flags, 0o644)
        // Two entries may name one member; the second one only checks it.
        let isThere = descriptor < 0 && errno == EEXIST
        guard descriptor >= 0 || isThere else { throw .system("cannot create", path: buffers.folder.path(leaf)) }
        defer { if descriptor >= 0 { close(descriptor) } }
        let folder = buffers.folder.name
        var hash = SHA256()
        var failure: CacheError?
        var room = buffers.room
        defer { buffers.room = room }
        do throws(ZipError) {
            try package.archive.forEachChunk(of: member, using: &buffers.body) { chunk throws(ZipError) in
                hash.update(bufferPointer: chunk)
                guard isThere || room.admits(chunk.count, to: descriptor) else {
                    failure = .diskFull(path: folder + "/" + leaf)
                    throw ZipError(inputOutput: "the disk is full")
                }
                guard isThere || Descriptor.append(chunk, to: descriptor) else {
                    failure = .system("cannot write", path: folder + "/" + leaf)
                    throw ZipError(inputOutput: "cannot write")
                }
            }
        } catch {
            throw failure ?? CacheError(PackageError(error, subject: package.path))
        }
        return Array(hash.finalize())
    }

    private static let differs = ZipError(.inputOutput, rule: "differs", message: "the bodies differ")

    /// Links the body to the previous generation's if both have the same bytes.
    ///
    /// - Returns: The digest, or nil if the body must be written.
    /// - Throws: ``CacheError`` if the member is damaged.
    private func share(
        _ member: ZipMember,
        from previous: OpenFolder,
        as leaf: String,
        using buffers: inout ExtractionBuffers
    ) throws(CacheError) -> [UInt8]? {
        guard let (folder, name) = try? previous.parent(of: member.name), let descriptor = try? folder.file(name) else {
            return nil
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            Int64(status.st_size) == member.uncompressedSize
        else { return nil }
        var hash = SHA256()
        var offset: off_t = 0
        do throws(ZipError) {
            try package.archive.forEachChunk(of: member, using: &buffers.body) { chunk throws(ZipError) in
                hash.update(bufferPointer: chunk)
                guard Self.isSame(descriptor, chunk, at: offset) else { throw Self.differs }
                offset += off_t(chunk.count)
            }
        } catch {
            guard error == Self.differs else { throw CacheError(PackageError(error, subject: package.path)) }
            return nil
        }
        // If hard links aren't possible (unsupported, too many, or another file system), the body is written. Another entry
        // that names the member may have linked it.
        guard
            linkat(folder.descriptor, name, buffers.folder.descriptor, leaf, 0) == 0
                || errno == EEXIST && buffers.folder.holds(descriptor, as: leaf)
        else { return nil }
        return Array(hash.finalize())
    }

    private static func isSame(_ descriptor: Int32, _ chunk: UnsafeRawBufferPointer, at offset: off_t) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { buffer in
            var done = 0
            while done < chunk.count {
                let wanted = min(buffer.count, chunk.count - done)
                let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
                guard let count = Descriptor.read(descriptor, into: part, at: Int64(offset) + Int64(done)), count > 0,
                    let base = chunk.baseAddress, let read = buffer.baseAddress,
                    memcmp(base.advanced(by: done), read, count) == 0
                else { return false }
                done += count
            }
            return true
        }
    }
}
