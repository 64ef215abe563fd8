public import AFCURL

/// An event of a crawl, for displaying its progress.
public enum CrawlEvent: Sendable, Equatable {
    /// The crawl starts, or resumes with this many resources and bytes.
    case started(resources: Int, bytes: Int64)
    /// The number of known URLs, and of those that still wait for a response.
    case queue(known: Int, waiting: Int)
    /// A resource was fetched.
    case fetched(WebURL, bytes: Int64)
    /// A redirect was recorded.
    case redirected(WebURL, status: Int)
    /// A request will be retried after a wait.
    case retrying(WebURL, FetchFailure, wait: Duration)
    /// A request failed for good.
    case failed(CrawlReport.Failure)
    /// An origin's robots.txt sets this delay between two requests.
    case crawlDelay(origin: String, Duration)
    /// No request is in progress until this host's delay or pause is over.
    case waiting(host: String, Duration)
    /// Pages are opened in a browser, this many so far of those that are due.
    case rendering(done: Int, of: Int)
    /// The package is being written, with this many of its resources so far.
    case packing(done: Int, of: Int)
    /// In a dry run: the URL would be fetched, or was fetched to find further URLs.
    case planned(WebURL, role: CrawlScope.Role, depth: Int, referrer: WebURL?)
    /// In a dry run: the URL would be skipped.
    case skipped(WebURL, SkipRule, referrer: WebURL?)
    /// The crawl has ended in some way; only the package, if any, remains to be written.
    case ended(CrawlReport)
}
