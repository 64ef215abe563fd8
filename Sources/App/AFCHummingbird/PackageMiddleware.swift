#if Hummingbird
public import AFCCache
public import AFCCaching
internal import AFCFiles
public import AFCHTTP
internal import AFCPlatform
internal import AFCServer
internal import AFCURL
internal import HTTPTypes
public import Hummingbird
internal import Logging

/// A middleware that serves packages or a cache from a Hummingbird server; see docs/reference/server-side.md.
///
/// It answers GET and HEAD, with conditions (RFC 9110 §13) and ranges (§14), and with the gzip that a mounted package
/// contains. All other requests, and those for which nothing is stored, go to the next handler.
///
/// No request waits for a disk on a thread of Swift's pool, and of a body at most 128 KiB are in memory.
public struct PackageMiddleware<Context: RequestContext>: RouterMiddleware {
    private let store: any OfflineAnswering
    private let site: PackageSite
    private let policy: OfflinePolicy
    private let matching: QueryMatching
    private let now: @Sendable () -> Timestamp

    /// Creates a middleware.
    ///
    /// - Parameters:
    ///   - store: The packages: `MountedPackages`, or a `DiskCache`.
    ///   - site: The URLs that requests mean.
    ///   - policy: The policy for responses that are no longer fresh.
    ///   - matching: The differences in the query that a response may have if nothing is stored for a URL.
    ///   - now: The clock; nil for the system's.
    public init(
        _ store: any OfflineAnswering,
        site: PackageSite,
        policy: OfflinePolicy = OfflinePolicy(),
        matching: QueryMatching = .query,
        now: (@Sendable () -> Timestamp)? = nil
    ) {
        self.store = store
        self.site = site
        self.policy = policy
        self.matching = matching
        self.now = now ?? { Timestamp(secondsSinceEpoch: Int64(time(nil))) }
    }

    /// Creates a middleware that serves packages from their files.
    ///
    /// - Parameters:
    ///   - packages: The paths of the packages, which must not change while they are served.
    ///   - site: The URLs that requests mean.
    ///   - policy: The policy for responses that are no longer fresh.
    ///   - matching: The differences in the query that a response may have if nothing is stored for a URL.
    /// - Throws: `CacheError` that names a package and its defect.
    public init(
        packages: [String],
        site: PackageSite,
        policy: OfflinePolicy = OfflinePolicy(),
        matching: QueryMatching = .query
    ) throws {
        let now = Timestamp(secondsSinceEpoch: Int64(time(nil)))
        self.init(try MountedPackages(packages, now: now), site: site, policy: policy, matching: matching)
    }

    /// Answers a request, or passes it on.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The context of the request.
    ///   - next: The next handler.
    /// - Returns: The response.
    /// - Throws: `CacheError` if a package can't be read, which is logged, and whatever the next handler throws.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        // A package's service worker would stay in the browser and answer for this server.
        guard request.method == .get || request.method == .head, request.headers[.serviceWorker] == nil,
            let target = PackageTarget(request.head, on: site)
        else { return try await next(request, context) }
        if let path = target.missingSlash {
            return Response(status: .permanentRedirect, headers: [.location: path])
        }
        let wanted = Wanted(store: store, policy: policy, matching: matching, now: now(), target: target, request.head)
        guard let answer = try await answer(wanted, context) else { return try await next(request, context) }
        return Response(answer)
    }

    private func answer(_ wanted: Wanted, _ context: Context) async throws -> ServerAnswer? {
        if let found = wanted.atOnce() { return found }
        do {
            return try await OffPool.run { try wanted.answer() }
        } catch {
            // Clients get status 500, which says nothing.
            context.logger.error("cannot serve a stored response: \(error)")
            throw error
        }
    }
}

/// A request for stored responses.
private struct Wanted: Sendable {
    let store: any OfflineAnswering
    let policy: OfflinePolicy
    let matching: QueryMatching
    let now: Timestamp
    let target: PackageTarget
    let isHead: Bool
    let fields: HTTPFields

    init(
        store: any OfflineAnswering,
        policy: OfflinePolicy,
        matching: QueryMatching,
        now: Timestamp,
        target: PackageTarget,
        _ head: HTTPRequest
    ) {
        self.store = store
        self.policy = policy
        self.matching = matching
        self.now = now
        self.target = target
        isHead = head.method == .head
        fields = head.headerFields
    }

    /// Looks the answer up without waiting for a disk.
    ///
    /// - Returns: The answer, which is nil if there is none; nil if ``answer()`` must be called.
    func atOnce() -> ServerAnswer?? {
        for (index, url) in target.urls.enumerated() {
            guard let found = try? store.respond(to: request(url), now: now, policy: policy, .urlAtOnce) else {
                return nil
            }
            if let answer = served(found, index) { return .some(answer) }
        }
        return matching == .exact ? .some(nil) : nil
    }

    /// Looks the answer up; blocks.
    ///
    /// - Returns: The answer; nil if nothing may be served.
    /// - Throws: An error if the cache can't be read.
    func answer() throws -> ServerAnswer? {
        for (index, url) in target.urls.enumerated() {
            let found = try store.respond(to: request(url), now: now, policy: policy)
            if let answer = served(found, index) { return answer }
        }
        guard matching != .exact else { return nil }
        var redirect: ServerAnswer?
        var fallback: ServerAnswer?
        for (index, url) in target.urls.enumerated() {
            let found = try store.respond(to: request(url), now: now, policy: policy, .matching(matching))
            // The next handler may know a URL that the site didn't have.
            guard let found, !found.isAbsent, let answer = served(found, index) else { continue }
            if found.redirectsToMatch {
                redirect = redirect ?? answer
            } else if found.fallback != nil {
                fallback = fallback ?? answer
            } else {
                return answer
            }
        }
        return redirect ?? fallback
    }

    private func request(_ url: WebURL) -> OfflineRequest {
        OfflineRequest(method: isHead ? .head : .get, url: url, fields: fields)
    }

    private func served(_ found: CacheAnswer, _ index: Int) -> ServerAnswer? {
        let url = target.urls[index]
        switch found.resolution.verdict {
        case .fresh, .stale: break
        case .missing, .expiredRefused, .originForbidsStale, .methodNotAllowed: return nil
        }
        guard !found.resolution.leads(from: url, to: target.urls[(index + 1)...]) else { return nil }
        return ServerAnswer(found, url: url, isHead: isHead, form: target.form) { target.rewritten($0, base: url) }
    }
}

extension Response {
    /// Creates the response that sends an answer.
    fileprivate init(_ answer: ServerAnswer) {
        guard case .stored(let stream) = answer.body else {
            self.init(status: answer.status, headers: answer.fields)
            // A 304 and the response to HEAD state the length of a body that isn't sent (RFC 9110 §8.6).
            if answer.fields[.contentLength] == nil { headers[.contentLength] = nil }
            return
        }
        let length = answer.fields[.contentLength].flatMap { Int($0) }
        let body = ResponseBody(contentLength: length) { writer in
            var stream = stream
            while !stream.isFinished {
                if let piece = stream.nextAtOnce() {
                    try await writer.write(piece)
                    continue
                }
                let rest = stream
                let (piece, after) = try await OffPool.run { () throws -> (ByteBuffer?, BodyStream) in
                    var rest = rest
                    let piece = try rest.next()
                    return (piece, rest)
                }
                stream = after
                if let piece { try await writer.write(piece) }
            }
            try await writer.finish(nil)
        }
        self.init(status: answer.status, headers: answer.fields, body: body)
    }
}
#endif
