import AFCLinter
import ArgumentParser

/// The options for the report.
struct LintReportOptions: ParsableArguments {
    @Option(help: "The format of the report; share/doc/afcache/reference/lint.md describes each.")
    var format: ReportFormat = .text

    @OptionGroup var result: ResultFileOption

    /// True if infos, which are notes, aren't shown.
    var quiet: Bool { Console.level == .quiet }

    @Flag(
        help: """
            Show every finding in the format 'text'. (default: the first 10 per rule and file, and a count of the \
            rest)
            """
    )
    var all = false

    @Flag(help: "Show the number of findings per rule instead of the findings, as text or JSON.")
    var statistics = false

    private static let findingsPerRule = 10

    func validate() throws {
        guard !statistics || format == .text || format == .json else {
            throw ValidationError(
                """
                '--statistics' needs the format 'text' or 'json'; remove '--format' or '--statistics'
                """
            )
        }
    }

    /// Returns the report, after writing its beginning.
    func begin(_ style: FindingStyle, rulesURL: String?, on output: ReportOutput) -> any LintReport {
        var context = ReportContext(version: AFCacheCommand.version, workingFolder: WorkingFolder.path)
        context.style = style
        context.style.findingsPerRule = all ? nil : Self.findingsPerRule
        context.style.advice = "'--all' shows each"
        context.rulesURL = rulesURL
        var report: any LintReport =
            statistics ? StatisticsReport(isJSON: format == .json) : format.report(context)
        report.begin(output.write)
        return report
    }
}

extension Console {
    /// Writes text to the result.
    static func write(_ text: String) { write(text.utf8) }
}
