internal import AFCCaching
public import AFCCrawlRules
internal import AFCHTTP
internal import AFCOrigin
internal import AFCURL
internal import AFCZip
internal import AsyncHTTPClient
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

/// Fetches over HTTP/2 and HTTP/1.1 with kept connections; removes gzip and deflate from bodies.
public struct HTTPFetcher: Fetcher {
    /// What a request says that names no coding of its own.
    public static let acceptEncoding = "gzip, deflate"

    let clients: FetchClients
    let addresses: HostAddresses
    let options: Options
    let rate: SharedByteRate?

    private init(clients: FetchClients, addresses: HostAddresses, options: Options) {
        self.clients = clients
        self.addresses = addresses
        self.options = options
        rate = options.bytesPerSecond.map { SharedByteRate(bytesPerSecond: $0) }
    }

    /// Gives a fetcher to the body, and closes its connections afterwards, however the body ends.
    ///
    /// - Parameters:
    ///   - options: What a fetch may take, and how connections come about.
    ///   - body: Uses the fetcher.
    /// - Returns: What the body returns.
    /// - Throws: ``PackagingError`` where the options can't be used, or what the body throws.
    public static func withFetcher<Result: Sendable>(
        options: Options = Options(),
        _ body: (HTTPFetcher) async throws -> Result
    ) async throws -> Result {
        try await withFetcher(options: options, names: .system, body)
    }

    static func withFetcher<Result: Sendable>(
        options: Options,
        names: NameLookup,
        _ body: (HTTPFetcher) async throws -> Result
    ) async throws -> Result {
        let clients = try FetchClients(options)
        let fetcher = HTTPFetcher(clients: clients, addresses: HostAddresses(names: names), options: options)
        do {
            let result = try await body(fetcher)
            try await clients.shutDown()
            return result
        } catch {
            try await clients.shutDown()
            throw error
        }
    }

    /// The thread of the connections over TCP.
    public var executor: (any TaskExecutor)? { clients.plain.executor }

    /// Fetches; see ``Fetcher``.
    public func fetch<Receiver: ResponseReceiver>(_ request: FetchRequest, into receiver: inout Receiver) async throws {
        var hasBegun = false
        do {
            if request.url.scheme == "http", options.proxy == nil {
                return try await fetchPlainly(request, into: &receiver, &hasBegun)
            }
            let (client, outgoing) = try await route(request)
            // This limit ends with the head, and interim responses don't move it.
            let patience = TimeAmount(options.connectTimeout) + TimeAmount(options.readTimeout)
            let response = try await client.execute(outgoing, deadline: .now() + patience)
            hasBegun = true
            let head = try FetchHead(response)
            guard try receiver.begin(head) else { return }
            var decoder: ContentDecoder?
            if head.isUnderOldName {
                decoder = try ContentDecoder(isGzip: true, maxExpansion: options.maxExpansion)
            }
            var received: Int64 = 0
            var pace = Pace(window: options.readTimeout, now: .now)
            for try await buffer in response.body {
                received += Int64(buffer.readableBytes)
                let wantsMore = try buffer.withUnsafeReadableBytes { bytes in
                    guard decoder != nil else { return try receiver.append(bytes) }
                    return try decoder?.decode(bytes) { try receiver.append($0) } ?? false
                }
                guard wantsMore else { return }
                guard pace.isEnough(buffer.readableBytes, at: .now) else { throw FetchFailure.timeout }
                if let wait = rate?.wait(for: buffer.readableBytes), wait > .zero {
                    try await Task.sleep(for: wait)
                    pace.pause(for: wait)
                }
            }
            try decoder?.finish()
            if head.coding == nil, let length = head.declaredLength, length != received { throw FetchFailure.truncated }
        } catch {
            try Task.checkCancellation()
            throw await failure(error, request.url, hasBegun: hasBegun)
        }
    }

    /// What became of a request, with the reason why a certificate isn't trusted.
    private func failure(_ cause: any Error, _ url: WebURL, hasBegun: Bool) async -> FetchFailure {
        let failure = FetchFailure(cause: cause, hasBegun: hasBegun, isProxied: options.proxy != nil)
        guard options.proxy == nil, let now = options.now, let host = url.host,
            ConnectionTrouble(cause) == .untrusted(nil)
        else { return failure }
        let isNamed = options.allowsPrivate || options.namedHosts.contains(host)
        let isLocal = options.localNames.contains(host)
        guard let address = await addresses.address(of: url, isLocal: isLocal, isPublic: !isNamed) else {
            return failure
        }
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        let reason = await CertificateProbe.distrust(of: name, at: address, now: now.secondsSinceEpoch)
        return .tls(ConnectionTrouble.untrusted(reason).words)
    }

    /// Who sends the request, and how it is put.
    private func route(_ request: FetchRequest) async throws -> (HTTPClient, HTTPClientRequest) {
        let url = request.url
        let fields = request.fields.map { ($0.name.rawName, $0.value) }
        if let proxy = options.proxy {
            guard url.scheme == "http" else { return (clients.open, HTTPClientRequest(url, fields: fields)) }
            let authorization = proxy.credentials.map { [("Proxy-Authorization", $0.fieldValue)] } ?? []
            let outgoing = HTTPClientRequest(url, forwardedBy: proxy.origin, fields: authorization + fields)
            return (clients.forwarding, outgoing)
        }
        let outgoing = HTTPClientRequest(url, fields: fields)
        if options.allowsPrivate || options.namedHosts.contains(url.host ?? "") { return (clients.open, outgoing) }
        try await addresses.requirePublic(url)
        return (clients.guarded, outgoing)
    }
}

extension FetchHead {
    fileprivate init(_ response: HTTPClientResponse) throws(FetchFailure) {
        var fields = HTTPFields()
        for (name, value) in response.headers {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        try self.init(status: Int(response.status.code), reason: response.status.reasonPhrase, received: fields)
    }

    init(status: Int, reason: String, received fields: HTTPFields) throws(FetchFailure) {
        self.init(status: status, reason: reason, fields: fields)
        escapeLocation()
        guard fields.contains(.contentEncoding) else { return }
        let codings = fields[values: .contentEncoding].flatMap { $0.split(separator: ",") }
            .map { $0.trimmingSpace().lowercased() }
            .filter { $0 != "identity" && !$0.isEmpty }
        guard let coding = codings.first else { return }
        guard codings.count == 1, ["gzip", "x-gzip", "deflate"].contains(coding) else {
            throw .coding(codings.joined(separator: ", "))
        }
        // RFC 9110 §8.4.1.3: the old name means the same.
        self.coding = coding == "x-gzip" ? "gzip" : coding
    }

    /// Percent-encodes the bytes beyond ASCII of a Location that is no UTF-8, as browsers do; nothing else is known of them.
    private mutating func escapeLocation() {
        guard let place = fields.firstIndex(where: { $0.name == .location }) else { return }
        let escaped = fields[place].withUnsafeBytesOfValue { bytes -> String? in
            guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
            return PercentEncodeSet.c0Control.encode(bytes)
        }
        if let escaped { fields[place].value = escaped }
    }

    /// Whether the client leaves the coding on the body, as it knows only the newer of its names.
    fileprivate var isUnderOldName: Bool {
        coding == "gzip" && fields[.contentEncoding]?.lowercased().contains("x-gzip") == true
    }

    /// What Content-Length says, where Transfer-Encoding doesn't overrule it (RFC 9112 §6.3).
    fileprivate var declaredLength: Int64? {
        fields[.transferEncoding] == nil ? fields.value(of: .contentLength).flatMap { Int64($0) } : nil
    }
}

extension Substring {
    fileprivate func trimmingSpace() -> Substring {
        var text = self
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
