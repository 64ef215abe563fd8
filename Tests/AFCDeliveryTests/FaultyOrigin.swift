import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL

/// An origin on 127.0.0.1 that writes what a test says, byte for byte, and as slowly.
final class FaultyOrigin: Sendable {
    /// A part of an answer.
    enum Piece: Sendable {
        case bytes([UInt8])
        case text(String)
        /// Goes on once the closure says so; it is asked again and again.
        case until(@Sendable () -> Bool)
        /// Goes on once the client holds so many bytes of the package.
        case arrived(Int)
        /// Nothing more comes, and the connection stays.
        case hang
        case close
        /// The bytes again and again, with a pause after each, as long as the client takes them.
        case endless([UInt8], every: Duration)
    }

    /// A request that came.
    struct Request: Sendable {
        var target: String
        /// Values by names in lower case.
        var fields: [String: String]

        subscript(name: String) -> String? { fields[name] }

        /// Where the part that is asked for begins; nil where all is asked for.
        var start: Int? { self["range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } }

        /// The one part of so many bytes that is asked for: `a-b`, `a-` or `-n`; nil where all is asked for.
        func range(of total: Int) -> Range<Int>? {
            guard let text = self["range"]?.dropFirst("bytes=".count) else { return nil }
            let bounds = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard bounds.count == 2 else { return nil }
            guard let start = bounds[0] else { return bounds[1].map { max(0, total - $0)..<total } }
            guard start < total else { return nil }
            return start..<min(total, (bounds[1] ?? total - 1) + 1)
        }
    }

    /// What is answered: the request, and how many came before it.
    typealias Answer = @Sendable (Request, Int) -> [Piece]

    let port: Int
    fileprivate let state: NIOLockedValueBox<[Request]>

    init(port: Int, state: NIOLockedValueBox<[Request]>) {
        self.port = port
        self.state = state
    }

    var base: String { "http://127.0.0.1:\(port)" }
    var requests: [Request] { state.withLockedValue { $0 } }

    /// Runs an origin while the body runs.
    static func run<Result>(
        tls: NIOSSLContext? = nil,
        answer: @escaping Answer,
        _ body: (FaultyOrigin) async throws -> Result
    ) async throws -> Result {
        let state = NIOLockedValueBox<[Request]>([])
        let arrivals = Arrivals()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.addHandler(FaultyConnection(state, arrivals, answer: answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        let origin = FaultyOrigin(port: channel.localAddress?.port ?? 0, state: state)
        do {
            let result = try await Arrivals.$current.withValue(arrivals) { try await body(origin) }
            try await channel.close()
            return result
        } catch {
            try await channel.close()
            throw error
        }
    }
}

/// What the client of a test holds of the package, as it says itself: the server can't see when bytes are taken.
final class Arrivals: Sendable {
    /// Those of the origin that runs now.
    @TaskLocal static var current: Arrivals?

    private let count = NIOLockedValueBox<Int64>(0)

    /// The client holds so many bytes.
    func note(_ count: Int64) { self.count.withLockedValue { $0 = count } }

    fileprivate func reset() { note(0) }
    fileprivate func has(_ count: Int) -> Bool { self.count.withLockedValue { $0 >= count } }
}

/// One connection: reads heads, writes pieces.
private final class FaultyConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let state: NIOLockedValueBox<[FaultyOrigin.Request]>
    private let arrivals: Arrivals
    private let answer: FaultyOrigin.Answer
    private var text = ""

    init(
        _ state: NIOLockedValueBox<[FaultyOrigin.Request]>,
        _ arrivals: Arrivals,
        answer: @escaping FaultyOrigin.Answer
    ) {
        self.state = state
        self.arrivals = arrivals
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        // Who speaks TLS to a server that doesn't is told so.
        if text.isEmpty, buffer.readableBytesView.first == 0x16 {
            return write([.text("HTTP/1.1 400 No\r\n\r\n"), .close], context)
        }
        text += String(buffer: buffer)
        while let end = text.firstRange(of: "\r\n\r\n") {
            let lines = text[..<end.lowerBound].split(separator: "\r\n")
            text = String(text[end.upperBound...])
            var request = FaultyOrigin.Request(target: "", fields: [:])
            request.target = lines.first?.split(separator: " ").dropFirst().first.map(String.init) ?? ""
            for line in lines.dropFirst() {
                guard let colon = line.firstIndex(of: ":") else { continue }
                request.fields[line[..<colon].lowercased()] = String(line[colon...].dropFirst(2))
            }
            arrivals.reset()
            let earlier = state.withLockedValue { requests in
                requests.append(request)
                return requests.count - 1
            }
            write(answer(request, earlier)[...], context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func write(_ pieces: ArraySlice<FaultyOrigin.Piece>, _ context: ChannelHandlerContext) {
        guard let piece = pieces.first, context.channel.isActive else { return }
        let rest = pieces.dropFirst()
        switch piece {
        case .bytes(let bytes): send(bytes, context) { $0.write(rest, $1) }
        case .text(let text): send(Array(text.utf8), context) { $0.write(rest, $1) }
        case .until(let isReached): wait(for: isReached, rest, context)
        case .arrived(let count): wait(for: { [arrivals] in arrivals.has(count) }, rest, context)
        case .hang: break
        case .close: context.close(promise: nil)
        case .endless(let bytes, let pause):
            send(bytes, context) { $0.after(pause, $1) { $0.write([piece], $1) } }
        }
    }

    private func send(
        _ bytes: [UInt8],
        _ context: ChannelHandlerContext,
        _ next: @escaping (FaultyConnection, ChannelHandlerContext) -> Void
    ) {
        let promise = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound((self, context, next), eventLoop: context.eventLoop)
        promise.futureResult.whenSuccess {
            let (connection, context, next) = bound.value
            next(connection, context)
        }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: promise)
    }

    private func wait(
        for isReached: @escaping @Sendable () -> Bool,
        _ rest: ArraySlice<FaultyOrigin.Piece>,
        _ context: ChannelHandlerContext
    ) {
        guard !isReached(), context.channel.isActive else { return write(rest, context) }
        after(.milliseconds(2), context) { $0.wait(for: isReached, rest, $1) }
    }

    private func after(
        _ pause: Duration,
        _ context: ChannelHandlerContext,
        _ next: @escaping (FaultyConnection, ChannelHandlerContext) -> Void
    ) {
        let bound = NIOLoopBound((self, context, next), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: TimeAmount(pause)) {
            let (connection, context, next) = bound.value
            next(connection, context)
        }
    }
}
