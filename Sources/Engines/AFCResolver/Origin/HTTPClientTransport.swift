internal import AFCCaching
internal import AFCOrigin
internal import AFCText
internal import AFCURL
internal import AsyncHTTPClient
public import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

/// HTTP/1.1 to origins by AsyncHTTPClient, for programs that have it anyway.
///
/// It follows no redirect and decodes no content coding. Interim responses can't be seen by it, since AsyncHTTPClient drops
/// them, and bytes of field values that aren't UTF-8 are lost; ``DirectTransport`` knows neither limit.
public final class HTTPClientTransport: OriginTransport {
    private let client: HTTPClient

    /// Creates a transport with a client of its own, whose connections close when the transport and its bodies have gone.
    ///
    /// - Parameters:
    ///   - limits: What bounds it.
    ///   - certificates: A PEM file with authorities to trust besides the system's, or nil.
    ///   - verifiesCertificates: Whether https origins must prove who they are.
    public init(
        limits: DirectTransport.Limits = DirectTransport.Limits(),
        certificates: String? = nil,
        verifiesCertificates: Bool = true
    ) {
        var tls = TLSConfiguration.makeClientConfiguration()
        if !verifiesCertificates { tls.certificateVerification = .none }
        if let certificates { tls.additionalTrustRoots = [.file(certificates)] }
        var configuration = HTTPClient.Configuration.oneExchange
        configuration.tlsConfiguration = tls
        configuration.timeout.connect = .seconds(limits.connectSeconds)
        configuration.timeout.read = .seconds(limits.silentSeconds)
        configuration.connectionPool.idleTimeout = .seconds(limits.idleSeconds)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = limits.connectionsPerOrigin
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit {
        // Nobody is left who could be told that a connection was still in use.
        client.shutdown { _ in }
    }

    /// Sends a request and waits for the head of the final response.
    ///
    /// - Parameters:
    ///   - request: What to send.
    ///   - interim: Never called.
    /// - Returns: The response, its body still on the way.
    /// - Throws: ``TransportFailure`` where no response came.
    public func send(
        _ request: TransportRequest,
        interim: @escaping @Sendable (Int, HTTPFields) async -> Void
    ) async throws(TransportFailure) -> TransportResponse {
        guard request.url.isHTTP else {
            throw TransportFailure(.unreachable, "'\(request.url)' is no http or https URL")
        }
        do {
            return try await exchange(request)
        } catch {
            // RFC 9110 §9.2.2: the origin may have closed a kept connection just before the request came.
            guard error.code == .disconnected, request.body == nil, request.method.isIdempotent else { throw error }
            return try await exchange(request)
        }
    }

    private func exchange(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        do {
            let response = try await client.execute(outgoing(request), deadline: .now() + .hours(24))
            var fields = HTTPFields()
            for (name, value) in response.headers {
                guard let name = HTTPField.Name(name) else { continue }
                fields.append(HTTPField(name: name, value: value))
            }
            let length = bodyLength(of: response, to: request.method)
            fields[.transferEncoding] = nil
            return TransportResponse(
                status: Int(response.status.code),
                fields: fields,
                bodyLength: length,
                body: HTTPClientBody(body: response.body, transport: self)
            )
        } catch {
            throw Task.isCancelled ? .cancelled : TransportFailure(ofClient: error)
        }
    }

    private func outgoing(_ request: TransportRequest) -> HTTPClientRequest {
        var fields = request.fields
        fields[.contentLength] = nil
        fields[.transferEncoding] = nil
        var outgoing = HTTPClientRequest(
            request.url,
            method: request.method,
            fields: fields.map { ($0.name.rawName, $0.value) }
        )
        if let body = request.body {
            outgoing.body = .stream(body, length: request.bodyLength.map { .known($0) } ?? .unknown)
        }
        return outgoing
    }

    /// RFC 9112 §6.3; what contradicts it was refused by the parser.
    private func bodyLength(of response: HTTPClientResponse, to method: HTTPRequest.Method) -> Int64? {
        if method == .head || [204, 304].contains(response.status.code) { return 0 }
        guard !response.headers.contains(name: "Transfer-Encoding") else { return nil }
        return response.headers.first(name: "Content-Length").flatMap { Int64($0) }
    }
}

/// The body of a response; keeps the client that it comes from.
private struct HTTPClientBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    let body: HTTPClientResponse.Body
    let transport: HTTPClientTransport

    func makeAsyncIterator() -> Iterator {
        Iterator(pieces: body.makeAsyncIterator(), transport: transport)
    }

    struct Iterator: AsyncIteratorProtocol {
        var pieces: HTTPClientResponse.Body.AsyncIterator
        let transport: HTTPClientTransport

        mutating func next() async throws -> ByteBuffer? {
            do {
                return try await pieces.next()
            } catch {
                throw Task.isCancelled ? TransportFailure.cancelled : TransportFailure(ofClient: error)
            }
        }
    }
}

extension HTTPField.Name {
    static let host = HTTPField.Name("Host") ?? .server
}
