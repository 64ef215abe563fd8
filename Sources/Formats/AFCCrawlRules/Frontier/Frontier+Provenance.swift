internal import AFCPackageFormat

extension Frontier {
    /// What the crawl asked for besides what is in the package.
    ///
    /// - Parameter options: The digest of what decided which URLs are asked for.
    /// - Returns: nil where that isn't all: the crawl was stopped, or something failed that may be there the next time.
    func provenance(options: String) -> CrawlProvenance? {
        guard stop == nil, !hasUntold, report.unlistedFailures == 0 else { return nil }
        guard robotsDigests.count <= Self.originLimit, !robotsDigests.values.contains(Self.noDigest) else { return nil }
        var failed: [CrawlProvenance.Failure] = []
        for failure in report.failures + report.absentIcons {
            guard case .status(let status, _) = failure.reason, (400...499).contains(status), status != 429 else {
                return nil
            }
            var told = CrawlProvenance.Failure(url: failure.url, status: status, foundOn: failure.referrer)
            if failure.importance != .link { told.importance = failure.importance.rawValue }
            failed.append(told)
        }
        return CrawlProvenance(
            options: options,
            robots: robotsDigests,
            failed: failed,
            skipped: Dictionary(report.skipped.map { ($0.rule.rawValue, $0.count) }) { first, _ in first }
        )
    }

    /// Of how many origins it is said what their robots.txt was.
    static let originLimit = 256
}
