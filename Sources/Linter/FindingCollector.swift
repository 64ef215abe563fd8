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
    private var findings: [Finding] = []
    private var numbers: [Key: Int] = [:]

    init(file: String) { self.file = file }

    /// Notes what a rule has found.
    ///
    /// - Parameters:
    ///   - sentence: What is wrong, and the remedy; lower case, no full stop.
    ///   - rule: The rule.
    ///   - place: Where.
    ///   - length: How many bytes of the line from the place on, or 0.
    mutating func add(_ sentence: String, _ rule: any LintRule.Type, at place: PackageProblem.Place, length: Int = 0) {
        let key = Key(rule: rule.id, sentence: sentence)
        if let number = numbers[key] {
            findings[number].others += 1
        } else {
            numbers[key] = findings.count
            findings.append(
                Finding(
                    file: file,
                    place: place,
                    severity: rule.severity,
                    rule: rule.id,
                    sentence: sentence,
                    length: length
                )
            )
        }
    }

    /// Takes a finding as it is.
    mutating func add(_ finding: Finding) { findings.append(finding) }

    /// Takes what was found in another part of the file, behind what was found already.
    mutating func add(contentsOf other: FindingCollector) {
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
    var isEmpty: Bool { findings.isEmpty }
    /// Whether one of them keeps the package from being loaded.
    var hasErrors: Bool { findings.contains { $0.severity == .error } }

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
