/// A scanner of short texts in fixed forms, which reads lent bytes without allocating.
///
/// A method that returns nil or false leaves the remaining bytes unread; to try another form, a caller starts over.
struct ByteScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private(set) var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count }
    var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func take(_ expected: UInt8) -> Bool {
        guard byte == expected else { return false }
        position += 1
        return true
    }

    /// Takes a text, ignoring case.
    mutating func take(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard position + count <= bytes.count else { return false }
        for index in 0..<count {
            let (found, expected) = (bytes[position + index], text.utf8Start[index])
            let isLetter = (expected | 0x20) &- UInt8(ascii: "a") < 26
            guard found == expected || (isLetter && found | 0x20 == expected | 0x20) else { return false }
        }
        position += count
        return true
    }

    /// The number of digits that follow.
    var digitCount: Int {
        var count = 0
        while position + count < bytes.count, bytes[position + count] &- UInt8(ascii: "0") < 10 { count += 1 }
        return count
    }

    /// Takes a number with an allowed count of digits; at most 18 of them.
    mutating func number(_ allowed: ClosedRange<Int>) -> Int? {
        let count = digitCount
        guard allowed.contains(count) else { return nil }
        var value = 0
        for _ in 0..<count {
            value = value &* 10 &+ Int(bytes[position] &- UInt8(ascii: "0"))
            position += 1
        }
        return value
    }

    mutating func number(_ digits: Int) -> Int? { number(digits...digits) }

    /// Skips spaces and tabs, and returns their number.
    @discardableResult
    mutating func skipSpaces() -> Int {
        let start = position
        while byte == UInt8(ascii: " ") || byte == 0x09 { position += 1 }
        return position - start
    }

    /// Takes a month by the first three letters of its English name, counted from 1.
    mutating func month() -> Int? {
        guard position + 3 <= bytes.count, let month = DateNames.month(bytes, at: position) else { return nil }
        position += 3
        return month
    }

    /// Takes a weekday by its English name, counted from 0 for Sunday, and says if the name is the long one.
    mutating func weekday() -> (day: Int, isLong: Bool)? {
        guard position + 3 <= bytes.count, let day = DateNames.weekday(bytes, at: position) else { return nil }
        position += 3
        let isLong =
            switch day {
            case 2: take("sday")
            case 3: take("nesday")
            case 4: take("rsday")
            case 6: take("urday")
            default: take("day")
            }
        return (day, isLong)
    }

    /// Takes `HH:MM:SS`; the hour may have one digit if that is allowed.
    mutating func time(hourDigits: ClosedRange<Int> = 2...2) -> (hour: Int, minute: Int, second: Int)? {
        guard let hour = number(hourDigits), take(UInt8(ascii: ":")), let minute = number(2), take(UInt8(ascii: ":")),
            let second = number(2)
        else { return nil }
        return (hour, minute, second)
    }
}
