internal import AFCPackageFormat
internal import AFCText

/// A report in GitLab's code quality format, an array of findings.
struct GitLabReport: LintReport {
    private let context: ReportContext
    private var isFirst = true

    init(_ context: ReportContext) { self.context = context }

    mutating func begin(_ write: (String) -> Void) { write("[") }

    mutating func add(
        _ result: Linter.Result,
        of file: String,
        failing: PackageProblem.Severity?,
        _ write: (String) -> Void
    ) {
        let path = ReportPath(file, in: context.workingFolder).text
        var counter = FingerprintCounter()
        for finding in result.findings {
            let (fingerprint, number) = counter.number(of: finding)
            let lines = JSONValue.object([("begin", .number(String(finding.place.line ?? 1)))])
            let issue = JSONValue.object([
                ("description", .string(finding.wordsWithMember)),
                ("check_name", .string(finding.rule)),
                ("fingerprint", .string(Fingerprint.text(rule: fingerprint, subject: "\(number):\(path)"))),
                ("severity", .string(Self.severity(finding.severity))),
                ("location", .object([("path", .string(path)), ("lines", lines)])),
            ])
            write((isFirst ? "\n" : ",\n") + issue.serialized)
            isFirst = false
        }
    }

    mutating func end(exitCode: Int32, _ write: (String) -> Void) { write("]\n") }

    private static func severity(_ severity: PackageProblem.Severity) -> String {
        switch severity {
        case .error: "critical"
        case .warning: "minor"
        case .info: "info"
        }
    }
}
