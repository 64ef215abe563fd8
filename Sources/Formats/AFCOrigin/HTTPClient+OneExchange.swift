public import AFCURL
public import AsyncHTTPClient
public import HTTPTypes
public import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2

/// Why a connection that came about isn't used: whom it leads to is not for this client.
public struct UnadmittedPeer: Error {}

extension HTTPClient.Configuration {
    /// A client that carries one exchange after the other as they are: HTTP/1.1, no redirect followed, nothing asked twice,
    /// and targets as URLs say them; see ``AsyncHTTPClient/HTTPClientRequest/init(_:method:fields:)``.
    public static var oneExchange: HTTPClient.Configuration { oneExchange(usesHTTP2: false) }

    /// A client that carries exchanges as they are, over HTTP/2 where it may and the server offers it.
    ///
    /// - Parameters:
    ///   - usesHTTP2: Whether HTTP/2 is asked for over TLS (RFC 7301).
    ///   - admits: Whether a connection to an address is used; where it isn't, its requests fail with ``UnadmittedPeer``
    ///     before anything of them is sent. Nil admits all.
    /// - Returns: The configuration.
    public static func oneExchange(
        usesHTTP2: Bool,
        admits: (@Sendable (SocketAddress) -> Bool)? = nil
    ) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.httpVersion = usesHTTP2 ? .automatic : .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        // Nobody looks at spans, and making them costs each request a fiftieth of its time.
        configuration.tracing.tracer = nil
        configuration.http1_1ConnectionDebugInitializer = { channel in
            let isAdmitted = isAdmitted(channel, by: admits)
            // Bodies come in few large pieces, each of which costs a way through all handlers.
            let pieces = FixedSizeRecvByteBufferAllocator(capacity: 64 << 10)
            return channel.setOption(.recvAllocator, value: pieces).flatMap {
                RequestTargetWriter.add(to: channel, after: HTTPRequestEncoder.self, isAdmitted: isAdmitted)
            }.flatMap {
                InterimLimit.add(to: channel, after: ByteToMessageHandler<HTTPResponseDecoder>.self)
            }
        }
        configuration.http2StreamChannelDebugInitializer = { stream in
            let isAdmitted = isAdmitted(stream.parent, by: admits)
            let codec = HTTP2FramePayloadToHTTP1ClientCodec.self
            return InterimLimit.add(to: stream, after: codec).flatMap {
                RequestTargetWriter.add(to: stream, after: codec, isAdmitted: isAdmitted)
            }
        }
        return configuration
    }

    private static func isAdmitted(_ channel: (any Channel)?, by admits: (@Sendable (SocketAddress) -> Bool)?) -> Bool {
        guard let admits else { return true }
        return channel?.remoteAddress.map(admits) ?? false
    }
}

extension HTTPClientRequest {
    /// A request for a URL; only a client made with `oneExchange` may send it.
    ///
    /// - Parameters:
    ///   - url: The resource.
    ///   - method: The method.
    ///   - fields: The fields; Host comes from the URL where it isn't among them, and goes before all others.
    public init(_ url: WebURL, method: HTTPRequest.Method = .get, fields: [(String, String)]) {
        self.init(url: url.origin + "/", target: url.requestTarget, method: method, url, fields)
    }

    /// A request for an http URL that a proxy is to forward (RFC 9112 §3.2.2); only a client made with `oneExchange` may
    /// send it.
    ///
    /// - Parameters:
    ///   - url: The resource.
    ///   - proxy: The proxy's origin, as in `http://proxy.example:3128`.
    ///   - fields: The fields; Host comes from the URL.
    public init(_ url: WebURL, forwardedBy proxy: String, fields: [(String, String)]) {
        self.init(url: proxy + "/", target: url.origin + url.requestTarget, method: .get, url, fields)
    }

    private init(
        url connected: String,
        target: String,
        method: HTTPRequest.Method,
        _ url: WebURL,
        _ fields: [(String, String)]
    ) {
        self.init(url: connected)
        self.method = HTTPMethod(rawValue: method.rawValue)
        let hasHost = fields.contains { $0.0.utf8.count == 4 && $0.0.lowercased() == "host" }
        let leading = hasHost ? [] : [("Host", url.authority)]
        headers = HTTPHeaders(leading + [(RequestTargetWriter.fieldName, target)] + fields)
    }
}
