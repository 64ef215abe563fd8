/// One member as the records of an archive describe it.
///
/// Sizes are known before the data is written, so no data descriptor is needed.
///
/// Layouts are those of PKWARE's APPNOTE 6.3.10: local header 4.3.7, directory 4.3.12, zip64 field 4.5.3.
struct MemberRecord {
    /// The value that marks a field as stored in the zip64 field.
    private static let mark: Int64 = 0xFFFF_FFFF
    private static let wideVersion: UInt16 = 45
    /// Version 6.3 of the specification, on a Unix system.
    private static let madeBy: UInt16 = 3 << 8 | 63
    /// A regular file that its owner may write and everyone may read.
    private static let attributes: UInt32 = 0o100644 << 16

    let name: String.UTF8View
    let method: ZipMember.Method
    let totals: Deflater.Totals
    /// The date and time as MS-DOS writes them, with the date in the upper half.
    let dosDateTime: UInt32
    /// The offset of the local header.
    let offset: Int64

    init(name: String, method: ZipMember.Method, totals: Deflater.Totals, dosDateTime: UInt32, offset: Int64) {
        self.name = name.utf8
        self.method = method
        self.totals = totals
        self.dosDateTime = dosDateTime
        self.offset = offset
    }

    /// Appends the local header.
    func appendLocalHeader(to bytes: inout [UInt8]) {
        // If either size doesn't fit, the zip64 field holds both.
        let isWide = max(totals.compressedSize, totals.uncompressedSize) >= Self.mark
        bytes.append(littleEndian: 0x0403_4B50 as UInt32)
        appendCommon(to: &bytes, isWide: isWide)
        bytes.append(littleEndian: isWide ? UInt32(Self.mark) : UInt32(totals.compressedSize))
        bytes.append(littleEndian: isWide ? UInt32(Self.mark) : UInt32(totals.uncompressedSize))
        bytes.append(littleEndian: UInt16(name.count))
        bytes.append(littleEndian: isWide ? 20 : 0 as UInt16)
        bytes.append(contentsOf: name)
        guard isWide else { return }
        Self.append(field: [totals.uncompressedSize, totals.compressedSize], to: &bytes)
    }

    /// Appends the directory entry.
    func appendDirectoryEntry(to bytes: inout [UInt8]) {
        let wide = [totals.uncompressedSize, totals.compressedSize, offset].filter { $0 >= Self.mark }
        bytes.append(littleEndian: 0x0201_4B50 as UInt32)
        bytes.append(littleEndian: Self.madeBy)
        appendCommon(to: &bytes, isWide: !wide.isEmpty)
        bytes.append(littleEndian: UInt32(min(totals.compressedSize, Self.mark)))
        bytes.append(littleEndian: UInt32(min(totals.uncompressedSize, Self.mark)))
        bytes.append(littleEndian: UInt16(name.count))
        bytes.append(littleEndian: wide.isEmpty ? 0 : UInt16(4 + 8 * wide.count))
        // Comment length, disk number, and internal attributes.
        bytes.append(contentsOf: [0, 0, 0, 0, 0, 0])
        bytes.append(littleEndian: Self.attributes)
        bytes.append(littleEndian: UInt32(min(offset, Self.mark)))
        bytes.append(contentsOf: name)
        guard !wide.isEmpty else { return }
        Self.append(field: wide, to: &bytes)
    }

    /// Appends the part that both records share, from the version needed to the checksum.
    private func appendCommon(to bytes: inout [UInt8], isWide: Bool) {
        let version: UInt16 = method == .stored ? 10 : 20
        let isASCII = name.allSatisfy { $0 < 0x80 }
        bytes.append(littleEndian: isWide ? Self.wideVersion : version)
        bytes.append(littleEndian: isASCII ? 0 : 0x0800 as UInt16)
        bytes.append(littleEndian: method.rawValue)
        bytes.append(littleEndian: dosDateTime)
        bytes.append(littleEndian: totals.crc32)
    }

    private static func append(field values: [Int64], to bytes: inout [UInt8]) {
        bytes.append(littleEndian: 0x0001 as UInt16)
        bytes.append(littleEndian: UInt16(8 * values.count))
        for value in values { bytes.append(littleEndian: UInt64(value)) }
    }

    /// Appends the records after the directory (APPNOTE 4.3.14 to 4.3.16).
    static func appendEnd(count: Int64, directoryOffset: Int64, directorySize: Int64, to bytes: inout [UInt8]) {
        if count >= 0xFFFF || directoryOffset >= mark || directorySize >= mark {
            bytes.append(littleEndian: 0x0606_4B50 as UInt32)
            bytes.append(littleEndian: 44 as UInt64)
            bytes.append(littleEndian: wideVersion)
            bytes.append(littleEndian: wideVersion)
            bytes.append(littleEndian: 0 as UInt64)
            for value in [count, count, directorySize, directoryOffset] { bytes.append(littleEndian: UInt64(value)) }
            bytes.append(littleEndian: 0x0706_4B50 as UInt32)
            bytes.append(littleEndian: 0 as UInt32)
            bytes.append(littleEndian: UInt64(directoryOffset + directorySize))
            bytes.append(littleEndian: 1 as UInt32)
        }
        bytes.append(littleEndian: 0x0605_4B50 as UInt32)
        bytes.append(littleEndian: 0 as UInt32)
        bytes.append(littleEndian: UInt16(min(count, 0xFFFF)))
        bytes.append(littleEndian: UInt16(min(count, 0xFFFF)))
        bytes.append(littleEndian: UInt32(min(directorySize, mark)))
        bytes.append(littleEndian: UInt32(min(directoryOffset, mark)))
        bytes.append(littleEndian: 0 as UInt16)
    }
}

extension [UInt8] {
    mutating func append(littleEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
