/// Compares local headers with the directory in file order, and makes sure that no byte is left over.
struct LocalHeaders: ~Copyable {
    /// The reason why a local header is refused.
    enum Failure: Error {
        case refused(Refusal)
        case unreadable(ZipError)
    }

    /// The end of the last checked member.
    private(set) var end: Int64 = 0
    private var window: RecordWindow

    /// - Parameters:
    ///   - window: Reads the file.
    ///   - start: The offset of the first member.
    init(_ window: consuming RecordWindow, from start: Int64 = 0) {
        self.window = window
        end = start
    }

    /// Checks the member that begins at ``end``.
    ///
    /// - Parameters:
    ///   - entry: The member.
    ///   - directory: The bytes that the entry was read from.
    ///   - next: The offset of the next member or of the directory.
    /// - Returns: The size of the header's extra fields.
    /// - Throws: The reason why the header is refused.
    mutating func check(
        _ entry: DirectoryEntry,
        in directory: borrowing Span<UInt8>,
        before next: Int64
    ) throws(Failure) -> UInt16 {
        guard entry.offset >= end else { throw .refused(.overlap) }
        guard entry.offset == end else {
            throw .refused(end == 0 ? .leadingData(entry.offset) : .gap(entry.offset - end))
        }
        let fixedSize = 30 + entry.name.count
        guard entry.offset + Int64(fixedSize) <= next else { throw .refused(.overlap) }
        var position = try load(fixedSize, at: entry.offset)
        guard window.bytes.span.u32(position) == 0x0403_4B50 else { throw .refused(.noLocalHeader) }
        let extraSize = window.bytes.span.u16(position + 28)
        let size = fixedSize + Int(extraSize)
        let dataOffset = entry.offset + Int64(size)
        guard dataOffset <= next else { throw .refused(.overlap) }
        position = try load(size, at: entry.offset)
        let isWide: Bool
        do throws(Refusal) {
            let header = window.bytes.span.extracting(position..<(position + size))
            isWide = try Self.compare(header, with: entry, directory.extracting(entry.name))
        } catch {
            throw .refused(error)
        }
        let (dataEnd, overflow) = dataOffset.addingReportingOverflow(entry.compressedSize)
        guard !overflow, dataEnd <= next else { throw .refused(.overlap) }
        if entry.isDescribed { try checkDescriptor(of: entry, isWide: isWide, from: dataEnd, to: next) }
        end = entry.isDescribed ? next : dataEnd
        return extraSize
    }

    private mutating func load(_ count: Int, at offset: Int64) throws(Failure) -> Int {
        do throws(ZipError) {
            return try window.load(count, at: offset)
        } catch {
            throw .unreadable(error)
        }
    }

    /// Compares the header's fields with the entry, and returns whether the header has a zip64 field.
    private static func compare(
        _ header: borrowing Span<UInt8>,
        with entry: DirectoryEntry,
        _ name: borrowing Span<UInt8>
    ) throws(Refusal) -> Bool {
        try DirectoryEntry.checkVersion(header.u16(4), isEncrypted: entry.aes != nil)
        guard header.u16(6) == entry.flags else {
            throw .localDiffers((header.u16(6) ^ entry.flags) & 1 == 0 ? "flag" : "encryption flag")
        }
        guard header.u16(8) == entry.headerMethod else { throw .localDiffers("method") }
        guard header.u32(10) == entry.dosDateTime else { throw .localDiffers("time") }
        guard Int(header.u16(26)) == name.count, header.matches(name, at: 30) else { throw .localDiffers("name") }
        var values = WideValues(uncompressed: Int64(header.u32(22)), compressed: Int64(header.u32(18)))
        let extra = try ExtraFields(header, (30 + name.count)..<header.count)
        try extra.checkUnicodePath(header, name: name)
        guard (extra.aes == nil) == (entry.aes == nil) else { throw .localDiffers("encryption") }
        let aes = try AESField.read(header, extra.aes, flags: header.u16(6), headerMethod: header.u16(8))
        guard aes == entry.aes else { throw .localDiffers("encryption") }
        try extra.widen(&values, header)
        // With a data descriptor after the data, a value not known in advance is 0 here.
        func agrees(_ value: Int64, _ expected: Int64) -> Bool {
            value == expected || (entry.isDescribed && value == 0)
        }
        guard agrees(Int64(header.u32(14)), Int64(entry.crc32)) else { throw .localDiffers("checksum") }
        guard agrees(values.compressed, entry.compressedSize) else { throw .localDiffers("compressed size") }
        guard agrees(values.uncompressed, entry.uncompressedSize) else { throw .localDiffers("size") }
        return extra.zip64 != nil
    }

    /// Checks a data descriptor of 12 to 24 bytes: an optional signature, and sizes of four bytes, or eight with zip64
    /// (APPNOTE 4.3.9.2).
    private mutating func checkDescriptor(
        of entry: DirectoryEntry,
        isWide: Bool,
        from start: Int64,
        to next: Int64
    ) throws(Failure) {
        let size = next - start
        guard size == 12 || size == 16 || size == 20 || size == 24 else { throw .refused(.descriptorMissing) }
        guard isWide == (size >= 20) else { throw .refused(.descriptorWidth) }
        let isMarked = size == 16 || size == 24
        guard isMarked || entry.method != .stored else { throw .refused(.descriptorUnmarked) }
        let position = try load(Int(size), at: start)
        let bytes = window.bytes.span.extracting(position..<(position + Int(size)))
        if isMarked, bytes.u32(0) != 0x0807_4B50 { throw .refused(.descriptorMalformed) }
        let values = isMarked ? 4 : 0
        let compressed = isWide ? bytes.u64(values + 4) : UInt64(bytes.u32(values + 4))
        let uncompressed = isWide ? bytes.u64(values + 12) : UInt64(bytes.u32(values + 8))
        guard bytes.u32(values) == entry.crc32 else { throw .refused(.descriptorDiffers("checksum")) }
        guard compressed == UInt64(entry.compressedSize) else { throw .refused(.descriptorDiffers("compressed size")) }
        guard uncompressed == UInt64(entry.uncompressedSize) else { throw .refused(.descriptorDiffers("size")) }
    }
}
