import AFCAuthority
import AFCCaching
import AFCHTTP
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL
import NIOTLS

extension TestOrigin {
    /// Runs an origin with TLS on 127.0.0.1 while the body runs.
    ///
    /// - Parameters:
    ///   - routes: What each target is answered, as in ``withOrigin(_:_:)``.
    ///   - host: Whom the certificate is for, and what the base names.
    ///   - protocols: What ALPN offers, of `h2` and `http/1.1`; without any of them the connection is HTTP/1.1.
    ///   - body: Runs while the origin does; it gets the PEM of who signed the certificate.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, or why the origin can't listen.
    public static func withSecureOrigin<Result>(
        _ routes: [String: [Answer]],
        host: String = "docs.example",
        protocols: [String] = ["h2", "http/1.1"],
        _ body: (TestOrigin, String) async throws -> Result
    ) async throws -> Result {
        let now = Timestamp(secondsSinceEpoch: Int64(Date().timeIntervalSince1970))
        let authority = try CertificateAuthority.make(name: "test", days: 2, at: now)
        let issued = try authority.issue(for: CertifiedHost(host), key: ServerKey(), at: now)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try issued.chain.map { .certificate(try NIOSSLCertificate(bytes: $0, format: .der)) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: issued.privateKey, format: .der))
        )
        configuration.applicationProtocols = protocols
        let context = try NIOSSLContext(configuration: configuration)
        let state = NIOLockedValueBox(State(routes: routes))
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    state.withLockedValue { $0.connections += 1 }
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    let negotiation = ApplicationProtocolNegotiationHandler { result, channel in
                        channel.eventLoop.makeCompletedFuture {
                            try add(to: channel, isHTTP2: result == .negotiated("h2"), state)
                        }
                    }
                    try pipeline.addHandler(negotiation)
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        let port = channel.localAddress?.port ?? 0
        let origin = TestOrigin(base: "https://\(host):\(port)", port: port, state: state)
        do {
            let result = try await body(origin, authority.certificate.pem)
            try await channel.close()
            return result
        } catch {
            try await channel.close()
            throw error
        }
    }

    private static func add(to channel: any Channel, isHTTP2: Bool, _ state: NIOLockedValueBox<State>) throws {
        let pipeline = channel.pipeline.syncOperations
        guard isHTTP2 else { return try pipeline.addHandler(Connection(state: state)) }
        let multiplexer = HTTP2StreamMultiplexer(mode: .server, channel: channel) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(StreamAnswerer(state: state))
            }
        }
        try pipeline.addHandler(NIOHTTP2Handler(mode: .server, headerBlockValidation: .disabled))
        try pipeline.addHandler(multiplexer)
    }
}
