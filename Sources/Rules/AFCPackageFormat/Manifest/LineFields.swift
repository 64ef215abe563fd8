/// The fields of a line as offsets within it.
///
/// A manifest may have a million lines, so they take only 44 bytes.
struct LineFields: Sendable {
    private struct Part: Sendable {
        var start: UInt32 = 0
        var end: UInt32 = 0

        @inline(__always)
        init() {}

        /// A part of a line, as 32-bit offsets.
        @inline(__always)
        init(_ range: Range<Int>) {
            (start, end) = (UInt32(truncatingIfNeeded: range.lowerBound), UInt32(truncatingIfNeeded: range.upperBound))
        }

        @inline(__always)
        var range: Range<Int> { Range(uncheckedBounds: (Int(start), Int(end))) }
    }

    private(set) var count: UInt32 = 2
    private var first: Part
    private var second: Part
    private var third = Part()
    private var fourth = Part()
    private var fifth = Part()

    @inline(__always)
    init(url: Range<Int>, lastModified: Range<Int>) {
        first = Part(url)
        second = Part(lastModified)
    }

    init(_ fields: ManifestLine.Fields) {
        self.init(url: fields.url, lastModified: fields.lastModified)
        for part in [fields.expires, fields.mediaType, fields.member] { part.map { append($0) } }
    }

    /// Appends the third, fourth or fifth field.
    @inline(__always)
    mutating func append(_ range: Range<Int>) {
        count += 1
        switch count {
        case 3: third = Part(range)
        case 4: fourth = Part(range)
        default: fifth = Part(range)
        }
    }

    @inline(__always) var url: Range<Int> { first.range }
    @inline(__always) var lastModified: Range<Int> { second.range }
    @inline(__always) var expires: Range<Int>? { count > 2 ? third.range : nil }
    @inline(__always) var mediaType: Range<Int>? { count > 3 ? fourth.range : nil }
    @inline(__always) var member: Range<Int>? { count > 4 ? fifth.range : nil }

    /// The fields in their public form.
    var fields: ManifestLine.Fields {
        ManifestLine.Fields(
            count: Int(count),
            url: url,
            lastModified: lastModified,
            expires: expires,
            mediaType: mediaType,
            member: member
        )
    }
}
