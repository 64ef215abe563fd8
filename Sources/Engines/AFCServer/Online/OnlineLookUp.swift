internal import AFCCache
internal import AFCCaching
internal import AFCHTTP
internal import AFCResolver
internal import AFCURL
internal import HTTPTypes

/// Look-ups through a resolver, whose hits may be repeated from memory.
struct OnlineLookUp: Sendable {
    let resolver: Resolver
    private let watch: StoreWatch
    let now: @Sendable () -> Timestamp

    init(_ resolver: Resolver, now: @escaping @Sendable () -> Timestamp) {
        self.resolver = resolver
        self.now = now
        let store = resolver.store
        watch = StoreWatch(reader: store.openChangeReader()) { try store.changeMark() }
    }

    /// A number that is another after each change of the store, by this process or another one.
    var changes: UInt64 { watch.value &+ resolver.changes << 20 }

    /// The answer where no origin needs to be asked.
    func answer(_ request: ServerRequest, url: WebURL) throws -> ServerAnswer? {
        let changes = changes
        let made = now()
        guard let response = try resolver.lookUp(ResolverRequest(request, url: url)) else { return nil }
        var answer = ServerAnswer(response, url: url)
        // Stale ones are decided anew each time, and so is what a client demands of freshness (RFC 9111 §5.2.1).
        let ttl = response.fields[.cacheStatus].flatMap { MovingNumbers.ttl(in: $0) } ?? 0
        if response.verdict == .fresh, ttl > 0, request.fields[.cacheControl] == nil, request.fields[.pragma] == nil {
            answer.repetition = Repetition(
                changes: changes,
                made: made,
                end: made + min(ttl, 60),
                isForAllPlainRequests: response.isForAll
            )
        }
        return answer
    }
}
