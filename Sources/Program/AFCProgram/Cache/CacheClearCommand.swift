import AFCCache
import AFCText
import AFCURL
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
              afcache cache clear --group articles --host www.example --cache cache
            """
    )

    @Flag(help: "Remove the responses received from origins (required without '--group').")
    var received = false

    @Option(
        help: ArgumentHelp("Remove only the responses that their origins put in this group.", valueName: "name")
    )
    var group: String?

    @Option(help: "Remove only the responses of this host.")
    var host: String?

    @OptionGroup var cache: CacheOption

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard received || group != nil else {
            throw ValidationError(
                """
                add '--received' to confirm; 'afcache cache remove' removes a package
                """
            )
        }
    }

    func run() async throws {
        if let host, let meant = Self.host(in: host) {
            throw ValidationError("'--host' takes a host, not \(PrintableText.quoted(host)); write '\(meant)'")
        }
        let store = try cache.open(.existing)
        let report =
            if let group { try await store.clearReceived(group: group, host: host) } else {
                try await store.clearReceived(host: host)
            }
        let end =
            (group.map { " of the group \(PrintableText.quoted($0))" } ?? "")
            + (host.map { " of \(PrintableText.quoted($0))" } ?? "")
        if report.responses == 0, host != nil || group != nil {
            Console.note("note: 'afcache ls --received\(Remedy.typedCache)' lists what was received")
        }
        Console.print("removed \(Quantity.count(report.responses, "received response"))\(end)")
    }

    /// Returns the host of a URL, or of a host with a port; nil if the text is only a host.
    private static func host(in text: String) -> String? {
        if text.contains("://") { return (try? WebURL(text))?.host }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let host = text.prefix { $0 != "/" && (parts.count > 2 || $0 != ":") }
        return host.count < text.count && !host.isEmpty ? String(host) : nil
    }
}
