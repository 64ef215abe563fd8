extension ScanBuffer {
    /// Returns the bytes of a part in Base64 (RFC 4648 §4), up to the first character that is none of its digits.
    ///
    /// In a string of JSON, a slash may have a backslash before it.
    func base64(_ range: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count / 4 * 3)
        var bits: UInt32 = 0
        var count = 0
        var index = range.lowerBound
        while index < range.upperBound {
            if self[index] == UInt8(ascii: "\\"), at(index + 1) == UInt8(ascii: "/") { index += 1 }
            guard index < range.upperBound, let value = Self.value(ofDigit: self[index]) else { break }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
            index += 1
        }
        return bytes
    }

    private static func value(ofDigit byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
