import AFCHTTP
import AFCPlatform
import AFCText
import ArgumentParser

/// The program.
@main
struct AFCacheCommand: AsyncParsableCommand {
    static let version = "0.2.0"
    /// The program and its version, as packages name what made them.
    static let generator = "afcache/\(version)"

    static let configuration = CommandConfiguration(
        commandName: "afcache",
        abstract: "Make, check, load and serve offline packages of websites.",
        discussion: """
            A package is a zip archive with a manifest. A typical session:

              afcache pack https://docs.example/ -o docs.zip   crawl a site into a package
              afcache lint docs.zip                            check the package
              afcache load docs.zip --cache cache              load it into a cache
              afcache serve --cache cache                      serve it without a network

            'man afcache' describes all commands and exit codes. The documentation is in share/doc/afcache.
            """,
        version: version,
        subcommands: [
            PackCommand.self, RecordCommand.self, ReplayCommand.self, LintCommand.self, RepackCommand.self,
            ExportCommand.self,
            ImportCommand.self, MergeCommand.self, PatchCommand.self, DiffCommand.self, InfoCommand.self,
            BatchCommand.self, CrawlCommand.self,
            LoadCommand.self, SyncCommand.self, ChannelCommand.self, PushCommand.self, ImageCommand.self,
            ListCommand.self, GetCommand.self, UnpackCommand.self, MountIndexCommand.self, TryCommand.self,
            OpenCommand.self, ServeCommand.self, MCPCommand.self,
            CacheCommand.self, KeygenCommand.self, CertificateCommand.self, ManualCommand.self,
        ]
    )

    /// The fewest files that a command must be allowed to open.
    private static let leastOpenFiles = 48

    /// Returns a warning if the machine's clock is before this version of the program, as after a start without a battery: all
    /// dates that a command writes or compares are then wrong.
    static func clockWarning(at now: Timestamp, for command: any ParsableCommand) -> String? {
        guard now < Timestamp(secondsSinceEpoch: 1_735_689_600),
            command is PackCommand || command is RecordCommand || command is SyncCommand || command is LoadCommand
                || command is ServeCommand
        else { return nil }
        return "warning: this machine's clock says \(now.iso8601); set it, since dates decide what is fresh"
    }

    /// Returns an error if the machine's clock is before 1970: TLS would end the process, since it counts seconds from then.
    static func clockError(at now: Timestamp) -> String? {
        now < Timestamp(secondsSinceEpoch: 0) ? "error: this machine's clock says \(now.iso8601); set it" : nil
    }

    /// Returns the command that the command line asks for, with its options.
    ///
    /// The parser builds all options of a command again for each of its questions about them, and asks twice as often about one
    /// that it finds below another. So the command is found by its name first. If that fails, as for a help page, the parser
    /// starts at the top, so that what it says names the whole command.
    ///
    /// - Parameter arguments: The command line, without the program's name.
    /// - Returns: The command.
    /// - Throws: The parser's error.
    static func command(for arguments: [String]) throws -> any ParsableCommand {
        let (named, names) = find(arguments)
        if named.configuration.subcommands.isEmpty,
            let command = try? named.parseAsRoot(Array(arguments.dropFirst(names.count))), type(of: command) == named
        {
            return command
        }
        return try parseAsRoot(arguments)
    }

    /// Returns the command that the first words name, and these words; the program itself if they name none.
    static func find(_ words: [String]) -> (command: any ParsableCommand.Type, names: [String]) {
        var command: any ParsableCommand.Type = AFCacheCommand.self
        var names: [String] = []
        for word in words {
            let next = command.configuration.subcommands.first { $0.configuration.commandName == word }
            guard let next else { break }
            command = next
            names.append(word)
        }
        return (command, names)
    }

    static func main() async {
        Console.occupyStandardStreams()
        // A crawl of many hosts, or a proxy, has more connections than the usual soft limit of 1,024 allows.
        OpenFileLimit.raise(to: 8192)
        // A write beyond the limit on the size of files, or to a closed pipe, then fails with an error.
        signal(SIGXFSZ, SIG_IGN)
        signal(SIGPIPE, SIG_IGN)
        do {
            if let sentence = UsageFailure.foreignEncoding() { throw ValidationError(sentence) }
            if let sentence = UsageFailure.unknownTopic(in: Array(CommandLine.arguments.dropFirst())) {
                throw ValidationError(sentence)
            }
            if let sentence = UsageFailure.singleDash(in: Array(CommandLine.arguments.dropFirst())) {
                throw ValidationError(sentence)
            }
            if let sentence = UsageFailure.foreignDash(in: Array(CommandLine.arguments.dropFirst())) {
                throw ValidationError(sentence)
            }
            if let sentence = UsageFailure.tilde(in: Array(CommandLine.arguments.dropFirst())) {
                throw ValidationError(sentence)
            }
            if let text = ShortHelp.text(for: Array(CommandLine.arguments.dropFirst())) {
                Console.print(text)
                return Console.flush()
            }
            var paths: [String] = []
            if ImportedArchives.mayBeNeeded {
                let command = try command(for: Array(CommandLine.arguments.dropFirst()))
                paths = (command as? any TakesArchives)?.archives ?? []
            }
            // With fewer, libraries end the process, or report something else.
            guard OpenFileLimit.current >= leastOpenFiles else {
                Console.complain(
                    "error: this process may open only \(OpenFileLimit.current) files, and a command needs at least "
                        + "\(leastOpenFiles); \(Remedy.raiseOpenFiles.words)"
                )
                systemExit(ExitStatus.inputOutput.rawValue)
            }
            let arguments = try await ImportedArchives.arguments(reading: paths)
            var command = try command(for: arguments)
            if let error = clockError(at: Clock.now) {
                Console.complain(error)
                systemExit(ExitStatus.inputOutput.rawValue)
            }
            if let warning = clockWarning(at: Clock.now, for: command) { Console.complain(warning) }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            Console.flush()
        } catch {
            Failure.exit(with: error)
        }
    }
}
