/// The terms that a page defines: its short headings, also without a word that many of them share, such as "Directive".
///
/// A term is stored among the words of headings as one word with a mark, so that a page that defines what was asked for is
/// found before pages that mention it.
enum DefinedTerms {
    /// The most words of a term, and the most headings of a page that are considered.
    private static let wordLimit = 4
    private static let headingLimit = 10_000
    /// The number of headings of a page from which on a word that they share says nothing.
    private static let sharedCount = 5
    /// The characters before and between the words of a term, which no word has.
    private static let (mark, joint) = ("\u{E000}", "\u{E001}")

    /// Returns the word that stands for a term; nil if the term is too long.
    static func token(of words: [String]) -> String? {
        guard (1...wordLimit).contains(words.count) else { return nil }
        return mark + words.joined(separator: joint)
    }

    /// Returns the words for the terms of a page, each once.
    ///
    /// - Parameter headings: The headings, one a line.
    /// - Returns: The words, in the order of the headings.
    static func tokens(in headings: String) -> [String] {
        var lines: [[String]] = []
        var (first, last): ([String: Int], [String: Int]) = ([:], [:])
        for line in headings.split(separator: "\n").prefix(headingLimit) {
            let words = SearchWord.all(in: String(line), limit: wordLimit + 2).map(\.text)
            guard (1...wordLimit + 1).contains(words.count) else { continue }
            lines.append(words)
            guard words.count > 1 else { continue }
            first[words[0], default: 0] += 1
            last[words[words.count - 1], default: 0] += 1
        }
        var known: Set<String> = []
        var tokens: [String] = []
        func add(_ words: some Sequence<String>) {
            guard let token = token(of: Array(words)), known.insert(token).inserted else { return }
            tokens.append(token)
        }
        for words in lines {
            add(words)
            guard words.count > 1 else { continue }
            if last[words[words.count - 1]] ?? 0 >= sharedCount { add(words.dropLast()) }
            if first[words[0]] ?? 0 >= sharedCount { add(words.dropFirst()) }
        }
        return tokens
    }
}
