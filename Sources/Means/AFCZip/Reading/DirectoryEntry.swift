/// An entry of the archive's directory.
struct DirectoryEntry {
    /// The range of the name in the bytes that the entry was read from.
    let name: Range<Int>
    let isFolder: Bool
    let method: ZipMember.Method
    /// The method in the header, which is not the compression method if the member is encrypted.
    let headerMethod: UInt16
    /// The encryption of the member, if any.
    let aes: AESField?
    let flags: UInt16
    let crc32: UInt32
    let dosDateTime: UInt32
    let compressedSize: Int64
    let uncompressedSize: Int64
    /// The offset of the local header.
    let offset: Int64

    /// True if a data descriptor follows the data.
    var isDescribed: Bool { flags & 8 != 0 }

    /// The size of the entry at the start of bytes, of which there are at least 46.
    static func size(_ bytes: borrowing Span<UInt8>) -> Int {
        46 + Int(bytes.u16(28)) + Int(bytes.u16(30)) + Int(bytes.u16(32))
    }

    /// Reads the entry at the start of bytes, which hold all of it.
    init(_ bytes: borrowing Span<UInt8>) throws(Refusal) {
        let name = 46..<(46 + Int(bytes.u16(28)))
        let extra = name.upperBound..<(name.upperBound + Int(bytes.u16(30)))
        try self.init(bytes, at: 0, name: name, extra: extra)
    }

    /// Reads an entry whose lengths are known to be within the directory.
    init(_ bytes: borrowing Span<UInt8>, at start: Int, name: Range<Int>, extra: Range<Int>) throws(Refusal) {
        self.name = name
        isFolder = bytes[name.upperBound - 1] == UInt8(ascii: "/")
        flags = bytes.u16(start + 8)
        let fields = try ExtraFields(bytes, extra)
        headerMethod = bytes.u16(start + 10)
        aes = try AESField.read(bytes, fields.aes, flags: flags, headerMethod: headerMethod)
        // Bit 0 means encryption, 1 and 2 the effort of compression, 3 a data descriptor after the data, 11 a UTF-8
        // name.
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

    /// Refuses versions that readers treat differently.
    ///
    /// Zip64 needs 4.5, AES needs 5.1; nothing supported here needs more.
    static func checkVersion(_ version: UInt16, isEncrypted: Bool) throws(Refusal) {
        guard version <= (isEncrypted ? 51 : 45) else { throw .version(version) }
    }

    /// Checks the file type, by the Unix mode in the upper half (0 from other systems) and the DOS attributes in the
    /// lower.
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

    /// Refuses sizes that can't be right or that exceed the limits.
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

    /// Returns the member, after everything was checked.
    ///
    /// - Parameters:
    ///   - text: The name.
    ///   - extraSize: The size of the extra fields in the local header.
    /// - Returns: The member.
    func member(named text: String, extraSize: Int64) -> ZipMember {
        ZipMember(
            name: text,
            method: method,
            crc32: crc32,
            compressedSize: compressedSize,
            uncompressedSize: uncompressedSize,
            dataOffset: offset + 30 + Int64(name.count) + extraSize,
            isDirectory: isFolder,
            dosDateTime: dosDateTime,
            encryption: aes.map { $0.version == 1 ? .aes256WithChecksum : .aes256 },
            isDescribed: isDescribed
        )
    }
}
