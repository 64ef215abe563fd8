internal import AFCText

/// One line of a manifest, split into fields but not yet parsed.
///
/// Ranges are byte offsets into the buffer that was split: the manifest, or the line for the fields of
/// ``ManifestReader/Item``. Splitting allocates nothing, so a manifest of a million lines is split in a fraction of a
/// second.
public struct ManifestLine: Equatable, Sendable {
    /// The fields of an entry, without surrounding spaces.
    public struct Fields: Equatable, Sendable {
        /// The number of fields, 2 to 5.
        public var count: Int
        /// The range of the URL.
        public var url: Range<Int>
        /// The range of the date.
        public var lastModified: Range<Int>
        /// The range of the date, or nil if the line has two fields.
        public var expires: Range<Int>?
        /// The range of the media type, or nil if the line has fewer than four fields.
        public var mediaType: Range<Int>?
        /// The range of the member's name, or nil if the line has fewer than five fields.
        public var member: Range<Int>?

        /// The range of the last field that the line has.
        public var last: Range<Int> { member ?? mediaType ?? expires ?? lastModified }

        /// Returns the same fields relative to a larger buffer.
        func moved(by offset: Int) -> Fields {
            func moved(_ range: Range<Int>) -> Range<Int> { (range.lowerBound + offset)..<(range.upperBound + offset) }
            return Fields(
                count: count,
                url: moved(url),
                lastModified: moved(lastModified),
                expires: expires.map(moved),
                mediaType: mediaType.map(moved),
                member: member.map(moved)
            )
        }
    }

    /// The content of a line.
    public enum Content: Equatable, Sendable {
        /// An entry with two to five fields.
        case entry(Fields)
        /// A header `key = value`, as AFCache 0.13 writes on the first line.
        case header(key: Range<Int>, value: Range<Int>)
        /// Nothing but white space.
        case blank
        /// Neither an entry nor a header, with the number of fields found.
        case malformed(fields: Int)
        /// A line longer than allowed.
        case tooLong
    }

    /// The line's number, from 1.
    public var number: Int
    /// The range of the whole line, without its end.
    public var range: Range<Int>
    /// True if the line ended in CR LF.
    public var endsInCRLF: Bool
    /// The content of the line.
    public var content: Content
}

/// Splits a manifest into lines, and lines into fields.
public struct ManifestLines: Sequence, IteratorProtocol, Sendable {
    /// The whole manifest.
    public let bytes: [UInt8]
    /// True if the manifest begins with a UTF-8 byte order mark.
    public let hasByteOrderMark: Bool
    private var position: Int
    private var number = 0

    /// The number of the last line that was split, or 0 before the first.
    public var lastNumber: Int { number }

    /// Starts at the first line.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
        hasByteOrderMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        position = hasByteOrderMark ? 3 : 0
    }

    /// True if the last line has no line end, as written by the Python packager.
    public var lacksLastLineEnd: Bool {
        guard let last = bytes.last else { return false }
        return last != UInt8(ascii: "\n")
    }

    /// Returns the next line, or nil after the last.
    public mutating func next() -> ManifestLine? {
        guard position < bytes.count else { return nil }
        let start = position
        number += 1
        let line = bytes.withUnsafeBufferPointer { buffer in
            Self.cut(buffer, from: start, number: number, next: &position)
        }
        return line
    }

    private static func cut(
        _ buffer: UnsafeBufferPointer<UInt8>,
        from start: Int,
        number: Int,
        next: inout Int
    ) -> ManifestLine {
        if let base = UnsafeRawPointer(buffer.baseAddress),
            let plain = PlainLine(base + start, available: buffer.count - start)
        {
            next = start + plain.total
            return ManifestLine(
                number: number,
                range: start..<(start + plain.count),
                endsInCRLF: plain.endsInCRLF,
                content: .entry(plain.fields.fields.moved(by: start))
            )
        }
        let end = ByteCursor.next(UInt8(ascii: "\n"), in: buffer, from: start)
        next = end + 1
        var trimmed = end
        let endsInCRLF = trimmed > start && end < buffer.count && buffer[trimmed - 1] == UInt8(ascii: "\r")
        if endsInCRLF { trimmed -= 1 }
        let range = start..<trimmed
        guard range.count <= PackageLayout.lineByteLimit else {
            return ManifestLine(number: number, range: range, endsInCRLF: endsInCRLF, content: .tooLong)
        }
        return ManifestLine(
            number: number,
            range: range,
            endsInCRLF: endsInCRLF,
            content: ManifestLine.cut(buffer, range)
        )
    }
}

extension ManifestLine {
    /// Returns the content of a line, given without its end; ranges count from the buffer's start.
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
            // ` ; ` is three bytes. Trimming took the space after an empty last field, so the line's end counts as
            // well.
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

    /// Returns the range without surrounding spaces, tabs and carriage returns.
    static func trim(_ buffer: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var lower = range.lowerBound
        var upper = range.upperBound
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
        while lower < upper, isSpace(buffer[lower]) { lower += 1 }
        while upper > lower, isSpace(buffer[upper - 1]) { upper -= 1 }
        return lower..<upper
    }
}
