internal import AFCPackageFormat

/// What rules have found in one file.
///
/// Findings that say the same of many places become one, at the first of them, so that a million lines with one mistake
/// are one sentence. Where a rule says something else of each line, the first thousand are kept and the others counted,
/// so that memory stays small whatever is linted.
struct FindingCollector: Sendable {
    private let file: String
    private let levels: RuleLevels
    private let merges: Bool
    private var findings: [Finding] = []
    private var found: [String: FoundSentences] = [:]
    /// How often loading would say something of a rule, and where that is which stands for all others.
    private var loaded: [String: (count: Int, others: Int?)] = [:]
    /// Whether one of them keeps the package from being loaded, whatever the configuration says of it.
    private(set) var hasErrors = false

    /// - Parameters:
    ///   - file: The linted file.
    ///   - levels: What the configuration says of rules.
    ///   - merges: Whether findings that say the same become one.
    init(file: String, levels: RuleLevels = RuleLevels(), merges: Bool = true) {
        self.file = file
        self.levels = levels
        self.merges = merges
    }

    /// Notes what a rule has found.
    ///
    /// - Parameters:
    ///   - sentence: What is wrong, and the remedy; lower case, no full stop. Made only where it may be new.
    ///   - rule: The rule.
    ///   - place: Where.
    mutating func add(
        _ sentence: @autoclosure () -> String,
        _ rule: any LintRule.Type,
        at place: PackageProblem.Place
    ) {
        add(sentence, rule) { (place, 0) }
    }

    /// Notes what a rule has found in an entry.
    ///
    /// - Parameters:
    ///   - sentence: What is wrong, and the remedy; lower case, no full stop. Made only where it may be new.
    ///   - rule: The rule.
    ///   - entry: The entry.
    ///   - field: What it is about, or nil for the whole line.
    mutating func add(
        _ sentence: @autoclosure () -> String,
        _ rule: any LintRule.Type,
        of entry: LintedEntry,
        at field: LintedEntry.Field? = nil
    ) {
        add(sentence, rule) { field.map { entry.spot(of: $0) } ?? (entry.place, 0) }
    }

    private mutating func add(
        _ sentence: () -> String,
        _ rule: any LintRule.Type,
        _ spot: () -> (place: PackageProblem.Place, length: Int)
    ) {
        let id = rule.id
        let (count, merges) = (findings.count, merges)
        switch found[id, default: FoundSentences(severity: levels.severity(of: rule))].note(
            sentence,
            count,
            merges: merges
        ) {
        case .off: return
        case .known(let number): findings[number].others += 1
        case .new(let sentence, let severity):
            let (place, length) = spot()
            findings.append(
                Finding(file: file, place: place, severity: severity, rule: id, sentence: sentence, length: length)
            )
        }
    }

    /// Takes what loading would say, too; its sentence is made only where it is kept.
    mutating func add(_ problem: PackageProblem) {
        guard merges, let others = loaded[problem.rule]?.others else {
            add(Finding(problem, file: file))
            return
        }
        if problem.severity == .error { hasErrors = true }
        findings[others].others += 1
    }

    /// Takes what loading would say, too.
    mutating func add(_ finding: Finding) {
        if finding.severity == .error { hasErrors = true }
        guard let severity = levels.severity(of: finding.rule, otherwise: finding.severity) else { return }
        var finding = finding
        finding.severity = severity
        append(finding)
    }

    /// Takes a finding of loading, if there aren't too many of its rule.
    private mutating func append(_ finding: Finding) {
        guard merges else {
            findings.append(finding)
            return
        }
        var (count, others) = loaded[finding.rule, default: (0, nil)]
        if let others {
            findings[others].others += finding.others + 1
            return
        }
        var finding = finding
        if count == FoundSentences.limit {
            others = findings.count
            finding.sentence = FoundSentences.rest
        }
        count += 1
        loaded[finding.rule] = (count, others)
        findings.append(finding)
    }

    /// Takes what was found in another part of the file, behind what was found already.
    mutating func add(contentsOf other: FindingCollector) {
        hasErrors = hasErrors || other.hasErrors
        let numbered = Set(other.found.values.flatMap(\.findings))
        for (index, finding) in other.findings.enumerated() {
            guard merges, numbered.contains(index) else {
                append(finding)
                continue
            }
            let (count, severity) = (findings.count, finding.severity)
            switch found[finding.rule, default: FoundSentences(severity: severity)].note(
                { finding.sentence },
                count,
                merges: true
            ) {
            case .off: continue
            case .known(let number): findings[number].others += finding.others + 1
            case .new(let sentence, _):
                var finding = finding
                finding.sentence = sentence
                findings.append(finding)
            }
        }
    }

    /// Whether nothing was found.
    var isEmpty: Bool { findings.isEmpty && !hasErrors }
    /// A collector for another part of the same file.
    var anew: FindingCollector { FindingCollector(file: file, levels: levels, merges: merges) }

    /// The findings: of the whole package first, then of the manifest's lines, the records', the members.
    var sorted: [Finding] {
        func rank(_ place: PackageProblem.Place) -> (Int, Int, Int, String) {
            switch place {
            case .package: (0, 0, 0, "")
            case .manifest(let line, let column): (1, line, column, "")
            case .record(let line): (2, line, 0, "")
            case .member(let name): (3, 0, 0, name)
            }
        }
        return findings.enumerated()
            .sorted { one, other in
                let (a, b) = (rank(one.element.place), rank(other.element.place))
                return a == b ? one.offset < other.offset : a < b
            }
            .map(\.element)
    }
}
