public import AFCFiles
internal import AFCText

/// A replacement for the body of one member, which keeps all other bytes of the archive.
///
/// Local headers, data and data descriptors of the other members are copied unchanged; in the directory, only their
/// offsets change. The member keeps its position, name, time, mode and method, but loses its extra fields.
public struct MemberReplacement {
    private let archive: OpenFile
    private let directory: [UInt8]
    private let directoryOffset: Int64
    private let count: Int64
    private let comment: [UInt8]
    /// The range of the member's directory entry.
    private let entry: Range<Int>
    private let member: ZipMember
    /// The range from the member's local header to the next record.
    private let record: Range<Int64>

    /// Finds the member in the archive.
    ///
    /// - Parameters:
    ///   - member: A member of the archive.
    ///   - archive: An archive opened by ``ZipReader``, which checked its records.
    /// - Throws: ``ZipError`` if the archive can't be read, or if the member is missing or encrypted.
    public init(_ member: ZipMember, in archive: ZipReader) throws(ZipError) {
        guard member.encryption == nil else {
            let message = "the data of member \(PrintableText.quoted(member.name)) is encrypted and can't be replaced"
            throw ZipError(.locked, rule: "zip.encrypted", message: message)
        }
        let file = archive.file
        let size = try onFile { () throws(FileError) in try file.size() }
        let end = try EndRecord(file, size: size)
        let directory = try onFile { () throws(FileError) in
            try file.bytes(Int(end.directorySize), at: end.directoryOffset)
        }
        var entry: Range<Int>?
        var next = end.directoryOffset
        let name = Array(member.name.utf8)
        let entries = Self.entries(of: directory)
        for position in entries where Int(directory.span.u16(position.lowerBound + 28)) == name.count {
            if directory.span.matches(name.span, at: position.lowerBound + 46) { entry = position }
        }
        guard let entry, let start = Place(of: entry, in: directory)?.offset else { throw Self.changed(file) }
        for position in entries {
            guard let offset = Place(of: position, in: directory)?.offset, offset > start else { continue }
            next = min(next, offset)
        }
        (self.archive, self.entry, self.member, record) = (file, entry, member, start..<next)
        (self.directory, directoryOffset, count) = (directory, end.directoryOffset, end.count)
        // After the directory come zip64 records, if any, and the end record with the comment.
        var position = end.directoryOffset + end.directorySize
        if try onFile({ () throws(FileError) in try file.bytes(4, at: position) }) == [0x50, 0x4B, 6, 6] {
            position += 56 + 20
        }
        comment = try onFile { () throws(FileError) in try file.bytes(Int(size - position) - 22, at: position + 22) }
    }

    /// Writes the archive with other bytes as the member's body.
    ///
    /// - Parameters:
    ///   - body: The new body of the member.
    ///   - output: The file to write the archive to.
    ///   - level: zlib's level, 1 to 9.
    /// - Throws: ``ZipError`` if reading or writing fails, or if the archive would need longer records than it has.
    public func write(_ body: [UInt8], to output: FileReplacement, level: Int32 = 6) throws(ZipError) {
        var deflater = try Deflater(level: level)
        let whole = try WholeDeflater(level: level)
        let new = NewMember(name: member.name, content: .bytes(body), isCompressible: member.method == .deflated)
        let folder = Durable.folder(of: output.path)
        let prepared = try PreparedBody(new, deflater: &deflater, whole: whole, spoolFolder: folder)
        let described = MemberRecord(
            name: member.name,
            method: prepared.method,
            totals: prepared.totals,
            dosDateTime: member.dosDateTime,
            offset: record.lowerBound
        )
        try onFile { () throws(FileError) in try output.append(0..<record.lowerBound, of: archive) }
        var header: [UInt8] = []
        described.appendLocalHeader(to: &header)
        try onFile { () throws(FileError) in try output.append(header) }
        try onFile { () throws(FileError) in try output.append(prepared) }
        let shift = output.position - record.upperBound
        try onFile { () throws(FileError) in try output.append(record.upperBound..<directoryOffset, of: archive) }
        let end = try end(with: described, shift: shift, at: output.position)
        try onFile { () throws(FileError) in try output.append(end) }
    }

    /// Returns the directory and the records after it.
    private func end(with described: MemberRecord, shift: Int64, at offset: Int64) throws(ZipError) -> [UInt8] {
        var moved = directory
        for position in Self.entries(of: directory) {
            guard let place = Place(of: position, in: directory) else { throw Self.changed(archive) }
            if place.offset > record.lowerBound { try place.write(place.offset + shift, to: &moved) }
        }
        var replaced: [UInt8] = []
        described.appendDirectoryEntry(to: &replaced)
        // The creator's system and the mode belong together, so both are kept.
        for field in [4..<6, 38..<42] {
            let old = directory[(entry.lowerBound + field.lowerBound)..<(entry.lowerBound + field.upperBound)]
            replaced.replaceSubrange(field, with: old)
        }
        moved.replaceSubrange(entry, with: replaced)
        let size = Int64(moved.count)
        MemberRecord.appendEnd(count: count, directoryOffset: offset, directorySize: size, to: &moved)
        moved.replaceSubrange((moved.count - 2)..., with: [UInt8(comment.count & 0xFF), UInt8(comment.count >> 8)])
        return moved + comment
    }

    private static func entries(of directory: [UInt8]) -> some Sequence<Range<Int>> {
        sequence(state: 0) { start in
            guard start + 46 <= directory.count else { return nil }
            let lengths = [28, 30, 32].map { Int(directory.span.u16(start + $0)) }
            let entry = start..<min(start + 46 + lengths.reduce(0, +), directory.count)
            start = entry.upperBound
            return entry
        }
    }

    private static func changed(_ file: OpenFile) -> ZipError {
        ZipError(inputOutput: "\(PrintableText.quoted(file.path)) changed while it was read")
    }
}

extension MemberReplacement {
    /// The field of a directory entry that holds the offset of the local header.
    private struct Place {
        /// The offset.
        let offset: Int64
        /// The position of the four-byte field, or nil if the zip64 field holds the offset.
        private let narrow: Int?
        /// The position of the eight-byte field, which may repeat the other one.
        private let wide: Int?

        init?(of entry: Range<Int>, in bytes: [UInt8]) {
            let directory = bytes.span
            let start = entry.lowerBound
            let extraStart = start + 46 + Int(directory.u16(start + 28))
            let extraEnd = extraStart + Int(directory.u16(start + 30))
            guard extraEnd <= entry.upperBound else { return nil }
            var field: Range<Int>?
            var position = extraStart
            while position + 4 <= extraEnd {
                let end = position + 4 + Int(directory.u16(position + 2))
                if directory.u16(position) == 1, end <= extraEnd { field = (position + 4)..<end }
                position = end
            }
            let marks = [20, 24, 42].map { Int64(bytes.span.u32(start + $0)) == WideValues.mark }
            guard marks[2] else {
                offset = Int64(directory.u32(start + 42))
                narrow = start + 42
                // Both sizes and the offset are present, although the header doesn't ask for the offset.
                wide = field.flatMap { $0.count >= 24 ? $0.lowerBound + 16 : nil }
                return
            }
            let before = 8 * marks[..<2].count { $0 }
            guard let field, field.count >= before + 8,
                let value = Int64(exactly: directory.u64(field.lowerBound + before))
            else { return nil }
            (offset, narrow, wide) = (value, nil, field.lowerBound + before)
        }

        func write(_ offset: Int64, to directory: inout [UInt8]) throws(ZipError) {
            if let narrow {
                guard offset < WideValues.mark else {
                    throw ZipError(
                        inputOutput: "the archive would exceed 4 GiB, more than its records can describe; rebuild it"
                    )
                }
                for byte in 0..<4 { directory[narrow + byte] = UInt8(truncatingIfNeeded: offset >> (8 * byte)) }
            }
            if let wide {
                for byte in 0..<8 { directory[wide + byte] = UInt8(truncatingIfNeeded: offset >> (8 * byte)) }
            }
        }
    }
}
