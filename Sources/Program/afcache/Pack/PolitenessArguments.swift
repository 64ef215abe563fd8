import AFCCrawlRules
import AFCCrawler
import AFCText
import ArgumentParser
import HTTPTypes

/// How a crawl treats origins.
struct PolitenessArguments: ParsableArguments {
    @Flag(help: "Neither fetch nor obey robots.txt; for your own site.")
    var ignoreRobots = false

    @Flag(help: "Follow no links that a page asks not to follow: rel=nofollow, meta robots, X-Robots-Tag.")
    var nofollow = false

    @Flag(help: "Leave out pages that ask not to be kept: meta robots, X-Robots-Tag.")
    var noindex = false

    @Option(help: ArgumentHelp("How many requests to one host are under way at once.", valueName: "count"))
    var connections = 8

    @Option(help: ArgumentHelp("How many requests are under way at once.", valueName: "count"))
    var totalConnections = 32

    @Option(
        help: ArgumentHelp(
            "How long to wait between two requests to one host, which then come one by one. (default: as robots.txt says)",
            valueName: "time"
        ),
        transform: TimeSpan.argument
    )
    var delay: Duration?

    @Option(
        help: ArgumentHelp(
            "The most requests to one host in a second, for example 0.5. (default: any)",
            valueName: "count"
        )
    )
    var requestRate: Double?

    @Option(
        help: ArgumentHelp(
            "The most bytes in a second, from all hosts together, for example 2M. (default: any)",
            valueName: "size"
        ),
        transform: ByteSize.argument
    )
    var rate: Int64?

    @Option(help: ArgumentHelp("How often a URL is asked for again where that may help.", valueName: "count"))
    var retries = 2

    @Option(
        help: ArgumentHelp("How long an origin may send nothing. (default: 60s)", valueName: "time"),
        transform: TimeSpan.argument
    )
    var timeout: Duration?

    @Option(
        help: ArgumentHelp(
            "What the crawler calls itself; the word before the slash is its name in robots.txt.",
            valueName: "name"
        )
    )
    var userAgent = CrawlOptions.defaultUserAgent

    func apply(to options: inout CrawlOptions) {
        options.ignoresRobots = ignoreRobots
        options.obeysNofollow = nofollow
        options.obeysNoindex = noindex
        options.politeness.connectionsPerHost = connections
        options.politeness.connections = totalConnections
        options.politeness.delay = delay
        options.politeness.requestsPerSecond = requestRate
        options.politeness.bytesPerSecond = rate
        options.retries.retries = retries
        options.userAgent = userAgent
    }

    func apply(to fetching: inout HTTPFetcher.Options) {
        guard let timeout else { return }
        fetching.readTimeout = timeout
        fetching.connectTimeout = min(fetching.connectTimeout, timeout)
    }

    func validate() throws {
        guard (1...1000).contains(connections) else { throw ValidationError("--connections must be 1 to 1000") }
        guard (1...1000).contains(totalConnections) else {
            throw ValidationError("--total-connections must be 1 to 1000")
        }
        guard (0...100).contains(retries) else { throw ValidationError("--retries must be 0 to 100") }
        guard requestRate.map({ $0 > 0 && $0 <= 100_000 }) ?? true else {
            throw ValidationError("--request-rate must be more than 0")
        }
        guard rate.map({ $0 > 0 }) ?? true else { throw ValidationError("--rate must be at least 1") }
        guard timeout.map({ $0 > .zero }) ?? true else {
            throw ValidationError("--timeout must be greater than zero")
        }
        guard !userAgent.isEmpty, HTTPField.isValidValue(userAgent) else {
            throw ValidationError("--user-agent must be a name such as 'example-crawler/1.0'")
        }
    }
}
