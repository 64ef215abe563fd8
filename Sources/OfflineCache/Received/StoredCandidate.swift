public import HTTPCaching
internal import URLStandard

/// A received response's name within its store; never given twice.
public struct ReceivedID: Hashable, Sendable {
    /// The number of its row.
    let number: Int64
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
        /// In a generation's files; nil where there is no body.
        case generation(OpenPackage, IndexedResource)
        /// In the received area.
        case received(ReceivedVariant, url: WebURL)
    }
}
