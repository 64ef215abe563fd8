public import AFCURL

/// The references of a document, resolved to URLs.
public struct DiscoveredReferences: Sendable {
    /// The HTTP references in the order of the document; a URL may occur more than once in different spellings.
    public var references: [ResolvedReference] = []
    /// The references that aren't HTTP URLs; `data:`, `javascript:`, `mailto:` and the like are left out.
    public var unresolved: [UnresolvedReference] = []
    /// True for a page that wasn't searched, because it answers a request for something else, such as an image.
    public var isMisplacedPage = false
    /// True if the document marks its links as nofollow.
    public var isNofollow = false
    /// True if the document is marked noindex.
    public var isNoindex = false
    /// What the script, or the scripts and data in the page, name in texts; empty without recipes.
    public var scriptTexts = ScriptTexts()
    /// The base of the page's relative addresses if it differs from the page's URL.
    public var base: WebURL?
    /// The page's import maps, for the modules in files that it loads; nil if they have no names.
    public var moduleMap: ModuleMap?
    /// The names that a module in a file imports, each once, at most 1,024; only a page's import map resolves them.
    public var moduleNames: [ModuleName] = []
    /// The text of a page's first `title` element, without surrounding white space; nil if there is none.
    public var title: String?
    /// The variables that a playlist defines, which the playlists of its streams may import; RFC 8216bis §4.4.2.3.
    public var variables: [String: String] = [:]
    /// The limits that caused references to be left out.
    public var cuts: Set<DiscoveryCut> = []
    /// The encoding in which the document was read, or nil for types that aren't searched.
    public var encoding: TextEncoding?

    /// True if references were left out because of a limit.
    public var isTruncated: Bool { !cuts.isEmpty }

    /// Creates an empty result, as for types that aren't searched.
    public init() {}
}

/// A reference with its URL.
public struct ResolvedReference: Hashable, Sendable {
    /// The URL, without a fragment.
    public var url: WebURL
    /// The reference as written.
    public var reference: Reference

    /// The purpose of the reference.
    public var kind: Reference.Kind { reference.kind }
}

/// A reference without an HTTP URL.
public struct UnresolvedReference: Hashable, Sendable {
    /// The reason why there is no URL to request.
    public enum Reason: Error, Hashable, Sendable {
        /// The text is not a URL.
        case notURL(WebURL.ParseError)
        /// The scheme is neither http nor https.
        case notHTTP
    }

    /// The reference as written.
    public var reference: Reference
    /// The reason.
    public var reason: Reason
}
