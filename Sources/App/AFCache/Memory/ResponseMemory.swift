internal import AFCCaching
internal import AFCHTTP
internal import AFCMemory
internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A response as it is returned, kept in memory while it is fresh.
final class ReadyResponse: Sendable {
    /// The largest body that is kept, in bytes.
    static let bodyLimit = 64 << 10

    /// The first second in which the response is no longer fresh.
    let end: Timestamp
    /// The time at which the response was looked up; at an earlier one, the clock was set back, and it proves nothing.
    let made: Timestamp
    private let age: Int64
    private let url: URL
    private let spelling: String
    private let status: Int
    private let fields: [String: String]
    private let cacheStatus: CacheStatus
    private let statusName: String
    private let earlierStatus: String
    private let data: Data
    private let userInfo: [String: String]
    private let onUse: @Sendable () -> Void
    private let rendered: Mutex<(time: Timestamp, response: AFCache.LoadedResponse)>

    /// Creates a response from one that was returned.
    ///
    /// - Parameters:
    ///   - loaded: The response.
    ///   - made: The time at which it was returned.
    ///   - cacheStatus: The last member of its Cache-Status, which states for how long it is fresh.
    ///   - onUse: A closure called in each second in which the response is used.
    init?(
        _ loaded: AFCache.LoadedResponse,
        made: Timestamp,
        cacheStatus: CacheStatus,
        onUse: @escaping @Sendable () -> Void
    ) {
        guard loaded.data.count <= Self.bodyLimit, let ttl = cacheStatus.ttl, ttl > 0 else { return nil }
        let (url, fields) = (loaded.head.url, loaded.head.fields)
        guard let age = fields["Age"].flatMap({ Int64($0) }) else { return nil }
        (self.url, self.fields, self.age, self.made, self.onUse) = (url, fields, age, made, onUse)
        self.cacheStatus = cacheStatus
        // Its name and the members before the last one are as others wrote them.
        let known = fields.first { $0.key.lowercased() == "cache-status" }
        let own = cacheStatus.description
        guard let known, known.value.hasSuffix(own) else { return nil }
        (statusName, earlierStatus) = (known.key, String(known.value.dropLast(own.count)))
        spelling = url.absoluteString
        end = made + ttl
        status = loaded.head.status
        data = loaded.data
        userInfo = loaded.userInfo
        rendered = Mutex((made, loaded))
    }

    /// Returns true if the response may be returned at a time without a look-up.
    func isFresh(at now: Timestamp) -> Bool { now >= made && now < end }

    /// The approximate number of bytes that the response takes.
    var cost: Int {
        fields.reduce(1500 + data.count + url.absoluteString.utf8.count) {
            $0 + 2 * ($1.key.utf8.count + $1.value.utf8.count)
        }
    }

    /// Returns the response to a request for a URL at a time; its head is made again once a second, with the age at that
    /// time.
    ///
    /// - Parameters:
    ///   - asked: The URL of the request.
    ///   - text: The same as a text, which takes a while to make.
    ///   - now: The time.
    /// - Returns: The response.
    func response(to asked: URL, _ text: String, at now: Timestamp) -> AFCache.LoadedResponse {
        let response = response(at: now)
        guard text != spelling else { return response }
        // The URL of a response is that of its request, also with a fragment.
        let head = ResponseHead(asked, response.head.status, response.head.fields)
        return AFCache.LoadedResponse(head: head, data: data, userInfo: userInfo, source: response.source)
    }

    private func response(at now: Timestamp) -> AFCache.LoadedResponse {
        let (known, isNew) = rendered.withLock { rendered -> (AFCache.LoadedResponse, Bool) in
            guard rendered.time != now else { return (rendered.response, false) }
            var fields = fields
            fields["Age"] = String(age + (now - made))
            var cacheStatus = cacheStatus
            cacheStatus.ttl = end - now
            fields[statusName] = earlierStatus + cacheStatus.description
            rendered = (
                now,
                AFCache.LoadedResponse(
                    head: ResponseHead(url, status, fields),
                    data: data,
                    userInfo: userInfo,
                    source: .hit
                )
            )
            return (rendered.response, true)
        }
        if isNew { onUse() }
        return known
    }
}

/// The responses in memory by URL, for requests that need no decision.
final class ResponseMemory: Sendable {
    /// A response and the URL that it answers, of those with the same key.
    fileprivate struct Kept: Sendable {
        var url: String
        var response: ReadyResponse
    }

    fileprivate struct State {
        /// By ``MemoryKey/group``.
        var table: CostTable<String, Kept>
        /// The number of changes so far; a response that was looked up before a change isn't kept after it.
        var changes: UInt64 = 0
        var mark: UInt64?
        var hits = 0
        var misses = 0
    }

    private let state: Mutex<State>

    init(limit: Int) { state = Mutex(State(table: CostTable(limit: limit))) }

    /// The approximate number of bytes that the responses take.
    var cost: Int { state.withLock { $0.table.cost } }
    /// The number of requests that were answered from here, and that weren't.
    var counts: (hits: Int, misses: Int) { state.withLock { ($0.hits, $0.misses) } }
    /// True if there is room for any response.
    var isEnabled: Bool { state.withLock { $0.table.limit > 0 } }
    /// The number of changes so far.
    var changes: UInt64 { state.withLock { $0.changes } }

    /// Finds a response that is fresh.
    ///
    /// - Parameters:
    ///   - url: The URL, as in the request.
    ///   - now: The time.
    ///   - mark: The state of what other processes change; nil if it isn't known, so that nothing is found.
    /// - Returns: The response, or nil.
    func find(_ url: URL, at now: Timestamp, mark: UInt64?) -> AFCache.LoadedResponse? {
        guard let mark else { return missed() }
        let text = url.absoluteString
        let ready = MemoryKey.first(of: text) { group, url in
            state.withLock { $0.use(group, of: url, at: now, mark: mark) }
        }
        return ready?.response(to: url, text, at: now) ?? missed()
    }

    private func missed() -> AFCache.LoadedResponse? {
        state.withLock { $0.misses += 1 }
        return nil
    }

    /// Keeps a response, unless something has changed since it was looked up.
    func keep(_ ready: ReadyResponse, for key: MemoryKey, changes: UInt64, mark: UInt64?) {
        state.withLock { state in
            guard let mark else { return }
            state.heed(mark)
            guard state.changes == changes else { return }
            let cost = ready.cost + key.group.utf8.count
            state.table.insert(Kept(url: key.url, response: ready), for: key.group, cost: cost)
        }
    }

    /// Forgets the responses that a change of what is stored for a URL may concern.
    func forget(_ key: MemoryKey) {
        state.withLock { state in
            state.changes &+= 1
            state.table.remove(key.group)
        }
    }

    func setLimit(_ limit: Int) { state.withLock { $0.table.setLimit(limit) } }
    func shrink(to cost: Int) { state.withLock { $0.table.shrink(to: cost) } }

    /// Forgets all responses.
    func removeAll() {
        state.withLock { state in
            state.changes &+= 1
            state.table.removeAll()
        }
    }
}

extension ResponseMemory.State {
    /// Finds the response for a URL, and counts its use.
    fileprivate mutating func use(
        _ group: String,
        of url: String,
        at now: Timestamp,
        mark: UInt64
    ) -> ReadyResponse? {
        heed(mark)
        guard let kept = table.use(group), kept.url == url, kept.response.isFresh(at: now) else { return nil }
        hits += 1
        return kept.response
    }

    /// Forgets everything if another process has changed the cache since the last mark.
    fileprivate mutating func heed(_ mark: UInt64) {
        guard mark != self.mark else { return }
        if self.mark != nil {
            changes &+= 1
            table.removeAll()
        }
        self.mark = mark
    }
}
