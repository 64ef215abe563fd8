public import AFCURL
public import HTTPTypes

/// A GET request for one URL.
public struct FetchRequest: Sendable, Equatable {
    /// The URL.
    public var url: WebURL
    /// The header fields to send, except Host.
    public var fields: HTTPFields

    /// Creates a request.
    public init(url: WebURL, fields: HTTPFields = HTTPFields()) {
        self.url = url
        self.fields = fields
    }
}

/// The head of a response.
public struct FetchHead: Sendable, Equatable {
    /// The final status.
    public var status: Int
    /// The reason phrase, which may be empty.
    public var reason: String
    /// The header fields as received.
    public var fields: HTTPFields
    /// The content coding that the fetcher decodes, or nil for none.
    public var coding: String?

    /// Creates a head.
    public init(status: Int, reason: String = "", fields: HTTPFields = HTTPFields(), coding: String? = nil) {
        self.status = status
        self.reason = reason
        self.fields = fields
        self.coding = coding
    }
}

extension FetchHead {
    /// The failure of a response that isn't stored; for 401, it names the schemes that the origin offers.
    package var failure: FetchFailure {
        guard status == 401 else { return .status(status, reason: reason) }
        // Only the first challenge of each field, since its parameters look like further ones.
        let schemes = fields[values: .wwwAuthenticate].prefix(8).compactMap { value in
            let name = value.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
            return name.isEmpty || name.utf8.count > 20 ? nil : String(name)
        }
        guard !schemes.isEmpty else { return .status(status, reason: reason) }
        return .status(status, reason: (reason.isEmpty ? "" : reason + " ") + "(\(schemes.joined(separator: ", ")))")
    }
}

/// A receiver of a response as it arrives.
public protocol ResponseReceiver {
    /// The head, or nil before it has arrived.
    var head: FetchHead? { get }
    /// Takes the head, and returns true if the body is wanted.
    mutating func begin(_ head: FetchHead) throws(FetchFailure) -> Bool
    /// Counts bytes of the body as they were received, before they are decoded, and returns true if they are wanted.
    mutating func receive(_ count: Int) throws(FetchFailure) -> Bool
    /// Takes the next decoded bytes of the body, and returns true if more are wanted.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) -> Bool
}

extension ResponseReceiver {
    /// Takes any number of bytes.
    public mutating func receive(_ count: Int) throws(FetchFailure) -> Bool { true }
}

/// An interface that sends one request and receives one response; it follows no redirect and doesn't retry.
///
/// It separates the crawl from the network, so that tests can replace the network with a table.
public protocol Fetcher: Sendable {
    /// The executor for tasks that mainly fetch, or nil if any will do.
    var executor: (any TaskExecutor)? { get }

    /// Sends a request and receives its response.
    ///
    /// When the function returns, the whole body has arrived, if it was wanted.
    ///
    /// - Throws: ``FetchFailure``, or `CancellationError`.
    func fetch<Receiver: ResponseReceiver>(_ request: FetchRequest, into receiver: inout Receiver) async throws
}

extension Fetcher {
    /// No preferred executor.
    public var executor: (any TaskExecutor)? { nil }
}
