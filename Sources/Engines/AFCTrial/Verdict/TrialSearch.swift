package import AFCURL

/// The search of a trial.
package struct TrialSearch: Sendable, Equatable {
    /// The results.
    package enum Outcome: String, Sendable {
        /// Something with the word, or a link to the page with the word, appeared.
        case found
        /// Nothing appeared, and nothing was refused.
        case nothing
        /// The search made a request that isn't answered.
        case failed
    }

    /// The result.
    package var outcome: Outcome
    /// The page with the search field.
    package var page: WebURL
    /// The word.
    package var word: String

    /// Creates a search.
    package init(_ outcome: Outcome, page: WebURL, word: String) {
        (self.outcome, self.page, self.word) = (outcome, page, word)
    }
}

/// The words that a trial searches for.
package enum SearchWords {
    /// The length of a word, in characters.
    private static let lengths = 5...20

    /// What a page says about itself.
    package struct Page: Sendable {
        /// The page.
        package var url: WebURL
        /// Its title and headings.
        package var headings: String
        /// Its text.
        package var text: String

        /// Creates a page.
        package init(url: WebURL, headings: String, text: String) {
            (self.url, self.headings, self.text) = (url, headings, text)
        }
    }

    /// Returns words to search for, the best first: those of headings, on few pages, and not visible where the search is.
    ///
    /// - Parameters:
    ///   - pages: The pages of the site that are known.
    ///   - shown: The text of the page with the search field.
    ///   - count: The most words to return.
    /// - Returns: The words, in lower case, each with the page on which it is.
    package static func choose(_ pages: [Page], shown: String, count: Int) -> [(word: String, page: WebURL)] {
        let visible = Set(words(shown))
        var frequency: [String: Int] = [:]
        var candidates: [(word: String, page: Int, isHeading: Bool)] = []
        for (index, page) in pages.enumerated() {
            let headings = Set(words(page.headings))
            let all = headings.union(words(page.text))
            for word in all { frequency[word, default: 0] += 1 }
            // What is visible already wouldn't be new.
            let best = headings.subtracting(visible)
            let words = (best.isEmpty ? all.subtracting(visible) : best).sorted().prefix(200)
            candidates += words.map { ($0, index, headings.contains($0)) }
        }
        func rank(_ candidate: (word: String, page: Int, isHeading: Bool)) -> (Int, Int, Int, String) {
            (candidate.isHeading ? 0 : 1, frequency[candidate.word] ?? 0, candidate.page, candidate.word)
        }
        var chosen: [(word: String, page: WebURL)] = []
        for candidate in candidates.sorted(by: { rank($0) < rank($1) }) where chosen.count < count {
            // Several words of one page would fail for one reason.
            let page = pages[candidate.page].url
            if !chosen.contains(where: { $0.word == candidate.word || $0.page == page }) {
                chosen.append((candidate.word, page))
            }
        }
        return chosen
    }

    /// Returns how often a word begins in a text, whatever its case.
    package static func count(_ word: String, in text: String) -> Int {
        words(text, lengths: 1...200).count { $0.hasPrefix(word) }
    }

    private static func words(_ text: String, lengths: ClosedRange<Int> = lengths) -> [String] {
        text.lowercased().split { !$0.isLetter }.filter { lengths.contains($0.count) }.map(String.init)
    }
}
