import AFCCache
import AFCCaching
import AFCHTTP
import AFCOrigin
import AFCURL
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import AFCResolver

/// The kinds of errors in Proxy-Status (RFC 9209 §2.3).
struct ProxyErrorTests {
    @Test(
        arguments: [
            (.unknownHost, "dns_error"), (.refused, "connection_refused"), (.unconnected, "connection_timeout"),
            (.timeout, "http_response_timeout"), (.slow, "http_response_timeout"), (.reset, "connection_terminated"),
            (.unreachable, "destination_ip_unroutable"), (.cut, "http_response_incomplete"),
            (.notHTTP("x"), "http_protocol_error"), (.limit("x"), "http_protocol_error"),
            (.busy, "connection_limit_reached"), (.noDescriptor, "connection_limit_reached"),
            (.proxyCredentials, "destination_unavailable"), (.proxyAnswer(403), "destination_unavailable"),
            (.untrusted(nil), "tls_certificate_error"), (.untrusted(.selfSigned), "tls_certificate_error"),
            (.untrusted(.expired(Timestamp(secondsSinceEpoch: 0))), "tls_certificate_error"),
            (.wrongHost([]), "tls_certificate_error"), (.unaccepted, "tls_certificate_error"),
            (.unnamedHost, "tls_certificate_error"), (.notTLS, "tls_protocol_error"), (.tls("x"), "tls_protocol_error"),
        ] as [(ConnectionTrouble, String)]
    )
    func `a failed connection has its kind of error, and its words as details`(
        trouble: ConnectionTrouble,
        error: String
    ) throws {
        let failure = TransportFailure(cause: trouble)
        let status = try #require(failure.proxyStatus)
        #expect(status.error?.rawValue == error && status.details == failure.message)
    }

    @Test(
        arguments: [
            (TransportFailure(.forbidden, "x"), "destination_ip_prohibited"),
            (TransportFailure(.timedOut, "x", error: .dnsTimeout), "dns_timeout"),
            (TransportFailure(.refused, "x"), "proxy_internal_error"),
            (TransportFailure(.malformed, "x"), "http_protocol_error"),
            (TransportFailure(cause: WireError.closed), "connection_terminated"),
            (TransportFailure(cause: WireError.truncated), "http_response_incomplete"),
            (TransportFailure.cancelled, nil),
        ] as [(TransportFailure, String?)]
    )
    func `other failures, too`(failure: TransportFailure, error: String?) {
        #expect(failure.proxyStatus?.error?.rawValue == error)
    }

    @Test(arguments: [500, 502, 503, 504])
    func `§2_1_4: a response in place of an origin's error names that error's status`(status: Int) async throws {
        let origin = FakeOrigin { _, number in
            number == 1
                ? FakeOrigin.Answer(fields: [("Cache-Control", "max-age=60, stale-if-error=600")], body: ["one"])
                : FakeOrigin.Answer(status: status, fields: [("Proxy-Status", "cdn; error=dns_error")], body: ["x"])
        }
        let scratch = try Scratch()
        let time = Mutex(Timestamp(secondsSinceEpoch: 1_800_000_000))
        let now: @Sendable () -> Timestamp = { time.withLock { $0 } }
        let store = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let resolver = Resolver(store: store, transport: origin, configuration: .init(now: now))
        let url = try WebURL("http://docs.example/a")
        _ = try await resolver.respond(to: ResolverRequest(url: url)).text()
        time.withLock { $0 = $0 + 100 }
        let stale = try await resolver.respond(to: ResolverRequest(url: url))
        #expect(stale.source == .stale && stale.fields[.proxyStatus] == "afcache; received-status=\(status)")
        // What passes through keeps the members of others.
        let passed = try await resolver.respond(to: ResolverRequest(method: .post, url: url))
        #expect(passed.status.code == status && passed.fields[.proxyStatus] == "cdn; error=dns_error")
    }
}
