internal import AFCPackageFormat
internal import AFCText

/// A report as JUnit's XML, with a suite for each file and a test case for each rule with findings.
///
/// A case fails if its findings make the program fail; otherwise the findings are its output.
struct JUnitReport: LintReport {
    private let context: ReportContext

    init(_ context: ReportContext) { self.context = context }

    mutating func begin(_ write: (String) -> Void) {
        write(#"<?xml version="1.0" encoding="UTF-8"?>"# + "\n" + #"<testsuites name="afcache lint">"# + "\n")
    }

    mutating func add(
        _ result: Linter.Result,
        of file: String,
        failing: PackageProblem.Severity?,
        _ write: (String) -> Void
    ) {
        let path = XMLText.escaped(ReportPath(file, in: context.workingFolder).text)
        let rules = Dictionary(grouping: result.findings, by: \.rule)
        func fails(_ findings: [Finding]) -> Bool {
            findings.contains { finding in failing.map { finding.severity >= $0 } ?? false }
        }
        let failures = rules.values.count(where: fails)
        write(
            #" <testsuite name="\#(path)" tests="\#(max(rules.count, 1))" failures="\#(failures)" errors="0" time="0">"#
        )
        write("\n")
        if rules.isEmpty { write(#"  <testcase classname="\#(path)" name="clean" time="0"/>"# + "\n") }
        for rule in rules.keys.sorted() {
            guard let findings = rules[rule], let worst = findings.max(by: { $0.severity < $1.severity }) else {
                continue
            }
            write(#"  <testcase classname="\#(path)" name="\#(XMLText.escaped(rule))" time="0">"# + "\n")
            if fails(findings) {
                let message = XMLText.escaped(worst.words)
                write(#"   <failure type="\#(worst.severity.rawValue)" message="\#(message)">"#)
            } else {
                write("   <system-out>")
            }
            for finding in findings { write(XMLText.escaped(Reports.line(finding)) + "\n") }
            write(fails(findings) ? "</failure>\n" : "</system-out>\n")
            write("  </testcase>\n")
        }
        write(" </testsuite>\n")
    }

    mutating func end(exitCode: Int32, _ write: (String) -> Void) { write("</testsuites>\n") }
}
