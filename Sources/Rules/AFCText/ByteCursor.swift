/// A position in bytes that are read forward, eight at a time if possible.
package struct ByteCursor {
    package let bytes: UnsafeBufferPointer<UInt8>
    package private(set) var position = 0

    package init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    package var isAtEnd: Bool { position == bytes.count }

    /// Moves past a text if it is at the position; otherwise stays.
    @inline(__always)
    package mutating func skip(_ text: StaticString) -> Bool {
        skip(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Moves past bytes if they are at the position; otherwise stays.
    package mutating func skip(_ expected: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count - position >= expected.count else { return false }
        let here = UnsafeBufferPointer(rebasing: bytes[position..<(position + expected.count)])
        guard Self.isEqual(here, expected) else { return false }
        position += expected.count
        return true
    }

    /// Moves past a quoted text if it is at the position; otherwise stays.
    package mutating func skipQuoted(_ expected: UnsafeBufferPointer<UInt8>) -> Bool {
        let start = position
        if skip("\""), skip(expected), skip("\"") { return true }
        position = start
        return false
    }

    /// Moves to the next byte that isn't plain ASCII inside a JSON string: a quote, a backslash, a control character,
    /// or a byte of 0x80 or more.
    ///
    /// - Returns: The bytes that were passed, and the byte at the new position, or nil at the end.
    package mutating func plainText() -> (text: UnsafeBufferPointer<UInt8>, stop: UInt8?) {
        let start = position
        position = Self.plainEnd(bytes, from: start)
        let text = UnsafeBufferPointer(rebasing: bytes[start..<position])
        return (text, position < bytes.count ? bytes[position] : nil)
    }

    /// Moves past a whole number in the form that this program writes: no sign, no leading zero, at most 18 digits.
    package mutating func number() -> Int64? {
        let start = position
        var value: Int64 = 0
        while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 {
            guard position - start < 18 else { return nil }
            value = value * 10 + Int64(bytes[position] - UInt8(ascii: "0"))
            position += 1
        }
        guard position > start, position == start + 1 || bytes[start] != UInt8(ascii: "0") else { return nil }
        return value
    }

    package mutating func move(by count: Int) { position += count }

    // MARK: Eight bytes at a time

    /// Returns the index of the next byte with a value, or the end.
    package static func next(_ byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let raw = UnsafeRawBufferPointer(bytes)
        let pattern = UInt64(byte) &* ones
        var index = start
        while index + 8 <= raw.count {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let found = zeros(word ^ pattern)
            if found != 0 { return index + found.trailingZeroBitCount >> 3 }
            index += 8
        }
        while index < raw.count, raw[index] != byte { index += 1 }
        return index
    }

    package static func isEqual(_ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard one.count == other.count else { return false }
        let (one, other) = (UnsafeRawBufferPointer(one), UnsafeRawBufferPointer(other))
        var index = 0
        while index + 8 <= one.count {
            let a = one.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard a == other.loadUnaligned(fromByteOffset: index, as: UInt64.self) else { return false }
            index += 8
        }
        while index < one.count {
            guard one[index] == other[index] else { return false }
            index += 1
        }
        return true
    }

    /// Compares bytes: above zero if the first sorts after the second, below zero if before, zero if they are equal.
    package static func compare(_ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Int {
        let count = min(one.count, other.count)
        let (first, second) = (UnsafeRawBufferPointer(one), UnsafeRawBufferPointer(other))
        var index = 0
        while index + 8 <= count {
            let a = first.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let b = second.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if a != b { return UInt64(bigEndian: a) > UInt64(bigEndian: b) ? 1 : -1 }
            index += 8
        }
        while index < count {
            if one[index] != other[index] { return one[index] > other[index] ? 1 : -1 }
            index += 1
        }
        return one.count - other.count
    }

    private static func plainEnd(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let raw = UnsafeRawBufferPointer(bytes)
        var index = start
        while index + 8 <= raw.count {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            // A borrow causes false marks only above the first true one.
            let controls = (word &- 0x20 &* ones) & ~word & tops
            let found =
                zeros(word ^ UInt64(UInt8(ascii: "\"")) &* ones) | zeros(word ^ UInt64(UInt8(ascii: "\\")) &* ones)
                | controls | word & tops
            if found != 0 { return index + found.trailingZeroBitCount >> 3 }
            index += 8
        }
        while index < raw.count, raw[index] != UInt8(ascii: "\""), raw[index] != UInt8(ascii: "\\"),
            (0x20..<0x80).contains(raw[index])
        { index += 1 }
        return index
    }

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let tops: UInt64 = 0x8080_8080_8080_8080

    /// Returns the top bit of the lowest zero byte, and possibly of bytes above it.
    @inline(__always)
    private static func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word & tops }
}
