public import AFCURL

/// The exchanges of a recording, counted, with the first ones of each kind that isn't in the package.
public struct RecordingReport: Sendable, Equatable {
    /// The reason that an exchange isn't in the package.
    public enum Omission: String, Sendable, CaseIterable {
        /// The connection switched to another protocol.
        case upgrade
        /// An event stream.
        case events
        /// A request with another method than GET.
        case method
        /// The body of a request with another method is too large.
        case request
        /// The body of the response is larger than the limit.
        case tooLarge
        /// The body has a coding that isn't decoded, or one that is damaged.
        case coding
        /// The body wasn't received completely.
        case incomplete
        /// There was no response.
        case failed
        /// Parts of a body were requested, but the whole was never received.
        case partial
        /// A page needs the URL, but it couldn't be fetched.
        case missing
    }

    /// The omitted exchanges of one kind.
    public struct Omitted: Sendable, Equatable {
        /// The number of exchanges.
        public var count = 0
        /// The first ones, each URL once.
        public var first: [WebURL] = []
    }

    /// The most URLs that are listed for each reason.
    public static let listLimit = 10

    /// The URLs with an answer in the recording.
    public var recorded = 0
    /// The responses among them that no client requested, but that recorded pages need.
    public var added = 0
    /// The URLs of an interrupted recording among them.
    public var resumed = 0
    /// The exchanges that aren't in the package, by reason.
    public var omitted: [Omission: Omitted] = [:]
    /// Why the first URLs without a response had none, as sentences.
    public var causes: [WebURL: String] = [:]
    /// The number of URLs whose answers differ; only if that is an error.
    public var conflicts = 0
    /// The first of them.
    public var firstConflicts: [WebURL] = []
    /// The reason that the recording stopped early, such as a full disk; nil if it didn't.
    public var storageFailure: String?

    /// Creates an empty report.
    public init() {}

    mutating func note(_ url: WebURL, _ omission: Omission, cause: String? = nil) {
        omitted[omission, default: Omitted()].count += 1
        guard let list = omitted[omission]?.first, list.count < Self.listLimit, !list.contains(url) else { return }
        omitted[omission]?.first.append(url)
        if let cause { causes[url] = cause }
    }
}
