internal import AFCURL
internal import HTTPTypes
internal import NIOCore

/// The pages below `/.afcache/`, which each server has whoever answers, under its own hosts only.
enum OwnPages {
    /// A page.
    enum Page: Equatable {
        /// Whether the server runs.
        case health
        /// What it has answered.
        case metrics
        /// Nothing of the kind.
        case nothing
    }

    /// Which of them a request means; nil where it means something else.
    ///
    /// - Parameter request: The request.
    /// - Returns: The page.
    static func page(_ request: ServerRequest) -> Page? {
        guard request.method == "GET" || request.method == "HEAD", request.tunnelled == nil, request.host != .missing,
            request.target.utf8.count < 1000, request.target.contains("/.afcache/")
        else { return nil }
        var path = request.target
        var host = request.host.authority
        if !path.hasPrefix("/") {
            guard let url = try? WebURL(path), url.scheme == "http", url.effectivePort == request.server.port else {
                return nil
            }
            host = url.host.map { Authority(host: $0, port: url.port) }
            path = url.path
        }
        guard let host, request.server.owns(host.host), path.hasPrefix("/.afcache/") else { return nil }
        switch path.prefix(while: { $0 != "?" }) {
        case "/.afcache/healthz": return .health
        case "/.afcache/metrics": return .metrics
        default: return .nothing
        }
    }

    /// The answer; the loops are asked for their numbers one after the other.
    static func answer(_ page: Page, to request: ServerRequest, service: Serving) async -> ServerAnswer {
        let now = service.now()
        func own(_ status: HTTPResponse.Status, _ text: OwnText) -> ServerAnswer {
            ServerAnswer(own: status, text, detail: "own-page", now: now, isHead: request.isHead)
        }
        switch page {
        case .health: return own(.ok, .plain("ok"))
        case .nothing: return own(.notFound, .plain("this server has nothing here; its home page is /"))
        case .metrics:
            var metrics = MetricsPage(counters: Counters(), openConnections: 0, memoryBytes: 0)
            for loop in service.loops {
                guard let part = await loop.metrics else { continue }
                metrics.counters += part.counters
                metrics.openConnections += part.openConnections
                metrics.memoryBytes += part.memoryBytes
            }
            var answer = own(.ok, OwnText(text: metrics.text, isHTML: false))
            answer.fields[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
            return answer
        }
    }
}

/// An event loop and what its connections share.
struct Loop: Sendable {
    var loop: any EventLoop
    var state: NIOLoopBound<LoopState>

    /// What the loop has answered; nil while it shuts down.
    var metrics: MetricsPage? {
        get async {
            try? await loop.submit {
                let state = state.value
                return MetricsPage(
                    counters: state.counters,
                    openConnections: state.openConnections,
                    memoryBytes: state.hot.bytes
                )
            }.get()
        }
    }
}
