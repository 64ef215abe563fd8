/// The difference between two texts, as bags of words.
package struct TextComparison: Sendable, Equatable {
    /// The words of a text that count.
    private static let limit = 50_000

    /// The share of the other text's words that the text lacks, from 0 to 1.
    package var missing: Double
    /// The share of the text's words that the other one lacks, from 0 to 1.
    package var new: Double

    /// Compares two texts.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - other: The text that it should be like.
    package init(_ text: String, with other: String) {
        let (own, others) = (Self.words(text), Self.words(other))
        missing = Self.share(of: others, lacking: own)
        new = Self.share(of: own, lacking: others)
    }

    /// Returns the words of a text with their counts: letters and numbers, in lower case.
    private static func words(_ text: String) -> [Substring: Int] {
        var counts: [Substring: Int] = [:]
        let words = text.lowercased().split(maxSplits: limit) { !$0.isLetter && !$0.isNumber }
        for word in words.prefix(limit) { counts[word, default: 0] += 1 }
        return counts
    }

    private static func share(of words: [Substring: Int], lacking others: [Substring: Int]) -> Double {
        let all = words.values.reduce(0, +)
        guard all > 0 else { return 0 }
        let lacking = words.reduce(0) { $0 + max(0, $1.value - (others[$1.key] ?? 0)) }
        return Double(lacking) / Double(all)
    }
}
