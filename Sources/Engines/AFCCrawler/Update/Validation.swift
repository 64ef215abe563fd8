internal import AFCPackageFormat
internal import AFCURL
internal import HTTPTypes

/// What origins said of an older package before any of it was read.
struct Validation: Sendable {
    /// What an origin said of one URL; in either case, just what was expected.
    enum Answer: Sendable {
        /// The resource is as it was, and was seen then, as Date says.
        case unchanged(date: String?)
        /// It was asked for in vain, as before.
        case failed(FetchFailure)
    }

    /// What is as the older package has it.
    var answers: [URLKey: Answer] = [:]
    /// What the origins' robots.txt say.
    var robots: [(origin: WebURL, answer: RobotsAnswer)] = []
    /// What was asked for in vain, as before.
    var failures: [CrawlReport.Failure] = []
    /// How many requests were sent, besides those for robots.txt.
    var requests = 0
    /// Whether everything is as it was, so that the crawl would bring the same again.
    var isWhole = false
}

extension Frontier {
    /// Takes over what is known of robots.txt already.
    mutating func learn(_ validation: Validation) {
        for (origin, answer) in validation.robots { learn(answer, of: origin.origin, host: origin.host ?? "") }
        report.requests += validation.requests
    }

    /// Notes that all is as the older package has it.
    mutating func conclude(_ validation: Validation, of older: OlderPackage, _ provenance: CrawlProvenance) {
        for failure in validation.failures {
            if failure.isAbsentIcon { report.noteAbsentIcon(failure) } else { report.noteFailure(failure) }
        }
        for (name, count) in provenance.skipped {
            if let rule = SkipRule(rawValue: name) { report.noteSkips(count, rule) }
        }
        report.retries += validation.robots.reduce(0) { $0 + $1.answer.retries }
        report.requests += validation.requests + validation.robots.reduce(0) { $0 + $1.answer.requests }
        older.tell(&report)
    }
}
