internal import AFCFiles

/// The end record, which says where the directory is, combined with the zip64 end record if there is one.
struct EndRecord {
    let count: Int64
    let directoryOffset: Int64
    let directorySize: Int64

    private static let recordSize = 22
    private static let locatorSize = 20
    private static let longestComment = 65535

    /// Finds the only end record, and checks that it and its related records cover the end of the file without gaps.
    init(_ file: OpenFile, size: Int64) throws(ZipError) {
        guard size >= Int64(Self.recordSize) else { throw .refused(size == 0 ? .empty : .tooShort) }
        let tailSize = Int(min(size, Int64(Self.recordSize + Self.longestComment + Self.locatorSize)))
        let tailOffset = size - Int64(tailSize)
        let bytes = try onFile { () throws(FileError) in try file.bytes(tailSize, at: tailOffset) }
        let tail = bytes.span
        do throws(Refusal) {
            let position = try Self.position(in: tail)
            let offset = tailOffset + Int64(position)
            let end = try EndRecord(tail, at: position)
            guard !RecordMarks.occur(in: tail, (position + Self.recordSize)..<tail.count) else {
                throw .commentHidesArchive
            }
            guard position >= Self.locatorSize, tail.u32(position - Self.locatorSize) == 0x0706_4B50 else {
                guard end.directoryOffset != WideValues.mark, end.directorySize != WideValues.mark else {
                    throw .zip64RecordMissing
                }
                self = try end.checked(endingAt: offset)
                return
            }
            let recordOffset = try Self.zip64Offset(tail, at: position - Self.locatorSize)
            let recordEnd = offset - Int64(Self.locatorSize)
            guard recordOffset <= recordEnd - 56 else { throw .zip64OutsideFile }
            let record: [UInt8]
            do throws(FileError) {
                record = try file.bytes(56, at: recordOffset)
            } catch {
                throw .endsWithinRecord
            }
            let wide = try EndRecord(zip64: record.span, size: recordEnd - recordOffset)
            try end.agree(with: wide)
            self = try wide.checked(endingAt: recordOffset)
        } catch {
            throw .refused(error)
        }
    }

    private init(_ tail: borrowing Span<UInt8>, at position: Int) throws(Refusal) {
        guard tail.u16(position + 4) == 0, tail.u16(position + 6) == 0 else { throw .severalParts }
        count = Int64(tail.u16(position + 10))
        guard tail.u16(position + 8) == tail.u16(position + 10) else {
            throw .twoCounts(Int64(tail.u16(position + 8)), count)
        }
        directorySize = Int64(tail.u32(position + 12))
        directoryOffset = Int64(tail.u32(position + 16))
    }

    /// Reads a zip64 end record (APPNOTE 4.3.14).
    ///
    /// Extensions are refused: nobody writes them, and Python doesn't find the record then.
    private init(zip64 record: borrowing Span<UInt8>, size: Int64) throws(Refusal) {
        guard record.u32(0) == 0x0606_4B50 else { throw .zip64NoRecord }
        guard record.u64(4) == UInt64(size - 12) else { throw .zip64Size }
        guard size == 56 else { throw .zip64Extended }
        guard record.u32(16) == 0, record.u32(20) == 0 else { throw .severalParts }
        guard let countHere = Int64(exactly: record.u64(24)), let count = Int64(exactly: record.u64(32)),
            let directorySize = Int64(exactly: record.u64(40)), let directoryOffset = Int64(exactly: record.u64(48))
        else { throw .zip64Beyond }
        guard countHere == count else { throw .twoCounts(countHere, count) }
        self.count = count
        self.directorySize = directorySize
        self.directoryOffset = directoryOffset
    }

    private static func zip64Offset(_ tail: borrowing Span<UInt8>, at locator: Int) throws(Refusal) -> Int64 {
        guard tail.u32(locator + 4) == 0, tail.u32(locator + 16) == 1 else { throw .severalParts }
        guard let offset = Int64(exactly: tail.u64(locator + 8)) else { throw .zip64OutsideFile }
        return offset
    }

    /// Returns the position of the last end record; its comment must end with the file, and no other record may do the
    /// same.
    private static func position(in tail: borrowing Span<UInt8>) throws(Refusal) -> Int {
        var last: Int?
        var fitting: [Int] = []
        for index in stride(from: tail.count - 4, through: 0, by: -1) {
            guard tail[index] == 0x50, tail.u32(index) == 0x0605_4B50 else { continue }
            last = last ?? index
            guard index + recordSize <= tail.count else { continue }
            if index + recordSize + Int(tail.u16(index + 20)) == tail.count { fitting.append(index) }
        }
        guard let last else { throw .noEndRecord }
        guard let position = fitting.first else { throw .trailingData }
        guard position == last, fitting.count == 1 else { throw .ambiguousEnd }
        return position
    }

    /// Checks that the record agrees with the zip64 end record, except for values that it has no room for.
    private func agree(with wide: EndRecord) throws(Refusal) {
        guard count == 0xFFFF || count == wide.count else { throw .zip64Disagrees("number of members") }
        guard directorySize == WideValues.mark || directorySize == wide.directorySize else {
            throw .zip64Disagrees("directory's size")
        }
        guard directoryOffset == WideValues.mark || directoryOffset == wide.directoryOffset else {
            throw .zip64Disagrees("directory's offset")
        }
    }

    private func checked(endingAt end: Int64) throws(Refusal) -> EndRecord {
        let (sum, overflow) = directoryOffset.addingReportingOverflow(directorySize)
        guard !overflow, sum == end else { throw .directoryMisplaced }
        return self
    }
}
