public import AFCURL
public import HTTPTypes

/// A GET request for one URL.
public struct FetchRequest: Sendable, Equatable {
    /// The URL.
    public var url: WebURL
    /// The fields to send, besides Host.
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
    /// The phrase beside it, which may be empty.
    public var reason: String
    /// The fields as received.
    public var fields: HTTPFields
    /// The content coding that the fetcher removes from the body, or nil for none.
    public var coding: String?

    /// Creates a head.
    public init(status: Int, reason: String = "", fields: HTTPFields = HTTPFields(), coding: String? = nil) {
        self.status = status
        self.reason = reason
        self.fields = fields
        self.coding = coding
    }
}

/// Takes a response as it arrives.
public protocol ResponseReceiver {
    /// The head, once it came.
    var head: FetchHead? { get }
    /// Takes the head, and says whether the body is wanted.
    mutating func begin(_ head: FetchHead) throws(FetchFailure) -> Bool
    /// Takes the next bytes of the body, their coding removed, and says whether more are wanted.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) -> Bool
}

/// Sends one request and hands over one response; follows no redirect and tries nothing again.
///
/// It is the seam between the crawl and the network: tests put a table in its place.
public protocol Fetcher: Sendable {
    /// Where tasks run best that do little more than fetch, or nil where it doesn't matter.
    var executor: (any TaskExecutor)? { get }

    /// Fetches.
    ///
    /// Returning means that the whole body came, if it was wanted.
    ///
    /// - Throws: ``FetchFailure``, or `CancellationError`.
    func fetch<Receiver: ResponseReceiver>(_ request: FetchRequest, into receiver: inout Receiver) async throws
}

extension Fetcher {
    /// None.
    public var executor: (any TaskExecutor)? { nil }
}
