/// The marks that zip's records begin with; where none has a place, one is a sign of a hidden archive.
enum RecordMarks {
    /// Whether a record's mark stands somewhere in these bytes.
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

    /// Looks for the mark of a data descriptor in bytes that come piece by piece.
    ///
    /// Readers that only go forward take the first one that fits for the end of a stored body.
    struct DescriptorSearch {
        private var last: UInt32 = 0

        /// Whether the mark ends in this piece.
        mutating func finds(in piece: UnsafeRawBufferPointer) -> Bool {
            for byte in piece {
                last = last >> 8 | UInt32(byte) << 24
                if last == 0x0807_4B50 { return true }
            }
            return false
        }
    }
}
