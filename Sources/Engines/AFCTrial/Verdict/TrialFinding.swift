package import AFCURL

/// Something that a trial found: a fault, which keeps a package from working offline, or a hint.
package struct TrialFinding: Sendable, Equatable {
    /// The kinds, faults first, in the order of importance; docs/reference/try.md has the meanings.
    package enum Kind: String, Sendable, CaseIterable, Comparable {
        case deadPage = "dead-page"
        case blankPage = "blank-page"
        case missingScript = "missing-script"
        case wrongType = "wrong-type"
        case missingData = "missing-data"
        case search
        case exception
        case missingStyle = "missing-style"
        case unstyled
        case missingPage = "missing-page"
        case brokenRedirect = "broken-redirect"
        case deadLink = "dead-link"
        case missingImage = "missing-image"
        case differs
        case missingFont = "missing-font"
        case missingExtra = "missing-extra"
        case notPackaged = "not-packaged"
        case sisterLink = "sister-link"
        case absent
        case needsServer = "needs-server"
        case tooLarge = "too-large"
        case console
        case searchUnjudged = "search-unjudged"
        case pictures

        /// True if a package with such a finding doesn't work offline.
        package var isFault: Bool { self <= .differs }

        /// The place in the order.
        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        /// Returns true if the left kind is more important.
        package static func < (left: Kind, right: Kind) -> Bool { left.rank < right.rank }

        /// A few words.
        package var words: String {
            switch self {
            case .deadPage: "dead page"
            case .blankPage: "blank page"
            case .missingScript: "missing script"
            case .wrongType: "wrong media type"
            case .missingData: "missing data"
            case .search: "missing for the search"
            case .exception: "uncaught exception"
            case .missingStyle: "missing style sheet"
            case .unstyled: "page without style"
            case .missingPage: "missing page"
            case .brokenRedirect: "redirect to something missing"
            case .deadLink: "dead link"
            case .missingImage: "missing image"
            case .differs: "missing text"
            case .missingFont: "missing font"
            case .missingExtra: "missing extra"
            case .notPackaged: "not packaged"
            case .sisterLink: "links to another host of the site"
            case .absent: "missing on the site, too"
            case .needsServer: "needs a server"
            case .tooLarge: "too large for the trial"
            case .console: "error on the console"
            case .searchUnjudged: "search not judged"
            case .pictures: "different picture"
            }
        }
    }

    /// A way to mend a fault, which a program puts into words.
    package enum Remedy: String, Sendable {
        /// Fetch the URL with the next crawl.
        case fetch
        /// Let a browser find what scripts load, or record what they do.
        case render
        /// Look at the page with the site's developers; the package can't mend it.
        case mendSite = "mend-site"
    }

    /// The kind.
    package var kind: Kind
    /// The URL that is missing, or a sentence.
    package var subject: String
    /// The page on which it was seen first.
    package var page: WebURL
    /// The number of pages on which it was seen.
    package var pages = 1
    /// The script or page that asked for it.
    package var source: String?
    /// More about it.
    package var detail: String?

    /// Creates a finding.
    package init(_ kind: Kind, _ subject: String, page: WebURL, source: String? = nil, detail: String? = nil) {
        self.kind = kind
        self.subject = subject
        self.page = page
        self.source = source
        self.detail = detail
    }

    /// The way to mend it; nil for hints.
    package var remedy: Remedy? {
        switch kind {
        case .missingStyle, .missingPage, .brokenRedirect, .deadLink, .missingImage: .fetch
        case .missingScript, .missingData, .search: .render
        case .deadPage: isMissing ? .fetch : .mendSite
        case .blankPage, .wrongType, .exception, .unstyled, .differs: .mendSite
        default: nil
        }
    }

    /// True if the subject is a URL that the package should have.
    package var isMissing: Bool {
        switch kind {
        case .missingScript, .missingData, .search, .missingStyle, .missingPage, .brokenRedirect, .deadLink,
            .missingImage, .missingFont, .missingExtra:
            true
        case .deadPage: detail == Self.notInPackage
        default: false
        }
    }

    /// The detail of a page that isn't in the package.
    package static let notInPackage = "it isn't in the package"
}
