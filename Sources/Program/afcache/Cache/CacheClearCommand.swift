import AFCCache
import AFCText
import ArgumentParser

struct CacheClearCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Remove responses received from origins, but no packages.",
        discussion: """
            This may be done while 'afcache serve' receives: it continues with an empty area. Header updates from \
            revalidating packaged entries are discarded too, so those entries are as they were loaded.

              afcache cache clear --received --cache cache
              afcache cache clear --received --host www.example --cache cache
            """
    )

    @Flag(help: "Remove received responses.")
    var received = false

    @Option(help: "Only those of this host.")
    var host: String?

    @OptionGroup var cache: CacheOption

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard received else { throw ValidationError("say '--received'; 'afcache cache remove' takes a package out") }
    }

    func run() async throws {
        let store = try cache.open(.existing)
        let report = try await store.clearReceived(host: host)
        let end = host.map { " of \(PrintableText.quoted($0))" } ?? ""
        Console.print("removed \(Quantity.count(report.responses, "received response"))\(end)")
    }
}
