internal import AFCPackageFormat

/// What one rule has said so far.
struct FoundSentences: Sendable {
    /// What a sentence is.
    enum Note {
        /// Nothing: the rule is off.
        case off
        /// That of a finding with this number, or counted there.
        case known(Int)
        /// A new finding's, or what is said instead.
        case new(String, PackageProblem.Severity)
    }

    /// How many sentences of one rule are kept.
    static let limit = 1000
    /// What is said of the others.
    static let rest = "there are \(limit) other findings of this rule; the rest are only counted"

    /// How bad that is, or nil where the rule is off.
    private let severity: PackageProblem.Severity?
    /// Where each sentence is among the findings.
    private var numbers: [String: Int] = [:]
    /// The sentence that came last, which often comes next, too.
    private var last: (sentence: String, number: Int)?
    /// Where that is which stands for all others, once there are too many sentences.
    private var others: Int?

    init(severity: PackageProblem.Severity?) { self.severity = severity }

    /// Which findings these are, as numbers.
    var findings: [Int] { Array(numbers.values) + (others.map { [$0] } ?? []) }

    /// Looks a sentence up, and remembers it.
    ///
    /// - Parameters:
    ///   - sentence: Made only where it may be new.
    ///   - count: The number that a new finding gets.
    ///   - merges: Whether findings that say the same become one.
    /// - Returns: What it is.
    mutating func note(_ sentence: () -> String, _ count: Int, merges: Bool) -> Note {
        guard let severity else { return .off }
        guard merges else { return .new(sentence(), severity) }
        if let others { return .known(others) }
        let text = sentence()
        if let last, last.sentence == text { return .known(last.number) }
        if let number = numbers[text] {
            last = (text, number)
            return .known(number)
        }
        guard numbers.count < Self.limit else {
            others = count
            return .new(Self.rest, severity)
        }
        numbers[text] = count
        last = (text, count)
        return .new(text, severity)
    }
}
