internal import PackageFormat

/// What rules have found in one file.
///
/// Findings that say the same of many places become one, at the first of them, so that a million lines with one mistake
/// are one sentence.
struct FindingCollector: Sendable {
    private struct Key: Hashable, Sendable {
        var rule: String
        var sentence: String
    }

    private let file: String
    private let levels: RuleLevels
    private let merges: Bool
    private var findings: [Finding] = []
    private var numbers: [Key: Int] = [:]
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
    ///   - sentence: What is wrong, and the remedy; lower case, no full stop.
    ///   - rule: The rule.
    ///   - place: Where.
    ///   - length: How many bytes of the line from the place on, or 0.
    mutating func add(_ sentence: String, _ rule: any LintRule.Type, at place: PackageProblem.Place, length: Int = 0) {
        guard let severity = levels.severity(of: rule) else { return }
        let key = Key(rule: rule.id, sentence: sentence)
        if merges, let number = numbers[key] {
            findings[number].others += 1
        } else {
            if merges { numbers[key] = findings.count }
            findings.append(
                Finding(
                    file: file,
                    place: place,
                    severity: severity,
                    rule: rule.id,
                    sentence: sentence,
                    length: length
                )
            )
        }
    }

    /// Takes what loading would say, too.
    mutating func add(_ finding: Finding) {
        if finding.severity == .error { hasErrors = true }
        guard let severity = levels.severity(of: finding.rule, otherwise: finding.severity) else { return }
        var finding = finding
        finding.severity = severity
        findings.append(finding)
    }

    /// Takes what was found in another part of the file, behind what was found already.
    mutating func add(contentsOf other: FindingCollector) {
        hasErrors = hasErrors || other.hasErrors
        let keys = Dictionary(uniqueKeysWithValues: other.numbers.map { ($1, $0) })
        for (index, finding) in other.findings.enumerated() {
            guard let key = keys[index] else {
                findings.append(finding)
                continue
            }
            if let number = numbers[key] {
                findings[number].others += finding.others + 1
            } else {
                numbers[key] = findings.count
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
