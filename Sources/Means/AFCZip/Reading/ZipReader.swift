public import AFCFiles
internal import AFCText

/// An archive whose records were checked, open for reading its members' bodies.
///
/// Several threads may read at once. If the file is replaced by a rename in the meantime, the reader continues with the
/// file that it opened. The file is read by position and never mapped, so truncating it causes an error, not a signal.
/// libzip is not used for reading.
public struct ZipReader: Sendable {
    /// The members in the order of the directory.
    public let members: ZipMembers
    /// The archive's file.
    public let file: OpenFile

    private let names: NameRules
    private let password: Password?

    /// Opens an archive and checks all of its records.
    ///
    /// No body is read.
    ///
    /// - Parameters:
    ///   - path: The archive's path.
    ///   - limits: The limits on what reading may cost.
    ///   - password: The password that decrypts the archive. Whether it is right shows only when a body is read. An
    ///     archive that isn't encrypted opens with any password.
    ///   - folder: The folder for a nameless copy of a directory that is too large for memory; nil for the system's folder for
    ///     temporary files.
    ///   - file: The archive's file, if it is open already; the path then isn't used.
    /// - Throws: ``ZipError`` with the rule that refuses the archive; its code is ``ZipError/Code/locked`` if the
    ///   archive is encrypted and there is no password.
    public init(
        path: String,
        limits: ReadLimits = ReadLimits(),
        password: Password? = nil,
        folder: String? = nil,
        file: OpenFile? = nil
    ) throws(ZipError) {
        let file = if let file { file } else { try onFile { () throws(FileError) in try OpenFile(reading: path) } }
        self.file = file
        self.password = password
        let directory = try Directory(
            file,
            limits: limits,
            folder: folder ?? OutputTarget.temporaryFolder,
            hasPassword: password != nil
        )
        members = directory.members
        names = directory.names
    }

    /// Creates a reader for members that were found without a valid directory, and that the caller lists itself.
    init(salvaging file: OpenFile) {
        self.file = file
        members = ZipMembers()
        names = NameRules(capacity: 0)
        password = nil
    }

    /// Returns the member with a name, or nil if there is none.
    public func member(named name: String) -> ZipMember? { find(name)?.member }

    /// Returns the index of the member with a name, or nil if there is none.
    public func index(ofMember name: String) -> Int? { find(name)?.index }

    private func find(_ name: String) -> (index: Int, member: ZipMember)? {
        guard let index = names.index(of: name) else { return nil }
        let member = members[index]
        return member.name == name ? (index, member) : nil
    }

    /// Reads a small member as a whole.
    ///
    /// - Parameters:
    ///   - member: A member of this archive.
    ///   - maxBytes: The maximum size of the body.
    /// - Returns: The body.
    /// - Throws: ``ZipError`` if the body is larger, or differs from what the directory says.
    public func read(_ member: ZipMember, maxBytes: Int) throws(ZipError) -> [UInt8] {
        guard member.uncompressedSize <= Int64(maxBytes) else {
            throw .damaged(.bodyTooLarge(limit: maxBytes), member)
        }
        var body: [UInt8] = []
        // The declared size may be a lie, so beyond the usual ratio for text, memory grows only as bytes arrive.
        body.reserveCapacity(Int(min(member.uncompressedSize, max(1 << 20, member.compressedSize * 16))))
        try forEachChunk(of: member) { chunk throws(ZipError) in body.append(contentsOf: chunk) }
        return body
    }

    /// Reads a member piece by piece, with new buffers.
    ///
    /// Never gives more bytes than the directory declares. Size and checksum are checked after the last piece, so
    /// callers must discard all pieces if this throws.
    ///
    /// - Parameters:
    ///   - member: A member of this archive.
    ///   - body: Called with each piece, which is valid only during the call.
    /// - Throws: ``ZipError`` if the data is damaged, and any error of the closure.
    public func forEachChunk(
        of member: ZipMember,
        _ body: (UnsafeRawBufferPointer) throws(ZipError) -> Void
    ) throws(ZipError) {
        let largest = min(128 << 10, max(member.uncompressedSize, member.compressedSize, 1))
        var buffers = try BodyBuffers(size: Int(largest))
        try forEachChunk(of: member, using: &buffers, body)
    }

    /// Reads a member piece by piece, with buffers that are reused for many members.
    ///
    /// - Parameters:
    ///   - member: A member of this archive.
    ///   - buffers: Buffers for the duration of the call.
    ///   - body: Called with each piece, which is valid only during the call.
    /// - Throws: ``ZipError`` if the data is damaged, and any error of the closure.
    public func forEachChunk(
        of member: ZipMember,
        using buffers: inout BodyBuffers,
        _ body: (UnsafeRawBufferPointer) throws(ZipError) -> Void
    ) throws(ZipError) {
        var crc = CRC32()
        var size: Int64 = 0
        let emit = { (chunk: UnsafeRawBufferPointer) throws(ZipError) in
            size += Int64(chunk.count)
            guard size <= member.uncompressedSize else {
                throw ZipError.damaged(.inflatesBeyond(member.uncompressedSize), member)
            }
            crc.update(chunk)
            try body(chunk)
        }
        var decryption: DecryptedData?
        if member.encryption != nil, let password {
            decryption = try DecryptedData(member, file: file, password: password)
        }
        switch member.method {
        case .stored: try stored(member, decryption, &buffers, emit)
        case .deflated: try deflated(member, decryption, &buffers, emit)
        }
        try decryption?.finish()
        guard size == member.uncompressedSize else {
            throw .damaged(.size(size, declared: member.uncompressedSize), member)
        }
        guard crc.value == member.crc32 || member.encryption == .aes256 else { throw .damaged(.checksum, member) }
    }

    /// Writes a member's body at a descriptor's position.
    ///
    /// After an error, the caller must discard the file, which may contain a part of the body.
    ///
    /// - Parameters:
    ///   - member: A member of this archive.
    ///   - descriptor: A descriptor open for writing, which stays open.
    ///   - path: The name of the file in errors.
    ///   - buffers: Buffers for the duration of the call.
    /// - Throws: ``ZipError`` if the data is damaged or writing fails.
    public func extract(
        _ member: ZipMember,
        toFileDescriptor descriptor: Int32,
        path: String,
        using buffers: inout BodyBuffers
    ) throws(ZipError) {
        try forEachChunk(of: member, using: &buffers) { chunk throws(ZipError) in
            guard Descriptor.append(chunk, to: descriptor) else { throw .system("cannot write", path) }
        }
    }

    /// Returns a member's compressed data, to be copied into another archive without compressing it again.
    ///
    /// The data isn't verified: a damaged body stays damaged in the copy, with the same size and checksum.
    ///
    /// - Parameter member: A file in this archive. The archive stays open as long as the body exists.
    /// - Returns: The body.
    /// - Throws: ``ZipError`` with the code ``ZipError/Code/locked`` if the member is encrypted; it must be read and
    ///   deflated again instead.
    public func deflatedBody(of member: ZipMember) throws(ZipError) -> DeflatedBody {
        guard member.encryption == nil else {
            let message = "the data of member \(PrintableText.quoted(member.name)) is encrypted and can't be copied"
            throw ZipError(.locked, rule: "zip.encrypted", message: message)
        }
        let totals = Deflater.Totals(
            crc32: member.crc32,
            uncompressedSize: member.uncompressedSize,
            compressedSize: member.compressedSize
        )
        let extent = FileExtent(offset: member.dataOffset, count: Int(member.compressedSize))
        return DeflatedBody(file: file, extents: [extent], totals: totals, method: member.method)
    }

    // MARK: Methods

    private func stored(
        _ member: ZipMember,
        _ decryption: DecryptedData?,
        _ buffers: inout BodyBuffers,
        _ emit: (UnsafeRawBufferPointer) throws(ZipError) -> Void
    ) throws(ZipError) {
        var done: Int64 = 0
        var marks = RecordMarks.DescriptorSearch()
        while done < member.dataSize {
            let piece = try fill(buffers.input, member, decryption, done)
            if member.isDescribed, decryption == nil, marks.finds(in: UnsafeRawBufferPointer(piece)) {
                throw .damaged(.descriptorInBody, member)
            }
            try emit(UnsafeRawBufferPointer(piece))
            done += Int64(piece.count)
        }
    }

    private func deflated(
        _ member: ZipMember,
        _ decryption: DecryptedData?,
        _ buffers: inout BodyBuffers,
        _ emit: (UnsafeRawBufferPointer) throws(ZipError) -> Void
    ) throws(ZipError) {
        if decryption == nil, try inflatedWhole(member, &buffers, emit) { return }
        buffers.inflater.reset()
        var (read, made): (Int64, Int64) = (0, 0)
        while !buffers.inflater.isFinished {
            if buffers.inflater.unused == 0, read < member.dataSize {
                let piece = try fill(buffers.input, member, decryption, read)
                read += Int64(piece.count)
                buffers.inflater.give(piece)
            }
            // Room for one byte more than declared, to detect data that inflates to more without producing all of it.
            let room = Int(min(Int64(buffers.output.count), member.uncompressedSize - made + 1))
            guard let count = buffers.inflater.fill(UnsafeMutableRawBufferPointer(rebasing: buffers.output[..<room]))
            else { throw .damaged(.deflate, member) }
            if count == 0, !buffers.inflater.isFinished {
                // zlib produces nothing only if it needs more data.
                guard buffers.inflater.unused == 0, read < member.dataSize else {
                    throw .damaged(.deflate, member)
                }
                continue
            }
            made += Int64(count)
            if count > 0 { try emit(UnsafeRawBufferPointer(rebasing: buffers.output[..<count])) }
        }
        guard buffers.inflater.unused == 0, read == member.dataSize else {
            throw .damaged(.deflateTrailing, member)
        }
    }

    /// Reads a member in one piece if it is small and matches its declaration.
    private func inflatedWhole(
        _ member: ZipMember,
        _ buffers: inout BodyBuffers,
        _ emit: (UnsafeRawBufferPointer) throws(ZipError) -> Void
    ) throws(ZipError) -> Bool {
        guard member.dataSize <= WholeInflater.limit, member.uncompressedSize <= WholeInflater.limit else {
            return false
        }
        let room = buffers.whole.room(data: Int(member.dataSize), body: Int(member.uncompressedSize))
        let data = try fill(room.data, member, nil, 0)
        guard buffers.whole.inflate(data, into: room.body) else { return false }
        if !room.body.isEmpty { try emit(UnsafeRawBufferPointer(room.body)) }
        return true
    }

    private func fill(
        _ buffer: UnsafeMutableRawBufferPointer,
        _ member: ZipMember,
        _ decryption: DecryptedData?,
        _ done: Int64
    ) throws(ZipError) -> UnsafeMutableRawBufferPointer {
        let wanted = Int(min(Int64(buffer.count), member.dataSize - done))
        let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
        if let decryption {
            _ = try decryption.read(into: piece)
            return piece
        }
        guard try onFile({ () throws(FileError) in try file.read(into: piece, at: member.dataOffset + done) }) == wanted
        else {
            throw .damaged(.cutOff, member)
        }
        return piece
    }
}

/// Limits on what reading an archive may cost.
public struct ReadLimits: Sendable, Equatable {
    /// The maximum number of members.
    public var members = 2_000_000
    /// The maximum size of the directory, in bytes.
    public var directoryBytes: Int64 = 1 << 30
    /// The maximum size of one body, in bytes.
    public var memberBytes: Int64 = 16 << 30
    /// The maximum size of all bodies together, in bytes.
    public var totalBytes: Int64 = 64 << 30
    /// The maximum ratio between a body and its compressed data; deflate can't exceed 1,032.
    public var ratio: Int64 = 1_100
    /// The size up to which directory, manifest and records are each kept in memory, in bytes; what is larger is copied
    /// to a nameless file.
    public var memoryBytes: Int64 = 32 << 20

    /// Creates the default limits of docs/reference/format.md.
    public init() {}

    /// Returns the least size of compressed data for a body that isn't refused for its ratio.
    ///
    /// - Parameter size: The size of the body in bytes.
    /// - Returns: The size of the data in bytes.
    package func leastData(for size: Int64) -> Int64 { size / ratio }
}
