import AFCCrawlRules
import AFCText
import ArgumentParser

/// The limits of a crawl.
struct LimitArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Stop following links after this many pages. What pages need isn't counted and is still fetched. (default: \
            no limit)
            """,
            valueName: "count"
        )
    )
    var maxPages: Int?

    @Option(
        help: ArgumentHelp(
            """
            Stop crawling when all bodies together would exceed this size, for example 2G, and pack what was fetched. \
            (default: no limit)
            """,
            valueName: "size",
            visibility: .hidden
        ),
        transform: ByteSize.argument
    )
    var maxBytes: Int64?

    @Option(
        help: ArgumentHelp(
            "Stop crawling after this long, for example 2h, and pack what was fetched. (default: no limit)",
            valueName: "time"
        ),
        transform: TimeSpan.argument
    )
    var maxTime: Duration?

    @Option(help: ArgumentHelp("The most redirects to follow in a row.", valueName: "count", visibility: .hidden))
    var maxRedirects = 10

    func apply(to options: inout CrawlOptions) {
        options.limits[.pages] = maxPages
        options.limits.bytes = maxBytes
        options.limits.time = maxTime
        options.limits.redirects = maxRedirects
    }

    func validate() throws {
        guard maxPages.map({ $0 > 0 }) ?? true else { throw ValidationError("'--max-pages' must be at least 1") }
        guard (0...100).contains(maxRedirects) else { throw ValidationError("'--max-redirects' must be from 0 to 100") }
    }
}
