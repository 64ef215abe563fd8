extension ManifestLine {
    /// What a part of a buffer is that is a line without its end; ranges count from the buffer's start.
    static func cut(_ buffer: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Content {
        let line = trim(buffer, range)
        guard !line.isEmpty else { return .blank }
        var first: Range<Int>?
        var second: Range<Int>?
        var third: Range<Int>?
        var fourth: Range<Int>?
        var fifth: Range<Int>?
        var count = 0
        var fieldStart = line.lowerBound
        var index = line.lowerBound
        func take(_ field: Range<Int>) {
            count += 1
            switch count {
            case 1: first = field
            case 2: second = field
            case 3: third = field
            case 4: fourth = field
            case 5: fifth = field
            default: break
            }
        }
        while index < line.upperBound {
            // ` ; ` is three bytes; an empty last field has lost its space to the trimming, so its end also counts.
            if buffer[index] == UInt8(ascii: ";"),
                index > range.lowerBound, buffer[index - 1] == UInt8(ascii: " "), index - 1 >= fieldStart,
                index + 1 == line.upperBound || buffer[index + 1] == UInt8(ascii: " ")
            {
                take(fieldStart..<(index - 1))
                fieldStart = Swift.min(index + 2, line.upperBound)
                index = fieldStart
            } else {
                index += 1
            }
        }
        take(fieldStart..<line.upperBound)
        guard let url = first, let lastModified = second, count <= 5 else {
            return count == 1 ? header(buffer, line) : .malformed(fields: count)
        }
        return .entry(
            Fields(
                count: count,
                url: trim(buffer, url),
                lastModified: trim(buffer, lastModified),
                expires: third.map { trim(buffer, $0) },
                mediaType: fourth.map { trim(buffer, $0) },
                member: fifth
            )
        )
    }

    private static func header(_ buffer: UnsafeBufferPointer<UInt8>, _ line: Range<Int>) -> Content {
        var index = line.lowerBound + 1
        while index + 1 < line.upperBound {
            if buffer[index] == UInt8(ascii: "="), buffer[index - 1] == UInt8(ascii: " "),
                buffer[index + 1] == UInt8(ascii: " ")
            {
                return .header(key: line.lowerBound..<(index - 1), value: (index + 2)..<line.upperBound)
            }
            index += 1
        }
        return .malformed(fields: 1)
    }

    /// The range without spaces, tabs and carriage returns around it.
    static func trim(_ buffer: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var lower = range.lowerBound
        var upper = range.upperBound
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
        while lower < upper, isSpace(buffer[lower]) { lower += 1 }
        while upper > lower, isSpace(buffer[upper - 1]) { upper -= 1 }
        return lower..<upper
    }
}
