import AFCCrawlRules
import AFCCrawler
import AFCText
import ArgumentParser
import HTTPTypes

/// The options for how gently a crawl treats origins.
struct PolitenessArguments: ParsableArguments {
    @Flag(help: "Neither fetch nor obey robots.txt. Use this for your own site only.")
    var ignoreRobots = false

    @Flag(
        help: ArgumentHelp(
            "Don't follow links that pages ask not to follow (rel=nofollow, meta robots, X-Robots-Tag).",
            visibility: .hidden
        )
    )
    var nofollow = false

    @Flag(
        help: ArgumentHelp(
            "Leave out pages that ask not to be indexed (meta robots, X-Robots-Tag).",
            visibility: .hidden
        )
    )
    var noindex = false

    @Option(help: ArgumentHelp("The most requests to one host at a time.", valueName: "count", visibility: .hidden))
    var connections = 8

    @Option(help: ArgumentHelp("The most requests to all hosts at a time.", valueName: "count", visibility: .hidden))
    var totalConnections = 32

    @Option(
        help: ArgumentHelp(
            """
            Send each host one request at a time, at least this long after the previous one began; a longer \
            Crawl-delay in robots.txt is obeyed. (default: only the Crawl-delay)
            """,
            valueName: "time"
        ),
        transform: TimeSpan.argument
    )
    var delay: Duration?

    @Option(
        help: ArgumentHelp(
            "The most bytes per second from all hosts together, for example 2M. (default: no limit)",
            valueName: "size",
            visibility: .hidden
        ),
        transform: ByteSize.argument
    )
    var limitRate: Int64?

    @Option(
        help: ArgumentHelp(
            "How many times to retry a URL after a temporary failure.",
            valueName: "count",
            visibility: .hidden
        )
    )
    var retries = 2

    @Option(
        help: ArgumentHelp(
            """
            Fail a request if the origin sends nothing for this long. (default: 60s)
            """,
            valueName: "time",
            visibility: .hidden
        ),
        transform: TimeSpan.argument
    )
    var timeout: Duration?

    @Option(
        help: ArgumentHelp(
            "The User-Agent field to send; the word before the slash is the crawler's name in robots.txt.",
            valueName: "name",
            visibility: .hidden
        )
    )
    var userAgent = CrawlOptions.defaultUserAgent

    func apply(to options: inout CrawlOptions) {
        // Other programs take milliseconds.
        if let seconds = delay?.components.seconds, seconds >= 60 {
            Console.note(
                "note: '--delay' is \(seconds) seconds between two requests to a host; '--delay \(seconds)ms' would be milliseconds"
            )
        }
        options.ignoresRobots = ignoreRobots
        options.obeysNofollow = nofollow
        options.obeysNoindex = noindex
        options.politeness.connectionsPerHost = connections
        options.politeness.connections = totalConnections
        options.politeness.delay = delay
        options.politeness.bytesPerSecond = limitRate
        options.retries.retries = retries
        options.userAgent = userAgent
    }

    func apply(to fetching: inout HTTPFetcher.Options) {
        guard let timeout else { return }
        fetching.readTimeout = timeout
        fetching.connectTimeout = min(fetching.connectTimeout, timeout)
    }

    func validate() throws {
        guard (1...1000).contains(connections) else { throw ValidationError("'--connections' must be from 1 to 1000") }
        guard (1...1000).contains(totalConnections) else {
            throw ValidationError("'--total-connections' must be from 1 to 1000")
        }
        guard (0...100).contains(retries) else { throw ValidationError("'--retries' must be from 0 to 100") }
        guard limitRate.map({ $0 > 0 }) ?? true else { throw ValidationError("'--limit-rate' must be at least 1") }
        guard timeout.map({ $0 > .zero }) ?? true else {
            throw ValidationError("'--timeout' must be greater than zero")
        }
        guard !userAgent.isEmpty, HTTPField.isValidValue(userAgent) else {
            throw ValidationError("'--user-agent' must be a name such as 'example-crawler/1.0'")
        }
    }
}
