internal import PackageFormat
internal import URLStandard

/// A manifest as a text: how its lines are written, whatever they say.
struct LintedManifest: Sendable {
    /// How many lines there are of a sort, and which is the first.
    struct Lines: Sendable {
        /// The first line's number, from 1, or 0.
        var first = 0
        /// Where in it, from 1.
        var column = 1
        /// How many.
        var count = 0

        mutating func add(_ line: Int, column: Int = 1) {
            if count == 0 { (first, self.column) = (line, column) }
            count += 1
        }

        /// Where the first is.
        var place: PackageProblem.Place { .manifest(line: first, column: column) }
    }

    /// The entries, by how many fields they have.
    private(set) var fields = [Lines](repeating: Lines(), count: 6)
    /// Lines without text.
    private(set) var blank = Lines()
    /// Entries with white space that is no part of a delimiter.
    private(set) var spaced = Lines()
    /// Lines that end in CR LF, and in LF alone.
    private(set) var ends = (crlf: Lines(), lf: Lines())
    /// Headers.
    private(set) var headers = Lines()
    /// Headers that stand behind another line.
    private(set) var lateHeaders = Lines()
    /// What the header `baseURL` says, or nil.
    private(set) var baseURL: String?
    /// Whether an entry's URL begins with the base URL.
    private(set) var usesBaseURL = false

    /// Looks at each line.
    init(_ bytes: [UInt8]) {
        var lines = ManifestLines(bytes)
        while let line = lines.next() { take(line, of: bytes) }
    }

    /// Notes an entry below a header.
    mutating func note(_ urlText: String, base: String) {
        baseURL = base
        if !usesBaseURL { usesBaseURL = urlText.hasPrefix(base) }
    }

    private mutating func take(_ line: ManifestLine, of bytes: [UInt8]) {
        if line.endsInCRLF {
            ends.crlf.add(line.number, column: line.range.count + 1)
        } else if line.range.upperBound < bytes.count {
            ends.lf.add(line.number, column: line.range.count + 1)
        }
        switch line.content {
        case .blank: blank.add(line.number)
        case .header:
            headers.add(line.number)
            if line.number > 1 { lateHeaders.add(line.number) }
        case .entry(let parts):
            fields[parts.count].add(line.number)
            if let offset = Self.space(in: parts, line.range, of: bytes) {
                spaced.add(line.number, column: offset - line.range.lowerBound + 1)
            }
        case .malformed, .tooLong: break
        }
    }

    /// Where white space is that no writer puts there, or nil.
    private static func space(in parts: ManifestLine.Fields, _ line: Range<Int>, of bytes: [UInt8]) -> Int? {
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
