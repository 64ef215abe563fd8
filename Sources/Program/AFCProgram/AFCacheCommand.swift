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

    static func main() async {
        Console.occupyStandardStreams()
        // A crawl of many hosts, or a proxy, has more connections than the usual soft limit of 1,024 allows.
        OpenFileLimit.raise(to: 8192)
        // A write beyond the limit on the size of files then fails with an error, which is reported.
        signal(SIGXFSZ, SIG_IGN)
        do {
            if let sentence = UsageFailure.unknownTopic(in: Array(CommandLine.arguments.dropFirst())) {
                throw ValidationError(sentence)
            }
            if let sentence = UsageFailure.singleDash(in: Array(CommandLine.arguments.dropFirst())) {
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
            if ImportedArchives.mayBeNeeded { paths = (try parseAsRoot() as? any TakesArchives)?.archives ?? [] }
            // With fewer, libraries end the process, or report something else.
            guard OpenFileLimit.current >= leastOpenFiles else {
                Console.complain(
                    "error: this process may open only \(OpenFileLimit.current) files, and a command needs at least "
                        + "\(leastOpenFiles); \(Remedy.raiseOpenFiles.words)"
                )
                systemExit(ExitStatus.inputOutput.rawValue)
            }
            let arguments = try await ImportedArchives.arguments(reading: paths)
            var command = try parseAsRoot(arguments)
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
