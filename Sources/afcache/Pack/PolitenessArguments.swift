import ArgumentParser
import HTTPTypes
import Packager

/// How a crawl treats origins.
struct PolitenessArguments: ParsableArguments {
    @Flag(help: "Neither fetch nor obey robots.txt; for your own site.")
    var ignoreRobots = false

    @Option(help: ArgumentHelp("How many requests to one host are under way at once.", valueName: "count"))
    var connections = 8

    @Option(help: ArgumentHelp("How many requests are under way at once.", valueName: "count"))
    var totalConnections = 32

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
        options.connectionsPerHost = connections
        options.connections = totalConnections
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
        guard timeout.map({ $0 > .zero }) ?? true else {
            throw ValidationError("--timeout must be longer than nothing")
        }
        guard !userAgent.isEmpty, HTTPField.isValidValue(userAgent) else {
            throw ValidationError("--user-agent must be a name such as 'example-crawler/1.0'")
        }
    }
}
