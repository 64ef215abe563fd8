/// The preferred form, `Sun, 06 Nov 1994 08:49:37 GMT`, at fixed offsets: a manifest has two of them a line.
enum IMFFixdate {
    static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Timestamp? {
        guard bytes.count == 29, bytes[3] == UInt8(ascii: ","), bytes[4] == UInt8(ascii: " "), bytes[7] == UInt8(ascii: " "),
            bytes[11] == UInt8(ascii: " "), bytes[16] == UInt8(ascii: " "), bytes[19] == UInt8(ascii: ":"),
            bytes[22] == UInt8(ascii: ":"), bytes[25] == UInt8(ascii: " "), bytes[26] | 0x20 == UInt8(ascii: "g"),
            bytes[27] | 0x20 == UInt8(ascii: "m"), bytes[28] | 0x20 == UInt8(ascii: "t"), weekday(bytes) != nil
        else { return nil }
        guard let day = pair(bytes, 5), let century = pair(bytes, 12), let year = pair(bytes, 14), let hour = pair(bytes, 17),
            let minute = pair(bytes, 20), let second = pair(bytes, 23), let month = month(bytes)
        else { return nil }
        let civil = CivilTime(
            year: century * 100 + year,
            month: month,
            day: day,
            hour: hour,
            minute: minute,
            second: second
        )
        return civil.timestamp
    }

    /// 0 for Sunday, from the first three letters; nil where they are no weekday.
    static func weekday(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard bytes.count >= 3 else { return nil }
        switch key(bytes, 0) {
        case 0x73756E: return 0
        case 0x6D6F6E: return 1
        case 0x747565: return 2
        case 0x776564: return 3
        case 0x746875: return 4
        case 0x667269: return 5
        case 0x736174: return 6
        default: return nil
        }
    }

    @inline(__always)
    private static func key(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> UInt32 {
        UInt32(bytes[start] | 0x20) << 16 | UInt32(bytes[start + 1] | 0x20) << 8 | UInt32(bytes[start + 2] | 0x20)
    }

    @inline(__always)
    private static func pair(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int? {
        let (tens, ones) = (bytes[start] &- UInt8(ascii: "0"), bytes[start + 1] &- UInt8(ascii: "0"))
        guard tens < 10, ones < 10 else { return nil }
        return Int(tens) * 10 + Int(ones)
    }

    private static func month(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        switch key(bytes, 8) {
        case 0x6A616E: 1
        case 0x666562: 2
        case 0x6D6172: 3
        case 0x617072: 4
        case 0x6D6179: 5
        case 0x6A756E: 6
        case 0x6A756C: 7
        case 0x617567: 8
        case 0x736570: 9
        case 0x6F6374: 10
        case 0x6E6F76: 11
        case 0x646563: 12
        default: nil
        }
    }
}
