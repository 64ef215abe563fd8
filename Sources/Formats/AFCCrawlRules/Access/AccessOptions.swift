public import AFCHTTP
public import AFCURL
public import HTTPTypes

/// Who a crawl is, to whom: fields, credentials and cookies, none of which get into the package, the report or an error.
public struct AccessOptions: Sendable {
    /// Fields of the user's, for the seeds' origins only.
    public var fields = HTTPFields()
    /// What single origins are told in Authorization, wherever a crawl meets them.
    public var credentials: [OriginCredential] = []
    /// The cookies, which responses add to.
    public var cookies = CookieJar()

    /// Creates options that say nothing to anybody.
    public init() {}

    /// What a request carries besides the crawler's own fields.
    ///
    /// A redirect's target is a request of its own: nothing is carried over to another origin.
    ///
    /// - Parameters:
    ///   - url: What is asked for.
    ///   - seeds: Where the crawl begins.
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
            // The subscript would make a field of each cookie, and HTTP/1.1 allows one (RFC 6265bis §5.8.1).
            result.append(HTTPField(name: .cookie, value: cookies))
        }
        return result
    }

    /// The fields of a request that a record may have: none of these.
    ///
    /// - Parameter sent: All fields of the request.
    /// - Returns: The fields that say nothing of the user.
    public func recordable(_ sent: HTTPFields) -> HTTPFields {
        HTTPFields(
            sent.filter { field in
                !fields.contains(field.name) && ![.authorization, .cookie, .proxyAuthorization].contains(field.name)
            }
        )
    }
}

extension AccessOptions: CustomStringConvertible, CustomReflectable {
    /// How much there is, and nothing of it.
    public var description: String {
        "\(fields.count) fields, \(credentials.count) credentials, \(cookies.count) cookies"
    }

    /// Nothing: `dump` and assertions look into values by this.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
