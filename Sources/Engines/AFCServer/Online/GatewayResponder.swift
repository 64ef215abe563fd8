internal import AFCCaching
public import AFCHTTP
public import AFCResolver
public import AFCURL
public import HTTPTypes
internal import NIOCore

/// A responder that works as a caching reverse proxy for one origin (RFC 9110 §3.7: a gateway).
public struct GatewayResponder: LookingUp {
    private let store: OnlineLookUp
    private let origin: WebURL
    /// The path that precedes the path of each request.
    private let base: String
    private let hosts: [HostPattern]
    private let forwarded: ForwardedFields
    private let preservesHost: Bool
    private let now: @Sendable () -> Timestamp
    private var resolver: Resolver { store.resolver }

    /// Creates a gateway.
    ///
    /// - Parameters:
    ///   - resolver: The resolver that answers.
    ///   - origin: The origin's URL; its path is put before the path of each request.
    ///   - hosts: Further hosts to answer for. Loopback names, the address that a client has connected to, and the
    ///     origin's own host are always allowed. A page whose name an attacker points at this machine (DNS rebinding)
    ///     sends another host; if that were allowed, the page could read and change the origin's data.
    ///   - preservesHost: True to make the client's host the host of the resources' URLs, so that each host has
    ///     responses of its own; the resolver must then have a `FixedOriginTransport`.
    ///   - trustedProxies: The clients whose Forwarded, X-Forwarded-… and X-Real-IP fields reach the origin; those of
    ///     others are replaced.
    ///   - now: The clock.
    public init(
        resolver: Resolver,
        origin: WebURL,
        hosts: [HostPattern] = [],
        preservesHost: Bool = false,
        trustedProxies: [AddressRange] = [],
        now: @escaping @Sendable () -> Timestamp
    ) {
        store = OnlineLookUp(resolver, now: now)
        self.origin = origin
        var base = origin.path[...]
        while base.hasSuffix("/") { base = base.dropLast() }
        self.base = String(base)
        self.hosts = hosts
        forwarded = ForwardedFields(trusted: trustedProxies)
        self.preservesHost = preservesHost
        self.now = now
    }

    /// A number that differs after each change of the cache.
    public var changes: UInt64 { store.changes }

    /// Answers from the cache if the origin needn't be contacted.
    public func lookUp(_ request: ServerRequest) throws -> ServerAnswer? {
        guard request.method == "GET" || request.method == "HEAD" else { return nil }
        guard case .resource(let url, let host) = target(of: request) else { return nil }
        let sent = forwarded.applied(to: request, host: host)
        guard var answer = try store.answer(sent, url: url).map({ rewritten($0, url: url) }) else { return nil }
        if forwarded.dependsOnClient(request, answer) { answer.repetition = nil }
        return answer
    }

    /// Answers, and contacts the origin if needed.
    public func answer(
        _ request: ServerRequest,
        interim: @escaping @Sendable (HTTPResponse.Status, HTTPFields) async -> Void
    ) async throws -> ServerAnswer {
        switch target(of: request) {
        case .refusal(let answer): return answer
        case .resource(let url, let host):
            let request = forwarded.applied(to: request, host: host)
            if let answer = await ServerAnswer.upgrade(request, url: url, resolver: resolver, now: now) {
                return answer
            }
            let response = try await resolver.respond(to: ResolverRequest(request, url: url)) { status, fields in
                await interim(HTTPResponse.Status(stored: status), fields)
            }
            let links = OnlineLinks.gateway(origin: url.origin, base: base)
            return rewritten(await store.answer(response, to: request, url: url, links: links), url: url)
        }
    }

    private enum Target {
        /// The resource, and its host and port if they are those that the client asked for.
        case resource(WebURL, host: String?)
        case refusal(ServerAnswer)
    }

    private func target(of request: ServerRequest) -> Target {
        // RFC 9112 §3.2: the target host must be unambiguous, or two hops could understand it differently.
        guard request.host.authority != nil || request.host == .missing && !request.needsHost else {
            return refusal(.badRequest, "the request must have exactly one valid Host field")
        }
        guard HTTPRequest.Method(rawValue: request.method) != nil else {
            return refusal(.badRequest, "the request method is not valid")
        }
        if request.method == "CONNECT" || request.method == "TRACE" {
            return refusal(.methodNotAllowed, "this server doesn't support \(request.method)", detail: "method")
        }
        var named = request.host.authority?.host
        if request.target == "*", request.method == "OPTIONS" {
            if let misdirected = misdirected(named, request) { return misdirected }
            var answer = ServerAnswer(status: .noContent)
            answer.fields[.date] = HTTPDate.format(now())
            let cacheStatus = CacheStatus(isHit: false, detail: "own")
            cacheStatus.append(to: &answer.fields)
            answer.cacheStatus = cacheStatus
            answer.fields[.allow] = "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS"
            return .refusal(answer)
        }
        var path = request.target[...]
        var asked = request.host.authority?.description
        if !path.hasPrefix("/") {
            // RFC 9112 §3.2.2: every server must accept the absolute form.
            guard let url = try? WebURL(request.target), url.isHTTP else {
                return refusal(.badRequest, "the request target is not a valid URL")
            }
            path = url.requestTarget[...]
            (named, asked) = (url.host, url.authority)
        }
        if let misdirected = misdirected(named, request) { return misdirected }
        if !preservesHost { asked = nil }
        let site = asked.map { (request.isSecure ? "https://" : "http://") + $0 } ?? origin.origin
        guard !path.utf8.contains(UInt8(ascii: "#")), let url = try? WebURL("\(site)\(base)\(path)"),
            url.path.hasPrefix(base + "/")
        else { return refusal(.badRequest, "the request target is not a valid URL") }
        return .resource(url, host: asked)
    }

    private func refusal(_ status: HTTPResponse.Status, _ words: String, detail: String = "bad-request") -> Target {
        .refusal(.plain(status, words, detail: detail, at: now()).failing(.requestError))
    }

    /// Refuses a request for a host that this server doesn't serve (RFC 9110 §7.4); nil if it does.
    private func misdirected(_ host: String?, _ request: ServerRequest) -> Target? {
        // Only a client older than HTTP/1.1, which no browser is, may omit the host.
        guard let host = host.map(HostNames.withoutDot) else { return nil }
        let isKnown =
            request.server.owns(host) || HostNames.isLoopback(host) || hosts.contains { $0.matches(host) }
            || origin.host.map(HostNames.withoutDot) == host
        if isKnown { return nil }
        let words = "this server doesn't serve '\(host)'; its operator can allow the host"
        return refusal(.misdirectedRequest, words, detail: "unknown-host")
    }

    /// Returns the answer with the addresses of the origin in its fields as this server's own.
    private func rewritten(_ answer: ServerAnswer, url: WebURL) -> ServerAnswer {
        var answer = answer
        // A redirect to the origin itself would bypass this server.
        if let location = answer.fields[.location], let target = try? WebURL.parseWithFragment(location, base: url),
            target.url.origin == origin.origin && location.contains("://")
                || !base.isEmpty && [url.origin, origin.origin].contains(target.url.origin)
        {
            let fragment = target.fragment.map { "#" + $0 } ?? ""
            // What lies beside the origin's path has no address here.
            answer.fields[.location] = (ownPath(target.url.requestTarget[...]) ?? target.url.description) + fragment
        }
        guard !base.isEmpty, answer.fields.contains(.setCookie) else { return answer }
        answer.fields = HTTPFields(
            answer.fields.map { field in
                field.name == .setCookie ? HTTPField(name: .setCookie, value: ownCookie(field.value)) : field
            }
        )
        return answer
    }

    /// Returns the path by which this server has one of the origin's; nil if it has none.
    private func ownPath(_ path: Substring) -> String? {
        guard path.hasPrefix(base), case let rest = path.dropFirst(base.count),
            base.isEmpty || rest.isEmpty || rest.hasPrefix("/") || rest.hasPrefix("?")
        else { return nil }
        guard rest.hasPrefix("/") else { return "/" + rest }
        // A path that begins with two slashes would be read as a host (RFC 3986 §4.2).
        return (rest.hasPrefix("//") ? "/." : "") + rest
    }

    /// Returns a Set-Cookie for the path by which this server has the origin's (RFC 6265 §4.1.2.4).
    private func ownCookie(_ value: String) -> String {
        value.split(separator: ";", omittingEmptySubsequences: false).map { part in
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, FieldText.trimmed(pair[0]).lowercased() == "path",
                let path = ownPath(FieldText.trimmed(pair[1]))
            else { return String(part) }
            return pair[0] + "=" + path
        }.joined(separator: ";")
    }
}

extension ResolverRequest {
    /// Creates the resolver's request for a resource from a client's request.
    init(_ request: ServerRequest, url: WebURL) {
        self.init(
            method: HTTPRequest.Method(rawValue: request.method) ?? .get,
            url: url,
            fields: request.fields,
            body: request.body.isEmpty ? nil : request.body,
            bodyLength: request.body.length
        )
        originFields = request.originFields
        receivedProtocol = request.version.receivedProtocol
    }
}
