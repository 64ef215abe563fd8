/// Where the directory lies, by the end record, and the zip64 one where there is one.
struct EndRecord {
    var count: Int64
    var directoryOffset: Int64
    var directorySize: Int64

    private static let signature: [UInt8] = [0x50, 0x4B, 0x05, 0x06]

    /// Finds the one end record, and checks that it and its companions tile the end of the file.
    init(_ file: OpenFile, size: Int64) throws(ZipError) {
        guard size >= 22 else {
            throw .refused("not-a-zip", "the file is too short to be a zip; it is truncated or no package")
        }
        let tailSize = Int(min(size, 22 + 65535 + 20))
        let tail = try file.bytes(tailSize, at: size - Int64(tailSize))
        let position = try Self.position(in: tail, isWholeFile: Int64(tailSize) == size)
        let offset = size - Int64(tailSize) + Int64(position)
        guard tail.u16(position + 4) == 0, tail.u16(position + 6) == 0 else {
            throw .refused("several-disks", "the archive is one of several parts")
        }
        let here = (count: tail.u16(position + 8), total: tail.u16(position + 10))
        let (directorySize, directoryOffset) = (tail.u32(position + 12), tail.u32(position + 16))
        guard here.count == here.total else {
            throw .refused("wrong-count", "the end record gives two counts of members")
        }
        let hasLocator = offset >= 20 && position >= 20 && tail.u32(position - 20) == 0x0706_4B50
        guard hasLocator else {
            self.init(count: Int64(here.total), offset: Int64(directoryOffset), size: Int64(directorySize))
            try checkEnd(at: offset)
            return
        }
        let recordOffset = Int64(clamping: tail.u64(position - 20 + 8))
        guard tail.u32(position - 16) == 0, tail.u32(position - 4) == 1 else {
            throw .refused("several-disks", "the archive is one of several parts")
        }
        guard recordOffset >= 0, recordOffset <= offset - 20 - 56 else {
            throw .refused("bad-zip64", "the zip64 end record lies outside the file")
        }
        let record = try file.bytes(56, at: recordOffset)
        guard record.u32(0) == 0x0606_4B50, Int64(clamping: record.u64(4)) == offset - 20 - recordOffset - 12,
            record.u32(16) == 0, record.u32(20) == 0, record.u64(24) == record.u64(32)
        else {
            throw .refused("bad-zip64", "the zip64 end record is malformed or doesn't end where its locator begins")
        }
        let wide = (count: record.u64(32), size: record.u64(40), offset: record.u64(48))
        guard here.total == 0xFFFF || UInt64(here.total) == wide.count,
            directorySize == 0xFFFF_FFFF || UInt64(directorySize) == wide.size,
            directoryOffset == 0xFFFF_FFFF || UInt64(directoryOffset) == wide.offset
        else { throw .refused("bad-zip64", "the end record and the zip64 one disagree") }
        self.init(
            count: Int64(clamping: wide.count),
            offset: Int64(clamping: wide.offset),
            size: Int64(clamping: wide.size)
        )
        try checkEnd(at: recordOffset)
    }

    private init(count: Int64, offset: Int64, size: Int64) {
        self.count = count
        directoryOffset = offset
        directorySize = size
    }

    /// The last signature must be a record whose comment ends with the file, and no other may claim the same.
    private static func position(in tail: [UInt8], isWholeFile: Bool) throws(ZipError) -> Int {
        var found: [Int] = []
        var index = tail.count - 22
        var last: Int?
        var probe = tail.count - 4
        while probe >= 0 {
            if tail[probe] == 0x50, tail[probe + 1] == 0x4B, tail[probe + 2] == 0x05, tail[probe + 3] == 0x06 {
                last = last ?? probe
            }
            probe -= 1
        }
        guard let last else {
            throw .refused("not-a-zip", "there is no end record; the file is truncated or not a zip")
        }
        while index >= 0 {
            if tail[index] == 0x50, tail.u32(index) == 0x0605_4B50, index + 22 + Int(tail.u16(index + 20)) == tail.count
            {
                found.append(index)
            }
            index -= 1
        }
        guard let position = found.first else {
            throw .refused(
                "trailing-data",
                "the last end record doesn't end with the file; something was appended or cut off"
            )
        }
        guard position == last, found.count == 1 else {
            throw .refused("ambiguous-end", "there is more than one end record; the comment may hide a second archive")
        }
        return position
    }

    private func checkEnd(at end: Int64) throws(ZipError) {
        let (sum, overflow) = directoryOffset.addingReportingOverflow(directorySize)
        guard directoryOffset >= 0, directorySize >= 0, !overflow, sum == end else {
            throw .refused("directory-misplaced", "the directory doesn't end where the end record begins")
        }
    }
}
