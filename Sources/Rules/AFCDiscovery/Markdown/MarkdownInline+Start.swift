extension MarkdownInline {
    /// Returns a line of a paragraph in which nothing at the beginning has a meaning (CommonMark §4 and §5, GFM §4.10).
    static func escapingStart(_ line: ArraySlice<UInt8>) -> [UInt8] {
        guard let place = meaningfulStart(of: line) else { return Array(line) }
        return Array(line.prefix(place)) + [0x5C] + line.dropFirst(place)
    }

    /// Returns the place in the first bytes of a line whose character gives it another meaning than that of text; nil if there is
    /// none.
    static func meaningfulStart(of line: ArraySlice<UInt8>) -> Int? {
        guard let first = line.first else { return nil }
        func after(_ count: Int) -> UInt8? { line.dropFirst(count).first }
        func isEnd(_ count: Int) -> Bool { after(count).map { $0 == 0x20 } ?? true }
        switch first {
        case UInt8(ascii: "#"):
            let count = line.prefix { $0 == first }.count
            return count <= 6 && isEnd(count) ? 0 : nil
        case UInt8(ascii: ">"): return 0
        case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "="), UInt8(ascii: "*"):
            let isRule = line.allSatisfy { $0 == first || $0 == 0x20 }
            let isItem = first != UInt8(ascii: "=") && isEnd(1)
            return isRule || isItem || isTableRule(line) ? 0 : nil
        case UInt8(ascii: "|"), UInt8(ascii: ":"): return isTableRule(line) ? 0 : nil
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            let count = line.prefix(10).prefix(while: \.isDigit).count
            guard count <= 9, let mark = after(count), mark == UInt8(ascii: ".") || mark == UInt8(ascii: ")") else {
                return nil
            }
            return isEnd(count + 1) ? count : nil
        case UInt8(ascii: "["):
            let close = unescapedBracket(in: line)
            let next = close.flatMap { $0 + 1 < line.endIndex ? line[$0 + 1] : nil }
            let isTask = line.count >= 3 && close == line.startIndex + 2
            return next == UInt8(ascii: ":") || isTask && next != UInt8(ascii: "(") ? 0 : nil
        default: return nil
        }
    }

    /// Returns the place of the first closing bracket that isn't escaped, and isn't in code.
    private static func unescapedBracket(in line: ArraySlice<UInt8>) -> Int? {
        var index = line.startIndex
        // The backticks that end the code around the place; zero outside of code.
        var fence = 0
        while index < line.endIndex {
            let byte = line[index]
            if byte == 0x60 {
                let run = line[index...].prefix { $0 == 0x60 }.count
                fence = fence == 0 ? run : fence == run ? 0 : fence
                index += run
            } else if fence == 0, byte == UInt8(ascii: "]") {
                return index
            } else {
                index += fence == 0 && byte == 0x5C ? 2 : 1
            }
        }
        return nil
    }

    /// Returns true for the line between the head of a table and its rows.
    private static func isTableRule(_ line: ArraySlice<UInt8>) -> Bool {
        line.contains(UInt8(ascii: "-")) && line.allSatisfy { "|-: ".utf8.contains($0) }
    }
}
