import AFCCache
import AFCHTTP
import AFCResolver
import AFCURL
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@testable import AFCServer

/// The addresses of an origin in the fields that a gateway passes on.
struct GatewayLocationTests {
    @Test(arguments: [
        ("http://o.example", "http://o.example/a?b#c", "/a?b#c"), ("http://o.example", "/a", "/a"),
        ("http://o.example", "http://other.example/a", "http://other.example/a"), ("http://o.example", "b", "b"),
        // A path that begins with two slashes is no host (RFC 3986 §4.2).
        ("http://o.example", "http://o.example//evil.example/", "/.//evil.example/"),
        ("http://o.example", "http://o.example/\\evil.example/", "/.//evil.example/"),
        ("http://o.example", "http://o.example/a/..//evil.example", "/.//evil.example"),
        // The path of the origin comes before that of each request.
        ("http://o.example/base/", "http://o.example/base/home", "/home"),
        ("http://o.example/base", "/base/home", "/home"),
        ("http://o.example/base/", "/base", "/"), ("http://o.example/base/", "/base/?a", "/?a"),
        ("http://o.example/base/", "next", "/next"),
        ("http://o.example/base/", "/base//evil.example", "/.//evil.example"),
        ("http://o.example/base/", "/other", "http://o.example/other"),
        ("http://o.example/base/", "/basement", "http://o.example/basement"),
    ])
    func `a redirect on the origin stays on the gateway`(origin: String, location: String, own: String) async throws {
        let fields = try await Self.answered(origin, [.location: location])
        #expect(fields[.location] == own)
    }

    @Test(arguments: [
        ("http://o.example", "a=1; Path=/base/; HttpOnly", "a=1; Path=/base/; HttpOnly"),
        ("http://o.example/base", "a=1; Path=/base/; HttpOnly", "a=1; Path=/; HttpOnly"),
        ("http://o.example/base", "a=path=/base/x; path=/base/b/c", "a=path=/base/x; path=/b/c"),
        ("http://o.example/base", "a=1;Path=/base", "a=1;Path=/"),
        ("http://o.example/base", "a=1; Path=/", "a=1; Path=/"),
        ("http://o.example/base", "a=1", "a=1"),
    ])
    func `a cookie for the origin's path comes back`(origin: String, cookie: String, own: String) async throws {
        let fields = try await Self.answered(origin, [.setCookie: cookie])
        #expect(fields[.setCookie] == own)
    }

    private static let now = Timestamp(secondsSinceEpoch: 1_700_000_000)

    private static func answered(_ origin: String, _ fields: HTTPFields) async throws -> HTTPFields {
        let scratch = try Scratch()
        let store = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let transport = FixedAnswer(status: fields.contains(.location) ? 302 : 200, fields: fields)
        let resolver = Resolver(store: store, transport: transport, configuration: .init(now: { Self.now }))
        let gateway = GatewayResponder(resolver: resolver, origin: try WebURL(origin), now: { Self.now })
        let request = ServerRequest(
            method: "GET",
            target: "/here",
            hosts: ["localhost"],
            server: ServerIdentity(port: 80)
        )
        let answer = try await gateway.answer(request) { _, _ in }
        await resolver.shutDown()
        return answer.fields
    }
}

/// A transport with one answer for all requests.
private struct FixedAnswer: OriginTransport {
    let status: Int
    let fields: HTTPFields

    func send(
        _ request: TransportRequest,
        interim: @escaping @Sendable (Int, HTTPFields) async -> Void
    ) async throws(TransportFailure) -> TransportResponse {
        let (stream, continuation) = AsyncThrowingStream<ByteBuffer, any Error>.makeStream()
        continuation.finish()
        return TransportResponse(status: status, fields: fields, bodyLength: 0, body: stream)
    }
}
