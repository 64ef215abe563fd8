internal import AFCURL

/// A request that got nothing, for the lists that the server prints at its end.
enum UnansweredRequest: Sendable, Equatable {
    /// Nothing is stored for a URL of a packaged host.
    case missing(MissingURLs.Request)
    /// A page's script was led here from a host that no package has.
    case stopped(WebURL)
}
