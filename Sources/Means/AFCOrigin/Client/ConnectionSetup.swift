internal import AFCURL
internal import HTTPTypes
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import NIOSSL
internal import NIOTLS

/// A connection that is ready to carry requests.
enum ReadyConnection: Sendable {
    /// A connection for one exchange at a time, over HTTP/1.1 or as raw bytes.
    case single(OriginConnection)
    /// A connection for streams of HTTP/2.
    case shared(SharedConnection)
}

/// The handler that prepares a connection before a request is sent: a proxy's CONNECT, then TLS, as needed.
///
/// Its last step adds the handlers for requests to the pipeline before any other byte is read.
final class ConnectionSetup: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// A proxy's CONNECT (RFC 9110 §9.3.6).
    struct Tunnel: Sendable {
        /// The origin's host, as a URL serializes it, and its port.
        var authority: String
        /// The value of Proxy-Authorization.
        var authorization: String?

        fileprivate var head: ByteBuffer {
            let proof = authorization.map { "Proxy-Authorization: \($0)\r\n" } ?? ""
            return ByteBuffer(string: "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\(proof)\r\n")
        }
    }

    private let security: NIOSSLClientHandler
    private let verifies: Bool
    private let address: [UInt8]?
    private let isAccepted: ((NIOSSLCertificate) -> Bool)?
    private let timeout: TimeAmount
    private let clock: (@Sendable () -> Int64)?
    private let promise: EventLoopPromise<ReadyConnection>
    private let finish: (any Channel, _ isHTTP2: Bool) throws -> ReadyConnection
    private var tunnel: Tunnel?
    private var parser = ResponseParser(method: .connect)
    private var input = ByteBuffer()
    private var timer: Scheduled<Void>?

    /// Creates the handler.
    ///
    /// - Parameters:
    ///   - tunnel: The CONNECT request to a proxy, or nil for none.
    ///   - security: The TLS handler; without a tunnel it is already in the pipeline, before this one.
    ///   - verifies: True if the certificate must name the host in a subjectAltName (RFC 9525 §6.3), in place of which the
    ///     TLS library also accepts a common name.
    ///   - address: The bytes of the address that the certificate must name, or nil if TLS checks the host.
    ///   - isAccepted: A closure that decides about the server's certificate once TLS trusts it, or nil for none.
    ///   - timeout: The time for the whole setup, counted from the connection.
    ///   - clock: The clock by which an untrusted certificate is examined, or nil to not examine it.
    ///   - promise: The promise of the result.
    ///   - finish: A closure that adds the handlers for requests to the pipeline.
    init(
        _ tunnel: Tunnel?,
        _ security: NIOSSLClientHandler,
        verifies: Bool,
        address: [UInt8]?,
        isAccepted: ((NIOSSLCertificate) -> Bool)?,
        timeout: TimeAmount,
        clock: (@Sendable () -> Int64)?,
        promise: EventLoopPromise<ReadyConnection>,
        finish: @escaping (any Channel, _ isHTTP2: Bool) throws -> ReadyConnection
    ) {
        self.tunnel = tunnel
        self.security = security
        self.verifies = verifies
        self.address = address
        self.isAccepted = isAccepted
        self.timeout = timeout
        self.clock = clock
        self.promise = promise
        self.finish = finish
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        promise.fail(ChannelError.ioOnClosedChannel)
    }

    func channelActive(context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: timeout) {
            let (setup, context) = bound.value
            setup.fail(ConnectionTrouble.timeout, context)
        }
        if let tunnel { context.writeAndFlush(wrapOutboundOut(tunnel.head), promise: nil) }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        input.writeBuffer(&bytes)
        guard tunnel != nil else { return fail(ConnectionTrouble.notTLS, context) }
        do throws(WireError) {
            while let event = try parser.next(&input) {
                guard case .head(let head, _) = event else { continue }
                guard head.status != 407 else { return fail(ConnectionTrouble.proxyCredentials, context) }
                // Further bytes would come from the proxy itself, and not from the origin.
                guard (200..<300).contains(head.status), input.isEmpty else {
                    return fail(ConnectionTrouble.proxyAnswer(head.status), context)
                }
                tunnel = nil
                return secure(context)
            }
        } catch {
            fail(ConnectionTrouble.proxyAnswer(nil), context)
        }
    }

    private func secure(_ context: ChannelHandlerContext) {
        do {
            try context.pipeline.syncOperations.addHandler(security, position: .before(self))
        } catch {
            fail(error, context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted(let version) = event as? TLSUserEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        guard !verifies || hasNames(context) else { return fail(ConnectionTrouble.unnamedHost, context) }
        guard isForAddress(context) else { return fail(ConnectionTrouble.wrongHost(hosts(context)), context) }
        guard isAccepted(context) else { return fail(ConnectionTrouble.unaccepted, context) }
        do {
            promise.succeed(try finish(context.channel, version == "h2"))
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        } catch {
            fail(error, context)
        }
    }

    /// Returns true if the certificate has a subjectAltName with a host.
    private func hasNames(_ context: ChannelHandlerContext) -> Bool {
        names(context).contains { $0.nameType == .dnsName || $0.nameType == .ipAddress }
    }

    private func names(_ context: ChannelHandlerContext) -> [_SubjectAlternativeName] {
        let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()
        return certificate.map { Array($0._subjectAlternativeNames()) } ?? []
    }

    /// Returns the hosts that the certificate names.
    private func hosts(_ context: ChannelHandlerContext) -> [String] {
        names(context).compactMap { name in
            switch name.nameType {
            case .dnsName: return String(decoding: name.contents, as: UTF8.self)
            case .ipAddress:
                let bytes = Array(name.contents)
                return bytes.count == 4 ? bytes.map(String.init).joined(separator: ".") : nil
            default: return nil
            }
        }
    }

    /// Returns true if the certificate names the address itself, as it must (RFC 9110 §4.3.5).
    private func isForAddress(_ context: ChannelHandlerContext) -> Bool {
        guard let address else { return true }
        return names(context).contains { $0.nameType == .ipAddress && $0.contents.elementsEqual(address) }
    }

    /// Returns true if the program accepts the server's certificate; without a certificate there is nothing to accept.
    private func isAccepted(_ context: ChannelHandlerContext) -> Bool {
        guard let isAccepted else { return true }
        guard let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate() else { return false }
        return isAccepted(certificate)
    }

    func channelInactive(context: ChannelHandlerContext) {
        promise.fail(WireError.closed)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(explained(error, context), context) }

    /// Returns the error or, for an untrusted certificate, the reason that it isn't trusted.
    private func explained(_ error: any Error, _ context: ChannelHandlerContext) -> any Error {
        if case .wrongHost = ConnectionTrouble(error) { return ConnectionTrouble.wrongHost(hosts(context)) }
        guard let clock, ConnectionTrouble(error) == .untrusted(nil) else { return error }
        do {
            // BoringSSL keeps the certificate of a handshake that failed.
            guard let certificate = try context.pipeline.syncOperations.nioSSL_peerCertificate() else { return error }
            return ConnectionTrouble.untrusted(try ConnectionTrouble.Distrust(certificate, now: clock()))
        } catch {
            // It can't be parsed, which is a reason not to trust it.
            return ConnectionTrouble.untrusted(nil)
        }
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        promise.fail(error)
        context.close(promise: nil)
    }
}

/// A connection of HTTP/2 as tasks use it.
struct SharedConnection: Sendable {
    let channel: any Channel
    private let streams: NIOLoopBound<StreamOpener>

    /// Adds HTTP/2 to a pipeline, on its loop.
    ///
    /// - Parameters:
    ///   - channel: The connection, after its handshake.
    ///   - options: The options of exchanges.
    ///   - onEnd: A closure called when the connection takes no more streams.
    /// - Throws: An error of the pipeline.
    init(
        _ channel: any Channel,
        _ options: ExchangeOptions,
        onEnd: @escaping (SharedConnection) -> Void
    ) throws {
        self.channel = channel
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings =
            nioDefaultSettings + [
                HTTP2Setting(parameter: .enablePush, value: 0),
                HTTP2Setting(parameter: .maxHeaderListSize, value: WireLimits().headBytes),
            ]
        // A head of the largest size comes in frames of 16 KiB.
        connection.maximumSequentialContinuationFrames = WireLimits().headBytes >> 14
        // A stream with a malformed head, or a body whose length differs from it, fails by itself, and must not end the
        // others.
        connection.contentLengthValidation = .disabled
        connection.headerBlockValidation = .disabled
        connection.targetWindowSize = 8 << 20
        var stream = NIOHTTP2Handler.StreamConfiguration()
        // A stream whose reader waits keeps its window in memory, in the frames in which it arrived.
        stream.targetWindowSize = 1 << 20
        let pipeline = channel.pipeline.syncOperations
        let multiplexer = try pipeline.configureHTTP2Pipeline(
            mode: .client,
            connectionConfiguration: connection,
            streamConfiguration: stream
        ) { $0.eventLoop.makeFailedFuture(WireError("the server sent an unrequested stream (HTTP/2 push)")) }
        let opener = StreamOpener(multiplexer, options)
        try pipeline.addHandler(opener)
        streams = NIOLoopBound(opener, eventLoop: channel.eventLoop)
        let own = self
        opener.onEnd = { onEnd(own) }
    }

    /// Opens a stream; nil if the connection takes no more.
    func open() async throws -> OriginConnection? {
        let streams = streams
        let loop = channel.eventLoop
        return try await loop.flatSubmit {
            guard let stream = streams.value.open() else { return loop.makeSucceededFuture(nil) }
            return stream.map { $0 }
        }.get()
    }
}

/// The event loop's side of an HTTP/2 connection: opens streams until the server refuses more, and closes the
/// connection when it is idle.
private final class StreamOpener: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    var onEnd: (() -> Void)?
    /// The reason that the connection ends, if it lies in the response of its only stream.
    private(set) var problem: WireError?
    private let multiplexer: NIOHTTP2Handler.StreamMultiplexer
    private let options: ExchangeOptions
    private var context: ChannelHandlerContext?
    private var streams = 0
    private var idleSince = NIODeadline.now()
    private var lastRead = NIODeadline.now()
    private var hasTimer = false

    init(_ multiplexer: NIOHTTP2Handler.StreamMultiplexer, _ options: ExchangeOptions) {
        self.multiplexer = multiplexer
        self.options = options
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        schedule(options.idle)
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Opens a stream; nil if the connection takes no more.
    func open() -> EventLoopFuture<OriginConnection>? {
        guard onEnd != nil, let context else { return nil }
        streams += 1
        let options = options
        let own = NIOLoopBound(self, eventLoop: context.eventLoop)
        let promise = context.eventLoop.makePromise(of: (any Channel).self)
        multiplexer.createStreamChannel(promise: promise) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(ExchangeHandler<HTTP2Wire>(options))
            }
        }
        let isolated = promise.futureResult.assumeIsolated()
        isolated.whenComplete { result in
            guard case .success(let stream) = result else { return self.streamEnded() }
            stream.closeFuture.assumeIsolated().whenComplete { _ in self.streamEnded() }
        }
        return promise.futureResult.flatMapThrowing { stream in
            let driver = try stream.pipeline.syncOperations.handler(type: ExchangeHandler<HTTP2Wire>.self)
            driver.onSilence = { own.value.noteSilence() }
            driver.reasonOfLoss = { own.value.problem }
            return OriginConnection(channel: stream, driver: driver)
        }
    }

    private func streamEnded() {
        streams -= 1
        idleSince = .now()
        if streams == 0, onEnd == nil { context?.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .goAway = unwrapInboundIn(data).payload { end() }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        lastRead = .now()
        context.fireChannelReadComplete()
    }

    /// Notes that a stream timed out.
    ///
    /// If the connection was silent for half of that time, since its settings may have come late, the next request uses
    /// another connection.
    private func noteSilence() { if 2 * (NIODeadline.now() - lastRead) >= options.patience { end() } }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isLongHead =
            error is NIOHPACKErrors.MaxHeaderListSizeViolation || error is NIOHTTP2Errors.ExcessivelyLargeHeaderBlock
            || error is NIOHTTP2Errors.ExcessiveContinuationFrames
        if isLongHead, streams == 1 { problem = .longHead(WireLimits().headBytes) }
        end()
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        // SwiftNIO's HTTP/2 (1.46) lists the streams for which frames came until the read ends, and a connection that is
        // closed while it is being read gets no end of it: without this one, the list would keep them in memory.
        context.pipeline.syncOperations.fireChannelReadComplete()
        context.fireChannelInactive()
    }

    private func end() {
        onEnd?()
        onEnd = nil
        if streams == 0 { context?.close(promise: nil) }
    }

    private func schedule(_ delay: TimeAmount) {
        guard !hasTimer, let context else { return }
        hasTimer = true
        context.eventLoop.assumeIsolated().scheduleTask(in: delay) { self.check() }
    }

    private func check() {
        hasTimer = false
        guard streams == 0 else { return schedule(options.idle) }
        let rest = options.idle - (.now() - idleSince)
        if rest > .zero { schedule(rest) } else { end() }
    }
}
