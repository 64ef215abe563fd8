internal import AFCPackageFormat
internal import AFCURL

/// The findings of all rules in one file.
///
/// Findings with the same sentence become one, at the first place, so that a mistake in a million lines is reported
/// once. If a rule has a different sentence for each line, the first thousand are kept and the rest are counted, which
/// bounds memory.
struct FindingCollector: Sendable {
    private let file: String
    private let levels: RuleLevels
    private let merges: Bool
    private var findings: [Finding] = []
    private var found: [String: FoundSentences] = [:]
    /// The number of kept findings of loading by rule, and the index of the one that counts the rest.
    private var loaded: [String: (count: Int, others: Int?)] = [:]
    /// True if a finding keeps the package from being loaded, whatever level the configuration gives it.
    private(set) var hasErrors = false

    /// - Parameters:
    ///   - file: The linted file.
    ///   - levels: The levels of the rules.
    ///   - merges: True if findings with the same sentence become one.
    init(file: String, levels: RuleLevels = RuleLevels(), merges: Bool = true) {
        self.file = file
        self.levels = levels
        self.merges = merges
    }

    /// Adds a finding of a rule.
    ///
    /// - Parameters:
    ///   - sentence: What is wrong, and the remedy; lower case, no full stop. Evaluated only if it may be new.
    ///   - rule: The rule.
    ///   - place: The place.
    mutating func add(
        _ sentence: @autoclosure () -> String,
        _ rule: any LintRule.Type,
        at place: PackageProblem.Place
    ) {
        add(sentence, rule) { (place, 0, nil) }
    }

    /// Adds a finding of a rule about a resource of a package, which need not be named in the sentence.
    ///
    /// - Parameters:
    ///   - sentence: What is wrong, and the remedy; lower case, no full stop. Evaluated only if it may be new.
    ///   - rule: The rule.
    ///   - resource: The resource.
    ///   - package: The package.
    mutating func add(
        _ sentence: @autoclosure () -> String,
        _ rule: any LintRule.Type,
        of resource: PackageIndex.Resource,
        in package: LintedPackage
    ) {
        add(sentence, rule) { (package.place(of: resource), 0, resource.url.description) }
    }

    /// Adds a finding of a rule about an entry.
    ///
    /// - Parameters:
    ///   - sentence: What is wrong, and the remedy; lower case, no full stop. Evaluated only if it may be new.
    ///   - rule: The rule.
    ///   - entry: The entry.
    ///   - field: The field that it is about, or nil for the whole line.
    mutating func add(
        _ sentence: @autoclosure () -> String,
        _ rule: any LintRule.Type,
        of entry: LintedEntry,
        at field: LintedEntry.Field? = nil
    ) {
        add(sentence, rule) {
            guard let spot = field.map({ entry.spot(of: $0) }) else { return (entry.place, 0, nil) }
            return (spot.place, spot.length, nil)
        }
    }

    private mutating func add(
        _ sentence: () -> String,
        _ rule: any LintRule.Type,
        _ spot: () -> (place: PackageProblem.Place, length: Int, url: String?)
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
            let (place, length, url) = spot()
            var finding = Finding(
                file: file,
                place: place,
                severity: severity,
                rule: id,
                sentence: sentence,
                length: length
            )
            (finding.url, finding.remedy) = (url, rule.remedy)
            findings.append(finding)
        }
    }

    /// Adds a problem that loading would also report; its sentence is made only if it is kept.
    mutating func add(_ problem: PackageProblem) {
        guard merges, let others = loaded[problem.rule]?.others else {
            add(Finding(problem, file: file))
            return
        }
        if problem.severity == .error { hasErrors = true }
        findings[others].others += 1
    }

    /// Adds a finding that loading would also report.
    mutating func add(_ finding: Finding) {
        if finding.severity == .error { hasErrors = true }
        guard let severity = levels.severity(of: finding.rule, otherwise: finding.severity) else { return }
        var finding = finding
        finding.severity = severity
        append(finding)
    }

    /// Adds a finding of loading, or counts it if there are too many of its rule.
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

    /// Appends the findings of another part of the file.
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

    /// True if there are no findings.
    var isEmpty: Bool { findings.isEmpty && !hasErrors }
    /// A collector for another part of the same file.
    var emptyCopy: FindingCollector { FindingCollector(file: file, levels: levels, merges: merges) }

    /// The findings in order: those about the whole package first, then manifest lines, records and members.
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
