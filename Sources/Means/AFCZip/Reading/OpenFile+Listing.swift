public import AFCFiles

extension OpenFile {
    /// Returns true if the file begins like a zip, or has an end record where archives have it.
    ///
    /// - Throws: `FileError` if reading fails.
    public func looksLikeArchive() throws(FileError) -> Bool {
        if try startsWith([0x50, 0x4B]) { return true }
        let size = try self.size()
        // The record's 22 bytes and the longest comment.
        let count = Int(min(size, 22 + 65_535))
        let tail = try bytes(count, at: size - Int64(count))
        return tail.indices.dropLast(21).contains { tail[$0] == 0x50 && tail[$0...].starts(with: [0x50, 0x4B, 5, 6]) }
    }

    /// Returns true if the archive's directory lists a member, even if other parts are damaged.
    ///
    /// Only the directory is read, piece by piece. ``ZipReader`` decides whether the archive can be trusted.
    ///
    /// - Parameter name: The member's name.
    /// - Returns: True if the member is listed.
    /// - Throws: `FileError` if the file can't be read.
    public func listsMember(named name: String) throws(FileError) -> Bool {
        guard let range = try directoryRange() else { return false }
        let name = Array(name.utf8)
        var position = range.lowerBound
        while position + 46 <= range.upperBound {
            // An entry may have up to three times 64 KiB after its 46 bytes; an entry that doesn't fit a piece is read
            // again.
            let bytes = try self.bytes(Int(min(range.upperBound - position, 1 << 20)), at: position)
            let (isListed, end) = Self.find(name, in: bytes)
            if isListed { return true }
            guard end > 0 else { return false }
            position += Int64(end)
        }
        return false
    }

    /// Searches the entries at the beginning of a piece of a directory.
    ///
    /// - Returns: Whether the name is among them, and the offset of the first incomplete entry.
    private static func find(_ name: [UInt8], in bytes: [UInt8]) -> (isListed: Bool, end: Int) {
        let directory = bytes.span
        var index = 0
        while index + 46 <= bytes.count, directory.u32(index) == 0x0201_4B50 {
            let nameEnd = index + 46 + Int(directory.u16(index + 28))
            let end = nameEnd + Int(directory.u16(index + 30)) + Int(directory.u16(index + 32))
            guard end <= bytes.count else { break }
            if bytes[index + 46..<nameEnd].elementsEqual(name) { return (true, end) }
            index = end
        }
        return (false, index)
    }

    /// Returns the range of the directory according to the last record that could end an archive, or nil if there is
    /// none.
    private func directoryRange() throws(FileError) -> Range<Int64>? {
        let size = try self.size()
        let count = Int(min(size, 22 + 0xFFFF + 20))
        guard count >= 22 else { return nil }
        let bytes = try self.bytes(count, at: size - Int64(count))
        let tail = bytes.span
        guard
            let end = (0...count - 22).last(where: {
                bytes[$0] == 0x50 && bytes[$0...].starts(with: [0x50, 0x4B, 5, 6])
            })
        else { return nil }
        var length = Int64(tail.u32(end + 12))
        var start = Int64(tail.u32(end + 16))
        if length == 0xFFFF_FFFF || start == 0xFFFF_FFFF {
            guard end >= 20, tail.u32(end - 20) == 0x0706_4B50, let offset = Int64(exactly: tail.u64(end - 12)),
                offset <= size - 56
            else { return nil }
            let record = try self.bytes(56, at: offset)
            guard let wideLength = Int64(exactly: record.span.u64(40)),
                let wideStart = Int64(exactly: record.span.u64(48))
            else { return nil }
            (length, start) = (wideLength, wideStart)
        }
        guard start <= size, length <= size - start else { return nil }
        return start..<start + length
    }
}
