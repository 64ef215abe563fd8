public import HTTPTypes

extension HTTPFields {
    /// Returns a field's value as the subscript does, without joining if the field has one line (RFC 9110 §5.3).
    ///
    /// - Parameter name: The field.
    /// - Returns: The value, or nil if there is no such field.
    public func value(of name: HTTPField.Name) -> String? {
        guard let first = firstIndex(where: { $0.name == name }) else { return nil }
        guard !self[(first + 1)...].contains(where: { $0.name == name }) else { return self[name] }
        return self[first].value
    }

    /// Returns the value of a field that must occur once: of several lines only if all are equal.
    ///
    /// Proxies and origins often add the same line twice. Joined by a comma, as RFC 9110 §5.3 joins lists, the two
    /// would be a third value.
    ///
    /// - Parameter name: The field.
    /// - Returns: The value, or nil if there is no such field, or its lines differ.
    public func singleValue(of name: HTTPField.Name) -> String? {
        var value: String?
        for field in self where field.name == name {
            guard value == nil || value == field.value else { return nil }
            value = field.value
        }
        return value
    }

    /// Removes the lines of a field that repeat its first one.
    public mutating func removeRepeats(of name: HTTPField.Name) {
        guard let value = singleValue(of: name), count(where: { $0.name == name }) > 1 else { return }
        self[name] = value
    }
}

/// Field names that this project uses and HTTPTypes has no constants for.
extension HTTPField.Name {
    /// Cache-Status (RFC 9211).
    public static let cacheStatus = registered("Cache-Status")
    /// CDN-Cache-Control (RFC 9213 §3.1).
    public static let cdnCacheControl = registered("CDN-Cache-Control")
    /// Pragma (RFC 9111 §5.4).
    public static let pragma = registered("Pragma")
    /// Repr-Digest (RFC 9530 §3).
    package static let reprDigest = registered("Repr-Digest")
    /// Content-Digest (RFC 9530 §2).
    package static let contentDigest = registered("Content-Digest")
    /// Want-Repr-Digest (RFC 9530 §4).
    package static let wantReprDigest = registered("Want-Repr-Digest")
    /// Want-Content-Digest (RFC 9530 §4).
    package static let wantContentDigest = registered("Want-Content-Digest")
    /// No-Vary-Search (draft-ietf-httpbis-no-vary-search).
    package static let noVarySearch = registered("No-Vary-Search")
    /// Cache-Groups (RFC 9875 §2).
    package static let cacheGroups = registered("Cache-Groups")
    /// Cache-Group-Invalidation (RFC 9875 §3).
    package static let cacheGroupInvalidation = registered("Cache-Group-Invalidation")
    /// Content-Usage (draft-ietf-aipref-attach-05 §2).
    package static let contentUsage = registered("Content-Usage")
    /// Content-Signal (contentsignals.org).
    package static let contentSignal = registered("Content-Signal")
    /// X-Robots-Tag (developers.google.com/search/docs/crawling-indexing/robots-meta-tag).
    package static let robotsTag = registered("X-Robots-Tag")
    /// What robots.txt said about the use of a packaged response; a cache keeps it beside the response's fields.
    package static let robotsUsage = registered("AFCache-Robots-Usage")
    /// What a `meta` element said about the use of a packaged page; a cache keeps it beside the response's fields.
    package static let pageUsage = registered("AFCache-Page-Usage")
    /// Server-Timing (Server Timing §3).
    package static let serverTiming = registered("Server-Timing")
    /// Sec-Fetch-Mode (Fetch Metadata §2.2).
    public static let secFetchMode = registered("Sec-Fetch-Mode")

    /// Returns a name that is written in this file, and so is a token.
    private static func registered(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("'\(text)' is not a field name") }
        return name
    }
}

extension HTTPResponse.Status {
    /// Creates the status with the reason phrase of RFC 9110 §15; a stored response has only the number.
    ///
    /// - Parameter code: The number, 0 to 999.
    public init(stored code: Int) {
        self = code == 200 ? .ok : Self.known.first { $0.code == code } ?? HTTPResponse.Status(code: code)
    }

    private static let known: [HTTPResponse.Status] = [
        .ok, .created, .accepted, .nonAuthoritativeInformation, .noContent, .partialContent, .multipleChoices,
        .movedPermanently, .found, .seeOther, .temporaryRedirect, .permanentRedirect, .badRequest, .unauthorized,
        .forbidden, .notFound, .methodNotAllowed, .notAcceptable, .proxyAuthenticationRequired, .requestTimeout,
        .conflict, .gone,
        .lengthRequired, .preconditionFailed, .contentTooLarge, .uriTooLong, .unsupportedMediaType,
        .rangeNotSatisfiable,
        .notModified, .switchingProtocols, .resetContent, .unprocessableContent, .tooManyRequests, .internalServerError,
        .notImplemented,
        .badGateway,
        .serviceUnavailable, .gatewayTimeout,
    ]
}
