internal import AFCCaching
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
