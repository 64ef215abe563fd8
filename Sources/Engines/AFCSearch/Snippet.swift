/// A part of a page's text around the words that were searched for.
package struct Snippet: Sendable, Equatable {
    /// A piece of the text.
    package struct Part: Sendable, Equatable {
        /// The text, on one line.
        package var text: String
        /// True if it is a word that was searched for.
        package var isMarked: Bool
    }

    /// The pieces in their order.
    package private(set) var parts: [Part] = []

    /// The most bytes of a text in which the words are looked for.
    private static let searchedBytes = 1 << 20
    /// The number of words in a snippet.
    private static let wordCount = 36
    /// The most bytes of a snippet, for texts with long words or without words.
    private static let byteCount = 420

    /// Chooses the part of a text with the most different words of a query.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - query: The query.
    init(_ text: String, for query: SearchQuery) {
        let matcher = WordMatcher(query)
        var text = text
        parts = text.withUTF8 { bytes in
            let bytes = UnsafeBufferPointer(rebasing: bytes.prefix(Self.searchedBytes))
            return Self.parts(bytes, matcher)
        }
    }

    private static func parts(_ bytes: UnsafeBufferPointer<UInt8>, _ matcher: WordMatcher) -> [Part] {
        var ranges: [Range<Int>] = []
        var found: [(place: Int, word: Int)] = []
        SearchWord.forEach(in: bytes) { word in
            if let match = matcher.match(word.folded) { found.append((ranges.count, match)) }
            ranges.append(word.range)
            return true
        }
        guard !ranges.isEmpty else { return [] }
        let first = window(found)
        let low = max(0, first - 6)
        let start = low == 0 ? 0 : ranges[low].lowerBound
        var high = min(ranges.count, low + wordCount)
        while high > low + 1, ranges[high - 1].upperBound - start > byteCount { high -= 1 }
        let end = min(ranges[high - 1].upperBound + (high == ranges.count ? 8 : 0), bytes.count)
        let marked = Set(found.map(\.place))
        var parts: [Part] = []
        var position = start
        if low > 0 { parts.append(Part(text: "… ", isMarked: false)) }
        func add(_ range: Range<Int>, isMarked: Bool) {
            let text = line(bytes[range])
            guard !text.isEmpty else { return }
            if let last = parts.last, !last.isMarked, !isMarked {
                parts[parts.count - 1].text += text
            } else {
                parts.append(Part(text: text, isMarked: isMarked))
            }
        }
        for place in low..<high where marked.contains(place) {
            guard ranges[place].lowerBound >= position else { continue }
            add(position..<ranges[place].lowerBound, isMarked: false)
            add(ranges[place], isMarked: true)
            position = ranges[place].upperBound
        }
        add(position..<max(position, min(end, start + 2 * byteCount)), isMarked: false)
        if high < ranges.count { add(end..<end, isMarked: false); parts.append(Part(text: " …", isMarked: false)) }
        return parts
    }

    /// Returns the place of the first word of the window with the most different words of the query.
    private static func window(_ found: [(place: Int, word: Int)]) -> Int {
        var best = (count: 0, place: 0)
        var counts: [Int: Int] = [:]
        var low = 0
        for high in found.indices {
            counts[found[high].word, default: 0] += 1
            while found[high].place - found[low].place >= wordCount - 8 {
                counts[found[low].word, default: 1] -= 1
                if counts[found[low].word] == 0 { counts[found[low].word] = nil }
                low += 1
            }
            if counts.count > best.count { best = (counts.count, found[low].place) }
        }
        return best.place
    }

    /// Returns text on one line, without the marks that sites put behind their headings.
    private static func line(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        var result = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\n", "\t", "\r": if result.unicodeScalars.last != " " { result += " " }
            case "\u{B6}", "\u{F0C1}", "\u{FFFD}": continue
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// Tells which words of a text a query found.
struct WordMatcher {
    /// The endings by which forms of an English word differ.
    private static let endings = Set(
        ["", "s", "es", "e", "ed", "d", "ing", "er", "ers", "or", "ors", "y", "ies", "ied", "ion", "ions", "ive", "ly"]
            .map { Array($0.utf8) }
    )

    private let words: [(folded: [UInt8], isPrefix: Bool)]

    init(_ query: SearchQuery) {
        words = query.wanted.flatMap { phrase in
            phrase.words.enumerated().map { place, word in
                (Array(word.utf8), phrase.isPrefix && place == phrase.words.count - 1)
            }
        }
    }

    /// Returns the index of the query's word that a word matches: as it is, as its beginning, or by its stem.
    func match(_ word: [UInt8]) -> Int? {
        for (index, wanted) in words.enumerated() {
            if wanted.folded == word || wanted.isPrefix && word.starts(with: wanted.folded) { return index }
        }
        for (index, wanted) in words.enumerated() where !wanted.isPrefix {
            // Only an approximation of the stemmer, for marking.
            let common = zip(word, wanted.folded).prefix { $0 == $1 }.count
            if common >= 3, Self.endings.contains(Array(word[common...])),
                Self.endings.contains(Array(wanted.folded[common...]))
            {
                return index
            }
        }
        return nil
    }
}
