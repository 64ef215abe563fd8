import ArgumentParser
import HTTPCaching
import Linter
import PackageFormat
import ZipArchive

struct LintCommand: AsyncParsableCommand {
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
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json
    }

    enum Threshold: String, ExpressibleByArgument, CaseIterable {
        case error, warning, info, never
    }

    @Argument(help: "Packages and bare manifests.", completion: .file())
    var files: [String]

    @Option(help: "text or json.")
    var format: Format = .text

    @Option(help: "error, warning, info or never: from which severity on the exit code is 1.")
    var failOn: Threshold = .error

    @Flag(help: "Don't read the bodies.")
    var skipBodies = false

    @Flag(name: .shortAndLong, help: "Show errors and warnings only.")
    var quiet = false

    @Option(help: "The time that dates are compared with. (default: now)")
    var at: String?

    @OptionGroup(title: "Fixing") var fixing: FixOptions

    @OptionGroup(title: "Trust") var trust: TrustOptions

    func validate() throws {
        guard !skipBodies || !trust.requireSignature else {
            throw ValidationError("a signature can't be checked without the bodies; leave out '--skip-bodies'")
        }
        guard !fixing.diff || format == .text else {
            throw ValidationError("a diff goes with the format 'text' only; leave out '--format', or '--diff'")
        }
    }

    func run() async throws {
        var options = Linter.Options(now: try at.map { try Clock.parse($0) } ?? Clock.now)
        options.checksBodies = !skipBodies
        options.trust = try trust.policy()
        options.password = try PasswordSource.given(file: trust.passwordFile)
        var results: [(file: String, result: Linter.Result)] = []
        var wouldChange = false
        for file in files {
            let fixed = try await fixing.run(on: file)
            if fixing.isPreview {
                wouldChange = wouldChange || fixed != .nothing
                continue
            }
            var result = try await lint(file, options: options)
            if quiet { result.findings.removeAll { $0.severity == .info } }
            if format == .text { show(result, file: file, fixed) }
            results.append((file, result))
        }
        if format == .json { Console.print(Reports.json(results).serialized) }
        Console.flush()
        if wouldChange { throw ExitStatus.findings.code }
        let worst = results.flatMap(\.result.findings).map(\.severity).max()
        if let worst, let threshold, worst >= threshold { throw ExitStatus.findings.code }
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

    private var threshold: PackageProblem.Severity? {
        switch failOn {
        case .error: .error
        case .warning: .warning
        case .info: .info
        case .never: nil
        }
    }

    private func show(_ result: Linter.Result, file: String, _ fixed: FixOptions.Outcome) {
        for finding in result.findings { Console.print(Reports.line(finding)) }
        let counts = PackageProblem.Severity.allCases.reversed().compactMap { severity -> String? in
            let count = result.findings.count { $0.severity == severity }
            return count > 0 ? Size.count(count, severity.rawValue) : nil
        }
        let summary = (counts.isEmpty ? "clean" : counts.joined(separator: ", ")) + fixed.words
        let signers = result.signature?.words.map { ", \($0)" } ?? ""
        Console.complain("\(file): \(Size.count(result.entries, "entry")), \(summary)\(signers)")
    }
}
