import ArgumentParser

/// The amount of messages beside the results: the same options, with the same meaning, for all commands.
struct VerbosityOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Show only results, warnings and errors: no progress and no notes.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Also show details of each step.")
    var verbose = false

    func validate() throws {
        guard !quiet || !verbose else { throw ValidationError("use '--quiet' or '--verbose', not both") }
    }

    /// The level that was asked for.
    private var level: Console.Level { quiet ? .quiet : verbose ? .verbose : .normal }

    /// The level that a command's options ask for; the usual one where it has none.
    static func level(of command: any ParsableCommand) -> Console.Level {
        (command as? any VerboseCommand)?.verbosity.level ?? .normal
    }
}

/// A command with ``VerbosityOptions``.
protocol VerboseCommand {
    var verbosity: VerbosityOptions { get }
}
