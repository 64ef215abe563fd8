/// The English names in dates, by their first three letters in any case (RFC 9110 §5.6.7).
enum DateNames {
    /// Returns the month, from 1 for January; nil if the three bytes aren't a month.
    @inline(__always)
    static func month(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
        switch key(bytes, start) {
        case 0x6A_616E: 1
        case 0x66_6562: 2
        case 0x6D_6172: 3
        case 0x61_7072: 4
        case 0x6D_6179: 5
        case 0x6A_756E: 6
        case 0x6A_756C: 7
        case 0x61_7567: 8
        case 0x73_6570: 9
        case 0x6F_6374: 10
        case 0x6E_6F76: 11
        case 0x64_6563: 12
        default: nil
        }
    }

    /// Returns the weekday, from 0 for Sunday; nil if the three bytes aren't a weekday.
    @inline(__always)
    static func weekday(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
        switch key(bytes, start) {
        case 0x73_756E: 0
        case 0x6D_6F6E: 1
        case 0x74_7565: 2
        case 0x77_6564: 3
        case 0x74_6875: 4
        case 0x66_7269: 5
        case 0x73_6174: 6
        default: nil
        }
    }

    static func weekdayName(_ day: Int) -> StaticString {
        switch day {
        case 0: "Sun"
        case 1: "Mon"
        case 2: "Tue"
        case 3: "Wed"
        case 4: "Thu"
        case 5: "Fri"
        default: "Sat"
        }
    }

    static func monthName(_ month: Int) -> StaticString {
        switch month {
        case 1: "Jan"
        case 2: "Feb"
        case 3: "Mar"
        case 4: "Apr"
        case 5: "May"
        case 6: "Jun"
        case 7: "Jul"
        case 8: "Aug"
        case 9: "Sep"
        case 10: "Oct"
        case 11: "Nov"
        default: "Dec"
        }
    }

    /// Returns three letters as one number, in lower case; no other byte maps to a letter.
    @inline(__always)
    private static func key(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> UInt32 {
        let letters = UInt32(bytes[start]) << 16 | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2])
        return letters | 0x20_2020
    }
}
