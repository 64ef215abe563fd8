/// Reads small texts of fixed forms from bytes without allocating.
struct ByteScanner {
    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }
    var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func take(_ expected: UInt8) -> Bool {
        guard byte == expected else { return false }
        position += 1
        return true
    }

    /// The text whatever the case of its letters.
    mutating func take(_ text: StaticString) -> Bool {
        guard position + text.utf8CodeUnitCount <= bytes.count else { return false }
        for index in 0..<text.utf8CodeUnitCount {
            let (found, expected) = (bytes[position + index], text.utf8Start[index])
            let isLetter = (expected | 0x20) &- UInt8(ascii: "a") < 26
            guard found == expected || (isLetter && found | 0x20 == expected | 0x20) else { return false }
        }
        position += text.utf8CodeUnitCount
        return true
    }

    /// A number of so many digits.
    mutating func number(_ digits: ClosedRange<Int>) -> Int? {
        var value = 0
        var count = 0
        while count < digits.upperBound, let byte, byte &- UInt8(ascii: "0") < 10 {
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
            position += 1
            count += 1
        }
        return digits.contains(count) ? value : nil
    }

    mutating func number(_ digits: Int) -> Int? { number(digits...digits) }

    mutating func skipSpaces() {
        while byte == UInt8(ascii: " ") || byte == 0x09 { position += 1 }
    }

    /// A month by its English abbreviation, from 1.
    mutating func month() -> Int? {
        guard position + 3 <= bytes.count else { return nil }
        let key = (0..<3).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[position + $1] | 0x20) }
        let month: Int? =
            switch key {
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
        if month != nil { position += 3 }
        return month
    }

    /// A weekday by its English name, from 0 for Sunday, and whether the name is the long one.
    mutating func weekday() -> (day: Int, isLong: Bool)? {
        let names: [(StaticString, StaticString)] = [
            ("sunday", "sun"), ("monday", "mon"), ("tuesday", "tue"), ("wednesday", "wed"), ("thursday", "thu"),
            ("friday", "fri"), ("saturday", "sat"),
        ]
        for (index, name) in names.enumerated() {
            if take(name.0) { return (index, true) }
            if take(name.1) { return (index, false) }
        }
        return nil
    }

    /// `HH:MM:SS`; the hour may have one digit where allowed.
    mutating func time(hourDigits: ClosedRange<Int> = 2...2) -> (hour: Int, minute: Int, second: Int)? {
        guard let hour = number(hourDigits), take(UInt8(ascii: ":")), let minute = number(2), take(UInt8(ascii: ":")),
            let second = number(2)
        else { return nil }
        return (hour, minute, second)
    }
}
