public import PackageFormat

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
        case .text: TextReport(style: context.style)
        case .json: JSONReport()
        case .sarif: SARIFReport(context)
        case .junit: JUnitReport(context)
        case .github: GitHubReport(context)
        case .gitlab: GitLabReport(context)
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

/// One line a finding, or three with its context.
struct TextReport: LintReport {
    let style: FindingStyle

    mutating func add(
        _ result: Linter.Result,
        of file: String,
        failing: PackageProblem.Severity?,
        _ write: (String) -> Void
    ) {
        for line in result.findings.flatMap(style.lines) { write(line + "\n") }
    }
}
