internal import AFCBlocking
internal import AFCURL
internal import HTTPTypes
internal import Logging
internal import NIOCore

/// The pages below `/.afcache/`, which a server has with any responder, under its own hosts only.
enum OwnPages {
    /// A page.
    enum Page: Equatable {
        /// The health check.
        case health
        /// The metrics.
        case metrics
        /// The results of a search, with links in a form.
        case search(LinkForm)
        /// The suggestions for a search that is being typed, with links in a form.
        case suggestions(LinkForm)
        /// A browser's report of what the fence stopped.
        case report
        /// The service for agents.
        case endpoint
        /// An unknown page.
        case nothing
    }

    /// The path of the service for agents.
    static let endpointPath = Server.endpointPath

    /// Returns the page that a request names; nil if it names none of them.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - keepsVersions: True if the responder has pages of its own for versions of resources.
    /// - Returns: The page.
    static func page(_ request: ServerRequest, keepsVersions: Bool) -> Page? {
        guard request.tunnelled == nil, request.target.utf8.count < 4096 else { return nil }
        if isReport(request) { return .report }
        let isReading = request.method == "GET" || request.method == "HEAD"
        guard isReading || request.method == "POST" || request.method == "DELETE" else { return nil }
        var path = request.target
        // The first bytes of most requests show that they are for none of these pages.
        guard path.hasPrefix("/") ? path.hasPrefix("/.afcache/") : path.contains("/.afcache/") else { return nil }
        var host = request.host.authority
        let isDirect = path.hasPrefix("/")
        if !isDirect {
            guard let url = try? WebURL(path), url.scheme == "http", url.effectivePort == request.server.port else {
                return nil
            }
            host = url.host.map { Authority(host: $0, port: url.port) }
            path = url.path
        }
        // A request of HTTP/1.0 without a host is for this server.
        let server = request.server
        let isOwn =
            host.map { server.owns($0.host) || isDirect && server.isReached(by: $0.host) }
            ?? (request.host == .missing && server.site == nil)
        guard path.hasPrefix("/.afcache/") else { return nil }
        if keepsVersions, PastTarget.isNamed(by: path) { return nil }
        guard isReading || path.prefix(while: { $0 != "?" }) == endpointPath else { return nil }
        // A page of the site would have the origin of these pages.
        guard isOwn, !server.isSitePort else {
            return (server.site != nil || server.isSitePort) && isDirect
                && path.prefix { $0 != "?" } == "/.afcache/healthz" ? .health : nil
        }
        switch path.prefix(while: { $0 != "?" }) {
        case "/.afcache/healthz": return .health
        case "/.afcache/metrics": return .metrics
        case endpointPath: return isDirect ? .endpoint : .nothing
        case SearchField.path, SearchField.suggestionPath:
            var form = LinkForm(.path, port: request.server.port, isSecure: request.isSecure)
            if let host {
                let isLoopback = HostNames.isLoopback(HostNames.withoutDot(host.host))
                form = LinkForm(isLoopback ? .path : .pathElsewhere, port: host.port, isSecure: request.isSecure)
                if !isLoopback, let name = request.server.nameElsewhere { form.base = name }
                (form.reached, form.sitePorts) = (host.host, server.sitePorts)
            }
            return path.hasPrefix(SearchField.path) ? .search(form) : .suggestions(form)
        default: return .nothing
        }
    }

    /// Returns true for a browser's report; no other website can send one, since browsers ask the server beforehand
    /// whether it may send this type.
    private static func isReport(_ request: ServerRequest) -> Bool {
        guard request.method == "POST", request.target == PageScript.reportPath,
            request.fields[.contentType]?.hasPrefix("application/csp-report") ?? false,
            let host = request.host.authority?.host
        else { return false }
        let server = request.server
        return server.site != nil || server.owns(host) || server.nameBelow(host) != nil || server.isReached(by: host)
    }

    /// Counts a report, and makes the answer.
    private static func answerReport(_ request: ServerRequest, service: Serving) async -> ServerAnswer {
        var bytes: [UInt8] = []
        do {
            for try await piece in request.body {
                guard bytes.count + piece.readableBytes <= StoppedRequests.reportByteLimit else {
                    bytes = []
                    break
                }
                bytes += piece.readableBytesView
            }
            service.stopped?.note(report: bytes)
        } catch {
            // Nobody waits for the answer to an incomplete report.
        }
        return ServerAnswer(own: .ok, .plain("ok"), detail: "own-page", now: service.now(), isHead: false)
    }

    /// Makes the answer; the metrics are collected from the loops one after the other.
    static func answer(_ page: Page, to request: ServerRequest, service: Serving) async -> ServerAnswer {
        let now = service.now()
        func own(_ status: HTTPResponse.Status, _ text: OwnText) -> ServerAnswer {
            ServerAnswer(own: status, text, detail: "own-page", now: now, isHead: request.isHead)
        }
        func own(_ answer: (status: HTTPResponse.Status, text: OwnText)) -> ServerAnswer {
            own(answer.status, answer.text)
        }
        let nothing = OwnText.plain("this server has no such page; its home page is /")
        switch page {
        case .search(let form):
            guard let search = service.search else { return own(.notFound, nothing) }
            guard !SearchAnswer.isForeign(request, allowsNavigation: true) else {
                return own(.forbidden, SearchAnswer.foreign)
            }
            return own(await SearchAnswer.page(request, search, form))
        case .suggestions(let form):
            guard let search = service.search else { return own(.notFound, nothing) }
            guard !SearchAnswer.isForeign(request, allowsNavigation: false) else {
                return own(.forbidden, SearchAnswer.foreign)
            }
            let (status, text) = await SearchAnswer.suggestions(request, search, form)
            var answer = own(status, text)
            if status == .ok { answer.fields[.contentType] = "application/json" }
            return answer
        case .health:
            do {
                try await Blocking.run { try service.health() }
                return own(.ok, .plain("ok"))
            } catch {
                // Where others ask, paths of this machine are only in the log.
                service.logger.error("unhealthy", metadata: ["error": "\(error)"])
                return own(.serviceUnavailable, .plain("what is served can't be read; see the server's log"))
            }
        case .report: return await answerReport(request, service: service)
        case .endpoint:
            guard let endpoint = service.endpoint else { return own(.notFound, nothing) }
            let found = await endpoint.answer(request)
            var answer = own(found.status, OwnText(text: "", isHTML: false))
            for field in found.fields { answer.fields[field.name] = field.value }
            answer.fields[.contentLength] = String(found.body.count)
            answer.body = request.isHead ? .none : .bytes(ByteBuffer(bytes: found.body))
            return answer
        case .nothing: return own(.notFound, nothing)
        case .metrics:
            var metrics = MetricsPage(counters: Counters(), openConnections: 0, memoryBytes: service.hot.bytes)
            for loop in service.loops {
                guard let part = await loop.metrics else { continue }
                metrics += part
            }
            var answer = own(.ok, OwnText(text: metrics.text, isHTML: false))
            answer.fields[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
            return answer
        }
    }
}

/// An event loop and the state that its connections share.
struct Loop: Sendable {
    var loop: any EventLoop
    var state: NIOLoopBound<LoopState>

    /// The loop's metrics; nil while it shuts down.
    var metrics: MetricsPage? {
        get async {
            try? await loop.submit {
                let state = state.value
                return MetricsPage(
                    counters: state.counters,
                    openConnections: state.openConnections,
                    memoryBytes: 0
                )
            }.get()
        }
    }
}
