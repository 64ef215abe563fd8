/// The extra fields of a header.
///
/// Fields that change the meaning of the header are read; others are ignored.
struct ExtraFields {
    private(set) var zip64: Range<Int>?
    private var unicodePath: Range<Int>?
    /// WinZip's encryption field.
    private(set) var aes: Range<Int>?

    /// Finds the fields in a range of the bytes.
    ///
    /// The other methods need the same bytes.
    init(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) throws(Refusal) {
        var position = range.lowerBound
        while position < range.upperBound {
            guard position + 4 <= range.upperBound else { throw .malformedExtra }
            let (kind, size) = (bytes.u16(position), Int(bytes.u16(position + 2)))
            let body = (position + 4)..<(position + 4 + size)
            guard body.upperBound <= range.upperBound else { throw .malformedExtra }
            switch kind {
            case 0x0001:
                guard zip64 == nil else { throw .twoZip64 }
                zip64 = body
            case 0x7075:
                guard unicodePath == nil else { throw .malformedExtra }
                unicodePath = body
            // The Unix fields of PKWARE, libarchive and ASi: each may make the member a link and name its target.
            case 0x000D, 0x6C78, 0x756E: throw .linkField(kind)
            case 0x0017: throw .encryptedField
            case 0x9901:
                guard aes == nil else { throw .malformedExtra }
                aes = body
            default:
                guard !RecordMarks.occur(in: bytes, body) else { throw .extraHidesArchive }
            }
            position = body.upperBound
        }
    }

    /// Refuses Info-ZIP's field with another name, under which some readers extract the member.
    func checkUnicodePath(_ bytes: borrowing Span<UInt8>, name: borrowing Span<UInt8>) throws(Refusal) {
        guard let unicodePath else { return }
        guard unicodePath.count == name.count + 5, bytes.matches(name, at: unicodePath.lowerBound + 5) else {
            throw .renamed
        }
    }

    /// Replaces the values that the header marks as stored in the zip64 field (APPNOTE 4.5.3).
    ///
    /// Further values in the field must repeat the header's, since some readers use them even if the header doesn't ask
    /// for them.
    func widen(_ values: inout WideValues, _ bytes: borrowing Span<UInt8>) throws(Refusal) {
        var position = zip64?.lowerBound ?? 0
        let end = zip64?.upperBound ?? 0
        let header = values
        func next() throws(Refusal) -> Int64 {
            guard position + 8 <= end else { throw .zip64Missing }
            guard let value = Int64(exactly: bytes.u64(position)) else { throw .sizeBeyondCounting }
            position += 8
            return value
        }
        if header.uncompressed == WideValues.mark { values.uncompressed = try next() }
        if header.compressed == WideValues.mark { values.compressed = try next() }
        if header.offset == WideValues.mark { values.offset = try next() }
        guard let zip64, position < end else { return }
        position = zip64.lowerBound
        for value in [values.uncompressed, values.compressed, values.offset ?? 0] where position + 8 <= end {
            guard try next() == value else { throw .zip64TooMuch }
        }
        guard position == end || (position + 4 == end && bytes.u32(position) == 0) else { throw .zip64TooMuch }
    }
}

/// The values of a header that may be too large for their fields.
struct WideValues {
    /// The value that marks a header field as stored in the zip64 field.
    static let mark: Int64 = 0xFFFF_FFFF

    var uncompressed: Int64
    var compressed: Int64
    /// The offset of the local header; nil in a local header, which has no such field.
    var offset: Int64?
}

/// The signatures of zip records.
///
/// A signature where none belongs is a sign of a hidden archive.
enum RecordMarks {
    /// Returns true if these bytes contain the signature of a record.
    static func occur(in bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard range.count >= 4 else { return false }
        for index in range.lowerBound...(range.upperBound - 4) where bytes[index] == UInt8(ascii: "P") {
            switch bytes.u32(index) {
            case 0x0201_4B50, 0x0403_4B50, 0x0605_4B50, 0x0606_4B50, 0x0706_4B50: return true
            default: continue
            }
        }
        return false
    }

    /// Searches for the signature of a data descriptor in bytes that come piece by piece.
    ///
    /// Streaming readers take the first one that matches as the end of a stored body.
    struct DescriptorSearch {
        private var last: UInt32 = 0

        /// Returns true if a signature ends in this piece.
        mutating func finds(in piece: UnsafeRawBufferPointer) -> Bool {
            for byte in piece {
                last = last >> 8 | UInt32(byte) << 24
                if last == 0x0807_4B50 { return true }
            }
            return false
        }
    }
}
