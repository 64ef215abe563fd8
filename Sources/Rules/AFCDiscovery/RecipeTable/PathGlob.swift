/// A pattern for the end of a path, such as `public/docfx.min.js` or `searcher-*.js`.
///
/// It matches whole segments from the end of the path. A segment may have one `*`, which stands for any text within it.
struct PathGlob: Sendable {
    /// What a path is, if the pattern matches it.
    struct Match {
        /// The number of bytes before the part that matches.
        var start: Int
        /// The text that the last `*` stands for.
        var star: String
    }

    private struct Segment {
        var head: [UInt8]
        /// What follows `*`, or nil if there is none.
        var tail: [UInt8]?
    }

    /// The segments from the last to the first.
    private let segments: [Segment]

    /// Creates a pattern; nil if it is empty, or a segment has more than one `*`.
    init?(_ text: String) {
        var segments: [Segment] = []
        for part in text.split(separator: "/", omittingEmptySubsequences: false) {
            let pieces = part.split(separator: "*", omittingEmptySubsequences: false)
            guard !part.isEmpty, pieces.count <= 2 else { return nil }
            segments.append(Segment(head: Array(pieces[0].utf8), tail: pieces.count == 2 ? Array(pieces[1].utf8) : nil))
        }
        guard !segments.isEmpty else { return nil }
        self.segments = segments.reversed()
    }

    /// Matches the last segment alone.
    func matches(name: Substring) -> Bool { Self.star(segments[0], Array(name.utf8)[...]) != nil }

    /// Matches a path, without query and fragment.
    func match(_ path: ArraySlice<UInt8>) -> Match? {
        var end = path.endIndex
        var star: ArraySlice<UInt8> = []
        for (place, segment) in segments.enumerated() {
            if place > 0 {
                guard end > path.startIndex else { return nil }
                end -= 1
            }
            var start = end
            while start > path.startIndex, path[start - 1] != UInt8(ascii: "/") { start -= 1 }
            guard let found = Self.star(segment, path[start..<end]) else { return nil }
            if star.isEmpty { star = found }
            end = start
        }
        return Match(start: end - path.startIndex, star: String(decoding: star, as: UTF8.self))
    }

    /// Returns what `*` stands for, or nil if the segment doesn't match.
    private static func star(_ segment: Segment, _ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let tail = segment.tail else { return text.elementsEqual(segment.head) ? [] : nil }
        guard text.count >= segment.head.count + tail.count, text.starts(with: segment.head),
            text.suffix(tail.count).elementsEqual(tail)
        else { return nil }
        return text.dropFirst(segment.head.count).dropLast(tail.count)
    }
}
