import AFCCaching
import AFCFiles
import AFCLinter
import AFCPackageFormat
import AFCText
import AFCZip
import ArgumentParser

struct LintCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Check packages and manifests.",
        discussion: """
            Each finding is one line: file:line:column: severity: sentence [rule-id]. A package with errors can't be \
            loaded; one with warnings and infos can. The exit code is 1 if there is a finding at least as severe as \
            '--fail-on'.

              afcache lint docs.zip
              afcache lint manifest.afcache --format json
              afcache lint packages/ --fail-on warning --quiet
              curl -s https://docs.example/docs.zip | afcache lint -
              afcache lint docs.zip --fix --diff
              afcache lint old.zip --preset afcache-0.13 --ignore 'url.*'
              afcache lint *.zip --baseline known.json --write-baseline
              afcache lint --explain date.expired
            """
    )

    @Argument(help: "Packages, manifests, or folders that contain them; '-' is standard input.", completion: .file())
    var files: [String] = []

    @Flag(help: "Don't read the bodies of packages. Rules about their content are then skipped.")
    var skipBodies = false

    @OptionGroup var time: TimeOption

    @OptionGroup(title: "Report") var output: LintReportOptions
    @OptionGroup(title: "Rules") var rules: LintRuleOptions
    @OptionGroup(title: "Baseline") var baseline: LintBaselineOptions
    @OptionGroup(title: "Fixing") var fixing: FixOptions
    @OptionGroup(title: "Terminal") var text: LintTextOptions
    @OptionGroup(title: "Explaining") var explaining: LintExplaining
    @OptionGroup(title: "Trust") var trust: TrustOptions
    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        try explaining.validate(files: files)
        guard !skipBodies || !trust.requireSignature else {
            throw ValidationError("a signature can't be verified without the bodies; remove '--skip-bodies'")
        }
        guard files.count(where: { $0 == "-" }) <= 1 else {
            throw ValidationError("'-' can be given only once")
        }
        guard !files.contains("-") || !(fixing.fix || fixing.diff) else {
            throw ValidationError("standard input can't be fixed; name a file")
        }
        guard !fixing.isPreview || (output.result.output == nil && !output.statistics) else {
            throw ValidationError("'--diff' prints no report; remove '--output' and '--statistics', or add '--fix'")
        }
        if let report = output.result.output, report.lowercased().hasSuffix(".zip"), !Path.isZip(report) {
            throw ValidationError(
                "'--output' names the file of the report, and \(PrintableText.quoted(report)) looks like a package"
                    + (fixing.fix ? "; '--fix' changes the package itself, so copy it first" : "; use another suffix")
            )
        }
        guard !fixing.diff || output.format == .text else {
            throw ValidationError("'--diff' needs the format 'text'; remove '--format' or '--diff'")
        }
    }

    func run() async throws {
        if explaining.isAsked { return explaining.run(asJSON: output.format == .json) }
        // What standard input brings may have been made just now.
        let input = try LintInput(files)
        defer { withExtendedLifetime(input) {} }
        var options = Linter.Options(now: try time.time())
        options.checksBodies = !skipBodies
        options.trust = try trust.policy()
        options.password = try PasswordSource.given(file: trust.password.passwordFile)
        var run = try LintRun(
            input.files.map(\.name),
            options,
            rules: rules,
            baseline: baseline,
            output: output,
            style: text.style(isFile: output.result.output != nil),
            fixing: fixing
        )
        for folder in input.empty { run.addEmpty(folder) }
        for file in input.files {
            try await run.add(file.name) { options in
                var result = try await lint(file.path, options: options)
                if file.name != file.path {
                    for index in result.findings.indices { result.findings[index].file = file.name }
                }
                return result
            }
        }
        if let status = try run.finish() { throw status.code }
    }

    private func lint(_ file: String, options: Linter.Options) async throws -> Linter.Result {
        let result = await OffPool.run { Linter.lint(file, options: options) }
        guard options.password == nil, result.findings.contains(where: { $0.rule == "zip.password-missing" }),
            let typed = try PasswordSource.typed("password of \(PrintableText.quoted(file)): ")
        else { return result }
        var options = options
        options.password = typed
        let unlocked = options
        return await OffPool.run { Linter.lint(file, options: unlocked) }
    }
}
