package import AFCURL

/// What origins said of an older package before any of it was read.
package struct Validation: Sendable {
    /// What an origin said of one URL; in either case, just what was expected.
    package enum Answer: Sendable {
        /// The resource is as it was, and was seen then, as Date says.
        case unchanged(date: String?)
        /// The request failed, as before.
        case failed(FetchFailure)
    }

    package init() {}

    /// What is as the older package has it.
    package var answers: [URLKey: Answer] = [:]
    /// What the origins' robots.txt say.
    package var robots: [(origin: WebURL, answer: RobotsAnswer)] = []
    /// The URLs whose requests failed, as before.
    package var failures: [CrawlReport.Failure] = []
    /// How many requests were sent, besides those for robots.txt.
    package var requests = 0
    /// Whether everything is as it was, so that the crawl would bring the same again.
    package var isWhole = false
}
