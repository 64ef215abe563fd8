public import AFCURL

/// What a document refers to, as URLs.
public struct DiscoveredReferences: Sendable {
    /// What it refers to over HTTP, in the order of the document; a URL may be there more than once, in different words.
    public var references: [ResolvedReference] = []
    /// What is no URL, or not one over HTTP; `data:`, `javascript:`, `mailto:` and the like are left out altogether.
    public var unresolved: [UnresolvedReference] = []
    /// Whether the document asks for its links not to be followed.
    public var isNofollow = false
    /// Whether the document asks not to be indexed.
    public var isNoindex = false
    /// The text of the first `title` element of a page, without white space around it; nil where it has none.
    public var title: String?
    /// For which limits something was left out.
    public var cuts: Set<DiscoveryCut> = []
    /// The encoding that the document was read in, or nil for types that aren't searched.
    public var encoding: TextEncoding?

    /// Whether something was left out.
    public var isTruncated: Bool { !cuts.isEmpty }

    /// Creates an empty result, which is that of every type that isn't searched.
    public init() {}
}

/// A reference together with the URL it means.
public struct ResolvedReference: Hashable, Sendable {
    /// The URL, without a fragment.
    public var url: WebURL
    /// The reference as written.
    public var reference: Reference

    /// What the reference is for.
    public var kind: Reference.Kind { reference.kind }
}

/// A reference that leads nowhere, and why.
public struct UnresolvedReference: Hashable, Sendable {
    /// Why there is no URL to ask for.
    public enum Reason: Error, Hashable, Sendable {
        /// The text is no URL.
        case notURL(WebURL.ParseError)
        /// The scheme is neither http nor https.
        case notHTTP
    }

    /// The reference as written.
    public var reference: Reference
    /// What is wrong with it.
    public var reason: Reason
}
