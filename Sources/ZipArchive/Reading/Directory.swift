/// The strict check of an archive's records: every byte belongs to exactly one, and local headers say what the directory says.
///
/// It is our own because libzip's consistency check sees neither overlaps nor gaps nor unsafe names, and opens an archive
/// that hides in another's comment. See docs/decisions/0003-zip-reading.md.
struct Directory {
    private(set) var members: [ZipMember] = []
    private var names: NameRules
    private let limits: ReadLimits
    private var total: Int64 = 0

    /// One entry of the directory that is still to be compared with its local header.
    private struct Entry {
        var index: Int
        var offset: Int64
        var flags: UInt16
        var method: UInt16
        var aes: [UInt8]?
        var nameBytes: [UInt8]
    }

    private let hasPassword: Bool

    init(_ file: OpenFile, limits: ReadLimits, hasPassword: Bool = false) throws(ZipError) {
        self.limits = limits
        self.hasPassword = hasPassword
        let size = try file.size()
        let end = try EndRecord(file, size: size)
        guard end.count <= Int64(limits.members) else {
            throw .refused("too-many-members", "the archive has \(end.count) members, more than \(limits.members)")
        }
        guard end.directorySize <= limits.directoryBytes, end.directorySize >= end.count * 46 else {
            throw .refused("wrong-count", "the directory's size doesn't fit its \(end.count) members")
        }
        names = NameRules(capacity: Int(end.count))
        members.reserveCapacity(Int(end.count))
        let bytes = try file.bytes(Int(end.directorySize), at: end.directoryOffset)
        var entries: [Entry] = []
        entries.reserveCapacity(Int(end.count))
        var position = 0
        for _ in 0..<end.count { entries.append(try readEntry(bytes, &position)) }
        guard position == bytes.count else {
            throw .refused(
                "wrong-count",
                "the directory has more than the \(end.count) members that the end record counts"
            )
        }
        try checkTiling(entries, file: file, directoryOffset: end.directoryOffset)
        try checkEncryption()
    }

    private mutating func readEntry(_ bytes: [UInt8], _ position: inout Int) throws(ZipError) -> Entry {
        let start = position
        guard start + 46 <= bytes.count, bytes.u32(start) == 0x0201_4B50 else {
            throw .refused("bad-directory", "the directory has no entry where one should begin")
        }
        let lengths = (
            name: Int(bytes.u16(start + 28)), extra: Int(bytes.u16(start + 30)), comment: Int(bytes.u16(start + 32))
        )
        position = start + 46 + lengths.name + lengths.extra + lengths.comment
        guard position <= bytes.count else {
            throw .refused("bad-directory", "an entry of the directory reaches beyond its end")
        }
        let nameBytes = Array(bytes[(start + 46)..<(start + 46 + lengths.name)])
        let name = try names.accept(nameBytes)
        let shown = "member \(ZipError.quoted(name))"
        let flags = bytes.u16(start + 8)
        let extraStart = start + 46 + lengths.name
        let extra = try ExtraFields(bytes, extraStart..<(extraStart + lengths.extra), shown)
        let headerMethod = bytes.u16(start + 10)
        let aes = try AESField.read(extra.aes, flags: flags, headerMethod: headerMethod, shown)
        if aes != nil, !hasPassword {
            throw ZipError(
                .locked,
                rule: "zip.password-missing",
                message: "the archive is encrypted; give its password with '--password-file', or in AFCACHE_PASSWORD"
            )
        }
        try Self.checkFlags(flags, shown)
        guard let method = ZipMember.Method(rawValue: aes?.method ?? headerMethod) else {
            throw .refused(
                "method",
                "\(shown) is compressed by method \(aes?.method ?? headerMethod); only stored and deflate are read"
            )
        }
        try Self.checkType(attributes: bytes.u32(start + 38), isDirectory: name.hasSuffix("/"), shown)
        var member = ZipMember(
            name: name,
            method: method,
            crc32: bytes.u32(start + 16),
            compressedSize: Int64(bytes.u32(start + 20)),
            uncompressedSize: Int64(bytes.u32(start + 24)),
            dataOffset: 0,
            isDirectory: name.hasSuffix("/"),
            dosDateTime: UInt32(bytes.u16(start + 14)) << 16 | UInt32(bytes.u16(start + 12)),
            encryption: aes.map { $0.version == 1 ? .aes256WithChecksum : .aes256 }
        )
        var offset = Int64(bytes.u32(start + 42))
        try extra.checkUnicodePath(nameBytes, shown)
        try extra.widen(&member.uncompressedSize, &member.compressedSize, &offset, shown)
        guard bytes.u16(start + 34) == 0 else { throw .refused("several-disks", "\(shown) lies on another disk") }
        try checkSizes(member, shown)
        members.append(member)
        return Entry(
            index: members.count - 1,
            offset: offset,
            flags: flags,
            method: headerMethod,
            aes: extra.aes,
            nameBytes: nameBytes
        )
    }

    private static func checkFlags(_ flags: UInt16, _ shown: String) throws(ZipError) {
        // Bit 0 tells of encryption, 1 and 2 how hard deflate tried, 3 that a data descriptor follows, 11 that the name is
        // UTF-8.
        guard flags & ~0x080F == 0 else {
            throw .refused("flags", "\(shown) has flags that this reader doesn't know: 0x\(String(flags, radix: 16))")
        }
    }

    private static func checkType(attributes: UInt32, isDirectory: Bool, _ shown: String) throws(ZipError) {
        switch attributes >> 16 & 0xF000 {
        case 0: return
        case 0x8000 where !isDirectory, 0x4000 where isDirectory: return
        case 0xA000: throw .refused("link", "\(shown) is a symbolic link")
        case 0x8000, 0x4000:
            throw .refused("type", "\(shown) has a name and a mode that disagree whether it is a folder")
        default: throw .refused("device", "\(shown) is a device, pipe or socket")
        }
    }

    private mutating func checkSizes(_ member: ZipMember, _ shown: String) throws(ZipError) {
        guard member.compressedSize >= 0, member.uncompressedSize >= 0 else {
            throw .refused("bad-zip64", "\(shown) has a size beyond what can be counted")
        }
        if member.isDirectory, member.uncompressedSize != 0 {
            throw .refused("folder-with-data", "\(shown) is a folder with data")
        }
        guard member.dataSize >= 0 else {
            throw .refused("stored-size", "\(shown) is encrypted, but too short to be")
        }
        if member.method == .stored, member.dataSize != member.uncompressedSize {
            throw .refused("stored-size", "\(shown) is stored, but its two sizes differ")
        }
        guard member.uncompressedSize <= limits.memberBytes else {
            throw .refused(
                "too-large",
                "\(shown) has \(member.uncompressedSize) bytes, more than \(limits.memberBytes)"
            )
        }
        if member.uncompressedSize > 1 << 20, member.uncompressedSize / limits.ratio > member.compressedSize {
            throw .refused(
                "ratio",
                "\(shown) claims to inflate to more than \(limits.ratio) times its size; this is a bomb"
            )
        }
        total += member.uncompressedSize
        guard total <= limits.totalBytes else {
            throw .refused("too-large", "the bodies have more than \(limits.totalBytes) bytes together")
        }
    }

    // MARK: Local headers

    private mutating func checkTiling(_ entries: [Entry], file: OpenFile, directoryOffset: Int64) throws(ZipError) {
        let sorted = entries.sorted { $0.offset < $1.offset }
        var expected: Int64 = 0
        for (position, entry) in sorted.enumerated() {
            let shown = "member \(ZipError.quoted(members[entry.index].name))"
            guard entry.offset >= expected else { throw .refused("overlap", "\(shown) overlaps another member") }
            guard entry.offset == expected else {
                let rule = expected == 0 ? "leading-data" : "gap"
                throw .refused(
                    rule,
                    "there are \(entry.offset - expected) bytes before \(shown) that belong to nothing"
                )
            }
            let next = position + 1 < sorted.count ? sorted[position + 1].offset : directoryOffset
            expected = try checkLocal(entry, file: file, next: next, shown)
        }
        guard expected == directoryOffset else {
            if expected > directoryOffset { throw .refused("overlap", "the last member reaches into the directory") }
            throw .refused(
                "gap",
                "there are \(directoryOffset - expected) bytes before the directory that belong to nothing"
            )
        }
    }

    /// Compares a local header with its entry, and returns where the member ends.
    private mutating func checkLocal(
        _ entry: Entry,
        file: OpenFile,
        next: Int64,
        _ shown: String
    ) throws(ZipError) -> Int64 {
        let member = members[entry.index]
        guard entry.offset + 30 + Int64(entry.nameBytes.count) <= next else {
            throw .refused("overlap", "\(shown) overlaps another member or the directory")
        }
        let header = try file.bytes(30 + entry.nameBytes.count, at: entry.offset)
        guard header.u32(0) == 0x0403_4B50 else { throw .refused("no-local-header", "\(shown) has no local header") }
        let isDescribed = entry.flags & 8 != 0
        func differ(_ what: String) -> ZipError {
            .refused("local-header-differs", "\(shown) has another \(what) in its local header than in the directory")
        }
        guard header.u16(6) == entry.flags else { throw differ("flag") }
        guard header.u16(8) == entry.method else { throw differ("method") }
        guard UInt32(header.u16(12)) << 16 | UInt32(header.u16(10)) == member.dosDateTime else { throw differ("time") }
        guard Int(header.u16(26)) == entry.nameBytes.count, Array(header[30...]) == entry.nameBytes else {
            throw differ("name")
        }
        let extraSize = Int(header.u16(28))
        let dataOffset = entry.offset + 30 + Int64(entry.nameBytes.count + extraSize)
        let extraBytes = try file.bytes(extraSize, at: dataOffset - Int64(extraSize))
        let extra = try ExtraFields(extraBytes, 0..<extraSize, shown)
        try extra.checkUnicodePath(entry.nameBytes, shown)
        guard extra.aes == entry.aes else { throw differ("encryption") }
        let crc = header.u32(14)
        var (compressed, size) = (Int64(header.u32(18)), Int64(header.u32(22)))
        var noOffset: Int64 = 0
        try extra.widen(&size, &compressed, &noOffset, shown)
        // With a data descriptor behind the data, what wasn't known before is 0 here.
        guard crc == member.crc32 || (isDescribed && crc == 0) else { throw differ("checksum") }
        guard compressed == member.compressedSize || (isDescribed && compressed == 0),
            size == member.uncompressedSize || (isDescribed && size == 0)
        else { throw differ("size") }
        members[entry.index].dataOffset = dataOffset
        let (dataEnd, overflow) = dataOffset.addingReportingOverflow(member.compressedSize)
        guard !overflow, dataEnd <= next else {
            throw .refused("overlap", "\(shown) overlaps another member or the directory")
        }
        guard isDescribed else { return dataEnd }
        return try checkDescriptor(of: member, file: file, from: dataEnd, to: next, shown)
    }

    /// The data descriptor has 12 to 24 bytes: a signature or none, sizes of four bytes or of eight.
    private func checkDescriptor(
        of member: ZipMember,
        file: OpenFile,
        from start: Int64,
        to end: Int64,
        _ shown: String
    ) throws(ZipError) -> Int64 {
        let size = Int(clamping: end - start)
        guard [12, 16, 20, 24].contains(size) else {
            throw .refused("descriptor", "\(shown) has no data descriptor between its data and what follows")
        }
        let bytes = try file.bytes(size, at: start)
        let hasSignature = size == 16 || size == 24
        if hasSignature, bytes.u32(0) != 0x0807_4B50 {
            throw .refused("descriptor", "\(shown) has a malformed data descriptor")
        }
        let skip = hasSignature ? 4 : 0
        let isWide = size >= 20
        let compressed = isWide ? Int64(clamping: bytes.u64(skip + 4)) : Int64(bytes.u32(skip + 4))
        let uncompressed = isWide ? Int64(clamping: bytes.u64(skip + 12)) : Int64(bytes.u32(skip + 8))
        guard bytes.u32(skip) == member.crc32, compressed == member.compressedSize,
            uncompressed == member.uncompressedSize
        else { throw .refused("descriptor", "\(shown) has a data descriptor that differs from the directory") }
        return end
    }
}
