public import AFCFiles
internal import AFCText

/// An archive whose records were checked, open for reading its members' bodies.
///
/// Several threads may read at once. The file may be replaced by rename meanwhile; what is read is what was opened. It is
/// read by position and never mapped, so a file that is cut off meanwhile is an error, not a signal. libzip has no part
/// in reading.
public struct ZipReader: Sendable {
    /// The members in the order of the directory.
    public let members: [ZipMember]
    /// The archive.
    public let file: OpenFile

    private let names: NameRules
    private let password: Password?

    /// Opens an archive and checks all of its records; no body is read.
    ///
    /// - Parameters:
    ///   - path: The archive's path.
    ///   - limits: What it may cost.
    ///   - password: What decrypts it; whether it is right shows when a body is read. Archives that aren't encrypted
    ///     open with any.
    /// - Throws: ``ZipError`` with the rule that refuses the archive; of the code ``ZipError/Code/locked`` where it is
    ///   encrypted and no password is given.
    public init(
        path: String,
        limits: ReadLimits = ReadLimits(),
        password: Password? = nil
    ) throws(ZipError) {
        file = try onFile { () throws(FileError) in try OpenFile(reading: path) }
        self.password = password
        let directory = try Directory(file, limits: limits, hasPassword: password != nil)
        members = directory.members
        names = directory.names
    }

    /// Reads members that were found in another way than the directory's.
    init(salvaging file: OpenFile, members: [ZipMember]) {
        self.file = file
        self.members = members
        names = NameRules(capacity: 0)
        password = nil
    }

    /// The member of a name, or nil where there is none.
    public func member(named name: String) -> ZipMember? {
        guard let index = names.index(of: name), members[index].name == name else { return nil }
        return members[index]
    }

    /// Reads a small member at once.
    ///
    /// - Parameters:
    ///   - member: A member of this archive.
    ///   - maxBytes: The most bytes that its body may have.
    /// - Returns: The body.
    /// - Throws: ``ZipError`` where the body is larger, or isn't what the directory says.
    public func read(_ member: ZipMember, maxBytes: Int) throws(ZipError) -> [UInt8] {
        guard member.uncompressedSize <= Int64(maxBytes) else {
            throw .damaged(.bodyTooLarge(limit: maxBytes), member)
        }
        var body: [UInt8] = []
        // What is declared may be a lie, so beyond what text is deflated to, a large body's memory grows as its bytes come.
        body.reserveCapacity(Int(min(member.uncompressedSize, max(1 << 20, member.compressedSize * 16))))
        try forEachChunk(of: member) { chunk throws(ZipError) in body.append(contentsOf: chunk) }
        return body
    }

    /// Reads a member piece by piece, with buffers of its own.
    ///
    /// Never more bytes come than the directory says; size and checksum are checked when the last has come, so whoever
    /// keeps the pieces must throw them away where this throws.
    ///
    /// - Parameters:
    ///   - member: A member of this archive.
    ///   - body: Called with each piece, which is valid only during the call.
    /// - Throws: ``ZipError`` where the data is damaged, and what the closure throws.
    public func forEachChunk(
        of member: ZipMember,
        _ body: (UnsafeRawBufferPointer) throws(ZipError) -> Void
    ) throws(ZipError) {
        let largest = min(128 << 10, max(member.uncompressedSize, member.compressedSize, 1))
        var buffers = try BodyBuffers(size: Int(largest))
        try forEachChunk(of: member, using: &buffers, body)
    }

    /// Reads a member piece by piece, with buffers that serve many members.
    ///
    /// - Parameters:
    ///   - member: A member of this archive.
    ///   - buffers: Used by this call only while it lasts.
    ///   - body: Called with each piece, which is valid only during the call.
    /// - Throws: ``ZipError`` where the data is damaged, and what the closure throws.
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

    /// Writes a member's body where a descriptor stands.
    ///
    /// What was written before an error stays there; it is for the caller to throw the file away.
    ///
    /// - Parameters:
    ///   - member: A member of this archive.
    ///   - descriptor: Open for writing; it stays open.
    ///   - path: What the descriptor is called in errors.
    ///   - buffers: Used by this call only while it lasts.
    /// - Throws: ``ZipError`` where the data is damaged or writing fails.
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

    /// A member's data as it is, to be copied into another archive without compressing it anew.
    ///
    /// It isn't looked at: where it is damaged, so is the copy, which says the same of its size and checksum.
    ///
    /// - Parameter member: A file of this archive, which stays open as long as the body.
    /// - Returns: The body.
    /// - Throws: ``ZipError`` of the code ``ZipError/Code/locked`` where the member is encrypted: it has to be read, and
    ///   deflated again.
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
            // Room for one byte more than declared, so that data which inflates to more is noticed, and not made.
            let room = Int(min(Int64(buffers.output.count), member.uncompressedSize - made + 1))
            guard let count = buffers.inflater.fill(UnsafeMutableRawBufferPointer(rebasing: buffers.output[..<room]))
            else { throw .damaged(.deflate, member) }
            if count == 0, !buffers.inflater.isFinished {
                // zlib makes nothing only while it waits for data.
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

    /// Gives a member in one piece, if it is small and just what was declared.
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

/// What an archive may cost its reader.
public struct ReadLimits: Sendable, Equatable {
    /// The most members.
    public var members = 2_000_000
    /// The most bytes of the directory.
    public var directoryBytes: Int64 = 1 << 30
    /// The most bytes of one body.
    public var memberBytes: Int64 = 16 << 30
    /// The most bytes of all bodies.
    public var totalBytes: Int64 = 64 << 30
    /// The most bytes of a body for each byte of its compressed data; deflate can't do more than 1,032.
    public var ratio: Int64 = 1_100

    /// The defaults of docs/format.md.
    public init() {}
}
