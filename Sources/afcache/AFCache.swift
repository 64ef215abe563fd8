import ArgumentParser

/// The program.
@main
struct AFCache: AsyncParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "afcache",
        abstract: "Offline packages for the web: make them, check them, load them, serve them.",
        discussion: """
            A package is a zip with a manifest. The usual way:

              afcache pack https://docs.example/ -o docs.zip   crawl a site into a package
              afcache lint docs.zip                            check it
              afcache load docs.zip --cache store              put it into a store
              afcache serve --cache store                      serve it without a network

            Exit codes are documented in docs/exit-codes.md.
            """,
        version: version,
        subcommands: [
            PackCommand.self, LintCommand.self, LoadCommand.self, SyncCommand.self, ListCommand.self, GetCommand.self,
            ServeCommand.self,
            CacheCommand.self, KeygenCommand.self, CertificateCommand.self, ManualCommand.self,
        ]
    )

    static func main() async {
        do {
            var command = try parseAsRoot()
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
