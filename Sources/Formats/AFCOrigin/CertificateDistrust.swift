package import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import NIOTLS

/// A probe that finds the reason that a server's certificate isn't trusted, which the TLS library doesn't report.
///
/// It opens one more connection without verification, over which nothing but a handshake is sent.
package enum CertificateProbe {
    /// Requests a server's certificate and examines it.
    ///
    /// - Parameters:
    ///   - host: The host, a name or an address without brackets.
    ///   - address: The server's address.
    ///   - now: The time, in seconds since 1970.
    ///   - limit: The time for the connection and its handshake together.
    /// - Returns: The reason that the certificate isn't trusted, or nil if the server doesn't send it again.
    package static func distrust(
        of host: String,
        at address: SocketAddress,
        now: Int64,
        within limit: Duration
    ) async -> ConnectionTrouble.Distrust? {
        do {
            let certificate = try await certificate(of: host, at: address, within: TimeAmount(limit))
            return try ConnectionTrouble.Distrust(certificate, now: now)
        } catch {
            // The first failure is reported anyway; this only adds the reason.
            return nil
        }
    }

    private static func certificate(
        of host: String,
        at address: SocketAddress,
        within limit: TimeAmount
    ) async throws -> NIOSSLCertificate {
        var configuration = OriginTrust.configuration
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
                        // The server can't be asked for a name if the host is an address.
                        let name = address.ipAddress == host ? nil : host
                        let handler = try NIOSSLClientHandler(context: context, serverHostname: name)
                        try channel.pipeline.syncOperations.addHandlers([handler, HandshakeWatch(promise)])
                    }
                }
                .connect(to: address).get()
            channel.closeFuture.whenComplete { _ in promise.fail(ChannelError.eof) }
            // A server that stays silent would keep the connection open.
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

extension ConnectionTrouble.Distrust {
    /// Finds the reason that a certificate isn't trusted.
    ///
    /// - Parameters:
    ///   - certificate: A certificate that was found not to be trusted.
    ///   - now: The time, in seconds since 1970.
    /// - Throws: An error if the certificate can't be encoded.
    init(_ certificate: NIOSSLCertificate, now: Int64) throws {
        if now > Int64(certificate.notValidAfter) {
            self = .expired
        } else if now < Int64(certificate.notValidBefore) {
            self = .notYetValid
        } else {
            let names = CertificateNames(try certificate.toDERBytes())
            self = names?.areEqual == true ? .selfSigned : .unknownIssuer
        }
    }
}

/// The issuer and the subject of a certificate in DER (RFC 5280 §4.1).
struct CertificateNames {
    /// True if both are the same, which makes the certificate self-signed.
    let areEqual: Bool

    /// Parses a certificate; nil if the bytes are malformed.
    init?(_ bytes: [UInt8]) {
        var certificate = DER(bytes[...])
        guard var outer = certificate.next(0x30), var inner = outer.next(0x30) else { return nil }
        // The version is optional.
        if inner.tag == 0xA0 { _ = inner.next(0xA0) }
        guard inner.next(0x02) != nil, inner.next(0x30) != nil, let issuer = inner.next(0x30), inner.next(0x30) != nil,
            let subject = inner.next(0x30)
        else { return nil }
        areEqual = issuer.bytes == subject.bytes
    }

    /// A sequence of DER elements.
    private struct DER {
        private(set) var bytes: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

        var tag: UInt8? { bytes.first }

        /// Takes an element with a tag, and returns its contents.
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
