import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// A proxy on 127.0.0.1 that carries connections (CONNECT, RFC 9110 §9.3.6), whatever their host, to ports of this machine.
public final class ConnectProxy: Sendable {
    /// `http://127.0.0.1:PORT`.
    public let base: String
    private let state: NIOLockedValueBox<[[String]]>

    private init(base: String, state: NIOLockedValueBox<[[String]]>) {
        self.base = base
        self.state = state
    }

    /// The heads of all requests, line by line.
    public var heads: [[String]] { state.withLockedValue { $0 } }

    /// Runs a proxy while the body runs.
    ///
    /// - Parameters:
    ///   - authorization: What Proxy-Authorization must say, or nil: anything.
    ///   - body: Runs while the proxy does.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, or why the proxy can't listen.
    public static func withProxy<Result>(
        authorization: String? = nil,
        _ body: (ConnectProxy) async throws -> Result
    ) async throws -> Result {
        let state = NIOLockedValueBox<[[String]]>([])
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let carrier = Carrier(authorization: authorization, state: state)
                    try channel.pipeline.syncOperations.addHandler(carrier)
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        let proxy = ConnectProxy(base: "http://127.0.0.1:\(channel.localAddress?.port ?? 0)", state: state)
        do {
            let result = try await body(proxy)
            try await channel.close()
            return result
        } catch {
            try await channel.close()
            throw error
        }
    }
}

/// The client's side of a connection.
private final class Carrier: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let authorization: String?
    private let state: NIOLockedValueBox<[[String]]>
    private var text = ""
    private var other: (any Channel)?

    init(authorization: String?, state: NIOLockedValueBox<[[String]]>) {
        self.authorization = authorization
        self.state = state
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if let other { return other.writeAndFlush(bytes, promise: nil) }
        text += String(buffer: bytes)
        guard text.hasSuffix("\r\n\r\n") else { return }
        let lines = text.split(separator: "\r\n").map(String.init)
        state.withLockedValue { $0.append(lines) }
        let words = (lines.first ?? "").split(separator: " ")
        guard words.count == 3, words[0] == "CONNECT",
            let port = words[1].split(separator: ":").last.flatMap({ Int($0) })
        else { return refuse("400 Bad Request", context) }
        if let authorization,
            !lines.contains(where: { $0.lowercased() == "proxy-authorization: \(authorization)".lowercased() })
        {
            return refuse("407 Proxy Authentication Required", context)
        }
        connect(to: port, context)
    }

    func channelInactive(context: ChannelHandlerContext) { other?.closeAfterFlush() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func refuse(_ status: String, _ context: ChannelHandlerContext) {
        let answer = context.channel.allocator.buffer(string: "HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n")
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    }

    private func connect(to port: Int, _ context: ChannelHandlerContext) {
        let client = context.channel
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        ClientBootstrap(group: context.eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Returner(client: client))
                }
            }
            .connect(host: "127.0.0.1", port: port)
            .whenComplete { result in
                let (carrier, context) = bound.value
                switch result {
                case .success(let channel):
                    carrier.other = channel
                    let answer = context.channel.allocator.buffer(string: "HTTP/1.1 200 Connected\r\n\r\n")
                    context.writeAndFlush(carrier.wrapOutboundOut(answer), promise: nil)
                case .failure: carrier.refuse("502 Bad Gateway", context)
                }
            }
    }
}

/// The origin's side of a connection.
private final class Returner: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let client: any Channel

    init(client: any Channel) { self.client = client }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        client.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { client.closeAfterFlush() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

extension Channel {
    /// Closes when everything written before is in the socket; a close alone would drop what waits for room there.
    fileprivate func closeAfterFlush() {
        writeAndFlush(ByteBuffer()).whenComplete { [self] _ in close(promise: nil) }
    }
}
