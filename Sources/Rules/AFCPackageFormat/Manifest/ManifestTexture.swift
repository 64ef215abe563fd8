/// The formatting of a manifest, counted while it is read.
public struct ManifestTexture: Equatable, Sendable {
    /// The number of lines of one kind, and the first of them.
    public struct Lines: Equatable, Sendable {
        /// The number of the first line, from 1, or 0.
        public private(set) var first = 0
        /// The column in the first line, from 1.
        public private(set) var column = 1
        /// The number of lines.
        public fileprivate(set) var count = 0

        @inline(__always)
        fileprivate mutating func add(_ line: Int, column: Int = 1, times: Int = 1) {
            if count == 0 { (first, self.column) = (line, column) }
            count &+= times
        }

        /// The place of the first line.
        public var place: PackageProblem.Place { .manifest(line: first, column: column) }
    }

    /// Creates a count of no lines.
    public init() {}

    private var two = Lines()
    private var three = Lines()
    private var four = Lines()
    private var five = Lines()
    /// Lines without text.
    public private(set) var blank = Lines()
    /// Entries with white space that is not part of a delimiter.
    public private(set) var spaced = Lines()
    /// Lines that end in CR LF.
    public private(set) var crlf = Lines()
    /// Lines that end in LF alone.
    public private(set) var lf = Lines()
    /// Headers.
    public private(set) var headers = Lines()
    /// Headers that are not on the first line.
    public private(set) var lateHeaders = Lines()

    /// Returns the entries that have this many fields, valid or not.
    ///
    /// - Parameter fields: The number of fields, 2 to 5.
    /// - Returns: The lines.
    public func entries(fields: Int) -> Lines {
        switch fields {
        case 2: two
        case 3: three
        case 4: four
        default: five
        }
    }

    /// Counts an entry without white space beyond the delimiters.
    @inline(__always)
    mutating func add(plain line: Int, fields: Int, length: Int, endsInCRLF: Bool) {
        addEnd(line, length: length, endsInCRLF: endsInCRLF)
        addEntry(line, fields: fields)
    }

    /// Counts a line end.
    ///
    /// - Parameters:
    ///   - line: The line's number.
    ///   - length: The number of bytes in the line, without its end.
    ///   - endsInCRLF: Whether the line ends in CR LF.
    @inline(__always)
    mutating func addEnd(_ line: Int, length: Int, endsInCRLF: Bool) {
        if endsInCRLF { crlf.add(line, column: length + 1) } else { lf.add(line, column: length + 1) }
    }

    /// Counts lines that consist of a line end only.
    mutating func addEmpty(_ first: Int, count: Int, endInCRLF: Bool) {
        if endInCRLF { crlf.add(first, times: count) } else { lf.add(first, times: count) }
        blank.add(first, times: count)
    }

    /// Corrects the counts for a last line without a line end.
    mutating func lastLineHasNoEnd() { lf.count -= 1 }

    /// Counts a line by its content.
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

    /// Returns the place of white space that no writer puts there, or nil.
    private static func space(in parts: ManifestLine.Fields, _ line: Range<Int>) -> Int? {
        if parts.url.lowerBound > line.lowerBound { return line.lowerBound }
        let fields = [parts.url, parts.lastModified, parts.expires, parts.mediaType, parts.member].compactMap { $0 }
        for (one, next) in zip(fields, fields.dropFirst())
        where !one.isEmpty && !next.isEmpty && next.lowerBound - one.upperBound != 3 {
            return one.upperBound
        }
        // After an empty last field comes the rest of its delimiter.
        guard let last = fields.last, !last.isEmpty, last.upperBound < line.upperBound else { return nil }
        return last.upperBound
    }
}
