public import AFCCaching
internal import AFCHTTP
internal import HTTPTypes

/// A received response's name within its store; never given twice.
public struct ReceivedID: Hashable, Sendable {
    /// The number of its row.
    let number: Int64
    /// The URL that it is for.
    let url: String
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
        case received(ReceivedVariant, url: String)
    }
}

extension StoredCandidate {
    init(_ variant: ReceivedVariant, url: String) {
        response = variant.response
        origin = .received(ReceivedID(number: variant.id, url: url))
        place = .received(variant, url: url)
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

    /// Whether it may answer a request with these fields (RFC 9111 §4.1).
    func matches(_ request: HTTPFields) -> Bool {
        if case .received(let variant, _) = place { return variant.key.matches(request) }
        return response.matchesVary(of: request)
    }
}
