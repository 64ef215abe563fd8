#if AsyncHTTPClient
internal import AFCHTTP
public import AFCResolver
internal import AFCURL
public import AsyncHTTPClient
public import HTTPTypes
public import NIOCore
internal import NIOHTTP1

/// A transport that sends a cache's requests to origins with an `HTTPClient`: its connections, its proxy, its TLS
/// settings and its tracing.
///
/// The client should neither follow redirects nor decode content codings, as
/// ``AsyncHTTPClient/HTTPClient/Configuration/forCache`` says. If it follows redirects, a redirect is stored as the
/// origin sent it, and its target is requested twice. If it decodes a body, reading the body fails with a sentence.
/// Interim responses (RFC 9110 §15.2) aren't passed on, and field values that aren't UTF-8 are repaired, as the client
/// does it.
public struct HTTPClientTransport: OriginTransport {
    private let client: HTTPClient
    private let timeout: TimeAmount

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - client: The client; shutting it down is left to its owner.
    ///   - timeout: The time in which the head of a response must arrive.
    public init(_ client: HTTPClient, timeout: TimeAmount = .seconds(60)) {
        self.client = client
        self.timeout = timeout
    }

    /// Sends a request and waits for the head of the final response.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - interim: A closure that is never called.
    /// - Returns: The response, whose body is still arriving.
    /// - Throws: `TransportFailure` if there is no response.
    public func send(
        _ request: TransportRequest,
        interim: @escaping @Sendable (Int, HTTPFields) async -> Void
    ) async throws(TransportFailure) -> TransportResponse {
        do {
            let response = try await client.execute(HTTPClientRequest(request), deadline: .now() + timeout)
            return TransportResponse(response, to: request.method)
        } catch {
            throw TransportFailure(client: error)
        }
    }
}

extension HTTPClient.Configuration {
    /// The settings of a client for a cache.
    ///
    /// Redirects aren't followed, since the cache stores and follows them, and bodies aren't decoded. A connection must
    /// be established within 10 s, and a silent origin is given up after 60 s.
    public static var forCache: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: Timeout(connect: .seconds(10), read: .seconds(60)),
            decompression: .disabled
        )
        // An unreachable origin is known at once, and what is stored is served without waiting for further attempts.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }
}

extension HTTPClientRequest {
    /// Creates the request that an origin gets.
    fileprivate init(_ request: TransportRequest) {
        self.init(url: request.url.description)
        method = HTTPMethod(rawValue: request.method.rawValue)
        for field in request.fields where field.name != .contentLength && field.name != .transferEncoding {
            headers.add(name: field.name.rawName, value: field.value)
        }
        // The body of the caller's own request keeps its length, and whether it can be sent twice.
        if let body = request.body as? HTTPClientRequest.Body {
            self.body = body
        } else if let stream = request.body {
            body = .stream(stream, length: request.bodyLength.map { .known($0) } ?? .unknown)
        }
    }
}

extension TransportResponse {
    fileprivate init(_ response: HTTPClientResponse, to method: HTTPRequest.Method) {
        if response.history.count > 1, method == .get || method == .head, let first = response.history.first {
            // The client followed a redirect. Its target has another URL, under which the cache asks for it.
            let fields = HTTPFields(first.responseHead.headers)
            self.init(status: Int(first.responseHead.status.code), fields: fields, bodyLength: 0, body: ClientBody())
            self.fields[.contentLength] = nil
            return
        }
        let status = Int(response.status.code)
        let fields = HTTPFields(response.headers)
        let hasBody = method != .head && status != 204 && status != 304
        self.init(
            status: status,
            fields: fields,
            bodyLength: hasBody ? fields[.contentLength].flatMap { Int64($0) } : 0,
            body: hasBody ? ClientBody(response.body, coding: fields[.contentEncoding]) : ClientBody()
        )
    }
}

extension HTTPFields {
    /// Creates fields from a response's, without Transfer-Encoding; names that aren't tokens are left out.
    fileprivate init(_ headers: HTTPHeaders) {
        self.init()
        for (name, value) in headers {
            guard let name = HTTPField.Name(name), name != .transferEncoding else { continue }
            append(HTTPField(name: name, value: value))
        }
    }
}

/// The body of a response, received as slowly as its reader consumes it.
private struct ClientBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    let body: HTTPClientResponse.Body?
    /// True if the body must begin as gzip does (RFC 1952 §2.3.1).
    let isGzip: Bool

    init() { (body, isGzip) = (nil, false) }

    init(_ body: HTTPClientResponse.Body, coding: String?) {
        self.body = body
        isGzip = coding.map { ["gzip", "x-gzip"].contains($0.lowercased()) } ?? false
    }

    func makeAsyncIterator() -> Iterator { Iterator(pieces: body?.makeAsyncIterator(), isGzip: isGzip) }

    struct Iterator: AsyncIteratorProtocol {
        var pieces: HTTPClientResponse.Body.AsyncIterator?
        /// True until the first byte was seen.
        var isGzip: Bool

        mutating func next() async throws -> ByteBuffer? {
            let piece: ByteBuffer?
            do {
                piece = try await pieces?.next()
            } catch {
                throw TransportFailure(client: error)
            }
            if isGzip, let piece, let first = piece.getInteger(at: piece.readerIndex, as: UInt8.self) {
                isGzip = false
                guard first == 0x1F else { throw TransportFailure.decoded }
            }
            return piece
        }
    }
}

extension TransportFailure {
    /// The failure of a client that decodes bodies, whose bytes then differ from what the fields say.
    fileprivate static let decoded = TransportFailure(
        .malformed,
        "the HTTPClient decodes bodies; create it with 'decompression: .disabled', or don't send Accept-Encoding"
    )

    /// Creates a failure from an error of the client.
    init(client error: any Error) {
        guard !Task.isCancelled else {
            self.init(.cancelled, "the request was cancelled")
            return
        }
        guard let error = error as? HTTPClientError else {
            self.init(cause: error)
            return
        }
        switch error {
        case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout,
            .tlsHandshakeTimeout, .httpProxyHandshakeTimeout, .socksHandshakeTimeout:
            self.init(.timedOut, "the origin took too long: \(error)")
        case .remoteConnectionClosed, .uncleanShutdown, .cancelled, .requestStreamCancelled:
            self.init(.disconnected, "the connection broke: \(error)")
        case .invalidProxyResponse, .redirectLimitReached, .redirectCycleDetected:
            self.init(.malformed, "the response can't be used: \(error)")
        case .proxyAuthenticationRequired: self.init(.unreachable, "the proxy wants credentials")
        default: self.init(.refused, "the HTTPClient can't send the request: \(error)")
        }
    }
}
#endif
