/// A search as a user typed it, read into words; no character of it has a meaning for the database.
///
/// All words must occur. Words in quotation marks, and words that only punctuation separates (`os.path`), must occur
/// side by side. A word after a minus sign must not occur.
package struct SearchQuery: Sendable, Equatable {
    /// One or more words that must occur side by side.
    package struct Phrase: Sendable, Equatable {
        /// The folded words.
        package var words: [String]
        /// True if the last word is only the beginning of one.
        package var isPrefix = false
    }

    /// The most bytes of a query that are read.
    package static let byteLimit = 512
    /// The most words of a query that are read.
    package static let wordLimit = 24

    /// The phrases that must occur.
    package private(set) var wanted: [Phrase] = []
    /// The phrases that must not occur.
    package private(set) var excluded: [Phrase] = []

    /// Reads a query.
    ///
    /// - Parameters:
    ///   - text: The query as typed.
    ///   - isUnfinished: True if the user is still typing, so that the last word may be the beginning of one.
    package init(_ text: String, isUnfinished: Bool = false) {
        var rest = Substring(decoding: text.utf8.prefix(Self.byteLimit), as: UTF8.self)
        let isOpen = isUnfinished && !(rest.last?.isWhitespace ?? true) && rest.last != "\""
        var count = 0
        while true {
            rest = rest.drop { $0.isWhitespace }
            guard let first = rest.first, count < Self.wordLimit else { break }
            let isExcluded =
                (first == "-" || first == "\u{2212}") && rest.dropFirst().first.map { !$0.isWhitespace } ?? false
            if isExcluded { rest = rest.dropFirst() }
            let part: Substring
            if let quote = rest.first, "\"\u{201C}\u{201D}\u{201E}".contains(quote) {
                rest = rest.dropFirst()
                part = rest.prefix { !"\"\u{201C}\u{201D}".contains($0) }
                rest = rest[part.endIndex...].dropFirst()
            } else {
                part = rest.prefix { !$0.isWhitespace }
                rest = rest[part.endIndex...]
            }
            let words = SearchWord.all(in: String(part), limit: Self.wordLimit - count)
            guard !words.isEmpty else { continue }
            count += words.count
            let phrase = Phrase(words: words.map(\.text))
            if isExcluded { excluded.append(phrase) } else { wanted.append(phrase) }
            if isOpen, !isExcluded, rest.isEmpty, let last = wanted.indices.last { wanted[last].isPrefix = true }
        }
        // A query of exclusions only would match nearly everything.
        if wanted.isEmpty { excluded = [] }
    }

    /// Creates a query for pages that contain any of some words.
    package init(anyOf words: [String]) {
        wanted = words.prefix(Self.wordLimit).map { Phrase(words: [$0]) }
    }

    /// True if the query has no words.
    package var isEmpty: Bool { wanted.isEmpty }
    /// The words that must occur.
    package var words: [String] { wanted.flatMap(\.words) }

    /// Returns the expression for the database's full-text search.
    ///
    /// - Parameter isAny: True if any of the wanted phrases is enough.
    /// - Returns: The expression, in which each word is quoted.
    func expression(isAny: Bool = false) -> String {
        let wanted = wanted.map(Self.expression).joined(separator: isAny ? " OR " : " AND ")
        guard !excluded.isEmpty else { return wanted }
        return "(\(wanted)) NOT (\(excluded.map(Self.expression).joined(separator: " OR ")))"
    }

    private static func expression(_ phrase: Phrase) -> String {
        // A folded word has no quotation mark, since that isn't a letter.
        phrase.words.map { "\"\($0)\"" }.joined(separator: " + ") + (phrase.isPrefix ? " *" : "")
    }
}
