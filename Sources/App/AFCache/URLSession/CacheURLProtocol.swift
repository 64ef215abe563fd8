internal import AFCCache
internal import AFCResolver
internal import AFCURL
internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A `URLProtocol` that answers the requests of a `URLSession` from a cache.
///
/// On Linux a task with a completion handler gets only the last piece of a body, so the whole body is one piece there,
/// and a protocol can't report a redirect, so redirects are followed here.
class CacheURLProtocol: URLProtocol {
    /// The property that marks requests which no cache answers.
    static let bypass = "afcache:bypass"

    private var load: SessionLoad?

    override class func canInit(with request: URLRequest) -> Bool {
        guard let cache = ProtocolSlots.slot(of: self)?.cache, !bypasses(request),
            let scheme = request.url?.scheme?.lowercased(), scheme == "http" || scheme == "https"
        else { return false }
        let method = request.httpMethod ?? "GET"
        if method == "GET" || method == "HEAD" || cache.isOffline { return true }
        if request.httpBody != nil || request.httpBodyStream != nil { return true }
        // The body of an upload task can't be seen here, so the session sends the request itself. What is stored for the
        // URL may not survive that (RFC 9111 §4.4).
        if !["OPTIONS", "TRACE"].contains(method), let url = request.url { cache.invalidate(url) }
        return false
    }

    private class func bypasses(_ request: URLRequest) -> Bool {
        #if canImport(Darwin)
        property(forKey: bypass, in: request) != nil
        #else
        request.mainDocumentURL?.absoluteString == bypass
        #endif
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override class func requestIsCacheEquivalent(_ one: URLRequest, to other: URLRequest) -> Bool { false }

    override func startLoading() {
        if let load {
            hand(load)
        } else {
            begin()
        }
    }

    override func stopLoading() {
        load?.cancel()
        load = nil
    }

    private func begin() {
        guard let slot = ProtocolSlots.slot(of: type(of: self)), let cache = slot.cache else {
            return fail(URLError(.cancelled, failing: request.url, reason: "the cache of this session is gone"))
        }
        #if !canImport(Darwin)
        if task is URLSessionDownloadTask {
            let reason = "a download task can't be answered from a cache on Linux; use a data task"
            return fail(URLError(.resourceUnavailable, failing: request.url, reason: reason))
        }
        #endif
        let load = SessionLoad(onAnswer: waking())
        self.load = load
        load.start(slot.settings.complete(request), cache, slot.settings)
    }

    /// Gives the answer of a load to the client, if there is one.
    private func hand(_ load: SessionLoad) {
        guard let answer = load.take(), let client else { return }
        self.load = nil
        switch answer {
        case .response(let loaded):
            client.urlProtocol(self, didReceive: loaded.response, cacheStoragePolicy: .notAllowed)
            if !loaded.data.isEmpty { client.urlProtocol(self, didLoad: loaded.data) }
            client.urlProtocolDidFinishLoading(self)
        case .redirect(let next, let response):
            client.urlProtocol(self, wasRedirectedTo: next, redirectResponse: response)
            fail(CocoaError(.userCancelled))
        case .failure(let error): fail(error)
        }
    }

    private func fail(_ error: any Error) { client?.urlProtocol(self, didFailWithError: error) }

    /// Returns a closure that makes the thread of this protocol hand an answer to the client, which no other thread may
    /// do.
    private func waking() -> @Sendable () -> Void {
        #if canImport(Darwin)
        let loop = RunLoop.current
        // The closure only passes the protocol back to its own thread.
        nonisolated(unsafe) let this = self
        return {
            loop.perform(inModes: [.common, .default]) { if let load = this.load { this.hand(load) } }
            CFRunLoopWakeUp(loop.getCFRunLoop())
        }
        #else
        // The client's methods read the session's list of tasks, which only its own queue may do, and nothing gives that
        // queue away. But a task that is resumed calls `startLoading` there, also if it is running. A suspended task does
        // so when the app resumes it.
        let task = task
        return { if task?.state == .running { task?.resume() } }
        #endif
    }
}

/// The loading of one request of a session.
final class SessionLoad: Sendable {
    /// The result of loading.
    enum Answer: Sendable {
        case response(LoadedResponse)
        case redirect(URLRequest, HTTPURLResponse)
        case failure(any Error)
    }

    private struct State {
        var task: Task<Void, Never>?
        var answer: Answer?
        var isCancelled = false
    }

    private let state = Mutex(State())
    private let onAnswer: @Sendable () -> Void

    /// Creates a load.
    ///
    /// - Parameter onAnswer: A closure called when there is an answer to take.
    init(onAnswer: @escaping @Sendable () -> Void) { self.onAnswer = onAnswer }

    /// Starts to load.
    func start(_ request: URLRequest, _ cache: AFCache, _ settings: SessionSettings) {
        state.withLock { state in
            state.task = Task {
                let answer = await run(request, cache, settings)
                let isCancelled = self.state.withLock { state in
                    state.answer = answer
                    return state.isCancelled
                }
                if !isCancelled { onAnswer() }
            }
        }
    }

    /// Returns the answer, once.
    func take() -> Answer? {
        state.withLock { state in
            defer { state.answer = nil }
            return state.answer
        }
    }

    /// Ends the loading.
    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    private func run(_ first: URLRequest, _ cache: AFCache, _ settings: SessionSettings) async -> Answer {
        var (request, hops) = (first, 0)
        do {
            while true {
                let loaded = try await cache.loadForSession(request, settings)
                settings.keepCookies(of: loaded)
                guard let next = RedirectRules.next(after: loaded.response, to: request) else {
                    return .response(loaded)
                }
                #if canImport(Darwin)
                return .redirect(next, loaded.response)
                #else
                hops += 1
                guard hops <= cache.configuration.redirects else {
                    throw URLError(.httpTooManyRedirects, failing: request.url)
                }
                request = settings.withCookies(next)
                #endif
            }
        } catch is CancellationError {
            // The session has stopped this.
            return .failure(URLError(.cancelled, failing: request.url))
        } catch {
            return .failure(error)
        }
    }
}

extension SessionSettings {
    /// Returns the request with what the session's configuration adds.
    func complete(_ request: URLRequest) -> URLRequest {
        var request = request
        if request.cachePolicy == .useProtocolCachePolicy { request.cachePolicy = policy }
        for (name, value) in fields where request.value(forHTTPHeaderField: name) == nil {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return withCookies(request)
    }

    /// Returns the request with the session's cookies.
    func withCookies(_ request: URLRequest) -> URLRequest {
        guard sendsCookies, request.httpShouldHandleCookies, let cookies, let url = request.url,
            request.value(forHTTPHeaderField: "Cookie") == nil, let known = cookies.cookies(for: url), !known.isEmpty
        else { return request }
        var request = request
        for (name, value) in HTTPCookie.requestHeaderFields(with: known) {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }

    /// Keeps the cookies that an origin has just sent; those of stored responses were kept before.
    func keepCookies(of loaded: LoadedResponse) {
        guard let cookies, loaded.source == .miss, let url = loaded.response.url,
            loaded.response.value(forHTTPHeaderField: "Set-Cookie") != nil
        else { return }
        let new = HTTPCookie.cookies(withResponseHeaderFields: loaded.response.fields, for: url)
        cookies.setCookies(new, for: url, mainDocumentURL: nil)
    }
}

extension AFCache {
    /// Loads one request of a session; redirects are returned.
    fileprivate func loadForSession(_ request: URLRequest, _ settings: SessionSettings) async throws -> LoadedResponse {
        guard let onProgress = configuration.onProgress, let url = request.url else {
            return try await loadOnce(request, options: settings.options, progress: nil)
        }
        return try await loadOnce(request, options: settings.options, progress: { onProgress(url, $0) })
    }

    /// Invalidates what is stored for a URL; failures are reported only.
    fileprivate func invalidate(_ url: URL) {
        do {
            try resolver.invalidateAtOnce(try WebURL(url))
        } catch {
            configuration.onTrouble("cannot invalidate what is stored for '\(url.absoluteString)': \(error)")
        }
    }
}
