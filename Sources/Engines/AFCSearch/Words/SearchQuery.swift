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
        /// The numbers of words between the dots of a name such as `os.path.join`; empty for anything else.
        var parts: [Int] = []
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
            // Two dashes begin an option of a program, which is meant itself.
            let isExcluded =
                (first == "-" || first == "\u{2212}")
                && rest.dropFirst().first.map { !$0.isWhitespace && $0 != "-" } ?? false
            if isExcluded { rest = rest.dropFirst() }
            let part: Substring
            var isName = false
            if let quote = rest.first, "\"\u{201C}\u{201D}\u{201E}".contains(quote) {
                rest = rest.dropFirst()
                part = rest.prefix { !"\"\u{201C}\u{201D}".contains($0) }
                rest = rest[part.endIndex...].dropFirst()
            } else {
                part = rest.prefix { !$0.isWhitespace }
                rest = rest[part.endIndex...]
                isName = true
            }
            let words = SearchWord.all(in: String(part), limit: Self.wordLimit - count)
            guard !words.isEmpty else { continue }
            count += words.count
            var phrase = Phrase(words: words.map(\.text))
            if isName { phrase.parts = Self.parts(of: part, count: words.count) }
            if isExcluded { excluded.append(phrase) } else { wanted.append(phrase) }
            if isOpen, !isExcluded, rest.isEmpty, let last = wanted.indices.last { wanted[last].isPrefix = true }
        }
        // A query of exclusions only would match nearly everything; an option such as '-v' is meant itself.
        if wanted.isEmpty { (wanted, excluded) = (excluded, []) }
    }

    /// Returns the numbers of words between the dots of a name; none for anything else.
    ///
    /// Pages of reference define the last part of a name, and have the others in the text around it.
    private static func parts(of name: Substring, count: Int) -> [Int] {
        let parts = name.split { ".:/#".contains($0) }.map { SearchWord.all(in: String($0), limit: wordLimit).count }
        let counts = parts.filter { $0 > 0 }
        return counts.count > 1 && counts.reduce(0, +) == count ? counts : []
    }

    /// Creates a query for pages that contain any of some words.
    package init(anyOf words: [String]) {
        wanted = words.prefix(Self.wordLimit).map { Phrase(words: [$0]) }
    }

    /// True if the query has no words.
    package var isEmpty: Bool { wanted.isEmpty }
    /// The word of an index that stands for the query as a term that pages define; nil if it is none.
    var term: String? { wanted.contains(where: \.isPrefix) ? nil : DefinedTerms.token(of: words) }
    /// The words that must occur.
    package var words: [String] { wanted.flatMap(\.words) }

    /// Returns the expression for the database's full-text search.
    ///
    /// - Parameters:
    ///   - isAny: True if any of the wanted phrases is enough.
    ///   - isLoose: True if a page may also have the parts of a name apart, the last one in its title or headings.
    /// - Returns: The expression, in which each word is quoted.
    func expression(isAny: Bool = false, isLoose: Bool = false) -> String {
        let phrases = wanted.map(isLoose ? Self.looseExpression : Self.expression)
        let wanted = phrases.joined(separator: isAny ? " OR " : " AND ")
        guard !excluded.isEmpty else { return wanted }
        return "(\(wanted)) NOT (\(excluded.map(Self.expression).joined(separator: " OR ")))"
    }

    private static func looseExpression(_ phrase: Phrase) -> String {
        let whole = expression(phrase)
        guard !phrase.parts.isEmpty, !phrase.isPrefix else { return whole }
        var words = phrase.words[...]
        var parts = phrase.parts.map { count in
            defer { words = words.dropFirst(count) }
            return expression(Phrase(words: Array(words.prefix(count))))
        }
        let last = parts.removeLast()
        return "(\(whole) OR \(parts.joined(separator: " AND ")) AND {title heading} : (\(last)))"
    }

    private static func expression(_ phrase: Phrase) -> String {
        // A folded word has no quotation mark, since that isn't a letter.
        phrase.words.map { "\"\($0)\"" }.joined(separator: " + ") + (phrase.isPrefix ? " *" : "")
    }
}
