internal import AFCCaching
public import AFCHTTP
public import AFCResolver
internal import AFCText
internal import AFCURL
public import HTTPTypes
internal import NIOCore

/// Answers as a forward proxy (RFC 9110 §3.7): http through the cache, https by CONNECT.
///
/// What is no proxy's request goes to another responder, such as the one for the store's own pages.
public struct ProxyResponder: LookingUp {
    /// What becomes of CONNECT.
    public enum Connecting: Sendable {
        /// Bytes are carried to the host that was named, and not looked at.
        case tunnel(any TunnelTransport)
        /// This server ends TLS itself, with certificates that the client was told to trust, and answers as for http.
        case answer(any CertificateProviding)
        /// It is refused.
        case refuse
    }

    /// What answers for resources.
    public enum Source: Sendable {
        /// The store and, where needed, origins.
        case resolver(Resolver)
        /// The other responder, given the absolute form.
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
    ///   - source: What answers for resources.
    ///   - connecting: What becomes of CONNECT.
    ///   - other: What answers for everything else.
    ///   - ports: To which ports of other machines it leads.
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

    /// Moves with each change of the store.
    public var changes: UInt64 { store?.changes ?? other.changes }

    /// Answers from the store, where no origin needs to be asked.
    public func lookUp(_ request: ServerRequest) throws -> ServerAnswer? {
        guard request.method != "CONNECT" else { return nil }
        switch meaning(of: request) {
        case .other(let request):
            var answer = try other.lookUp(request)
            // Its promises go by its own number.
            if store != nil { answer?.repetition = nil }
            return answer
        case .refusal(let answer): return answer
        case .resource(let url, _):
            guard request.method == "GET" || request.method == "HEAD" else { return nil }
            return try store?.answer(request, url: url).map { unbound($0, request, url) }
        }
    }

    /// Answers, and asks origins where that is needed.
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
                return unbound(answer, request, url)
            }
            let isSecure = Self.isSecure(request, url)
            let response = try await resolver.respond(to: ResolverRequest(request, url: url)) { status, fields in
                await interim(HTTPResponse.Status(stored: status), isSecure ? fields.without(.promise) : fields)
            }
            guard let store else { return unbound(ServerAnswer(response, url: url), request, url) }
            let home = LinkForm(.proxy, port: request.server.port).home
            let answer = await store.answer(response, to: request, url: url, links: .proxy(home: home))
            return unbound(answer, request, url)
        }
    }

    /// RFC 6797 §8.1, RFC 7838: what an origin says of its own TLS would bind a browser beyond the certificates made here.
    private func unbound(_ answer: ServerAnswer, _ request: ServerRequest, _ url: WebURL) -> ServerAnswer {
        guard Self.isSecure(request, url) else { return answer }
        var answer = answer
        answer.fields = answer.fields.without(.promise)
        return answer
    }

    private static func isSecure(_ request: ServerRequest, _ url: WebURL) -> Bool {
        request.tunnelled != nil || url.scheme == "https"
    }

    private func refusal(_ port: UInt16) -> ServerAnswer {
        let words = "this proxy doesn't connect to port \(port); its operator can allow the port"
        return .plain(.forbidden, words, detail: "forbidden-port", at: now())
    }

    private func refusal(
        _ status: HTTPResponse.Status,
        _ words: String,
        detail: String = "bad-request"
    ) -> ServerAnswer { .plain(status, words, detail: detail, at: now()) }

    // MARK: What a request means

    private enum Meaning {
        case resource(WebURL, Resolver)
        case other(ServerRequest)
        case refusal(ServerAnswer)
    }

    private func meaning(of request: ServerRequest) -> Meaning {
        guard HTTPRequest.Method(rawValue: request.method) != nil else {
            return .refusal(refusal(.badRequest, "the request has no valid method"))
        }
        guard request.host != .several, request.host != .missing || !request.needsHost else {
            return .refusal(refusal(.badRequest, "the request has no single Host field"))
        }
        var target = request.target
        if let tunnelled = request.tunnelled {
            // RFC 9110 §7.4: a tunnel to one host gives no answers of another host.
            guard target.hasPrefix("/"), let asked = request.host.authority, asked.host == tunnelled.host,
                asked.port ?? 443 == tunnelled.port ?? 443
            else {
                let words = "the request is for another host than the tunnel"
                return .refusal(refusal(.misdirectedRequest, words, detail: "unknown-host"))
            }
            target = "https://\(tunnelled)\(target)"
        }
        guard !target.hasPrefix("/"), target != "*" else { return .other(request) }
        guard !target.utf8.contains(UInt8(ascii: "#")), let parsed = try? WebURL(target), parsed.isHTTP,
            target.contains("://")
        else { return .refusal(refusal(.badRequest, "the request target is no http or https URL")) }
        let url = parsed.removingCredentials
        // The client asks through this proxy for the proxy's own pages.
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
        // Offline nothing is connected to.
        if case .resolver = source, !ports.allowsTunnels(to: port) { return refusal(port) }
        switch connecting {
        case .refuse:
            let words = "this proxy doesn't do CONNECT; it answers https where it has an authority"
            return refusal(.methodNotAllowed, words, detail: "method")
        case .answer(let certificates):
            var answer = ServerAnswer(status: .ok)
            let certificates = NamedCertificates(base: certificates, host: authority.host)
            answer.handover = .secure(certificates, authority: authority)
            return answer
        case .tunnel(let transport):
            let tunnel: OriginTunnel
            do throws(TransportFailure) {
                tunnel = try await transport.tunnel(host: authority.host, port: port)
            } catch {
                return refusal(error.status, error.message, detail: error.detail)
            }
            var answer = ServerAnswer(status: .ok)
            answer.handover = .raw { client in
                try await tunnel.join(client.inbound, send: client.send, finish: client.finish)
            }
            return answer
        }
    }
}

/// Certificates for those who don't say whom they mean, as with addresses (RFC 6066 §3): then it is the host of CONNECT.
private struct NamedCertificates: CertificateProviding {
    let base: any CertificateProviding
    let host: String

    func certificate(for name: String?) async throws -> ServerCertificate {
        try await base.certificate(for: name ?? host)
    }
}

extension TransportFailure {
    /// What a client is told.
    fileprivate var status: HTTPResponse.Status {
        switch code {
        case .timedOut: .gatewayTimeout
        case .forbidden: .forbidden
        case .refused: .serviceUnavailable
        case .unreachable, .disconnected, .malformed, .insecure, .cancelled: .badGateway
        }
    }

    /// The word for Cache-Status.
    fileprivate var detail: String {
        switch code {
        case .timedOut: "origin-timeout"
        case .forbidden: "forbidden-address"
        case .malformed: "origin-malformed"
        case .refused, .unreachable, .disconnected, .insecure, .cancelled: "origin-unreachable"
        }
    }
}

extension ServerAnswer {
    /// The answer to a request that asks for another protocol (RFC 9110 §7.8); nil where it doesn't, or can't.
    static func upgrade(
        _ request: ServerRequest,
        url: WebURL,
        resolver: Resolver,
        now: @Sendable () -> Timestamp
    ) async -> ServerAnswer? {
        guard request.method == "GET", request.version == .http11, request.body.isEmpty,
            request.fields[values: .upgrade].count == 1,
            request.fields[values: .connection].contains(where: { $0.lowercased().contains("upgrade") }),
            // RFC 9113 §3.1 has given h2c up; passed on, it would be requests to the origin that this cache doesn't see.
            request.fields[values: .upgrade].allSatisfy({ !$0.lowercased().contains("h2c") })
        else { return nil }
        do throws(TransportFailure) {
            guard let upgraded = try await resolver.upgrade(ResolverRequest(request, url: url)) else { return nil }
            switch upgraded {
            case .switched(let fields, let tunnel):
                var answer = ServerAnswer(status: .switchingProtocols, fields: fields, url: url)
                answer.handover = .raw { client in
                    try await tunnel.join(client.inbound, send: client.send, finish: client.finish)
                }
                return answer
            case .response(let response):
                var fields = response.fields.withoutConnectionFields
                fields[.contentLength] = response.bodyLength.map { String($0) }
                return ServerAnswer(
                    status: HTTPResponse.Status(stored: response.status),
                    fields: fields,
                    body: .stream(response.body),
                    url: url
                )
            }
        } catch {
            return .plain(error.status, error.message, detail: error.detail, at: now())
        }
    }
}
