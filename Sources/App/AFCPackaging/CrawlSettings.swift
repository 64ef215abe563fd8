internal import AFCCrawlRules
internal import AFCTime
internal import AFCURL
public import Foundation

/// The settings of a crawl; what isn't set is as `afcache`'s own defaults.
public struct CrawlSettings: Sendable {
    /// The extent to which links are followed.
    public enum Scope: String, Sendable, CaseIterable {
        /// No links: only the start URLs, and what they need, wherever it is.
        case page
        /// Links below the folder of a start URL.
        case prefix
        /// Links to the host and port of a start URL.
        case host
        /// Links to the domain of a start URL and all hosts below it.
        case domain
    }

    /// The extent to which links are followed.
    public var scope = Scope.host
    /// The largest number of links between a start URL and a page; nil for no limit.
    public var depth: Int?
    /// The most pages to fetch; nil for no limit.
    public var pages: Int?
    /// The time after which no further request is sent; nil for no limit.
    public var time: Duration?
    /// True to connect to private addresses that no start URL names.
    public var allowsPrivate = false
    /// True to ask the origins only for what has changed since the package at the path of the new one was made.
    public var updates = false
    /// The value of User-Agent; nil for afcache's own.
    public var userAgent: String?
    /// The name of the package; nil for one that the start URLs suggest.
    public var name: String?
    /// The files of the private keys that sign the package.
    public var keys: [URL] = []
    /// True to replace a file that isn't a package, or a package of another site.
    public var overwrites = false

    func options(_ seeds: [WebURL], to path: String) -> CrawlOptions {
        var options = CrawlOptions(seeds: seeds) { .now }
        options.scope.extent =
            switch scope {
            case .page: .page
            case .prefix: .prefix
            case .host: .host
            case .domain: .domain
            }
        options.scope.depth = depth
        options.scope.allowsPrivate = allowsPrivate
        options.limits[.pages] = pages
        options.limits.time = time
        options.userAgent = userAgent ?? options.userAgent
        options.updates = updates && FileManager.default.fileExists(atPath: path) ? path : nil
        options.asksForIcons = true
        options.asksForMissingPage = true
        return options
    }
}
