public import AFCHTTP
public import AFCURL

/// One line of the manifest: what AFCache knew of a resource.
public struct ManifestEntry: Hashable, Sendable {
    /// The resource.
    public var url: WebURL
    /// When the origin last changed the resource, or nil where it didn't say.
    public var lastModified: Timestamp?
    /// Until when the response is fresh, or nil: it never is.
    public var expires: Timestamp?
    /// The normalised media type, or nil where it is unknown.
    public var mediaType: String?
    /// The member that holds the body, or nil where the rule says it.
    public var member: String?

    /// Creates an entry.
    public init(
        url: WebURL,
        lastModified: Timestamp? = nil,
        expires: Timestamp? = nil,
        mediaType: String? = nil,
        member: String? = nil
    ) {
        self.url = url
        self.lastModified = lastModified
        self.expires = expires
        self.mediaType = mediaType
        self.member = member
    }
}

/// What a writer may be asked to write; a reader takes them all, line by line.
public enum ManifestDialect: String, Sendable, CaseIterable {
    /// Four fields, and five where the body's name is not the rule's: the default.
    case afcache
    /// `URL ; last-modified ; expires`, for AFCache 0.6.
    case three
    /// `URL ; last-modified ; expires ; mimetype`, always.
    case four
    /// `URL ; last-modified ; expires ; mimetype ; member`, always, for AFCache 0.13, which drops shorter lines.
    case five

    /// Whether an entry of this dialect can say where its body lies.
    public var namesMembers: Bool { self == .afcache || self == .five }
}
