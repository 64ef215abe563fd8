import ArgumentParser
import Linter

/// How findings are written.
struct LintReportOptions: ParsableArguments {
    @Option(help: "How findings are written; share/doc/afcache/lint.md describes each format.")
    var format: ReportFormat = .text

    /// Whether infos, which are notes, aren't shown.
    var quiet: Bool { Console.level == .quiet }

    /// The report, begun.
    func begin(_ style: FindingStyle) -> any LintReport {
        var context = ReportContext(version: AFCache.version, workingFolder: WorkingFolder.path)
        context.style = style
        var report = format.report(context)
        report.begin(Console.write)
        return report
    }
}

extension Console {
    /// Writes text of the result.
    static func write(_ text: String) { write(text.utf8) }
}
