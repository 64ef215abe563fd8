internal import AFCPackageFormat
internal import AFCText
public import AFCURL

/// What is known of a package from the last time that it was asked for.
public struct RemoteState: Sendable, Equatable {
    /// Where it was asked for.
    public var url: WebURL
    /// What the server said that tells one version from another.
    public var validator: Validator
    /// The bytes of the package.
    public var size: Int64
    /// The SHA-256 of the package, in hexadecimal digits.
    public var sha256: String

    /// Creates a state.
    public init(url: WebURL, validator: Validator, size: Int64, sha256: String) {
        self.url = url
        self.validator = validator
        self.size = size
        self.sha256 = sha256
    }

    /// Reads what ``text`` wrote; nil where it is something else.
    public init?(text: String) {
        // Whatever else stands there was no download, so it is asked for as if nothing were known.
        guard let json = try? JSONValue(parsing: Array(text.utf8)), let url = json["url"]?.string,
            let url = try? WebURL(url), let sha256 = json["sha256"]?.string, let size = json["size"]?.integer
        else { return nil }
        self.init(url: url, validator: Validator(json), size: size, sha256: sha256)
    }

    /// The state as one line of JSON.
    public var text: String {
        JSONValue.object(
            [("url", .string(url.description)), ("size", .number(String(size))), ("sha256", .string(sha256))]
                + validator.json
        )
        .serialized
    }
}

/// What tells one version of a resource from another (RFC 9110 §8.8), as the server wrote it.
public struct Validator: Sendable, Equatable {
    /// The entity tag.
    public var entityTag: String?
    /// Last-Modified.
    public var lastModified: String?
    /// Date of the same response.
    public var date: String?
    /// The SHA-256 that the server declared of the package, in hexadecimal digits.
    public var sha256: String?

    /// Creates a validator.
    public init(entityTag: String? = nil, lastModified: String? = nil, date: String? = nil) {
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.date = date
    }

    init(_ json: JSONValue) {
        self.init(
            entityTag: json["etag"]?.string,
            lastModified: json["lastModified"]?.string,
            date: json["date"]?.string
        )
        sha256 = json["declared"]?.string
    }

    var json: [(String, JSONValue)] {
        [("etag", entityTag), ("lastModified", lastModified), ("date", date), ("declared", sha256)]
            .map { ($0, $1.map { .string($0) } ?? .null) }
    }
}
