public import AFCCaching
internal import AFCHTTP
public import AFCURL
public import HTTPTypes

/// A request that the cache is to answer.
public struct OfflineRequest: Sendable, Equatable {
    /// The method.
    public var method: HTTPRequest.Method
    /// The resource.
    public var url: WebURL
    /// The request's fields.
    public var fields: HTTPFields

    /// Creates a request.
    public init(method: HTTPRequest.Method = .get, url: WebURL, fields: HTTPFields = HTTPFields()) {
        self.method = method
        self.url = url
        self.fields = fields
    }
}

/// A cache's answer: what was decided, and the stored body that it takes bytes from.
public struct CacheAnswer: Sendable {
    /// Head and ranges.
    public var resolution: Resolution
    /// The stored body, open, or nil where the answer has none.
    public var body: StoredBody?
    /// The package that the response came in, or nil where there was none.
    public var package: String?
}

/// A received response's name within its cache; never given twice.
public struct ReceivedID: Hashable, Sendable {
    /// The number of its row.
    let number: Int64
    /// The resource that it is for.
    let key: ResourceKey
}

/// A stored response that may answer a request for its URL.
public struct StoredCandidate: Sendable {
    /// Where a response comes from.
    public enum Origin: Hashable, Sendable {
        /// A package, by its name.
        case package(String)
        /// The origin, online.
        case received(ReceivedID)
    }

    /// The response, as the resolver judges it.
    public var response: StoredResponse
    /// Where it comes from.
    public let origin: Origin

    let place: Place

    /// Where the body lies.
    enum Place: Sendable {
        /// Among a generation's files.
        case generation(OpenPackage, IndexedResource)
        /// In the received area.
        case received(ReceivedVariant, ResourceKey)
    }
}

extension StoredCandidate {
    init(_ variant: ReceivedVariant, _ key: ResourceKey) {
        response = variant.response
        origin = .received(ReceivedID(number: variant.id, key: key))
        place = .received(variant, key)
    }

    init(_ found: Snapshot.Found, freshened: FreshenedEntry?) {
        let entry = found.resource.response
        let isFreshened = freshened?.generation == found.package.generation.folder
        response = isFreshened ? freshened?.applied(to: entry) ?? entry : entry
        origin = .package(found.package.name)
        place = .generation(found.package, found.resource)
    }

    /// When it was made, or received where that is earlier.
    var date: Timestamp {
        if case .received(let variant, _) = place { return variant.date }
        return min(response.date, response.received)
    }

    /// The package's name, for what came in one.
    var package: String? {
        if case .package(let name) = origin { return name }
        return nil
    }

    /// Returns true if it may answer a request with these fields (RFC 9111 §4.1).
    func matches(_ request: HTTPFields) -> Bool {
        if case .received(let variant, _) = place { return variant.key.matches(request) }
        return response.matchesVary(of: request)
    }
}
