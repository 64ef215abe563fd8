public import AFCCaching
internal import AFCHTTP
public import AFCPackageFormat
public import AFCURL
internal import Crypto
public import HTTPTypes

/// A request for the cache to answer.
public struct OfflineRequest: Sendable, Equatable {
    /// The method.
    public var method: HTTPRequest.Method
    /// The URL of the resource.
    public var url: WebURL
    /// The request fields.
    public var fields: HTTPFields

    /// Creates a request.
    public init(method: HTTPRequest.Method = .get, url: WebURL, fields: HTTPFields = HTTPFields()) {
        self.method = method
        self.url = url
        self.fields = fields
    }
}

/// The cache's answer: the resolution, and the stored body from which bytes are sent.
public struct CacheAnswer: Sendable {
    /// The head and the ranges.
    public var resolution: Resolution
    /// The open body, or nil if the answer has none.
    public var body: StoredBody?
    /// The package that contains the response, or nil for other responses.
    public var package: String?
    /// The URL under which the response is stored, if the request's URL has another query, or another path and the
    /// answer is a ``fallback`` or ``redirectsToMatch``.
    public var matched: WebURL?
    /// True if the answer is a redirect to ``matched``, whose path differs in a slash, `.html` or `index.html`.
    public var redirectsToMatch = false
    /// True if the answer says that the site doesn't have the URL, as the crawl of a package found.
    public var isAbsent = false
    /// The queries that the package answers in the same way, if it has a rule for them that a field can say.
    package var variance: SearchVariance?
    /// The kind of the fallback, if the answer is the package's page for navigations to URLs that it doesn't have.
    public var fallback: FallbackRules.Kind?
    /// True if nothing is stored for the URL, whatever the request's fields.
    public var isUnknown = false
}

/// The identifier of a received response within its cache, which is never reused.
public struct ReceivedID: Hashable, Sendable {
    /// The number of the response's row; negative for a response that only memory has.
    let number: Int64
    /// The key of the resource.
    let key: ResourceKey

    /// True if the response is in memory only, so that this cache can't change it.
    package var isInMemoryOnly: Bool { number < 0 }
}

/// A stored response that may answer a request for its URL.
public struct StoredCandidate: Sendable {
    /// The origin of a stored response.
    public enum Origin: Hashable, Sendable {
        /// A package, by its name.
        case package(String)
        /// The response's origin, over the network.
        case received(ReceivedID)
    }

    /// The response in the form that the resolver uses.
    public var response: StoredResponse
    /// The origin of the response.
    public let origin: Origin

    let place: Place

    /// The place of a body.
    enum Place: Sendable {
        /// A generation's files.
        case generation(OpenPackage, IndexedResource)
        /// The received area.
        case received(ReceivedVariant, ResourceKey)
    }
}

extension StoredCandidate {
    init(_ variant: ReceivedVariant, _ key: ResourceKey) {
        response = variant.response
        origin = .received(ReceivedID(number: variant.id, key: key))
        place = .received(variant, key)
    }

    /// Creates a response that is in memory only, which its owner finds and removes.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - body: The body.
    ///   - url: The URL of the resource.
    ///   - number: The owner's number of the response, at least 1.
    package init(inMemory response: StoredResponse, body: [UInt8], of url: WebURL, number: Int64) {
        precondition(number > 0, "a response in memory has the number \(number)")
        var response = response
        response.size = Int64(body.count)
        let digest = Array(SHA256.hash(data: body))
        self.init(
            ReceivedVariant(id: -number, response: response, digest: digest, body: .bytes(body)),
            ResourceKey(url)
        )
    }

    /// Returns the same response in memory with another head.
    package func withHead(_ response: StoredResponse) -> StoredCandidate {
        guard case .received(let variant, let key) = place else { return self }
        return StoredCandidate(variant.with(response), key)
    }

    /// Returns true if this response answers every request that another received one answers.
    package func standsFor(_ other: StoredCandidate) -> Bool {
        guard case .received(let one, _) = place, case .received(let two, _) = other.place else { return false }
        return one.standsFor(two)
    }

    /// The approximate number of bytes of memory that a received response takes.
    package var cost: Int {
        if case .received(let variant, let key) = place { return variant.cost + key.text.utf8.count }
        return 0
    }

    /// The time of the last modification that a package states; nil for received responses.
    var packagedLastModified: Timestamp? {
        if case .generation(_, let resource) = place { return resource.lastModified }
        return nil
    }

    /// Returns true if this response is tried before another: the most recent comes first (RFC 9111 §4).
    package func isBefore(_ other: StoredCandidate) -> Bool {
        (date, response.received) > (other.date, other.response.received)
    }

    init(_ found: Snapshot.Found, freshened: FreshenedEntry?) {
        let entry = found.resource.response
        let isFreshened = freshened?.generation == found.package.generation.folder
        response = isFreshened ? freshened?.applied(to: entry) ?? entry : entry
        origin = .package(found.package.name)
        place = .generation(found.package, found.resource)
    }

    /// The time when the response was generated, or received if that is earlier.
    var date: Timestamp {
        if case .received(let variant, _) = place { return variant.date }
        return min(response.date, response.received)
    }

    /// The name of the package, for a packaged response.
    var package: String? {
        if case .package(let name) = origin { return name }
        return nil
    }

    /// Returns true if the response may answer a request with these fields (RFC 9111 §4.1).
    func matches(_ request: HTTPFields) -> Bool {
        if case .received(let variant, _) = place { return variant.key.matches(request) }
        return response.matchesVary(of: request)
    }
}
