import AFCCrawlRules
import ArgumentParser

/// Options for resuming a crawl and for updating a package.
struct UpdateArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Revalidate the resources in this older package of the same site, and copy those that haven't changed. The \
            report lists what was added, changed and removed. The package may be the output itself.
            """,
            valueName: "package"
        ),
        completion: .file(extensions: ["zip"])
    )
    var update: String?

    @Flag(
        help: """
            With '--update', write the package even if nothing has changed, so that its dates are current.
            """
    )
    var rewrite = false

    @Option(
        help: ArgumentHelp(
            """
            With '--update', write no package if more resources of the older one would be removed than this number or \
            percentage, for example 20%. (default: no limit)
            """,
            valueName: "count"
        ),
        transform: { text in
            if let limit = RemovalLimit(text) { return limit }
            throw ValidationError("'--max-removed' must be a number such as 100, or a percentage such as 20%")
        }
    )
    var maxRemoved: RemovalLimit?

    @Option(
        help: ArgumentHelp(
            """
            Also fetch the URLs in this list, as 'afcache serve --missing' writes it, after all others, if they are in \
            scope. One that fails is no failure of the crawl. '-' reads standard input.
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var addMissing: String?

    func apply(to options: inout CrawlOptions) throws {
        options.updates = update
        options.rewrites = rewrite
        options.removalLimit = maxRemoved
        if let addMissing { options.added = try MissingList.read(addMissing) }
    }

    func validate() throws {
        guard maxRemoved == nil || update != nil else { throw ValidationError("'--max-removed' needs '--update'") }
    }
}
