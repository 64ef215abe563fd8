public import AFCPackageFormat

/// An output format for findings.
public enum ReportFormat: String, Sendable, CaseIterable {
    /// Text with one line per finding.
    case text
    /// The program's own JSON document.
    case json
    /// The Static Analysis Results Interchange Format, version 2.1.0.
    case sarif
    /// JUnit's XML, which most build servers understand.
    case junit
    /// GitHub's workflow commands.
    case github
    /// GitLab's code quality report.
    case gitlab

    /// True if the format needs fingerprints and columns in code points.
    public var identifiesFindings: Bool {
        switch self {
        case .sarif, .gitlab, .github: true
        case .text, .json, .junit: false
        }
    }

    /// Creates a report.
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

/// The information in a report besides the findings.
public struct ReportContext: Sendable {
    /// The program's version.
    public var version: String
    /// The absolute path of the folder that paths in the report are relative to.
    public var workingFolder: String
    /// The style for people.
    public var style = FindingStyle()
    /// The URL where docs/reference/lint-rules.md is published, for links in reports; nil if it isn't.
    public var rulesURL: String?

    /// Creates a context.
    public init(version: String, workingFolder: String) {
        self.version = version
        self.workingFolder = workingFolder
    }
}

/// A report that is written file by file, so that it needn't be kept in memory.
public protocol LintReport {
    /// Writes the part before the files.
    mutating func begin(_ write: (String) -> Void)
    /// Writes the findings of a file.
    ///
    /// - Parameters:
    ///   - result: The result of linting the file.
    ///   - file: The path as given.
    ///   - failing: The lowest severity at which the program fails, or nil if it never does.
    ///   - write: A closure that takes text.
    mutating func add(
        _ result: Linter.Result,
        of file: String,
        failing: PackageProblem.Severity?,
        _ write: (String) -> Void
    )
    /// Writes the part after the files.
    mutating func end(exitCode: Int32, _ write: (String) -> Void)
    /// A sentence about findings that the report omits, or nil.
    var leftOut: String? { get }
}

extension LintReport {
    /// Writes nothing.
    public mutating func begin(_ write: (String) -> Void) {}
    /// Writes nothing.
    public mutating func end(exitCode: Int32, _ write: (String) -> Void) {}
    /// Nil.
    public var leftOut: String? { nil }
}

/// A text report: one line per finding, or three with its context; only the first findings of each rule, if limited.
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
