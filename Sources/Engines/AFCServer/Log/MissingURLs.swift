internal import AFCHTTP
internal import AFCPackageFormat
public import AFCURL
internal import HTTPTypes
internal import Synchronization

/// The URLs of packaged hosts that clients requested and that aren't stored, with the number of requests.
///
/// Queries are left out, since they may have tokens. Memory is bounded, whatever clients request.
public final class MissingURLs: Sendable {
    /// The kinds of requests.
    public enum Kind: String, Sendable {
        /// A navigation: a page to show.
        case page
        /// Anything else: a part of a page, or data.
        case requisite
    }

    /// A URL that isn't stored.
    public struct Entry: Sendable, Equatable {
        /// The URL, without its query and without credentials.
        public var url: WebURL
        /// The kind; a page if any of the requests was for one.
        public var kind: Kind
        /// The number of requests.
        public var count: Int
        /// True if a request had a query.
        public var hasQuery: Bool

        /// The URL for messages, with `?…` in place of a query.
        public var shown: String { url.description + (hasQuery ? "?…" : "") }
    }

    /// The requests for a URL.
    struct Request: Sendable, Equatable {
        /// The URL.
        var url: WebURL
        var kind: Kind
    }

    /// The maximum number of different URLs.
    public static let limit = 1000
    /// The maximum length of a URL, in bytes.
    private static let urlByteLimit = 2048

    private struct State {
        var entries: [WebURL: Entry] = [:]
        var others = 0
    }

    private let state = Mutex(State())

    /// Creates an empty list.
    public init() {}

    /// Counts a request, unless only a crawl makes it, to find the site's page for missing URLs.
    func note(_ request: Request) {
        guard !FallbackRules.isInvented(request.url) else { return }
        let url = request.url.removingCredentials.removingQuery
        state.withLock { state in
            if var entry = state.entries[url] {
                entry.count += 1
                entry.hasQuery = entry.hasQuery || request.url.query != nil
                if request.kind == .page { entry.kind = .page }
                state.entries[url] = entry
            } else if state.entries.count < Self.limit, url.description.utf8.count <= Self.urlByteLimit {
                state.entries[url] = Entry(
                    url: url,
                    kind: request.kind,
                    count: 1,
                    hasQuery: request.url.query != nil
                )
            } else {
                state.others += 1
            }
        }
    }

    /// The URLs, those with the most requests first, and of the same number in their order; and the number of requests for
    /// others, for which there was no room.
    public var result: (entries: [Entry], others: Int) {
        state.withLock { state in
            let entries = state.entries.values.sorted { one, other in
                one.count == other.count ? one.url < other.url : one.count > other.count
            }
            return (entries, state.others)
        }
    }

    /// The list as a text, with a line for each URL: the number of requests, the kind, and the URL.
    public var text: String {
        let (entries, others) = result
        var lines = ["# requests, kind, and URL without its query, of what packages don't have"]
        lines += entries.map { "\($0.count) \($0.kind.rawValue) \($0.url)" }
        if others > 0 { lines.append("# and \(others) more requests for other URLs") }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension MissingURLs.Request {
    /// Creates the description of a request that got nothing; the kind is guessed by the path if the fields don't tell.
    init(_ url: WebURL, _ request: ServerRequest) {
        let accept = request.fields[.accept]
        let isUnsaid = request.fields[.secFetchMode] == nil && (accept == nil || accept == "*/*")
        let name = url.path.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }
        let looksLikePage =
            !name.contains(UInt8(ascii: ".")) || url.path.hasSuffix(".html") || url.path.hasSuffix(".htm")
        let isPage = request.fields.isNavigation || isUnsaid && looksLikePage
        self.init(url: url, kind: isPage ? .page : .requisite)
    }
}
