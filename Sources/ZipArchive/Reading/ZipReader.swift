/// An archive whose records were checked, open for reading its members' bodies.
///
/// Several threads may read at once. The file may be replaced by rename meanwhile; what is read is what was opened.
public struct ZipReader: Sendable {
    /// The members in the order of the directory.
    public let members: [ZipMember]
    /// The archive.
    public let file: OpenFile

    private let positions: [String: Int]
    private let password: Password?
    private static let bufferSize = 128 << 10

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
        file = try OpenFile(reading: path)
        self.password = password
        members = try Directory(file, limits: limits, hasPassword: password != nil).members
        var positions: [String: Int] = [:]
        positions.reserveCapacity(members.count)
        for (index, member) in members.enumerated() { positions[member.name] = index }
        self.positions = positions
    }

    /// The member of a name, or nil where there is none.
    public func member(named name: String) -> ZipMember? { positions[name].map { members[$0] } }

    /// Reads a small member at once.
    ///
    /// - Parameters:
    ///   - member: A member of this archive.
    ///   - maxBytes: The most bytes that its body may have.
    /// - Returns: The body.
    /// - Throws: ``ZipError`` where the body is larger, or isn't what the directory says.
    public func read(_ member: ZipMember, maxBytes: Int) throws(ZipError) -> [UInt8] {
        guard member.uncompressedSize <= Int64(maxBytes) else {
            throw .damaged("too-large", member: member.name, "has more than \(maxBytes) bytes")
        }
        var body: [UInt8] = []
        body.reserveCapacity(Int(member.uncompressedSize))
        try forEachChunk(of: member) { chunk throws(ZipError) in body.append(contentsOf: chunk) }
        return body
    }

    /// Reads a member piece by piece.
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
        var crc = CRC32()
        var written: Int64 = 0
        let emit = { (chunk: UnsafeRawBufferPointer) throws(ZipError) in
            written += Int64(chunk.count)
            guard written <= member.uncompressedSize else {
                throw ZipError.damaged(
                    "size-lies",
                    member: member.name,
                    "inflates to more than the \(member.uncompressedSize) bytes it declares"
                )
            }
            crc.update(chunk)
            try body(chunk)
        }
        var decryption: DecryptedData?
        if member.encryption != nil, let password {
            decryption = try DecryptedData(member, file: file, password: password)
        }
        switch member.method {
        case .stored: try stored(member, decryption, emit)
        case .deflated: try deflated(member, decryption, emit)
        }
        try decryption?.finish()
        guard written == member.uncompressedSize else {
            throw .damaged(
                "size-lies",
                member: member.name,
                "has \(written) bytes instead of \(member.uncompressedSize)"
            )
        }
        guard crc.value == member.crc32 || member.encryption == .aes256 else {
            throw .damaged("checksum", member: member.name, "is damaged: its checksum is wrong")
        }
    }

    private func stored(
        _ member: ZipMember,
        _ decryption: DecryptedData?,
        _ emit: (UnsafeRawBufferPointer) throws(ZipError) -> Void
    ) throws(ZipError) {
        let size = Int(min(Int64(Self.bufferSize), max(1, member.dataSize)))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        var done: Int64 = 0
        while done < member.dataSize {
            let count = try fill(buffer, member, decryption, done)
            try emit(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            done += Int64(count)
        }
    }

    private func deflated(
        _ member: ZipMember,
        _ decryption: DecryptedData?,
        _ emit: (UnsafeRawBufferPointer) throws(ZipError) -> Void
    )
        throws(ZipError)
    {
        let input = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Int(min(Int64(Self.bufferSize), max(1, member.dataSize))),
            alignment: 16
        )
        // One byte more than declared, so that data which inflates to more is noticed.
        let output = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Int(min(Int64(Self.bufferSize), member.uncompressedSize + 1)),
            alignment: 16
        )
        defer {
            input.deallocate()
            output.deallocate()
        }
        var inflater = try Inflater()
        var done: Int64 = 0
        while !inflater.isFinished {
            if inflater.unused == 0, done < member.dataSize {
                let count = try fill(input, member, decryption, done)
                done += Int64(count)
                inflater.give(UnsafeMutableRawBufferPointer(rebasing: input[..<count]))
            }
            guard let count = inflater.fill(output),
                count > 0 || inflater.unused > 0 || done < member.dataSize || inflater.isFinished
            else { throw .damaged("deflate", member: member.name, "is damaged: its data is no deflate stream") }
            if count == 0, !inflater.isFinished, inflater.unused > 0 {
                throw .damaged("deflate", member: member.name, "is damaged: its data is no deflate stream")
            }
            if count > 0 { try emit(UnsafeRawBufferPointer(rebasing: output[..<count])) }
        }
        guard inflater.unused == 0, done == member.dataSize else {
            throw .damaged("deflate-trailing", member: member.name, "has data behind the end of its deflate stream")
        }
    }

    private func fill(
        _ buffer: UnsafeMutableRawBufferPointer,
        _ member: ZipMember,
        _ decryption: DecryptedData?,
        _ done: Int64
    ) throws(ZipError)
        -> Int
    {
        let wanted = Int(min(Int64(buffer.count), member.dataSize - done))
        if let decryption {
            return try decryption.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
        }
        let count = try file.read(
            into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]),
            at: member.dataOffset + done
        )
        guard count == wanted else {
            throw .damaged("truncated", member: member.name, "ends early: the file was cut off while it was read")
        }
        return count
    }
}
