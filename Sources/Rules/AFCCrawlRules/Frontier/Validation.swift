package import AFCURL

/// The result of validating an older package before any of it is read.
package struct Validation: Sendable {
    /// An origin's answer for one URL, which is as expected in either case.
    package enum Answer: Sendable {
        /// The resource is unchanged; it was validated at the time that Date says.
        case unchanged(date: String?)
        /// The request failed as before.
        case failed(FetchFailure)
    }

    package init() {}

    /// The answers for unchanged resources.
    package var answers: [URLKey: Answer] = [:]
    /// The origins' robots.txt files.
    package var robots: [(origin: WebURL, answer: RobotsAnswer)] = []
    /// The URLs whose requests failed as before.
    package var failures: [CrawlReport.Failure] = []
    /// The number of requests, not counting those for robots.txt.
    package var requests = 0
    /// True if everything is unchanged, so that the crawl would produce the same package.
    package var isWhole = false
}
