import AFCCache
import AFCText
import ArgumentParser

struct CacheClearCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Remove the responses received from origins, but no packages.",
        discussion: """
            You can use this while 'afcache serve' is running. Header updates from revalidating packaged entries are \
            discarded too, so those entries are as they were loaded.

              afcache cache clear --received --cache cache
              afcache cache clear --received --host www.example --cache cache
            """
    )

    @Flag(help: "Remove the responses received from origins (required).")
    var received = false

    @Option(help: "Remove only the responses of this host.")
    var host: String?

    @OptionGroup var cache: CacheOption

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard received else {
            throw ValidationError(
                """
                add '--received' to confirm; 'afcache cache remove' removes a package
                """
            )
        }
    }

    func run() async throws {
        let store = try cache.open(.existing)
        let report = try await store.clearReceived(host: host)
        let end = host.map { " of \(PrintableText.quoted($0))" } ?? ""
        Console.print("removed \(Quantity.count(report.responses, "received response"))\(end)")
    }
}
