/// Decodes string literals of scripts; ECMA-262 §12.9.4.
enum JavaScriptText {
    /// Returns the decoded text of a literal without its quotes, or nil if an escape is invalid.
    static func string(_ bytes: ScanBuffer, _ range: Range<Int>) -> String? {
        guard bytes.find(UInt8(ascii: "\\"), from: range.lowerBound, to: range.upperBound) < range.upperBound else {
            return bytes.string(range)
        }
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            guard bytes[index] == UInt8(ascii: "\\") else {
                result.append(bytes[index])
                index += 1
                continue
            }
            guard let next = escape(bytes, index + 1..<range.upperBound, into: &result) else { return nil }
            index = next
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the range of a literal without its quotes, or nil if there is none at a position.
    ///
    /// A template with substitutions is no literal.
    static func literal(_ bytes: ScanBuffer, at index: Int, to end: Int) -> Range<Int>? {
        guard index < end else { return nil }
        let quote = bytes[index]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") || quote == UInt8(ascii: "`") else {
            return nil
        }
        var close = index + 1
        while close < end {
            switch bytes[close] {
            case quote: return index + 1..<close
            case UInt8(ascii: "\\"): close += 1
            case 0x0A where quote != UInt8(ascii: "`"): return nil
            case UInt8(ascii: "$") where quote == UInt8(ascii: "`") && bytes.at(close + 1) == UInt8(ascii: "{"):
                return nil
            default: break
            }
            close += 1
        }
        return nil
    }

    /// Decodes the escape after a backslash; returns the position after it.
    private static func escape(_ bytes: ScanBuffer, _ range: Range<Int>, into result: inout [UInt8]) -> Int? {
        guard let letter = range.isEmpty ? nil : bytes[range.lowerBound] else { return nil }
        let next = range.lowerBound + 1
        switch letter {
        case UInt8(ascii: "n"): result.append(0x0A)
        case UInt8(ascii: "r"): result.append(0x0D)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "f"): result.append(0x0C)
        case UInt8(ascii: "v"): result.append(0x0B)
        case UInt8(ascii: "0"): result.append(0)
        case 0x0A: break
        case 0x0D: return next < range.upperBound && bytes[next] == 0x0A ? next + 1 : next
        case UInt8(ascii: "x"): return append(hex(bytes, next, 2, range.upperBound), next + 2, &result)
        case UInt8(ascii: "u"): return unicode(bytes, next..<range.upperBound, into: &result)
        default: result.append(letter)
        }
        return next
    }

    private static func unicode(_ bytes: ScanBuffer, _ range: Range<Int>, into result: inout [UInt8]) -> Int? {
        let start = range.lowerBound
        if start < range.upperBound, bytes[start] == UInt8(ascii: "{") {
            let close = bytes.find(UInt8(ascii: "}"), from: start, to: min(range.upperBound, start + 16))
            guard close < range.upperBound, bytes[close] == UInt8(ascii: "}"), close > start + 1 else { return nil }
            return append(hex(bytes, start + 1, close - start - 1, range.upperBound), close + 1, &result)
        }
        guard let unit = hex(bytes, start, 4, range.upperBound) else { return nil }
        let low = start + 6
        if unit & 0xFC00 == 0xD800, low + 4 <= range.upperBound, bytes[start + 4] == UInt8(ascii: "\\"),
            bytes[start + 5] == UInt8(ascii: "u"), let second = hex(bytes, low, 4, range.upperBound),
            second & 0xFC00 == 0xDC00
        {
            return append(0x10000 + (unit & 0x3FF) << 10 + second & 0x3FF, low + 4, &result)
        }
        return append(unit, start + 4, &result)
    }

    private static func hex(_ bytes: ScanBuffer, _ start: Int, _ count: Int, _ end: Int) -> UInt32? {
        guard start + count <= end else { return nil }
        var value: UInt32 = 0
        for index in start..<start + count {
            guard let digit = bytes[index].hexValue, value < 0x110000 else { return nil }
            value = value << 4 | digit
        }
        return value
    }

    /// Appends a character; a lone surrogate becomes U+FFFD.
    private static func append(_ value: UInt32?, _ next: Int, _ result: inout [UInt8]) -> Int? {
        guard let value, value < 0x110000 else { return nil }
        result += Array(String(Character(Unicode.Scalar(value) ?? "\u{FFFD}")).utf8)
        return next
    }
}
