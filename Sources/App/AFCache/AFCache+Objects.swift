internal import AFCCaching
internal import AFCHTTP
internal import AFCResolver
internal import AFCURL
public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The values that can take each other's place: those of one type and variant, for the same fields of a request.
struct ObjectKind: Hashable, Sendable {
    /// What few values have, in one reference, so that comparing and copying take the time of the type alone.
    private final class Details: Sendable {
        let variant: (any Hashable & Sendable)?
        let fields: [String: String]?

        init(_ variant: (any Hashable & Sendable)?, _ fields: [String: String]?) {
            (self.variant, self.fields) = (variant, fields)
        }

        static func == (one: Details, other: Details) -> Bool {
            guard one.fields == other.fields else { return false }
            guard let variant = one.variant else { return other.variant == nil }
            return other.variant.map { AnyHashable(variant) == AnyHashable($0) } ?? false
        }
    }

    private let type: ObjectIdentifier
    private let details: Details?

    init(_ type: (some Any).Type, _ variant: (any Hashable & Sendable)?, _ fields: [String: String]? = nil) {
        self.type = ObjectIdentifier(type)
        let fields = fields?.isEmpty == true ? nil : fields
        details = variant == nil && fields == nil ? nil : Details(variant, fields)
    }

    static func == (one: ObjectKind, other: ObjectKind) -> Bool {
        guard one.type == other.type else { return false }
        guard let details = one.details else { return other.details == nil }
        return other.details.map { details == $0 } ?? false
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        guard let details else { return }
        if let variant = details.variant { hasher.combine(AnyHashable(variant)) }
        if let fields = details.fields { hasher.combine(fields) }
    }
}

/// The work of making one value, shared by its callers.
struct ObjectKey: Hashable, Sendable {
    var resource: MemoryKey
    var kind: ObjectKind
    var policy: URLRequest.CachePolicy
}

extension AFCache {
    /// Returns the decoded value of a resource: the one in memory if its policy allows that, else the body is loaded
    /// and decoded.
    ///
    /// A value lives as long as its response is fresh; afterwards the response is revalidated, and decoded again only if
    /// its body has changed. Values of the same URL with another type or variant are separate. Concurrent callers share
    /// one loading and one decoding, except those whose policy reloads. What isn't stored isn't kept as a value either.
    ///
    /// Closures aren't compared: of two that make different values of one type from the same URL, such as a thumbnail
    /// and the whole picture, each needs a variant of its own. Otherwise the second caller gets the first one's value.
    ///
    /// - Parameters:
    ///   - url: The URL of the resource.
    ///   - variant: What else the value depends on, such as the size of a picture; nil if there is nothing else.
    ///   - policy: The use of what is stored; the policies that reload never return a value from memory, and replace it.
    ///   - cost: The memory that a value takes, in bytes; nil for the length of its body.
    ///   - decode: A closure that makes the value from the body.
    /// - Returns: The value.
    /// - Throws: As ``data(for:options:progress:)``; ``Failure`` with `badResponse` for a status that isn't a success
    ///   (2xx); the closure's errors.
    public func object<Value: Sendable>(
        for url: URL,
        variant: (any Hashable & Sendable)? = nil,
        policy: URLRequest.CachePolicy = .useProtocolCachePolicy,
        cost: (@Sendable (Value) -> Int)? = nil,
        decode: @escaping @Sendable (Data) async throws -> Value
    ) async throws -> Value {
        let request = URLRequest(url: url, cachePolicy: policy)
        return try await object(for: request, variant: variant, cost: cost, decode: decode)
    }

    /// Returns the decoded value of the response to a request, by the request's cache policy, as
    /// ``object(for:variant:policy:cost:decode:)`` does for a URL.
    ///
    /// Values of requests whose fields differ, such as Authorization, are separate. A value whose request isn't a GET
    /// isn't kept.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - variant: What else the value depends on; nil if there is nothing else.
    ///   - options: Further options for loading; those of concurrent callers who share the loading are the first one's.
    ///   - cost: The memory that a value takes, in bytes; nil for the length of its body.
    ///   - progress: A closure called as bytes of the body are read; the first one's of concurrent callers.
    ///   - decode: A closure that makes the value from the body.
    /// - Returns: The value.
    /// - Throws: As ``object(for:variant:policy:cost:decode:)``.
    public func object<Value: Sendable>(
        for request: URLRequest,
        variant: (any Hashable & Sendable)? = nil,
        options: LoadOptions = LoadOptions(),
        cost: (@Sendable (Value) -> Int)? = nil,
        progress: (@Sendable (LoadProgress) -> Void)? = nil,
        decode: @escaping @Sendable (Data) async throws -> Value
    ) async throws -> Value {
        guard let url = request.url, request.httpMethod == "GET" || request.httpMethod == nil,
            request.httpBody == nil, request.httpBodyStream == nil
        else { return try await decode(success(request, options, progress).data) }
        let kind = ObjectKind(Value.self, variant, request.allHTTPHeaderFields)
        let isReload = request.cachePolicy.reloads || !options.isPlain
        if !isReload, let value: Value = inMemory(url, kind, request.cachePolicy) { return value }
        let resource = try Failure.of { MemoryKey(try WebURL(url)) }
        let key = ObjectKey(resource: resource, kind: kind, policy: request.cachePolicy)
        let work: @Sendable () async throws -> any Sendable = { [self] in
            try await makeObject(request, key, options, reusing: !isReload, cost: cost, progress, decode: decode)
        }
        let made = try await isReload ? work() : making.value(for: key, work)
        guard let value = made as? Value else { throw URLError(.cannotDecodeContentData, failing: url) }
        return value
    }

    /// Returns the decoded value of a resource if it is in memory and the policy allows it; never blocks.
    ///
    /// - Parameters:
    ///   - url: The URL of the resource.
    ///   - type: The type of the value.
    ///   - variant: The variant with which the value was made.
    ///   - policy: The use of what is stored; the policies that reload give nil.
    /// - Returns: The value, or nil.
    public func cachedObject<Value: Sendable>(
        for url: URL,
        as type: Value.Type,
        variant: (any Hashable & Sendable)? = nil,
        policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) -> Value? {
        guard !policy.reloads else { return nil }
        return inMemory(url, ObjectKind(type, variant), policy)
    }

    private func inMemory<Value>(_ url: URL, _ kind: ObjectKind, _ policy: URLRequest.CachePolicy) -> Value? {
        let now = configuration.now()
        let mark = foreign.mark(at: now.timeIntervalSinceReferenceDate)
        let time = policy == .useProtocolCachePolicy && !isOffline ? Timestamp(now) : nil
        return objects.find(url, kind, at: time, mark: mark) as? Value
    }

    /// Removes the decoded values of a URL, of all types and variants; the response stays stored.
    ///
    /// - Parameter url: The URL of the resource.
    public func removeObjects(for url: URL) {
        if let key = MemoryKey(spelling: url.absoluteString) { objects.remove(key) }
    }

    /// Removes all decoded values; the responses stay stored.
    public func removeAllObjects() { objects.removeAll() }

    /// The number of requests for decoded values that memory could answer, and of those that it couldn't.
    public var objectHits: (hits: Int, misses: Int) { objects.counts }

    /// The sum of the costs of all decoded values, in bytes.
    public var currentObjectUsage: Int { objects.cost }

    /// Loads a response that is a success.
    private func success(
        _ request: URLRequest,
        _ options: LoadOptions,
        _ progress: (@Sendable (LoadProgress) -> Void)?
    ) async throws -> LoadedResponse {
        let loaded = try await load(request, options: options, progress: progress)
        guard (200..<300).contains(loaded.statusCode) else {
            let reason = "'\(request.url?.absoluteString ?? "")' has the status \(loaded.statusCode)"
            throw Failure.of(URLError(.badServerResponse, failing: request.url, reason: reason))
        }
        return loaded
    }

    private func makeObject<Value: Sendable>(
        _ request: URLRequest,
        _ key: ObjectKey,
        _ options: LoadOptions,
        reusing: Bool,
        cost: (@Sendable (Value) -> Int)?,
        _ progress: (@Sendable (LoadProgress) -> Void)?,
        decode: @Sendable (Data) async throws -> Value
    ) async throws -> Value {
        let loaded = try await success(request, options, progress)
        var hasher = Hasher()
        loaded.data.withUnsafeBytes { hasher.combine(bytes: $0) }
        let fingerprint = hasher.finalize()
        let known = objects.entry(key.resource, key.kind)
        let value: Value
        if reusing, let known, known.fingerprint == fingerprint, let same = known.value as? Value {
            value = same
        } else {
            value = try await decode(loaded.data)
        }
        // Looked up after the response was stored: only what is stored is kept, and for as long.
        let changes = objects.changes
        let date = configuration.now()
        let mark = foreign.mark(at: date.timeIntervalSinceReferenceDate)
        if let ttl = try await Failure.of({ try await storedLifetime(loaded.url, from: request) }) {
            let entry = ObjectMemory.Entry(
                url: key.resource.url,
                kind: key.kind,
                value: value,
                fingerprint: fingerprint,
                cost: max(0, cost?(value) ?? loaded.data.count),
                made: Timestamp(date),
                end: Timestamp(date) + ttl,
                mark: mark
            )
            objects.keep(entry, for: key.resource, changes: changes)
        } else {
            objects.remove(key.resource)
        }
        return value
    }

    /// Returns the seconds for which the stored response of a URL, and the redirects to it, are fresh; nil if it isn't
    /// stored.
    private func storedLifetime(_ final: URL, from first: URLRequest) async throws -> Int64? {
        // A chain of redirects isn't remembered: its end decides, but it is asked for again each time.
        let isDirect = (try? WebURL(final)) == (try? WebURL(first.url))
        var last = URLRequest(url: final)
        last.allHTTPHeaderFields = first.allHTTPHeaderFields
        let request = try last.resolving(LoadOptions(), place: .nowhere)
        return try await blocking { cache in
            guard let found = try cache.resolver.lookUp(request, policy: .returnCacheDataDontLoad) else { return nil }
            return isDirect ? max(0, found.response.cacheStatus?.ttl ?? 0) : 0
        }
    }
}

extension URLRequest.CachePolicy {
    /// True if what is stored here never answers by itself.
    var reloads: Bool {
        switch self {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData, .reloadRevalidatingCacheData: true
        default: false
        }
    }
}
