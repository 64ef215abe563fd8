/// The settings for opening a crawl's pages in a browser; see docs/reference/rendering.md.
public struct RenderingOptions: Sendable, Equatable {
    /// The path of the browser, or its name in the search path; nil for any known browser.
    public var program: String?
    /// The folders in which programs are found, separated by colons.
    public var searchPath: String
    /// A script that runs in each page after it has loaded; nil for none.
    public var behavior: String?
    /// True to open each page; false to open start pages, some pages of each kind, and all of a kind of which these need more.
    public var opensAll = true
    /// The real time for a page.
    public var pageTime = Duration.seconds(30)

    /// Creates settings with the defaults.
    public init(searchPath: String) { self.searchPath = searchPath }
}
