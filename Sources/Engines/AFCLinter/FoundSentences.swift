internal import AFCPackageFormat

/// The sentences of one rule so far.
struct FoundSentences: Sendable {
    /// The result of looking a sentence up.
    enum Note {
        /// The rule is off.
        case off
        /// The sentence belongs to the finding with this number, or is counted there.
        case known(Int)
        /// A new finding with this sentence, or with the one that replaces it.
        case new(String, PackageProblem.Severity)
    }

    /// The number of sentences of one rule that are kept.
    static let limit = 1000
    /// The sentence that stands for the rest.
    static let rest = "there are \(limit) other findings of this rule; the rest are only counted"

    /// The severity, or nil if the rule is off.
    private let severity: PackageProblem.Severity?
    /// The number of the finding of each sentence.
    private var numbers: [String: Int] = [:]
    /// The last sentence, which often comes again next.
    private var last: (sentence: String, number: Int)?
    /// The number of the finding that counts the rest, once there are too many sentences.
    private var others: Int?

    init(severity: PackageProblem.Severity?) { self.severity = severity }

    /// The numbers of these findings.
    var findings: [Int] { Array(numbers.values) + (others.map { [$0] } ?? []) }

    /// Looks up a sentence and remembers it.
    ///
    /// - Parameters:
    ///   - sentence: The sentence, evaluated only if it may be new.
    ///   - count: The number for a new finding.
    ///   - merges: True if findings with the same sentence become one.
    /// - Returns: The result.
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
