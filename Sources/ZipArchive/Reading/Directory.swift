/// The strict check of an archive's records: every byte belongs to exactly one, and local headers say what the directory says.
///
/// It is our own because libzip's consistency check sees neither overlaps nor gaps nor unsafe names, and opens an archive
/// that hides in another's comment. See docs/decisions/0003-zip-reading.md.
struct Directory {
    private(set) var members: [ZipMember] = []
    private(set) var names: NameRules
    private var entries: [Entry] = []
    private var total: Int64 = 0
    private let limits: ReadLimits

    /// What of an entry is still to be compared with its local header.
    private struct Entry {
        var index: Int
        var offset: Int64
        var flags: UInt16
        var name: Range<Int>
    }

    init(_ file: OpenFile, limits: ReadLimits) throws(ZipError) {
        self.limits = limits
        let size = try file.size()
        let end = try EndRecord(file, size: size)
        guard end.count <= Int64(limits.members) else {
            throw .refused(.tooManyMembers(end.count, limit: limits.members))
        }
        guard end.directorySize <= limits.directoryBytes else {
            throw .refused(.directoryTooLarge(limit: limits.directoryBytes))
        }
        guard end.directorySize / 46 >= end.count else { throw .refused(.wrongCount(end.count)) }
        names = NameRules(capacity: Int(end.count))
        members.reserveCapacity(Int(end.count))
        entries.reserveCapacity(Int(end.count))
        let bytes = try file.bytes(Int(end.directorySize), at: end.directoryOffset)
        var position = 0
        for _ in 0..<end.count { position = try readEntry(bytes.span, at: position) }
        guard position == bytes.count else { throw .refused(.tooManyEntries(end.count)) }
        try checkTiling(bytes, file: file, fileSize: size, directoryOffset: end.directoryOffset)
        entries = []
    }

    // MARK: Entries

    /// Reads an entry, and returns where the next one begins.
    private mutating func readEntry(_ bytes: borrowing Span<UInt8>, at start: Int) throws(ZipError) -> Int {
        guard start + 46 <= bytes.count, bytes.u32(start) == 0x0201_4B50 else { throw .refused(.noEntry) }
        let name = (start + 46)..<(start + 46 + Int(bytes.u16(start + 28)))
        let extra = name.upperBound..<(name.upperBound + Int(bytes.u16(start + 30)))
        let next = extra.upperBound + Int(bytes.u16(start + 32))
        guard next <= bytes.count else { throw .refused(.entryTooLong) }
        let text = try names.accept(
            bytes.extracting(name),
            index: members.count,
            among: members.lazy.map(\.name)
        )
        do throws(Refusal) {
            try keepEntry(bytes, at: start, name: name, extra: extra, text)
            guard !RecordMarks.occur(in: bytes, extra.upperBound..<next) else { throw .memberCommentHidesArchive }
        } catch {
            throw .refused(error, text)
        }
        guard total <= limits.totalBytes else { throw .refused(.bodiesTooLarge(limit: limits.totalBytes)) }
        return next
    }

    private mutating func keepEntry(
        _ bytes: borrowing Span<UInt8>,
        at start: Int,
        name: Range<Int>,
        extra: Range<Int>,
        _ text: String
    ) throws(Refusal) {
        let flags = bytes.u16(start + 8)
        guard flags & 0x2041 == 0 else { throw .encrypted }
        // Bits 1 and 2 tell how hard deflate tried, 3 that a data descriptor follows, 11 that the name is UTF-8.
        guard flags & ~0x080E == 0 else { throw .unknownFlags(flags) }
        // Readers differ in what they do with a later version; zip64 needs 4.5.
        guard bytes.u16(start + 6) <= 45 else { throw .version(bytes.u16(start + 6)) }
        guard let method = ZipMember.Method(rawValue: bytes.u16(start + 10)) else {
            throw .method(bytes.u16(start + 10))
        }
        let isFolder = text.utf8.last == UInt8(ascii: "/")
        try Self.checkType(attributes: bytes.u32(start + 38), isFolder: isFolder)
        var values = WideValues(
            uncompressed: Int64(bytes.u32(start + 24)),
            compressed: Int64(bytes.u32(start + 20)),
            offset: Int64(bytes.u32(start + 42))
        )
        if !extra.isEmpty {
            let fields = try ExtraFields(bytes, extra)
            try fields.checkUnicodePath(bytes, name: bytes.extracting(name))
            try fields.widen(&values, bytes)
        } else if values.uncompressed == WideValues.mark || values.compressed == WideValues.mark
            || values.offset == WideValues.mark
        {
            throw .zip64Missing
        }
        guard bytes.u16(start + 34) == 0 else { throw .otherDisk }
        let member = ZipMember(
            name: text,
            method: method,
            crc32: bytes.u32(start + 16),
            compressedSize: values.compressed,
            uncompressedSize: values.uncompressed,
            dataOffset: 0,
            isDirectory: isFolder,
            dosDateTime: bytes.u32(start + 12),
            isDescribed: flags & 8 != 0
        )
        try checkSizes(member)
        entries.append(Entry(index: members.count, offset: values.offset ?? 0, flags: flags, name: name))
        members.append(member)
    }

    /// By the mode that Unix systems write above, where others leave 0, and by the attributes of DOS below.
    private static func checkType(attributes: UInt32, isFolder: Bool) throws(Refusal) {
        guard attributes & 0x400 == 0 else { throw .reparsePoint }
        guard attributes & 0x48 == 0 else { throw .dosDevice }
        guard isFolder || attributes & 0x10 == 0 else { throw .typeDisagrees }
        switch attributes >> 16 & 0xF000 {
        case 0: return
        case 0x8000 where !isFolder, 0x4000 where isFolder: return
        case 0xA000: throw .link
        case 0x8000, 0x4000: throw .typeDisagrees
        default: throw .device
        }
    }

    private mutating func checkSizes(_ member: ZipMember) throws(Refusal) {
        if member.isDirectory, member.uncompressedSize != 0 { throw .folderWithData }
        if member.method == .stored, member.compressedSize != member.uncompressedSize { throw .storedSizes }
        guard member.uncompressedSize <= limits.memberBytes else {
            throw .memberTooLarge(member.uncompressedSize, limit: limits.memberBytes)
        }
        if member.uncompressedSize > 1 << 20, member.uncompressedSize / limits.ratio > member.compressedSize {
            throw .ratio(limits.ratio)
        }
        // Neither addend is larger than a limit that the caller chose, but that may be any number.
        let (sum, overflow) = total.addingReportingOverflow(member.uncompressedSize)
        total = overflow ? .max : sum
    }

    // MARK: Local headers

    private mutating func checkTiling(
        _ directory: [UInt8],
        file: OpenFile,
        fileSize: Int64,
        directoryOffset: Int64
    ) throws(ZipError) {
        let isSorted = zip(entries, entries.dropFirst()).allSatisfy { $0.offset <= $1.offset }
        if !isSorted { entries.sort { $0.offset < $1.offset } }
        var window = RecordWindow(file, fileSize: fileSize, stride: directoryOffset / Int64(max(1, entries.count)))
        var expected: Int64 = 0
        for (position, entry) in entries.enumerated() {
            let name = members[entry.index].name
            guard entry.offset >= expected else { throw .refused(.overlap, name) }
            guard entry.offset == expected else {
                let count = entry.offset - expected
                throw .refused(expected == 0 ? .leadingData(count) : .gap(count), name)
            }
            let next = position + 1 < entries.count ? entries[position + 1].offset : directoryOffset
            expected = try checkLocal(entry, directory, &window, next: next)
        }
        guard expected <= directoryOffset else { throw .refused(.overlap, entries.last.map { members[$0.index].name }) }
        guard expected == directoryOffset else {
            throw .refused(.gapBeforeDirectory(directoryOffset - expected))
        }
    }

    /// Compares a local header with its entry, and returns where the member ends.
    private mutating func checkLocal(
        _ entry: Entry,
        _ directory: [UInt8],
        _ window: inout RecordWindow,
        next: Int64
    ) throws(ZipError) -> Int64 {
        let name = members[entry.index].name
        let headerEnd = entry.offset + 30 + Int64(entry.name.count)
        guard headerEnd <= next else { throw .refused(.overlap, name) }
        var position = try window.load(30 + entry.name.count, at: entry.offset)
        let extraSize = Int(window.bytes.span.u16(position + 28))
        guard window.bytes.span.u32(position) == 0x0403_4B50 else { throw .refused(.noLocalHeader, name) }
        let dataOffset = headerEnd + Int64(extraSize)
        guard dataOffset <= next else { throw .refused(.overlap, name) }
        position = try window.load(30 + entry.name.count + extraSize, at: entry.offset)
        do throws(Refusal) {
            let header = window.bytes.span.extracting(position..<(position + 30 + entry.name.count + extraSize))
            try compare(header, with: entry, directory.span.extracting(entry.name))
        } catch {
            throw .refused(error, name)
        }
        members[entry.index].dataOffset = dataOffset
        let (dataEnd, overflow) = dataOffset.addingReportingOverflow(members[entry.index].compressedSize)
        guard !overflow, dataEnd <= next else { throw .refused(.overlap, name) }
        guard entry.flags & 8 != 0 else { return dataEnd }
        let size = Int(clamping: next - dataEnd)
        guard [12, 16, 20, 24].contains(size) else { throw .refused(.descriptorMissing, name) }
        position = try window.load(size, at: dataEnd)
        do throws(Refusal) {
            let descriptor = window.bytes.span.extracting(position..<(position + size))
            try Self.checkDescriptor(descriptor, of: members[entry.index])
        } catch {
            throw .refused(error, name)
        }
        return next
    }

    private func compare(
        _ header: borrowing Span<UInt8>,
        with entry: Entry,
        _ name: borrowing Span<UInt8>
    ) throws(Refusal) {
        let member = members[entry.index]
        let isDescribed = entry.flags & 8 != 0
        guard header.u16(4) <= 45 else { throw .version(header.u16(4)) }
        guard header.u16(6) == entry.flags else {
            throw .localDiffers((header.u16(6) ^ entry.flags) & 1 == 0 ? "flag" : "encryption flag")
        }
        guard header.u16(8) == member.method.rawValue else { throw .localDiffers("method") }
        guard header.u32(10) == member.dosDateTime else { throw .localDiffers("time") }
        guard Int(header.u16(26)) == name.count, header.matches(name, at: 30) else { throw .localDiffers("name") }
        var values = WideValues(uncompressed: Int64(header.u32(22)), compressed: Int64(header.u32(18)))
        let extra = try ExtraFields(header, (30 + name.count)..<header.count)
        try extra.checkUnicodePath(header, name: name)
        try extra.widen(&values, header)
        // With a data descriptor behind the data, what wasn't known before is 0 here.
        let crc = header.u32(14)
        guard crc == member.crc32 || (isDescribed && crc == 0) else { throw .localDiffers("checksum") }
        guard values.compressed == member.compressedSize || (isDescribed && values.compressed == 0) else {
            throw .localDiffers("compressed size")
        }
        guard values.uncompressed == member.uncompressedSize || (isDescribed && values.uncompressed == 0) else {
            throw .localDiffers("size")
        }
    }

    /// A data descriptor has 12 to 24 bytes: a signature or none, sizes of four bytes or of eight.
    private static func checkDescriptor(_ bytes: borrowing Span<UInt8>, of member: ZipMember) throws(Refusal) {
        let hasSignature = bytes.count == 16 || bytes.count == 24
        if hasSignature, bytes.u32(0) != 0x0807_4B50 { throw .descriptorMalformed }
        let start = hasSignature ? 4 : 0
        let isWide = bytes.count >= 20
        let compressed = isWide ? bytes.u64(start + 4) : UInt64(bytes.u32(start + 4))
        let uncompressed = isWide ? bytes.u64(start + 12) : UInt64(bytes.u32(start + 8))
        guard bytes.u32(start) == member.crc32 else { throw .descriptorDiffers("checksum") }
        guard compressed == UInt64(member.compressedSize) else { throw .descriptorDiffers("compressed size") }
        guard uncompressed == UInt64(member.uncompressedSize) else { throw .descriptorDiffers("size") }
    }
}
