internal import AFCCache
internal import AFCCaching
internal import AFCMemory
internal import AFCURL
internal import Synchronization

/// The received responses that only memory has, since the program wants nothing of them on the disk.
package final class MemoryResponses: Sendable {
    fileprivate struct State {
        var table: CostTable<String, [StoredCandidate]>
        var last: Int64 = 0
    }

    private let state: Mutex<State>

    /// Creates an empty table.
    ///
    /// - Parameter limit: The most bytes that the responses may take.
    package init(limit: Int) { state = Mutex(State(table: CostTable(limit: limit, prefersNew: true))) }

    /// The approximate number of bytes that the responses take.
    package var bytes: Int { state.withLock { $0.table.cost } }

    /// Sets the most bytes that the responses may take, and evicts until they fit.
    package func setLimit(_ limit: Int) { state.withLock { $0.table.setLimit(limit) } }

    /// Evicts until the responses take no more than a number of bytes.
    package func shrink(to bytes: Int) { state.withLock { $0.table.shrink(to: bytes) } }

    /// Removes all responses.
    package func removeAll() { state.withLock { $0.table.removeAll() } }

    /// The largest body for which there can be room, in bytes.
    var largestBody: Int { state.withLock { $0.table.limit } }

    /// Returns the key of a URL, the same for all equivalent spellings.
    fileprivate static func key(_ url: WebURL) -> String {
        EquivalentSpelling.normal(url.description) ?? url.description
    }

    /// Returns the responses of a URL, the most recent first.
    func candidates(for url: WebURL) -> [StoredCandidate] {
        state.withLock { $0.table.count == 0 ? [] : $0.table.use(Self.key(url)) ?? [] }
    }

    /// Adds a response, in place of those that answer the same requests.
    ///
    /// - Returns: False if there is no room for it.
    func add(_ response: StoredResponse, body: [UInt8], of url: WebURL, replacing: [ReceivedID]) -> Bool {
        state.withLock { state in
            state.last += 1
            let new = StoredCandidate(inMemory: response, body: body, of: url, number: state.last)
            var all = state.table.value(for: Self.key(url)) ?? []
            all.removeAll { old in new.standsFor(old) || old.receivedID.map { replacing.contains($0) } ?? false }
            all.append(new)
            return state.put(all, url)
        }
    }

    /// Removes responses of a URL.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - isChosen: Returns true for the responses to remove.
    func remove(_ url: WebURL, where isChosen: (StoredCandidate) -> Bool = { _ in true }) {
        state.withLock { state in
            guard var all = state.table.value(for: Self.key(url)) else { return }
            all.removeAll(where: isChosen)
            _ = state.put(all, url)
        }
    }

    /// Replaces the heads of responses of a URL.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - change: Returns the new head of a response; nil for no change.
    func update(_ url: WebURL, _ change: (StoredCandidate) -> StoredResponse?) {
        state.withLock { state in
            guard let all = state.table.value(for: Self.key(url)) else { return }
            _ = state.put(all.map { one in change(one).map { one.withHead($0) } ?? one }, url)
        }
    }
}

extension MemoryResponses.State {
    fileprivate mutating func put(_ all: [StoredCandidate], _ url: WebURL) -> Bool {
        let key = MemoryResponses.key(url)
        guard !all.isEmpty else {
            table.remove(key)
            return true
        }
        let sorted = all.sorted { $0.isBefore($1) }
        return table.insert(sorted, for: key, cost: sorted.reduce(key.utf8.count) { $0 + $1.cost })
    }
}
