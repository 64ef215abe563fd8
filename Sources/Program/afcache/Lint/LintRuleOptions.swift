import AFCLinter
import ArgumentParser

/// Which rules are on, and what makes the program fail; stronger than the configuration file.
struct LintRuleOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The configuration. (default: .afcachelint.yml beside the linted file or above, up to the repository's root)",
            valueName: "file"
        ),
        completion: .file()
    )
    var config: String?

    @Flag(help: "Look for no configuration.")
    var noConfig = false

    @Option(help: "The set of levels to begin with.")
    var preset: LintPreset?

    @Option(
        help: ArgumentHelp(
            "Fail on anything that AFCache 0.6 or 0.13 can't read. Repeatable.",
            valueName: "version"
        )
    )
    var readableBy: [OldReader] = []

    @Option(
        help: ArgumentHelp(
            "Only these rules: identifiers or patterns such as 'date.*', with commas. Repeatable.",
            valueName: "rules"
        )
    )
    var select: [String] = []

    @Option(help: ArgumentHelp("All but these rules. Repeatable.", valueName: "rules"))
    var ignore: [String] = []

    @Option(help: "Exit with 1 if there is a finding of this severity or worse. (default: error)")
    var failOn: LintThreshold?

    @Option(help: ArgumentHelp("How many warnings there may be before the exit code is 1.", valueName: "number"))
    var maxWarnings: Int?

    func validate() throws {
        guard config == nil || !noConfig else {
            throw ValidationError("--config names a file and --no-config forbids one; leave one of them out")
        }
        guard maxWarnings ?? 0 >= 0 else { throw ValidationError("--max-warnings must be a number from 0 on") }
        if let problem = LintConfiguration.problem(of: Self.patterns(select) + Self.patterns(ignore)) {
            throw ValidationError(problem.hasSuffix("?") ? problem : "\(problem); '--list-rules' lists all")
        }
    }

    /// Puts what the command line says over a configuration.
    func apply(to configuration: inout LintConfiguration) {
        configuration.preset = preset ?? configuration.preset
        if !readableBy.isEmpty { configuration.readableBy = readableBy }
        configuration.failOn = failOn ?? configuration.failOn
        configuration.maxWarnings = maxWarnings ?? configuration.maxWarnings
        configuration.selectedRules = Self.patterns(select)
        configuration.ignoredRules = Self.patterns(ignore)
    }

    private static func patterns(_ lists: [String]) -> [String] {
        lists.flatMap { $0.split(separator: ",").map { String($0.filter { $0 != " " }) } }
    }
}
