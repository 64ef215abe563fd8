internal import AFCCache
internal import AFCResolver
internal import AFCURL
internal import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A `URLProtocol` that answers the requests of a `URLSession` from a cache.
///
/// On Linux a protocol can't report a redirect, so redirects are followed here.
class CacheURLProtocol: URLProtocol {
    /// The property that marks requests which no cache answers.
    static let bypass = "afcache:bypass"

    private var load: SessionLoad?
    /// True if the task was given its end.
    private var hasEnded = false

    deinit { load?.cancel() }

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
        guard !hasEnded else { return }
        if let load {
            load.resume()
            hand(load)
        } else {
            begin()
        }
    }

    override func stopLoading() {
        #if !canImport(Darwin)
        // It is called for a suspended task as well, which may continue.
        if let task, task.state == .suspended || task.state == .running {
            load?.pause()
            return
        }
        #endif
        hasEnded = true
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
        #if canImport(Darwin)
        let load = SessionLoad(.pieces, onAnswer: waking())
        #else
        let load = SessionLoad(SessionTask(task).map { .delegate($0) } ?? .whole, onAnswer: waking())
        #endif
        self.load = load
        load.start(slot.settings.complete(request), cache, slot.settings)
    }

    /// Gives what a load has to the client.
    private func hand(_ load: SessionLoad) {
        guard let client else { return }
        for event in load.take() {
            switch event {
            case .head(let response):
                client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            case .piece(let data): client.urlProtocol(self, didLoad: data)
            case .end:
                end()
                client.urlProtocolDidFinishLoading(self)
            case .redirect(let next, let response):
                client.urlProtocol(self, wasRedirectedTo: next, redirectResponse: response)
                fail(CocoaError(.userCancelled))
            case .failure(let error): fail(error)
            }
        }
        load.confirm()
    }

    private func end() { (hasEnded, load) = (true, nil) }

    private func fail(_ error: any Error) {
        end()
        client?.urlProtocol(self, didFailWithError: error)
    }

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

extension SessionSettings {
    /// Returns the request with what the session's configuration adds, except cookies, which a redirect may change.
    func complete(_ request: URLRequest) -> URLRequest {
        var request = request
        if request.cachePolicy == .useProtocolCachePolicy { request.cachePolicy = policy }
        for (name, value) in fields where request.value(forHTTPHeaderField: name) == nil {
            request.setValue(value, forHTTPHeaderField: name)
        }
        #if !canImport(Darwin)
        // Foundation has added the cookies that it thinks belong to the URL, whatever their paths.
        if sendsCookies, request.httpShouldHandleCookies,
            let known = request.url.flatMap({ cookies?.cookies(for: $0) }),
            HTTPCookie.requestHeaderFields(with: known)["Cookie"] == request.value(forHTTPHeaderField: "Cookie")
        {
            request.setValue(nil, forHTTPHeaderField: "Cookie")
        }
        #endif
        return request
    }

    /// Returns the request with the session's cookies.
    func withCookies(_ request: URLRequest) -> URLRequest {
        guard sendsCookies, request.httpShouldHandleCookies, let cookies, let url = request.url,
            request.value(forHTTPHeaderField: "Cookie") == nil
        else { return request }
        let known = (cookies.cookies(for: url) ?? []).filter {
            // 'path' has no slash at its end.
            $0.matches(path: url.path(percentEncoded: true))
        }
        guard !known.isEmpty else { return request }
        var request = request
        for (name, value) in HTTPCookie.requestHeaderFields(with: known) {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }

    /// Keeps the cookies that an origin has just sent; those of stored responses were kept before.
    func keepCookies(of open: OpenResponse) {
        guard let cookies, open.source == .miss,
            open.head.fields.keys.contains(where: { $0.lowercased() == "set-cookie" })
        else { return }
        let response = open.head.response
        let new = HTTPCookie.cookies(withResponseHeaderFields: response.fields, for: open.head.url)
        cookies.setCookies(new, for: open.head.url, mainDocumentURL: nil)
    }

    /// Returns the time limits of a task that begins now: the request's, if it has any of its own.
    func limits(of request: URLRequest) -> TimeLimits {
        let isOwn = request.timeoutInterval != Self.defaultTimeout
        return TimeLimits(silence: isOwn ? request.timeoutInterval : requestTimeout, total: resourceTimeout)
    }

    /// The time limit of a request that sets none; a request doesn't say if it has that.
    private static let defaultTimeout: TimeInterval = 60
}

extension HTTPCookie {
    /// Returns true if the cookie is for a URL's path (RFC 6265 §5.1.4), which Foundation leaves out on Linux.
    fileprivate func matches(path: String) -> Bool {
        let (path, own) = (path.isEmpty ? "/" : path, self.path)
        return path == own || path.hasPrefix(own) && (own.hasSuffix("/") || path.dropFirst(own.count).hasPrefix("/"))
    }
}

extension AFCache {
    /// Invalidates what is stored for a URL; failures are reported only.
    fileprivate func invalidate(_ url: URL) {
        do {
            try resolver.invalidateAtOnce(try WebURL(url))
        } catch {
            configuration.onTrouble("cannot invalidate what is stored for '\(url.absoluteString)': \(error)")
        }
    }
}
