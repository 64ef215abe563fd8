internal import AFCCaching
public import AFCHTTP
public import AFCResolver
internal import AFCText
internal import AFCURL
public import HTTPTypes
internal import NIOCore

/// A responder that works as a forward proxy (RFC 9110 §3.7): http through the cache, https by CONNECT.
///
/// Requests that aren't proxy requests go to another responder, such as the one for the cache's own pages.
public struct ProxyResponder: LookingUp {
    /// The handling of CONNECT.
    public enum Connecting: Sendable {
        /// A tunnel: bytes are carried to the named host without being read.
        case tunnel(any TunnelTransport)
        /// TLS ends at this server, with certificates that the client trusts, and requests are answered as for http.
        case answer(any CertificateProviding)
        /// A refusal.
        case refuse
    }

    /// The source of answers for resources.
    public enum Source: Sendable {
        /// The cache and, if needed, origins.
        case resolver(Resolver)
        /// The other responder, which gets the absolute form.
        case offline
    }

    private let source: Source
    private let store: OnlineLookUp?
    private let connecting: Connecting
    private let other: any LookingUp
    private let ports: PortRules
    private let now: @Sendable () -> Timestamp

    /// Creates a proxy.
    ///
    /// - Parameters:
    ///   - source: The source of answers for resources.
    ///   - connecting: The handling of CONNECT.
    ///   - other: The responder for everything else.
    ///   - ports: The ports of other machines that the proxy connects to.
    ///   - now: The clock.
    public init(
        _ source: Source,
        connecting: Connecting,
        other: any LookingUp,
        ports: PortRules = PortRules(),
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.source = source
        store = if case .resolver(let resolver) = source { OnlineLookUp(resolver, now: now) } else { nil }
        self.connecting = connecting
        self.other = other
        self.ports = ports
        self.now = now
    }

    /// A number that differs after each change of the cache.
    public var changes: UInt64 { store?.changes ?? other.changes }

    /// Answers from the cache if no origin needs to be contacted.
    public func lookUp(_ request: ServerRequest) throws -> ServerAnswer? {
        guard request.method != "CONNECT" else { return nil }
        switch meaning(of: request) {
        case .other(let request):
            var answer = try other.lookUp(request)
            // Its promises are valid for its own change number only.
            if store != nil { answer?.repetition = nil }
            return answer
        case .refusal(let answer): return answer
        case .resource(let url, _):
            guard request.method == "GET" || request.method == "HEAD" else { return nil }
            return try store?.answer(request, url: url).map { $0.passedOn() }
        }
    }

    /// Answers, and contacts origins if needed.
    public func answer(
        _ request: ServerRequest,
        interim: @escaping @Sendable (HTTPResponse.Status, HTTPFields) async -> Void
    ) async throws -> ServerAnswer {
        if request.method == "CONNECT" { return await connect(request) }
        switch meaning(of: request) {
        case .other(let request): return try await other.answer(request, interim: interim)
        case .refusal(let answer): return answer
        case .resource(let url, let resolver):
            if let port = url.effectivePort, !ports.allowsRequests(to: port) { return refusal(port) }
            if let answer = await ServerAnswer.upgrade(request, url: url, resolver: resolver, now: now) {
                return answer.passedOn()
            }
            let isSecure = url.scheme == "https"
            let response = try await resolver.respond(to: ResolverRequest(request, url: url)) { status, fields in
                await interim(HTTPResponse.Status(stored: status), isSecure ? fields.without(.promise) : fields)
            }
            guard let store else { return ServerAnswer(response, url: url).passedOn() }
            let home = LinkForm(.proxy, port: request.server.port).home ?? "/"
            let answer = await store.answer(response, to: request, url: url, links: .proxy(home: home))
            return answer.passedOn()
        }
    }

    private func refusal(_ port: UInt16) -> ServerAnswer {
        let words = "this proxy doesn't connect to port \(port); its operator can allow the port"
        return .plain(.forbidden, words, detail: "forbidden-port", at: now()).failing(.requestDenied)
    }

    private func refusal(
        _ status: HTTPResponse.Status,
        _ words: String,
        detail: String = "bad-request"
    ) -> ServerAnswer { .plain(status, words, detail: detail, at: now()).failing(.requestError) }

    // MARK: Targets

    private enum Meaning {
        case resource(WebURL, Resolver)
        case other(ServerRequest)
        case refusal(ServerAnswer)
    }

    private func meaning(of request: ServerRequest) -> Meaning {
        guard HTTPRequest.Method(rawValue: request.method) != nil else {
            return .refusal(refusal(.badRequest, "the request method is not valid"))
        }
        guard request.host != .several, request.host != .missing || !request.needsHost else {
            return .refusal(refusal(.badRequest, "the request must have exactly one Host field"))
        }
        var target = request.target
        if let tunnelled = request.tunnelled {
            // RFC 9110 §7.4: a tunnel to one host carries no requests for another host.
            let (scheme, port): (String, UInt16) = request.isSecure ? ("https", 443) : ("http", 80)
            guard target.hasPrefix("/"), let asked = request.host.authority, asked.host == tunnelled.host,
                asked.port ?? port == tunnelled.port ?? port
            else {
                let words = "the request's host is not the host of the tunnel"
                return .refusal(refusal(.misdirectedRequest, words, detail: "unknown-host"))
            }
            target = "\(scheme)://\(tunnelled)\(target)"
        }
        guard !target.hasPrefix("/"), target != "*" else { return .other(request) }
        guard !target.utf8.contains(UInt8(ascii: "#")), let parsed = try? WebURL(target), parsed.isHTTP,
            target.contains("://")
        else { return .refusal(refusal(.badRequest, "the request target is not an http or https URL")) }
        let url = parsed.removingCredentials
        // The client requests the proxy's own pages through the proxy.
        let isOwn =
            url.scheme == "http" && url.effectivePort == request.server.port && request.server.owns(url.host ?? "")
        guard case .resolver(let resolver) = source, !isOwn else {
            var inner = request
            inner.target = url.description
            inner.tunnelled = nil
            return .other(inner)
        }
        return .resource(url, resolver)
    }

    // MARK: CONNECT

    private func connect(_ request: ServerRequest) async -> ServerAnswer {
        // RFC 9110 §9.3.6: the port isn't optional.
        guard let authority = Authority(request.target), let port = authority.port, port > 0 else {
            return refusal(.badRequest, "CONNECT needs a host and a port")
        }
        // Offline, no connection is made.
        if case .resolver = source, !ports.allowsTunnels(to: port) { return refusal(port) }
        switch connecting {
        case .refuse:
            let words = "this proxy doesn't support CONNECT; it needs a certificate authority to answer https"
            return refusal(.methodNotAllowed, words, detail: "method")
        case .answer(let certificates):
            var answer = ServerAnswer(status: .ok)
            let certificates = AddressedCertificates(base: certificates, host: authority.host)
            answer.handover = .secure(certificates, authority: authority)
            return answer
        case .tunnel(let transport):
            let tunnel: OriginTunnel
            do throws(TransportFailure) {
                tunnel = try await transport.tunnel(host: authority.host, port: port)
            } catch {
                return ServerAnswer(error, at: now())
            }
            var answer = ServerAnswer(status: .ok)
            answer.handover = .raw { client in
                try await tunnel.join(client.inbound, send: client.send, finish: client.finish)
            }
            return answer
        }
    }
}

extension TransportFailure {
    /// The status that a client gets.
    var status: HTTPResponse.Status {
        switch code {
        case .timedOut: .gatewayTimeout
        case .forbidden: .forbidden
        case .refused: .serviceUnavailable
        case .unreachable, .disconnected, .malformed, .insecure, .cancelled: .badGateway
        }
    }

    /// The word for Cache-Status.
    var detail: String { cause.rawValue }
}
