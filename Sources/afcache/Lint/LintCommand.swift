import ArgumentParser
import HTTPCaching
import Linter
import PackageFormat
import ZipArchive

struct LintCommand: AsyncParsableCommand, VerboseCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Check packages and manifests.",
        discussion: """
            Each finding is one line: file:line:column: severity: sentence [rule-id]. Errors keep a package from being \
            loaded, warnings and infos don't. The exit code is 1 where there is a finding of at least --fail-on.

              afcache lint docs.zip
              afcache lint manifest.afcache --format json
              afcache lint *.zip --fail-on warning --quiet
              afcache lint docs.zip --fix --diff
              afcache lint old.zip --preset afcache-0.13 --ignore 'url.*'
              afcache lint *.zip --baseline known.json --write-baseline
              afcache lint --explain date.expired
            """
    )

    @Argument(help: "Packages and bare manifests.", completion: .file())
    var files: [String] = []

    @Flag(help: "Don't read the bodies.")
    var skipBodies = false

    @Option(help: "The time that dates are compared with. (default: now)")
    var at: String?

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
            throw ValidationError("a signature can't be checked without the bodies; leave out '--skip-bodies'")
        }
        guard !fixing.diff || output.format == .text else {
            throw ValidationError("a diff goes with the format 'text' only; leave out '--format', or '--diff'")
        }
    }

    func run() async throws {
        if explaining.isAsked { return explaining.run(asJSON: output.format == .json) }
        var options = Linter.Options(now: try at.map { try Clock.parse($0) } ?? Clock.now)
        options.checksBodies = !skipBodies
        options.trust = try trust.policy()
        options.password = try PasswordSource.given(file: trust.passwordFile)
        var run = try LintRun(
            files,
            options,
            rules: rules,
            baseline: baseline,
            output: output,
            style: text.style,
            fixing: fixing
        )
        for file in files { try await run.add(file) { try await lint(file, options: $0) } }
        if let status = try run.finish() { throw status.code }
    }

    private func lint(_ file: String, options: Linter.Options) async throws -> Linter.Result {
        let result = await OffPool.run { Linter.lint(file, options: options) }
        guard options.password == nil, result.findings.contains(where: { $0.rule == "zip.password-missing" }),
            let typed = try PasswordSource.typed("password of \(PackageProblem.quoted(file)): ")
        else { return result }
        var options = options
        options.password = typed
        let unlocked = options
        return await OffPool.run { Linter.lint(file, options: unlocked) }
    }
}
