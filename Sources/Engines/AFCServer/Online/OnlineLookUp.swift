internal import AFCBlocking
internal import AFCCache
internal import AFCCaching
internal import AFCHTTP
internal import AFCResolver
internal import AFCURL
internal import HTTPTypes

/// Look-ups through a resolver, whose cache hits may be repeated from memory.
struct OnlineLookUp: Sendable {
    let resolver: Resolver
    private let watch: CacheWatch?
    let now: @Sendable () -> Timestamp

    init(_ resolver: Resolver, now: @escaping @Sendable () -> Timestamp) {
        self.resolver = resolver
        self.now = now
        watch = CacheWatch(resolver.store)
    }

    /// A number that differs after each change of the cache, by this process or another one.
    var changes: UInt64 { (watch?.value ?? 0) &+ resolver.changes << 20 }

    /// Returns the answer if no origin needs to be contacted.
    func answer(_ request: ServerRequest, url: WebURL) throws -> ServerAnswer? {
        let changes = changes
        let made = now()
        guard let response = try resolver.lookUp(ResolverRequest(request, url: url)) else { return nil }
        var answer = ServerAnswer(response, url: url)
        // Stale responses are decided each time.
        let ttl = response.cacheStatus?.ttl ?? 0
        let age = answer.fields[.age].flatMap { Int64($0) } ?? .max
        let seconds = min(ttl, CacheControl(request.fields).seconds(met: ttl, age: age), 60)
        if response.verdict == .fresh, seconds > 0, request.fields[.pragma] == nil {
            answer.repetition = Repetition(
                changes: changes,
                made: made,
                end: made + seconds,
                isForAllPlainRequests: response.isForAll
            )
        }
        return answer
    }

    /// Converts a resolver's response to an answer; a refusal gets a page that gives the reason.
    ///
    /// - Parameters:
    ///   - response: The resolver's response.
    ///   - request: The request.
    ///   - url: The resource.
    ///   - links: The places at which the client finds other resources.
    /// - Returns: The answer.
    func answer(
        _ response: ResolverResponse,
        to request: ServerRequest,
        url: WebURL,
        links: OnlineLinks
    ) async -> ServerAnswer {
        guard response.source == .refused, response.status.code >= 400, case .none = response.body else {
            var answer = ServerAnswer(response, url: url)
            if response.status == .notFound, response.cacheStatus?.detail?.hasSuffix("fallback-missing") == true {
                answer.unanswered = .missing(MissingURLs.Request(url, request))
            }
            return answer
        }
        let (store, isForReaders) = (resolver.store, request.wantsHTML)
        let words = MissingPage(url, response)
        let page = try? await Blocking.run {
            var page = words
            page.home = links.home
            try page.suggest(from: store, isForReaders: isForReaders) { links.link(to: $0) }
            // Online, a host without packages is normal and not worth a line.
            if page.packages == [] { page.packages = nil }
            return page
        }
        // The page about the origin is shown even if the cache can't be read.
        let text = isForReaders ? OwnText.html((page ?? words).html) : .plain((page ?? words).plain)
        var answer = ServerAnswer(own: response.status, text, detail: "refused", now: now(), isHead: request.isHead)
        for field in response.fields where field.name != .contentLength { answer.fields[field.name] = field.value }
        answer.fields[.vary] = "Accept"
        answer.cacheStatus = response.cacheStatus
        answer.originTime = response.originTime
        answer.url = url
        if response.status == .gatewayTimeout, response.verdict == .missing, page?.packages != nil {
            answer.unanswered = .missing(MissingURLs.Request(url, request))
        }
        return answer
    }
}

/// The places at which a client of an online server finds resources, so that pages can link to them.
enum OnlineLinks: Sendable {
    /// A gateway for an origin: resources are below a path of it.
    case gateway(origin: String, base: String)
    /// A proxy, whose client uses the real URLs; with its home page.
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

extension MissingPage {
    /// Creates the page for a resource that neither the cache nor the origin provides.
    ///
    /// - Parameters:
    ///   - url: The URL that was requested.
    ///   - refusal: The resolver's refusal.
    init(_ url: WebURL, _ refusal: ResolverResponse) {
        let detail = refusal.cacheStatus?.detail
        let (title, reason): (String, String) =
            switch refusal.status.code {
            case 403:
                ("Not allowed", "The address is in a private network. The proxy's operator can allow it.")
            case 508: ("Request loop", "This server and another one forward requests to each other.")
            case 502 where detail == "body-has-left":
                ("Just removed", "The stored response was removed a moment ago. Reload the page.")
            case 502, 504: Self.words(for: refusal.failure, detail)
            case 503:
                ("Too many requests", "Too many requests to this origin are in progress. Try again in a few seconds.")
            default: (refusal.status.description, "The request can't be answered.")
            }
        self.init(url: url, title: title, reason: reason)
    }

    /// Returns the title, and the reason as one or two sentences.
    private static func words(for failure: TransportFailure?, _ detail: String?) -> (String, String) {
        guard let failure else {
            if detail == "only-if-cached" {
                let reason = "The request accepts only stored responses, and there is none that may be served."
                return ("Not stored", reason)
            }
            return ("The origin is unreachable", "No stored response may be served instead.")
        }
        let title =
            switch failure.code {
            case .timedOut: "The origin isn't responding"
            case .insecure: "There is no secure connection to the origin"
            case .malformed: "The origin's response can't be used"
            case .disconnected: "The origin broke the connection"
            case .unreachable, .refused, .forbidden, .cancelled: "The origin is unreachable"
            }
        let sentence = failure.message.prefix(1).uppercased() + failure.message.dropFirst()
        return (title, "\(sentence). No stored response may be served instead.")
    }
}
