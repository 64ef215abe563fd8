public import AFCCredentials
public import AFCHTTP
public import AFCURL
public import HTTPTypes

/// The header fields, credentials and cookies that a crawl sends.
///
/// None of them gets into the package, the report or an error.
public struct AccessOptions: Sendable {
    /// The user's header fields, sent to the seeds' origins only.
    public var fields = HTTPFields()
    /// The credentials for single origins, sent in Authorization wherever a crawl reaches them.
    public var credentials: [OriginCredential] = []
    /// The cookies; responses add to them.
    public var cookies = CookieJar()
    /// True if the user gave a login, even if nothing of it is left, such as cookies that have expired.
    public var hasLogin = false

    /// Creates options without fields, credentials and cookies.
    public init() {}

    /// Returns the fields that a request carries in addition to the crawler's own.
    ///
    /// Each request of a redirect chain gets its own fields, so nothing is sent on to another origin.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - seeds: The start URLs of the crawl.
    ///   - now: The present time.
    /// - Returns: The fields.
    public func fields(for url: WebURL, seeds: [WebURL], now: Timestamp) -> HTTPFields {
        let origin = url.origin
        let isSeed = !fields.isEmpty && seeds.contains { $0.origin == origin }
        var result = isSeed ? fields : HTTPFields()
        if let credential = credentials.first(where: { $0.origin == origin }) {
            result[.authorization] = credential.fieldValue
        }
        if let cookies = cookies.field(for: url, now: now) {
            // The subscript would create one field per cookie, but HTTP/1.1 allows only one (RFC 6265bis §5.8.1).
            result.append(HTTPField(name: .cookie, value: cookies))
        }
        return result
    }

    /// Returns the request fields that a record may contain: none that identifies the user.
    ///
    /// - Parameter sent: All fields of the request.
    /// - Returns: The fields that reveal nothing about the user.
    public func recordable(_ sent: HTTPFields) -> HTTPFields {
        HTTPFields(
            sent.filter { field in
                !fields.contains(field.name) && ![.authorization, .cookie, .proxyAuthorization].contains(field.name)
            }
        )
    }
}

extension AccessOptions: CustomStringConvertible, CustomReflectable {
    /// The number of fields, credentials and cookies, without their contents.
    public var description: String {
        "\(fields.count) fields, \(credentials.count) credentials, \(cookies.count) cookies"
    }

    /// An empty mirror, because `dump` and assertions inspect values through it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
