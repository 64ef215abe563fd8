/// Decodes names, strings and addresses of a style sheet.
enum CSSText {
    /// Decodes escapes, NUL and line ends (CSS Syntax §3.3).
    static func string(_ bytes: ScanBuffer, _ range: Range<Int>) -> String {
        guard bytes.slice(range).contains(where: { $0 == UInt8(ascii: "\\") || $0 == 0 || $0 == 0x0D }) else {
            return bytes.string(range)
        }
        var result: [UInt8] = []
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\\") {
                let escapeEnd = endOfEscape(bytes, index, to: range.upperBound)
                result += resolved(bytes, index + 1..<escapeEnd)
                index = escapeEnd
                continue
            }
            if byte == 0 {
                result += replacement
            } else if byte == 0x0D {
                result.append(0x0A)
                if index + 1 < range.upperBound, bytes[index + 1] == 0x0A { index += 1 }
            } else {
                result.append(byte)
            }
            index += 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Compares a name with a keyword, with escapes decoded and case ignored.
    ///
    /// - Parameters:
    ///   - bytes: The style sheet.
    ///   - range: The name in it.
    ///   - keyword: The keyword in lower case.
    /// - Returns: True if they are equal.
    static func isName(_ bytes: ScanBuffer, _ range: Range<Int>, _ keyword: StaticString) -> Bool {
        if range.count == keyword.utf8CodeUnitCount { return bytes.hasPrefix(keyword, at: range.lowerBound) }
        guard range.count > keyword.utf8CodeUnitCount, range.count <= 8 * keyword.utf8CodeUnitCount,
            bytes.slice(range).contains(UInt8(ascii: "\\"))
        else { return false }
        let name = string(bytes, range).utf8
        return name.count == keyword.utf8CodeUnitCount
            && name.enumerated().allSatisfy { $1.lowercased == keyword.utf8Start[$0] }
    }

    /// Returns the end of the escape whose backslash is at an index; §4.3.7.
    static func endOfEscape(_ bytes: ScanBuffer, _ start: Int, to end: Int) -> Int {
        var index = start + 1
        guard index < end else { return end }
        guard bytes[index].hexValue != nil else {
            return bytes[index] == 0x0D && index + 1 < end && bytes[index + 1] == 0x0A ? index + 2 : index + 1
        }
        while index < end, index < start + 7, bytes[index].hexValue != nil { index += 1 }
        if index < end, bytes[index].isSpace {
            index += bytes[index] == 0x0D && index + 1 < end && bytes[index + 1] == 0x0A ? 2 : 1
        }
        return index
    }

    private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

    /// Decodes the text after a backslash; a line end produces nothing.
    private static func resolved(_ bytes: ScanBuffer, _ range: Range<Int>) -> [UInt8] {
        guard let first = bytes.slice(range).first else { return replacement }
        if first == 0x0A || first == 0x0C || first == 0x0D { return [] }
        guard first.hexValue != nil else { return first == 0 ? replacement : Array(bytes.slice(range)) }
        var value: UInt32 = 0
        for byte in bytes.slice(range) {
            guard let digit = byte.hexValue else { break }
            value = value << 4 | digit
        }
        guard value != 0, let scalar = Unicode.Scalar(value) else { return replacement }
        return Array(String(Character(scalar)).utf8)
    }
}
