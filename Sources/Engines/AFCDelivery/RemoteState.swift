internal import AFCPackageFormat
internal import AFCText
public import AFCURL

/// The state of a package at its last download.
public struct RemoteState: Sendable, Equatable {
    /// The location that it was downloaded from.
    public var location: RemoteLocation
    /// The server's validators for the version.
    public var validator: Validator
    /// The size of the package in bytes.
    public var size: Int64
    /// The SHA-256 of the package's file, in hexadecimal digits; nil if it wasn't downloaded whole.
    public var sha256: String?
    /// The digest of the package's contents, in hexadecimal digits, computed when it was loaded.
    public var digest: String?

    /// Creates a state.
    public init(url: WebURL, validator: Validator, size: Int64, sha256: String?) {
        self.init(location: RemoteLocation(url), validator: validator, size: size, sha256: sha256)
    }

    private init(location: RemoteLocation, validator: Validator, size: Int64, sha256: String?) {
        self.location = location
        self.validator = validator
        self.size = size
        self.sha256 = sha256
    }

    /// Parses the form that ``text`` has; nil for anything else.
    public init?(text: String) {
        // Anything else didn't come from a download, so the package is requested as if nothing were known.
        guard let json = try? JSONValue(parsing: Array(text.utf8)), let location = RemoteLocation(json),
            let size = json["size"]?.integer
        else { return nil }
        self.init(location: location, validator: Validator(json), size: size, sha256: json["sha256"]?.string)
        digest = json["digest"]?.string
    }

    /// Returns true if there is a required digest, and this state has all that are required.
    func hasPins(sha256: String?, digest: String?) -> Bool {
        (sha256 != nil || digest != nil) && (sha256 == nil || sha256 == self.sha256)
            && (digest == nil || digest == self.digest)
    }

    /// The state as one line of JSON.
    public var text: String {
        var members = location.json + [("size", .number(String(size)))]
        if let sha256 { members.append(("sha256", .string(sha256))) }
        if let digest { members.append(("digest", .string(digest))) }
        return JSONValue.object(members + validator.json).serialized
    }
}

/// The validators that distinguish versions of a resource (RFC 9110 §8.8), as the server wrote them.
public struct Validator: Sendable, Equatable {
    /// The value of ETag.
    public var entityTag: String?
    /// The value of Last-Modified.
    public var lastModified: String?
    /// The value of Date in the same response.
    public var date: String?
    /// The SHA-256 of the package that the server declared, in hexadecimal digits.
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
