internal import AFCPackageFormat

/// A report as workflow commands, which GitHub shows as annotations.
struct GitHubReport: LintReport {
    private let context: ReportContext

    init(_ context: ReportContext) { self.context = context }

    mutating func add(
        _ result: Linter.Result,
        of file: String,
        failing: PackageProblem.Severity?,
        _ write: (String) -> Void
    ) {
        let path = ReportPath(file, in: context.workingFolder).text
        for finding in result.findings {
            var properties = [("file", path)]
            if let line = finding.place.line { properties.append(("line", String(line))) }
            if let characters = finding.characters {
                properties.append(("col", String(characters.lowerBound)))
                // GitHub's end column is inclusive.
                if !characters.isEmpty { properties.append(("endColumn", String(characters.upperBound - 1))) }
            }
            properties.append(("title", finding.rule))
            let list = properties.map { "\($0.0)=\(Self.property($0.1))" }.joined(separator: ",")
            write("::\(Self.command(finding.severity)) \(list)::\(Self.data(finding.wordsWithMember))\n")
        }
    }

    private static func command(_ severity: PackageProblem.Severity) -> String {
        switch severity {
        case .error: "error"
        case .warning: "warning"
        case .info: "notice"
        }
    }

    private static func data(_ text: String) -> String { escaped(text, "%\r\n") }
    private static func property(_ text: String) -> String { escaped(text, "%\r\n:,") }

    private static func escaped(_ text: String, _ special: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            if special.unicodeScalars.contains(scalar) {
                let digits = String(scalar.value, radix: 16, uppercase: true)
                escaped += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
