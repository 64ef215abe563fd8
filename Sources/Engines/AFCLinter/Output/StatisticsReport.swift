public import AFCPackageFormat
internal import AFCText

/// A table of the number of findings of each rule over all files, the most frequent first.
public struct StatisticsReport: LintReport {
    private struct Count {
        var findings = 0
        var files = 0
        var severity = PackageProblem.Severity.info
    }

    private let isJSON: Bool
    private var counts: [String: Count] = [:]

    /// Creates an empty table.
    ///
    /// - Parameter isJSON: True to write the table as JSON.
    public init(isJSON: Bool) { self.isJSON = isJSON }

    /// Counts the findings of a file; nothing is written before the end.
    public mutating func add(
        _ result: Linter.Result,
        of file: String,
        failing: PackageProblem.Severity?,
        _ write: (String) -> Void
    ) {
        var rules: Set<String> = []
        for finding in result.findings {
            var count = counts[finding.rule, default: Count()]
            count.findings += finding.others + 1
            if rules.insert(finding.rule).inserted { count.files += 1 }
            count.severity = max(count.severity, finding.severity)
            counts[finding.rule] = count
        }
    }

    /// Writes the table.
    public mutating func end(exitCode: Int32, _ write: (String) -> Void) {
        let rows = counts.sorted { ($1.value.findings, $0.key) < ($0.value.findings, $1.key) }
        guard !isJSON else {
            let all = rows.map { rule, count in
                JSONValue.object([
                    ("rule", .string(rule)), ("severity", .string(count.severity.rawValue)),
                    ("count", .number(String(count.findings))), ("files", .number(String(count.files))),
                    ("fix", Self.fix(rule).map { .string($0) } ?? .null),
                ])
            }
            return write(
                JSONValue.object([("version", .number("1")), ("statistics", .array(all))]).serialized + "\n"
            )
        }
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        let width = rows.map(\.key.count).max() ?? 0
        let digits = rows.map { String($0.value.findings).count }.max() ?? 0
        for (rule, count) in rows {
            let number = String(count.findings)
            let space = String(repeating: " ", count: digits - number.count)
            let fix = Self.fix(rule).map { "  (\($0) fix)" } ?? ""
            write(
                "\(space)\(number)  \(padded(count.severity.rawValue, 7))  \(fix.isEmpty ? rule : padded(rule, width))\(fix)\n"
            )
        }
    }

    /// Returns the kind of fix for a rule: `safe`, `unsafe` or nil.
    private static func fix(_ rule: String) -> String? {
        guard let rule = LintRules.rule(rule), rule.fix != nil else { return nil }
        return rule.isUnsafe ? "unsafe" : "safe"
    }
}
