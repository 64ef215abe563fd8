/// A member as the archive's directory describes it.
struct DirectoryEntry {
    /// Where the name stands in the directory.
    let name: Range<Int>
    let isFolder: Bool
    let method: ZipMember.Method
    /// The method as the header says it: another where the member is encrypted.
    let headerMethod: UInt16
    /// How the member is encrypted.
    let aes: AESField?
    let flags: UInt16
    let crc32: UInt32
    let dosDateTime: UInt32
    let compressedSize: Int64
    let uncompressedSize: Int64
    /// Where the local header begins.
    let offset: Int64
    /// What the rules for names know the name by.
    var nameHash: UInt64 = 0
    /// Where the data begins, known once the local header is.
    var dataOffset: Int64 = 0

    /// Whether a data descriptor follows the data.
    var isDescribed: Bool { flags & 8 != 0 }

    /// Reads an entry whose lengths are known to fit the directory.
    init(_ bytes: borrowing Span<UInt8>, at start: Int, name: Range<Int>, extra: Range<Int>) throws(Refusal) {
        self.name = name
        isFolder = bytes[name.upperBound - 1] == UInt8(ascii: "/")
        flags = bytes.u16(start + 8)
        let fields = try ExtraFields(bytes, extra)
        headerMethod = bytes.u16(start + 10)
        aes = try AESField.read(bytes, fields.aes, flags: flags, headerMethod: headerMethod)
        // Bit 0 tells of encryption, 1 and 2 how hard deflate tried, 3 that a data descriptor follows, 11 that the name is
        // UTF-8.
        guard flags & ~0x080F == 0 else { throw .unknownFlags(flags) }
        try Self.checkVersion(bytes.u16(start + 6), isEncrypted: aes != nil)
        guard let method = ZipMember.Method(rawValue: aes?.method ?? headerMethod) else {
            throw .method(aes?.method ?? headerMethod)
        }
        self.method = method
        try Self.checkType(attributes: bytes.u32(start + 38), isFolder: isFolder)
        var values = WideValues(
            uncompressed: Int64(bytes.u32(start + 24)),
            compressed: Int64(bytes.u32(start + 20)),
            offset: Int64(bytes.u32(start + 42))
        )
        try fields.checkUnicodePath(bytes, name: bytes.extracting(name))
        try fields.widen(&values, bytes)
        guard bytes.u16(start + 34) == 0 else { throw .otherDisk }
        crc32 = bytes.u32(start + 16)
        dosDateTime = bytes.u32(start + 12)
        compressedSize = values.compressed
        uncompressedSize = values.uncompressed
        offset = values.offset ?? 0
    }

    /// Readers differ in what they do with a later version than they know; zip64 needs 4.5, AES 5.1, and nothing here more.
    static func checkVersion(_ version: UInt16, isEncrypted: Bool) throws(Refusal) {
        guard version <= (isEncrypted ? 51 : 45) else { throw .version(version) }
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

    /// Refuses sizes that can't be right, or cost too much.
    func checkSizes(_ limits: ReadLimits) throws(Refusal) {
        if isFolder, uncompressedSize != 0 { throw .folderWithData }
        let dataSize = compressedSize - (aes == nil ? 0 : ZipMember.encryptionOverhead)
        guard dataSize >= 0 else { throw .tooShortForAES }
        if method == .stored, dataSize != uncompressedSize { throw .storedSizes }
        guard uncompressedSize <= limits.memberBytes else {
            throw .memberTooLarge(uncompressedSize, limit: limits.memberBytes)
        }
        if uncompressedSize > 1 << 20, uncompressedSize / limits.ratio > compressedSize { throw .ratio(limits.ratio) }
    }

    /// The member, once all of it is checked.
    func member(named name: String) -> ZipMember {
        ZipMember(
            name: name,
            method: method,
            crc32: crc32,
            compressedSize: compressedSize,
            uncompressedSize: uncompressedSize,
            dataOffset: dataOffset,
            isDirectory: isFolder,
            dosDateTime: dosDateTime,
            encryption: aes.map { $0.version == 1 ? .aes256WithChecksum : .aes256 },
            isDescribed: isDescribed
        )
    }
}
