import ArgumentParser

/// Prints the manual page, for `make install`; no help page lists it.
struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Print the manual page of the whole program, in the language of man(7).",
        discussion: """
            It bears the day of SOURCE_DATE_EPOCH, where that is set, or today's.

              afcache manual > afcache.1
            """,
        shouldDisplay: false
    )

    func run() throws {
        guard let program = DescribedCommand(document: AFCache._dumpHelp()) else {
            preconditionFailure("the argument parser describes commands in a form of its own version only")
        }
        let date = try Clock.pinned() ?? Clock.now
        Console.write(ManualPage(program: program, version: AFCache.version, date: date).text.utf8)
    }
}
