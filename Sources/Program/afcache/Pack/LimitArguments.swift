import AFCCrawlRules
import AFCText
import ArgumentParser

/// How much a crawl may take.
struct LimitArguments: ParsableArguments {
    @Option(help: ArgumentHelp("The most pages; what pages need doesn't count. (default: any)", valueName: "count"))
    var maxPages: Int?

    @Option(
        help: ArgumentHelp("The most bytes of all bodies, for example 2G. (default: any)", valueName: "size"),
        transform: ByteSize.argument
    )
    var maxBytes: Int64?

    @Option(
        help: ArgumentHelp("The most bytes of one body; a larger one fails. (default: 16Gi)", valueName: "size"),
        transform: ByteSize.argument
    )
    var maxBodyBytes: Int64?

    @Option(
        help: ArgumentHelp(
            "Stop crawling after this long, for example 2h, and pack what was fetched. (default: any)",
            valueName: "time"
        ),
        transform: TimeSpan.argument
    )
    var maxTime: Duration?

    @Option(help: ArgumentHelp("The most redirects in a row.", valueName: "count"))
    var maxRedirects = 10

    func apply(to options: inout CrawlOptions) {
        options.limits[.pages] = maxPages
        options.limits.bytes = maxBytes
        if let maxBodyBytes { options.limits.bodyBytes = maxBodyBytes }
        options.limits.time = maxTime
        options.limits.redirects = maxRedirects
    }

    func validate() throws {
        guard maxPages.map({ $0 > 0 }) ?? true else { throw ValidationError("--max-pages must be at least 1") }
        guard (0...100).contains(maxRedirects) else { throw ValidationError("--max-redirects must be 0 to 100") }
    }
}
