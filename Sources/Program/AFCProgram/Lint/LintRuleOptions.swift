import AFCLinter
import ArgumentParser

/// The options for rules and failures, which override the configuration file.
struct LintRuleOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The configuration file. (default: .afcachelint.yml in the folder of the linted file or above, up to the repository's root)",
            valueName: "file"
        ),
        completion: .file()
    )
    var config: String?

    @Flag(help: "Don't use a configuration file.")
    var noConfig = false

    @Option(
        help: """
            Begin with the severities that suit this kind of project; the configuration file and other options override \
            them.
            """
    )
    var preset: LintPreset?

    @Option(
        help: ArgumentHelp(
            "Fail on anything that this version of AFCache can't read. Repeatable.",
            valueName: "version"
        )
    )
    var readableBy: [OldReader] = []

    @Option(
        help: ArgumentHelp(
            "Use only these rules: IDs or patterns such as 'date.*', separated by commas. Repeatable.",
            valueName: "rules"
        )
    )
    var select: [String] = []

    @Option(help: ArgumentHelp("Don't use these rules. Repeatable.", valueName: "rules"))
    var ignore: [String] = []

    @Option(help: "Exit with 1 if there is a finding of this severity or worse. (default: error)")
    var failOn: LintThreshold?

    @Option(help: ArgumentHelp("Exit with 1 if there are more warnings than this.", valueName: "number"))
    var maxWarnings: Int?

    func validate() throws {
        guard config == nil || !noConfig else {
            throw ValidationError("'--config' and '--no-config' contradict each other; remove one of them")
        }
        guard maxWarnings ?? 0 >= 0 else { throw ValidationError("'--max-warnings' must be at least 0") }
        if let problem = LintConfiguration.problem(of: Self.patterns(select) + Self.patterns(ignore)) {
            throw ValidationError(problem.hasSuffix("?") ? problem : "\(problem); '--list-rules' lists all rules")
        }
    }

    /// Overrides a configuration with these options.
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
