import AFCLinter
import AFCPackageFormat
import AFCText
import ArgumentParser

/// A run of the linter over files: it applies fixes if asked for, and collects counts, baselines and the exit code.
struct LintRun {
    private let baselineOptions: LintBaselineOptions
    private let output: LintReportOptions
    private let fixing: FixOptions
    /// True if diffs are colored.
    private let isColored: Bool
    private let options: Linter.Options
    private var project: LintProject
    private var report: any LintReport
    private let destination: ReportOutput
    /// The findings of the baselines, and at the end those that weren't found again.
    private var known: [String: LintBaseline] = [:]
    /// The findings for the new baselines.
    private var written: [String: LintBaseline] = [:]
    private var linted: [String: Set<String>] = [:]
    private var warnings: [String: Int] = [:]
    private var isFailing = false
    private var isUnreadable = false
    /// True if a known finding that isn't found no longer exists, since all rules are on.
    private let looksForAll: Bool

    /// Reads configurations and baselines, so that no report is begun if one of them is invalid.
    init(
        _ files: [String],
        _ options: Linter.Options,
        rules: LintRuleOptions,
        baseline: LintBaselineOptions,
        output: LintReportOptions,
        style: FindingStyle,
        fixing: FixOptions
    ) throws {
        baselineOptions = baseline
        self.output = output
        self.fixing = fixing
        isColored = style.isColored
        self.options = options
        looksForAll = options.checksBodies && rules.select.isEmpty && rules.ignore.isEmpty
        project = try LintProject(rules)
        var rulesURL: String?
        for file in files {
            let configuration = try project.scope(of: file).configuration
            rulesURL = rulesURL ?? configuration.rulesURL
            guard let path = baseline.baseline ?? configuration.baseline else {
                guard !baseline.writeBaseline else {
                    throw ValidationError(
                        "'--write-baseline' needs the file's name; use '--baseline', or 'baseline' in the configuration"
                    )
                }
                continue
            }
            guard known[path] == nil else { continue }
            known[path] = try baseline.writeBaseline ? LintBaselineOptions.older(path) : LintBaselineOptions.read(path)
        }
        destination = try ReportOutput(output.result.output)
        report = output.begin(style, rulesURL: rulesURL, on: destination)
    }

    /// Lints a file and writes its findings.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - lint: The function that lints it with the given options.
    /// - Throws: Any error of linting.
    mutating func add(_ file: String, _ lint: (Linter.Options) async throws -> Linter.Result) async throws {
        let scope = try project.scope(of: file)
        let configuration = scope.configuration
        let name = scope.name(of: file)
        guard !configuration.ignores(name) else {
            Console.note("\(Reports.plain(file)): skipped because the configuration ignores it")
            return
        }
        if let path = baselineOptions.baseline ?? configuration.baseline {
            Console.detail("\(file): compared with the baseline '\(path)'")
        }
        let fixed = try await fixing.run(on: file, isColored: isColored)
        guard !fixing.isPreview else {
            isFailing = isFailing || fixed != .nothing
            return
        }
        let baseline = baselineOptions.baseline ?? configuration.baseline
        var options = options
        options.settings = configuration.settings
        options.levels = configuration.levels(for: name)
        options.excerptLimit = output.format == .text ? options.excerptLimit : 0
        options.mergesFindings = baseline == nil
        options.identifiesFindings = baseline != nil || output.format.identifiesFindings
        var result = try await lint(options)
        isUnreadable = isUnreadable || result.isUnreadable
        var known = 0
        if let baseline {
            known = take(&result.findings, of: file, into: baseline)
            result.findings = Finding.merged(result.findings)
        }
        for index in result.findings.indices {
            let finding = result.findings[index]
            result.findings[index].advice = Self.advice(for: finding, of: file) ?? finding.remedy?.words
        }
        if output.quiet { result.findings.removeAll { $0.severity == .info } }
        let threshold = configuration.failOn ?? .error
        report.add(result, of: file, failing: threshold.severity, destination.write)
        if output.format == .text { complain(result, file: file, known: known, fixed) }
        judge(result, scope)
    }

    /// Returns what to do about a file that can't be read as a package; nil for other findings.
    private static func advice(for finding: Finding, of file: String) -> String? {
        switch finding.rule {
        case "zip.password-missing": return Remedy.givePassword.words
        case "zip.password-wrong": return Remedy.checkPassword.words
        case "manifest.missing" where !Path.isZip(file): return MistakenFile.kind(of: file)
        case "zip.not-a-zip":
            return Path.isZip(file)
                ? "it begins as a zip, so its end is missing: get it again" : MistakenFile.kind(of: file)
        case "io": return MistakenFile(subject: file, message: finding.sentence, arguments: Failure.arguments).advice
        default: return nil
        }
    }

    /// Reports a folder without files to lint, which is probably a mistake.
    mutating func addEmpty(_ folder: String) {
        Console.complain(
            "error: \(PrintableText.quoted(folder)): the folder has no '.zip' and no '.afcache' file; 'afcache pack --folder "
                + "\(PrintableText.escaped(folder)) -o NAME.zip' makes a package of it"
        )
        isUnreadable = true
    }

    /// Ends the report.
    ///
    /// - Returns: The exit code.
    mutating func finish() throws -> ExitStatus? {
        for (path, known) in known.sorted(by: { $0.key < $1.key }) {
            let files = linted[path] ?? []
            if baselineOptions.writeBaseline {
                var baseline = written[path] ?? LintBaseline()
                baseline.add(known, except: files)
                try LintBaselineOptions.write(baseline, to: path)
                Console.note("\(path): \(Quantity.count(baseline.count, "finding")) written")
            } else if looksForAll, case let gone = known.count(of: files), gone > 0 {
                let words = gone == 1 ? "is no longer found" : "are no longer found"
                Console.note(
                    """
                    \(path): \(Quantity.count(gone, "finding")) \(words); use '--write-baseline' to rewrite it
                    """
                )
            }
        }
        let status: ExitStatus? = isUnreadable ? .inputOutput : isFailing ? .findings : nil
        report.end(exitCode: status?.rawValue ?? 0, destination.write)
        try destination.finish()
        if let leftOut = report.leftOut { Console.complain(leftOut) }
        return status
    }

    /// Removes the findings that the baseline lists, or moves all of them to a new baseline.
    private mutating func take(_ findings: inout [Finding], of file: String, into path: String) -> Int {
        let name = Path.relative(file, to: Path.folder(of: Path.absolute(path)))
        linted[path, default: []].insert(name)
        guard baselineOptions.writeBaseline else {
            return known[path, default: LintBaseline()].remove(from: &findings, of: name)
        }
        written[path, default: LintBaseline()].add(findings, of: name)
        defer { findings = [] }
        return findings.count
    }

    private mutating func judge(_ result: Linter.Result, _ scope: LintProject.Scope) {
        if let threshold = (scope.configuration.failOn ?? .error).severity,
            result.findings.contains(where: { $0.severity >= threshold })
        {
            isFailing = true
        }
        guard let limit = scope.configuration.maxWarnings else { return }
        let count = warnings[scope.folder, default: 0] + result.findings.count { $0.severity == .warning }
        if count > limit, warnings[scope.folder, default: 0] <= limit {
            Console.complain("there are more than \(Quantity.count(limit, "warning"))")
            isFailing = true
        }
        warnings[scope.folder] = count
    }

    private func complain(_ result: Linter.Result, file: String, known: Int, _ fixed: FixOptions.Outcome) {
        var counts = PackageProblem.Severity.allCases.reversed().compactMap { severity -> String? in
            let count = result.findings.count { $0.severity == severity }
            return count > 0 ? Quantity.count(count, severity.rawValue) : nil
        }
        if counts.isEmpty { counts = ["clean"] }
        if known > 0 { counts.append("\(known) in the baseline") }
        if let words = fixed.words { counts.append(words) }
        let signers = result.signature?.words.map { ", \($0)" } ?? ""
        let file = Reports.plain(file)
        // This is a result: it says that the file was checked.
        Console.complain(
            "\(file): \(Quantity.count(result.entries, "entry")), \(counts.joined(separator: ", "))\(signers)"
        )
    }
}
