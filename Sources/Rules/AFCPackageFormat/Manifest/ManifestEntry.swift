public import AFCHTTP
public import AFCURL

/// One line of the manifest: the data that AFCache kept for a resource.
public struct ManifestEntry: Hashable, Sendable {
    /// The URL of the resource.
    public var url: WebURL
    /// The time when the origin last changed the resource, or nil if unknown.
    public var lastModified: Timestamp?
    /// The time until which the response is fresh, or nil if it never is.
    public var expires: Timestamp?
    /// The normalized media type, or nil if unknown.
    public var mediaType: String?
    /// The member that holds the body, or nil if the member rule gives its name.
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

/// A dialect that a writer can write.
///
/// A reader accepts all of them, even mixed line by line.
public enum ManifestDialect: String, Sendable, CaseIterable {
    /// Four fields, or five if the body's name differs from the rule's.
    ///
    /// This is the default.
    case afcache
    /// `URL ; last-modified ; expires`, for AFCache 0.6.
    case three
    /// `URL ; last-modified ; expires ; mimetype`, always.
    case four
    /// `URL ; last-modified ; expires ; mimetype ; member`, always, for AFCache 0.13, which drops shorter lines.
    case five

    /// True if an entry of this dialect can name the member that holds its body.
    public var namesMembers: Bool { self == .afcache || self == .five }
}
