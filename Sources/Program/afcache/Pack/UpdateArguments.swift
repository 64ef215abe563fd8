import AFCCrawlRules
import ArgumentParser

/// Options for resuming a crawl and for updating a package.
struct UpdateArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            An older package of the same site: what hasn't changed since is asked about and copied, not fetched; the \
            report says what was added, changed and removed. It may be the output itself.
            """,
            valueName: "package"
        ),
        completion: .file(extensions: ["zip"])
    )
    var update: String?

    @Flag(
        help: """
            Write the package that is updated anew also where nothing in it has changed, so that its times are today's.
            """
    )
    var rewrite = false

    @Flag(help: "Discard an interrupted crawl for this output, and start over.")
    var restart = false

    func apply(to options: inout CrawlOptions) {
        options.updates = update
        options.rewrites = rewrite
        options.restarts = restart
    }
}
