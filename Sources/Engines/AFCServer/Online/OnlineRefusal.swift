internal import AFCCaching
internal import AFCHTTP
internal import AFCResolver
internal import AFCURL
internal import HTTPTypes

/// Where resources are found by a client of an online server, so that pages can link to them.
enum OnlineLinks: Sendable {
    /// A gateway before an origin: below a path of it.
    case gateway(origin: String, base: String)
    /// A proxy, whose client knows the real URLs; its home page.
    case proxy(home: String)

    var home: String? {
        switch self {
        case .gateway: nil
        case .proxy(let home): home
        }
    }

    func link(to url: WebURL) -> String? {
        switch self {
        case .proxy: return url.description
        case .gateway(let origin, let base):
            let target = url.requestTarget
            guard url.origin == origin, target.hasPrefix(base + "/") else { return nil }
            let rest = String(target.dropFirst(base.count))
            // A path that begins with two slashes would name a host.
            return rest.hasPrefix("//") ? nil : rest
        }
    }
}

extension OnlineLookUp {
    /// The answer of a resolver; where that is a refusal, with words that say why.
    ///
    /// - Parameters:
    ///   - response: What the resolver says.
    ///   - request: The request.
    ///   - url: The resource.
    ///   - links: Where others are found.
    /// - Returns: The answer.
    func answer(
        _ response: ResolverResponse,
        to request: ServerRequest,
        url: WebURL,
        links: OnlineLinks
    ) async -> ServerAnswer {
        guard response.source == .refused, response.status.code >= 400, case .none = response.body else {
            return ServerAnswer(response, url: url)
        }
        let cacheStatus = response.fields[.cacheStatus] ?? ""
        let (store, isForReaders) = (resolver.store, request.wantsHTML)
        let words = MissingPage(url, status: response.status, cacheStatus: cacheStatus)
        let page = try? await Blocking.run {
            var page = words
            page.home = links.home
            try page.suggest(from: store, isForReaders: isForReaders) { links.link(to: $0) }
            // Online it's no news that no package has anything of a host.
            if page.packages == [] { page.packages = nil }
            return page
        }
        // A store that can't be read is no reason to say nothing of the origin.
        let text = isForReaders ? OwnText.html((page ?? words).html) : .plain((page ?? words).plain)
        var answer = ServerAnswer(own: response.status, text, detail: "refused", now: now(), isHead: request.isHead)
        for field in response.fields where field.name != .contentLength { answer.fields[field.name] = field.value }
        answer.fields[.vary] = "Accept"
        answer.url = url
        return answer
    }
}
