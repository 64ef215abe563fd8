public import AFCURL

/// What happens during a crawl, for those who watch.
public enum CrawlEvent: Sendable, Equatable {
    /// The crawl begins, or goes on with so many resources and bytes that are there already.
    case started(resources: Int, bytes: Int64)
    /// So many URLs are known, and so many of them still wait for their answer.
    case queue(known: Int, waiting: Int)
    /// A resource is there.
    case fetched(WebURL, bytes: Int64)
    /// A redirect is there.
    case redirected(WebURL, status: Int)
    /// A URL is asked for again after a wait.
    case retrying(WebURL, FetchFailure, wait: Duration)
    /// A URL was asked for in vain.
    case failed(CrawlReport.Failure)
    /// The rules of an origin say how long to wait between two requests.
    case crawlDelay(origin: String, Duration)
    /// Nothing is under way until this host may be asked again: it asked for pauses, or answered that it was too much.
    case waiting(host: String, Duration)
    /// The package is written: so many of its resources are in it.
    case packing(done: Int, of: Int)
    /// A dry run: this would be fetched, or was fetched to see what follows.
    case planned(WebURL, role: CrawlScope.Role, depth: Int, referrer: WebURL?)
    /// A dry run: this would not be fetched.
    case skipped(WebURL, SkipRule, referrer: WebURL?)
    /// The crawl is over, however it ended; only the package is still to be written, if any.
    case ended(CrawlReport)
}
