import NIOCore
import NIOPosix
import Synchronization

@testable import AFCResolver

/// A server on a free port that answers each request's head with the bytes that a closure gives, whatever they are.
final class ScriptedOrigin: Sendable {
    /// What the server does next.
    enum Step: Sendable {
        case send(String)
        case bytes([UInt8])
        /// The text comes again and again.
        case drip(String)
        /// Nothing more is read.
        case stopReading
        /// The connection is closed, though not all may have been sent.
        case close
        /// The connection is closed when all was sent.
        case finish
        /// The connection is reset when all was sent.
        case reset

        var isReset: Bool { if case .reset = self { true } else { false } }
    }

    private struct State {
        var heads: [String] = []
        var connections = 0
        var ended = 0
    }

    private let state = Mutex(State())
    private let channel: Mutex<(any Channel)?> = Mutex(nil)

    /// The heads that came, in their order.
    var heads: [String] { state.withLock { $0.heads } }
    var connections: Int { state.withLock { $0.connections } }
    /// How many connections have ended, on this side at least.
    var ended: Int { state.withLock { $0.ended } }
    var port: Int { channel.withLock { $0?.localAddress?.port } ?? 0 }
    var base: String { "http://127.0.0.1:\(port)" }

    static func run<Result>(
        _ script: @escaping @Sendable (String) -> [Step],
        _ body: (ScriptedOrigin) async throws -> Result
    ) async throws -> Result {
        let origin = ScriptedOrigin()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    origin.state.withLock { $0.connections += 1 }
                    try channel.pipeline.syncOperations.addHandler(Handler(origin: origin, script: script))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        origin.channel.withLock { $0 = channel }
        do {
            let result = try await body(origin)
            try await origin.stopListening()
            return result
        } catch {
            try await origin.stopListening()
            throw error
        }
    }

    /// Takes no more connections; those that are there stay.
    func stopListening() async throws {
        guard let channel = channel.withLock({ $0 }), channel.isActive else { return }
        try await channel.close()
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let origin: ScriptedOrigin
        private let script: @Sendable (String) -> [Step]
        private var text = ""

        init(origin: ScriptedOrigin, script: @escaping @Sendable (String) -> [Step]) {
            self.origin = origin
            self.script = script
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            text += String(decoding: unwrapInboundIn(data).readableBytesView.map { $0 }, as: UTF8.self)
            while let end = text.firstRange(of: "\r\n\r\n") {
                let head = String(text[..<end.lowerBound])
                text.removeSubrange(..<end.upperBound)
                origin.state.withLock { $0.heads.append(head) }
                for step in script(head) {
                    switch step {
                    case .send(let text): context.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
                    case .bytes(let bytes): context.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
                    case .stopReading: context.channel.setOption(.autoRead, value: false).whenComplete { _ in }
                    case .close: context.close(promise: nil)
                    case .drip(let text):
                        let channel = context.channel
                        let task = channel.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(20))
                        { _ in
                            channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
                        }
                        channel.closeFuture.whenComplete { _ in task.cancel() }
                    case .finish, .reset:
                        let (channel, origin, isReset) = (context.channel, origin, step.isReset)
                        context.writeAndFlush(NIOAny(ByteBuffer())).whenComplete { _ in
                            if isReset { ConnectionReset.reset(channel) } else { channel.close(promise: nil) }
                        }
                        channel.closeFuture.whenComplete { _ in origin.state.withLock { $0.ended += 1 } }
                    }
                }
            }
        }
    }
}
