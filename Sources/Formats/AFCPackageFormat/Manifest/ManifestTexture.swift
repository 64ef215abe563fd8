/// How a manifest is written, whatever it says: counted while it is read.
public struct ManifestTexture: Equatable, Sendable {
    /// How many lines there are of a sort, and which is the first.
    public struct Lines: Equatable, Sendable {
        /// The first line's number, from 1, or 0.
        public private(set) var first = 0
        /// Where in it, from 1.
        public private(set) var column = 1
        /// How many.
        public fileprivate(set) var count = 0

        @inline(__always)
        fileprivate mutating func add(_ line: Int, column: Int = 1, times: Int = 1) {
            if count == 0 { (first, self.column) = (line, column) }
            count &+= times
        }

        /// Where the first is.
        public var place: PackageProblem.Place { .manifest(line: first, column: column) }
    }

    /// Starts without a line.
    public init() {}

    private var two = Lines()
    private var three = Lines()
    private var four = Lines()
    private var five = Lines()
    /// Lines without text.
    public private(set) var blank = Lines()
    /// Entries with white space that is no part of a delimiter.
    public private(set) var spaced = Lines()
    /// Lines that end in CR LF.
    public private(set) var crlf = Lines()
    /// Lines that end in LF alone.
    public private(set) var lf = Lines()
    /// Headers.
    public private(set) var headers = Lines()
    /// Headers that stand behind another line.
    public private(set) var lateHeaders = Lines()

    /// The entries with so many fields, understood or not.
    ///
    /// - Parameter fields: How many, 2 to 5.
    /// - Returns: The lines.
    public func entries(fields: Int) -> Lines {
        switch fields {
        case 2: two
        case 3: three
        case 4: four
        default: five
        }
    }

    /// Counts a line that is an entry without white space beyond the delimiters.
    @inline(__always)
    mutating func add(plain line: Int, fields: Int, length: Int, endsInCRLF: Bool) {
        addEnd(line, length: length, endsInCRLF: endsInCRLF)
        addEntry(line, fields: fields)
    }

    /// Counts a line's end.
    ///
    /// - Parameters:
    ///   - line: The line's number.
    ///   - length: Its bytes without the end.
    ///   - endsInCRLF: Whether that is CR LF.
    @inline(__always)
    mutating func addEnd(_ line: Int, length: Int, endsInCRLF: Bool) {
        if endsInCRLF { crlf.add(line, column: length + 1) } else { lf.add(line, column: length + 1) }
    }

    /// Counts lines that have nothing but their ends.
    mutating func addEmpty(_ first: Int, count: Int, endInCRLF: Bool) {
        if endInCRLF { crlf.add(first, times: count) } else { lf.add(first, times: count) }
        blank.add(first, times: count)
    }

    /// The line that was counted last had no end.
    mutating func lastLineHasNoEnd() { lf.count -= 1 }

    /// Counts what a line is.
    mutating func add(_ content: ManifestLine.Content, _ line: Int, of bytes: UnsafeBufferPointer<UInt8>) {
        switch content {
        case .blank: blank.add(line)
        case .header:
            headers.add(line)
            if line > 1 { lateHeaders.add(line) }
        case .entry(let fields):
            addEntry(line, fields: fields.count)
            if let offset = Self.space(in: fields, bytes.indices) { spaced.add(line, column: offset + 1) }
        case .malformed, .tooLong: break
        }
    }

    @inline(__always)
    private mutating func addEntry(_ line: Int, fields: Int) {
        switch fields {
        case 2: two.add(line)
        case 3: three.add(line)
        case 4: four.add(line)
        default: five.add(line)
        }
    }

    /// Where white space is that no writer puts there, or nil.
    private static func space(in parts: ManifestLine.Fields, _ line: Range<Int>) -> Int? {
        if parts.url.lowerBound > line.lowerBound { return line.lowerBound }
        let fields = [parts.url, parts.lastModified, parts.expires, parts.mediaType, parts.member].compactMap { $0 }
        for (one, next) in zip(fields, fields.dropFirst())
        where !one.isEmpty && !next.isEmpty && next.lowerBound - one.upperBound != 3 {
            return one.upperBound
        }
        // Behind an empty last field stands what is left of its delimiter.
        guard let last = fields.last, !last.isEmpty, last.upperBound < line.upperBound else { return nil }
        return last.upperBound
    }
}
