/// The preferred form, `Sun, 06 Nov 1994 08:49:37 GMT`, parsed at fixed offsets, since a manifest has two of them in
/// each line.
enum IMFFixdate {
    /// A date as it was written.
    struct Reading {
        var time: Timestamp
        /// The written weekday, from 0 for Sunday, which need not match the date.
        var weekday: Int
        /// The written parts.
        var civil: CivilTime
        /// True if a letter has another case than in the grammar.
        var hasOtherCase: Bool
    }

    /// Parses the bytes in any case; nil if they don't have this form.
    @inline(__always)
    static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Reading? {
        guard bytes.count == 29, let base = UnsafeRawPointer(bytes.baseAddress),
            // ", " and then the spaces, colons and the zone; the masks let letters be of either case.
            load16(base, 3) == 0x202C, bytes[7] == 0x20, bytes[11] == 0x20, bytes[16] == 0x20, bytes[19] == 0x3A,
            bytes[22] == 0x3A, load32(base, 25) | 0x2020_2000 == 0x746D_6720
        else { return nil }
        guard let weekday = DateNames.weekday(bytes, at: 0), let month = DateNames.month(bytes, at: 8) else {
            return nil
        }
        let (day, century, year) = (pair(base, 5), pair(base, 12), pair(base, 14))
        let (hour, minute, second) = (pair(base, 17), pair(base, 20), pair(base, 23))
        // A pair that isn't two digits is `notDigits`, which no part of a date reaches.
        guard day | century | year | hour | minute | second < notDigits else { return nil }
        let civil = CivilTime(
            year: century &* 100 &+ year,
            month: month,
            day: day,
            hour: hour,
            minute: minute,
            second: second
        )
        guard let time = civil.timestamp() else { return nil }
        // The first letter of a name must be a capital, the next two small, and the zone all capitals.
        let hasNormalCase =
            load32(base, 0) & 0x0020_2020 == 0x0020_2000 && load32(base, 8) & 0x0020_2020 == 0x0020_2000
            && load32(base, 25) == 0x544D_4720
        return Reading(time: time, weekday: weekday, civil: civil, hasOtherCase: !hasNormalCase)
    }

    private static let notDigits = 128

    @inline(__always)
    private static func pair(_ base: UnsafeRawPointer, _ offset: Int) -> Int {
        let digits = load16(base, offset) ^ 0x3030
        let (tens, ones) = (Int(digits & 0xFF), Int(digits >> 8))
        return tens < 10 && ones < 10 ? tens &* 10 &+ ones : notDigits
    }

    @inline(__always)
    private static func load16(_ base: UnsafeRawPointer, _ offset: Int) -> UInt16 {
        UInt16(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    @inline(__always)
    private static func load32(_ base: UnsafeRawPointer, _ offset: Int) -> UInt32 {
        UInt32(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
