package import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import NIOTLS

/// Finds out why a server's certificate isn't trusted, which the TLS library doesn't tell.
///
/// It makes one more connection, on which nothing is checked and nothing is sent but a handshake.
package enum CertificateProbe {
    /// Asks a server for its certificate.
    ///
    /// - Parameters:
    ///   - host: The host, a name or an address without brackets.
    ///   - address: Where it is.
    ///   - now: The time, in seconds since 1970.
    ///   - limit: How long the connection and its handshake may take together.
    /// - Returns: Why the certificate isn't trusted, or nil where the server doesn't give it again.
    package static func distrust(
        of host: String,
        at address: SocketAddress,
        now: Int64,
        within limit: Duration
    ) async -> ConnectionTrouble.Distrust? {
        do {
            let certificate = try await certificate(of: host, at: address, within: TimeAmount(limit))
            if now > Int64(certificate.notValidAfter) { return .expired }
            if now < Int64(certificate.notValidBefore) { return .notYetValid }
            return CertificateNames(try certificate.toDERBytes())?.areEqual == true ? .selfSigned : .unknownIssuer
        } catch {
            // The first failure is the one reported; this only adds the reason.
            return nil
        }
    }

    private static func certificate(
        of host: String,
        at address: SocketAddress,
        within limit: TimeAmount
    ) async throws -> NIOSSLCertificate {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        let context = try NIOSSLContext(configuration: configuration)
        let group = MultiThreadedEventLoopGroup.singleton
        let promise = group.next().makePromise(of: NIOSSLCertificate.self)
        let timer = group.next().scheduleTask(in: limit) { promise.fail(ChannelError.connectTimeout(limit)) }
        do {
            let channel = try await ClientBootstrap(group: group)
                .connectTimeout(limit)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        // An address has no name that the server could be asked for.
                        let name = address.ipAddress == host ? nil : host
                        let handler = try NIOSSLClientHandler(context: context, serverHostname: name)
                        try channel.pipeline.syncOperations.addHandlers([handler, HandshakeWatch(promise)])
                    }
                }
                .connect(to: address).get()
            channel.closeFuture.whenComplete { _ in promise.fail(ChannelError.eof) }
            // A server that says nothing would keep the connection open.
            promise.futureResult.whenComplete { _ in channel.close(promise: nil) }
        } catch {
            promise.fail(error)
        }
        defer { timer.cancel() }
        return try await promise.futureResult.get()
    }

    private final class HandshakeWatch: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let promise: EventLoopPromise<NIOSSLCertificate>

        init(_ promise: EventLoopPromise<NIOSSLCertificate>) { self.promise = promise }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            guard case .handshakeCompleted = event as? TLSUserEvent else {
                return context.fireUserInboundEventTriggered(event)
            }
            do {
                if let certificate = try context.pipeline.syncOperations.nioSSL_peerCertificate() {
                    promise.succeed(certificate)
                }
            } catch {
                promise.fail(error)
            }
            context.close(promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            promise.fail(error)
            context.close(promise: nil)
        }
    }
}

/// Issuer and subject of a certificate in DER (RFC 5280 §4.1).
struct CertificateNames {
    /// A Boolean value that is true where both are the same, so that the certificate vouches for itself.
    let areEqual: Bool

    /// Reads a certificate; nil if the bytes are malformed.
    init?(_ bytes: [UInt8]) {
        var certificate = DER(bytes[...])
        guard var outer = certificate.next(0x30), var inner = outer.next(0x30) else { return nil }
        // The version may be left out.
        if inner.tag == 0xA0 { _ = inner.next(0xA0) }
        guard inner.next(0x02) != nil, inner.next(0x30) != nil, let issuer = inner.next(0x30), inner.next(0x30) != nil,
            let subject = inner.next(0x30)
        else { return nil }
        areEqual = issuer.bytes == subject.bytes
    }

    /// Elements one behind the other.
    private struct DER {
        private(set) var bytes: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

        var tag: UInt8? { bytes.first }

        /// Takes an element of a tag, and gives what is in it.
        mutating func next(_ tag: UInt8) -> DER? {
            guard bytes.count >= 2, bytes.first == tag else { return nil }
            var rest = bytes.dropFirst()
            guard let first = rest.popFirst() else { return nil }
            var length = Int(first)
            if first >= 0x80 {
                let count = Int(first & 0x7F)
                guard (1...4).contains(count), rest.count >= count else { return nil }
                length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(count)
            }
            guard length <= rest.count else { return nil }
            bytes = rest.dropFirst(length)
            return DER(rest.prefix(length))
        }
    }
}
