#if AsyncHTTPClient
public import AFCCache
internal import AFCCaching
internal import AFCFiles
public import AFCHTTP
internal import AFCPlatform
public import AFCResolver
internal import AFCText
internal import AFCURL
public import AsyncHTTPClient
internal import HTTPTypes
public import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// An `HTTPClient` with a cache: responses are stored and served by the HTTP standard (RFC 9111), offline, and from
/// packages.
///
/// Requests to origins are sent by the client that it is given. Equal requests share one response. See
/// docs/reference/server-side.md.
public final class CachingHTTPClient: Sendable {
    /// The settings of a caching client.
    public struct Configuration: Sendable {
        /// The lifetime in seconds of a stored response whose fields state none; nil for the standard's estimate (RFC
        /// 9111 §4.2.2).
        public var defaultLifetime: Int64?
        /// The lifetime in seconds of every stored response, whatever its fields say; nil for what they say.
        ///
        /// A response that forbids storing (`no-store`) isn't stored even then.
        public var assignedLifetime: Int64?
        /// The most requests to origins at a time; others wait in the order of their priority.
        public var requestsAtOnce = 64
        /// The time in which the head of an origin's response must arrive.
        public var originTimeout = TimeAmount.seconds(60)
        /// The most redirects that are followed for one request.
        public var redirects = 20
        /// The largest body that is stored, in bytes.
        public var largestStoredBody: Int64 = 1 << 30
        /// A closure called with each response that is about to be stored; it may change it, or prevent that.
        public var onStoring: (@Sendable (inout StoringProposal) -> Void)?
        /// A closure called with a sentence if something fails that no caller notices.
        public var onTrouble: @Sendable (String) -> Void = { _ in }
        /// The clock.
        public var now: @Sendable () -> Timestamp = { Timestamp(secondsSinceEpoch: Int64(time(nil))) }

        /// Creates settings with the defaults.
        public init() {}

        fileprivate var resolving: Resolver.Configuration {
            var resolving = Resolver.Configuration.library(now: now)
            resolving.rules.defaultLifetime = defaultLifetime
            resolving.rules.assignedLifetime = assignedLifetime
            resolving.largestStoredBody = largestStoredBody
            resolving.onStoring = onStoring
            resolving.onTrouble = onTrouble
            return resolving
        }
    }

    /// Options of one request.
    public struct Options: Sendable {
        /// The use of stored responses.
        public var policy = ResourcePolicy.useProtocolCachePolicy
        /// The use of stored responses beyond the policy.
        public var reuse: ResourceOptions = []
        /// The lifetime of the response once it is stored, in seconds, whatever its fields say; nil for what they say.
        public var lifetime: Int64?
        /// The place where the response may be stored.
        public var place = StoringProposal.Place.disk
        /// The order among requests that wait for an origin.
        public var priority = RequestPriority.normal
        /// True if redirects are followed.
        public var followsRedirects = true

        /// Creates options.
        ///
        /// - Parameters:
        ///   - policy: The use of stored responses.
        ///   - reuse: The use of stored responses beyond the policy.
        public init(_ policy: ResourcePolicy = .useProtocolCachePolicy, reuse: ResourceOptions = []) {
            self.policy = policy
            self.reuse = reuse
        }
    }

    /// The cache, for its packages, its contents and its limits.
    public let store: DiskCache
    private let configuration: Configuration
    private let online: Resolver
    private let offline: Resolver
    private let mode = Mutex(false)

    /// Opens a cache for a client, and creates the cache if it doesn't exist.
    ///
    /// - Parameters:
    ///   - client: The client that sends the requests to origins; best one with
    ///     ``AsyncHTTPClient/HTTPClient/Configuration/forCache``.
    ///   - path: The folder of the cache.
    ///   - diskCapacity: The most bytes of bodies on disk, of packages and responses together; nil for no limit.
    ///   - configuration: Further settings.
    /// - Throws: `CacheError` if the folder can't be used.
    public convenience init(
        _ client: HTTPClient,
        path: String,
        diskCapacity: Int64? = 512 << 20,
        configuration: Configuration = Configuration()
    ) async throws {
        let store = try DiskCache(path: path, access: .readWrite)
        do throws(CacheError) {
            try store.startReceiving()
        } catch {
            guard error.code == .busy else { throw error }
            configuration.onTrouble("responses are passed on, but not stored: \(error)")
        }
        var limits = try store.limits()
        if limits.bytes != diskCapacity {
            limits.bytes = diskCapacity
            _ = try await store.setLimits(limits, now: configuration.now())
        }
        self.init(client, store: store, configuration: configuration)
    }

    /// Creates a caching client over a cache that is already open.
    ///
    /// - Parameters:
    ///   - client: The client that sends the requests to origins.
    ///   - store: The cache.
    ///   - configuration: Further settings.
    public init(_ client: HTTPClient, store: DiskCache, configuration: Configuration = Configuration()) {
        self.store = store
        self.configuration = configuration
        let transport = QueuedTransport(
            HTTPClientTransport(client, timeout: configuration.originTimeout),
            limit: configuration.requestsAtOnce
        )
        var resolving = configuration.resolving
        let memory = MemoryResponses(limit: resolving.memoryOnlyBytes)
        online = Resolver(store: store, memory: memory, transport: transport, configuration: resolving)
        resolving.rules.connectivity = .offline(.init(expired: .always))
        offline = Resolver(store: store, memory: memory, transport: transport, configuration: resolving)
    }

    /// True if everything is answered from the cache, whatever its age, and nothing is sent.
    public var isOffline: Bool {
        get { mode.withLock { $0 } }
        set { mode.withLock { $0 = newValue } }
    }

    /// Ends requests to origins, writes pending changes to the disk, and closes the cache; the client stays as it is.
    ///
    /// - Throws: `CacheError` if pending changes can't be written.
    public func shutdown() async throws {
        await online.shutDown()
        await offline.shutDown()
        try await OffPool.run { [store] () throws(CacheError) in try store.close() }
    }

    // MARK: Requests

    /// Answers a request from the cache or its origin, as `HTTPClient.execute(_:timeout:)` does.
    ///
    /// - Parameters:
    ///   - request: The request, for an http or https URL.
    ///   - timeout: The time in which the head of the response must be there.
    ///   - options: The use of the cache.
    /// - Returns: The response, whose body may still be arriving; statuses such as 404 are responses, too.
    /// - Throws: ``CachingHTTPClientError`` if there is no response; `HTTPClientError.deadlineExceeded` after the timeout;
    ///   `CacheError` if the cache can't be read; `CancellationError` if the task is cancelled.
    public func execute(
        _ request: HTTPClientRequest,
        timeout: TimeAmount,
        options: Options = Options()
    ) async throws -> HTTPClientResponse {
        try await execute(request, deadline: .now() + timeout, options: options)
    }

    /// Answers a request from the cache or its origin, as `HTTPClient.execute(_:deadline:)` does.
    ///
    /// - Parameters:
    ///   - request: The request, for an http or https URL.
    ///   - deadline: The point in time at which the head of the response must be there.
    ///   - options: The use of the cache.
    /// - Returns: The response, whose body may still be arriving; statuses such as 404 are responses, too.
    /// - Throws: ``CachingHTTPClientError`` if there is no response; `HTTPClientError.deadlineExceeded` after the
    ///   deadline; `CacheError` if the cache can't be read; `CancellationError` if the task is cancelled.
    public func execute(
        _ request: HTTPClientRequest,
        deadline: NIODeadline,
        options: Options = Options()
    ) async throws -> HTTPClientResponse {
        try await withThrowingTaskGroup(of: HTTPClientResponse.self) { group in
            group.addTask { try await self.followed(request, options) }
            group.addTask {
                let left = deadline - .now()
                try await Task.sleep(for: .nanoseconds(max(0, left.nanoseconds)))
                throw HTTPClientError.deadlineExceeded
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }

    private func followed(_ request: HTTPClientRequest, _ options: Options) async throws -> HTTPClientResponse {
        var (resolving, hops) = (try resolving(request, options), 0)
        var history: [HTTPClientRequestResponse] = []
        while true {
            let response = try await response(to: resolving, options)
            let head = HTTPResponseHead(
                version: .http1_1,
                status: HTTPResponseStatus(statusCode: response.status.code),
                headers: HTTPHeaders(response.fields.map { ($0.name.rawName, $0.value) })
            )
            history.append(HTTPClientRequestResponse(request: resolving.shown, responseHead: head))
            guard options.followsRedirects, let next = Redirection.next(after: response, to: resolving) else {
                return HTTPClientResponse(
                    status: head.status,
                    headers: head.headers,
                    body: .stream(response.pieces),
                    history: history
                )
            }
            hops += 1
            guard hops <= configuration.redirects else {
                throw CachingHTTPClientError(
                    .tooManyRedirects,
                    "'\(request.url)' redirects more than \(configuration.redirects) times"
                )
            }
            resolving = next
        }
    }

    private func response(to request: ResolverRequest, _ options: Options) async throws -> ResolverResponse {
        let isOffline = isOffline
        let response: ResolverResponse
        do {
            response = try await (isOffline ? offline : online).response(
                for: request,
                policy: options.policy,
                options: options.reuse,
                priority: options.priority
            )
        } catch let failure as TransportFailure where failure.code == .cancelled {
            throw CancellationError()
        }
        guard response.source == .refused else { return response }
        throw CachingHTTPClientError(response, request.url.description, options.policy, isOffline: isOffline)
    }

    private func resolving(_ request: HTTPClientRequest, _ options: Options) throws -> ResolverRequest {
        guard let url = try? WebURL(request.url), url.isHTTP, url.host != nil else {
            throw CachingHTTPClientError(.invalidRequest, "'\(request.url)' is not an http or https URL")
        }
        guard request.tlsConfiguration == nil, request.localAddress == nil else {
            throw CachingHTTPClientError(
                .invalidRequest,
                "a cached request can't have a TLS configuration or a local address of its own; set them for the client"
            )
        }
        guard let method = HTTPRequest.Method(rawValue: request.method.rawValue) else {
            throw CachingHTTPClientError(.invalidRequest, "'\(request.method.rawValue)' is not a method")
        }
        var fields = HTTPFields()
        for (name, value) in request.headers {
            guard let field = HTTPField.Name(name) else {
                throw CachingHTTPClientError(.invalidRequest, "'\(name)' is not the name of a field")
            }
            // The URL says which host it is, and the body how long it is.
            guard name.lowercased() != "host", field != .contentLength else { continue }
            fields.append(HTTPField(name: field, value: value))
        }
        var resolving = ResolverRequest(method: method, url: url, fields: fields, body: request.body)
        resolving.assignedLifetime = options.lifetime
        resolving.storingPlace = options.place
        return resolving
    }
}

extension ResolverRequest {
    /// The request as a response's history shows it.
    fileprivate var shown: HTTPClientRequest {
        var shown = HTTPClientRequest(url: url.description)
        shown.method = HTTPMethod(rawValue: method.rawValue)
        shown.headers = HTTPHeaders(fields.map { ($0.name.rawName, $0.value) })
        return shown
    }
}
#endif
