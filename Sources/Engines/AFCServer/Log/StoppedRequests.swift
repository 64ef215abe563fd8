internal import AFCText
public import AFCURL
internal import Synchronization

/// The requests of packaged pages to hosts outside the packages, which didn't leave the reader's machine.
///
/// Browsers report what the fence stopped, and the server counts what a page's script sent here instead. Queries are
/// left out. Memory is bounded, whatever clients send.
public final class StoppedRequests: Sendable {
    /// A URL that was requested.
    public struct Entry: Sendable, Equatable {
        /// The URL, without its query and without credentials.
        public var url: WebURL
        /// The number of requests.
        public var count: Int

        /// The URL for messages, in which nothing can be mistaken for another line.
        public var shown: String { PrintableText.escaped(url.description) }
    }

    /// The maximum number of different URLs.
    public static let limit = 1000
    /// The maximum length of a URL, in bytes.
    private static let urlByteLimit = 2048
    /// The maximum length of a report, in bytes.
    static let reportByteLimit = 16 * 1024

    private struct State {
        var counts: [WebURL: Int] = [:]
        var total = 0
    }

    private let state = Mutex(State())

    /// Creates an empty list.
    public init() {}

    /// Counts a request.
    func note(_ url: WebURL) {
        let url = url.removingCredentials.removingQuery
        state.withLock { state in
            state.total += 1
            if let count = state.counts[url] {
                state.counts[url] = count + 1
            } else if state.counts.count < Self.limit, url.description.utf8.count <= Self.urlByteLimit {
                state.counts[url] = 1
            }
        }
    }

    /// Counts what a browser's report of a violated policy names (Content Security Policy §5.3).
    ///
    /// - Parameter report: The report in JSON.
    func note(report: [UInt8]) {
        guard let value = try? JSONValue(parsing: report), let text = value["csp-report"]?["blocked-uri"]?.string,
            let url = try? WebURL(text), ["http", "https", "ws", "wss"].contains(url.scheme)
        else { return }
        note(url)
    }

    /// The URLs, those with the most requests first, and of the same number in their order; and the number of all
    /// requests, also of those for which there was no room.
    public var result: (entries: [Entry], total: Int) {
        state.withLock { state in
            let entries = state.counts.map { Entry(url: $0.key, count: $0.value) }.sorted { one, other in
                one.count == other.count ? one.url < other.url : one.count > other.count
            }
            return (entries, state.total)
        }
    }
}
