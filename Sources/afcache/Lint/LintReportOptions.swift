import ArgumentParser
import Linter

/// How findings are written.
struct LintReportOptions: ParsableArguments {
    @Option(help: "text, json, sarif, junit, github or gitlab.")
    var format: ReportFormat = .text

    @Flag(name: .shortAndLong, help: "Show errors and warnings only.")
    var quiet = false

    /// The report, begun.
    func begin() -> any LintReport {
        var report = format.report(ReportContext(version: AFCache.version, workingFolder: WorkingFolder.path))
        report.begin(Console.write)
        return report
    }
}

extension Console {
    /// Writes text of the result.
    static func write(_ text: String) { write(text.utf8) }
}
