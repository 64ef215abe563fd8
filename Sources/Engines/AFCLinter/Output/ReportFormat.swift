public import AFCPackageFormat

/// A form in which people or programs want to read findings.
public enum ReportFormat: String, Sendable, CaseIterable {
    /// One line a finding.
    case text
    /// The program's own document.
    case json
    /// The Static Analysis Results Interchange Format, version 2.1.0.
    case sarif
    /// JUnit's XML, which most build servers read.
    case junit
    /// GitHub's workflow commands.
    case github
    /// GitLab's code quality report.
    case gitlab

    /// Whether a report needs to know of findings what only their texts say: fingerprints, columns in characters.
    public var identifiesFindings: Bool {
        switch self {
        case .sarif, .gitlab, .github: true
        case .text, .json, .junit: false
        }
    }

    /// Starts a report.
    public func report(_ context: ReportContext) -> any LintReport {
        switch self {
        case .text: EscapedReport(TextReport(style: context.style), ReportText.lines)
        case .json: EscapedReport(JSONReport(), ReportText.json)
        case .sarif: EscapedReport(SARIFReport(context), ReportText.json)
        case .junit: EscapedReport(JUnitReport(context), ReportText.xml)
        case .github: EscapedReport(GitHubReport(context), ReportText.commands)
        case .gitlab: EscapedReport(GitLabReport(context), ReportText.json)
        }
    }
}

/// What a report says besides the findings.
public struct ReportContext: Sendable {
    /// The program's version.
    public var version: String
    /// The absolute path of the folder that paths are made relative to.
    public var workingFolder: String
    /// How findings are shown to people.
    public var style = FindingStyle()
    /// Where docs/lint-rules.md is published, so that a report can lead there; nil where it isn't.
    public var rulesURL: String?

    /// Creates a context.
    public init(version: String, workingFolder: String) {
        self.version = version
        self.workingFolder = workingFolder
    }
}

/// Writes findings, file by file, so that no report is held in memory.
public protocol LintReport {
    /// Writes what comes before the files.
    mutating func begin(_ write: (String) -> Void)
    /// Writes what was found in a file.
    ///
    /// - Parameters:
    ///   - result: What was found.
    ///   - file: The path as given.
    ///   - failing: From which severity on a finding makes the program fail, or nil where none does.
    ///   - write: Takes text.
    mutating func add(
        _ result: Linter.Result,
        of file: String,
        failing: PackageProblem.Severity?,
        _ write: (String) -> Void
    )
    /// Writes what comes behind the files.
    mutating func end(exitCode: Int32, _ write: (String) -> Void)
    /// What the report has no room for, as a sentence, or nil.
    var leftOut: String? { get }
}

extension LintReport {
    /// Nothing.
    public mutating func begin(_ write: (String) -> Void) {}
    /// Nothing.
    public mutating func end(exitCode: Int32, _ write: (String) -> Void) {}
    /// Nothing is.
    public var leftOut: String? { nil }
}

/// One line a finding, or three with its context; of many findings of a rule the first, and how many there are more.
struct TextReport: LintReport {
    let style: FindingStyle

    mutating func add(
        _ result: Linter.Result,
        of file: String,
        failing: PackageProblem.Severity?,
        _ write: (String) -> Void
    ) {
        var counts: [String: Int] = [:]
        var more: [(finding: Finding, count: Int)] = []
        for finding in result.findings {
            let count = counts[finding.rule, default: 0] + 1
            counts[finding.rule] = count
            guard let limit = style.findingsPerRule, count > limit else {
                for line in style.lines(finding) { write(line + "\n") }
                continue
            }
            if let index = more.firstIndex(where: { $0.finding.rule == finding.rule }) {
                more[index].count += finding.others + 1
            } else {
                more.append((finding, finding.others + 1))
            }
        }
        for (finding, count) in more {
            var rest = Finding(
                file: finding.file,
                place: .package,
                severity: finding.severity,
                rule: finding.rule,
                sentence: "\(count) more of this rule" + (style.advice.map { "; \($0)" } ?? "")
            )
            rest.isInPackage = finding.isInPackage
            for line in style.lines(rest) { write(line + "\n") }
        }
    }
}
