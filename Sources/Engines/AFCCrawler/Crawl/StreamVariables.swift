internal import AFCCrawlRules
internal import Synchronization

/// The variables of playlists that the playlists of their streams may import; RFC 8216bis §4.4.2.3.
final class StreamVariables: Sendable {
    /// The largest number of streams.
    private static let streamLimit = 10_000
    /// The largest size of all names and values, in bytes.
    private static let sizeLimit = 1 << 20

    private struct State {
        var variables: [URLKey: [String: String]] = [:]
        var size = 0
    }

    private let state = Mutex(State())

    /// Returns the variables of the playlist that names a stream; none if there is none, or there were too many.
    func of(_ stream: URLKey) -> [String: String] { state.withLock { $0.variables[stream] ?? [:] } }

    /// Keeps a playlist's variables for its streams, which share them.
    func keep(_ variables: [String: String], for streams: [URLKey]) {
        let size = variables.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        state.withLock { state in
            guard state.size + size <= Self.sizeLimit else { return }
            state.size += size
            for stream in streams where state.variables.count < Self.streamLimit {
                state.variables[stream] = state.variables[stream] ?? variables
            }
        }
    }
}
