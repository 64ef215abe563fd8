internal import NIOCore

/// The bytes of an HTTP/2 connection between the socket and SwiftNIO, where SwiftNIO does more than RFC 9113 asks for.
///
/// One stream too many is an error of that stream (§5.1.2), but SwiftNIO ends the connection with all its streams. So
/// SwiftNIO gets a larger limit than the client, and ``HTTP2Connection`` refuses the surplus. The larger limit holds from
/// the start: SwiftNIO applies its settings when the client has acknowledged them, but clients may open streams earlier.
///
/// After a GOAWAY, SwiftNIO accepts no streams if none is open, although the first of two GOAWAYs refuses none (§6.8). So
/// that one is written here.
final class HTTP2Wire: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Stage {
        /// The preface and the client's settings are expected.
        case opening
        /// The client's acknowledgement of this side's settings is expected; so many bytes before it are no frame's
        /// beginning.
        case scanning(skip: Int)
        /// All bytes pass.
        case passing
    }

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    /// The length of a frame's head (RFC 9113 §4.1).
    private static let headLength = 9
    /// The longest frame that a client may send, since this side allows no longer ones.
    private static let frameLimit = 16_384
    private static let settings: UInt8 = 4

    /// The limit of streams for the client.
    private let streamCount: UInt32
    private var context: ChannelHandlerContext?
    private var stage = Stage.opening
    private var held = ByteBuffer()
    private var hasSentSettings = false

    init(streamCount: Int) { self.streamCount = UInt32(clamping: streamCount) }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: Writing

    /// Announces that the connection will end; the client may still open streams until it has read this.
    func announceEnd() {
        guard let context else { return }
        let lastStream: [UInt8] = [0x7F, 0xFF, 0xFF, 0xFF]
        let goAway: [UInt8] = [0, 0, 8, 7, 0, 0, 0, 0, 0] + lastStream + [0, 0, 0, 0]
        context.write(wrapOutboundOut(ByteBuffer(bytes: goAway)), promise: nil)
    }

    /// Calls a closure, in a turn of its own, when all bytes that were flushed are in the socket, or can no longer get
    /// there.
    func afterFlush(_ action: @escaping @Sendable () -> Void) {
        guard let context else { return }
        let (loop, sent) = (context.eventLoop, context.eventLoop.makePromise(of: Void.self))
        sent.futureResult.whenComplete { _ in loop.execute(action) }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: sent)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !hasSentSettings else { return context.write(data, promise: promise) }
        hasSentSettings = true
        var frame = unwrapOutboundIn(data)
        let start = frame.readerIndex
        if frame.getInteger(at: start + 3, as: UInt8.self) == Self.settings {
            for place in stride(from: start + Self.headLength, to: frame.writerIndex, by: 6)
            where frame.getInteger(at: place, as: UInt16.self) == 3 {
                frame.setInteger(streamCount, at: place + 2)
            }
        }
        context.write(wrapOutboundOut(frame), promise: promise)
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .passing = stage { return context.fireChannelRead(data) }
        var bytes = unwrapInboundIn(data)
        held.writeBuffer(&bytes)
        if case .opening = stage { open(context) }
        if case .scanning(let skip) = stage { scan(context, skip: skip) }
        if case .passing = stage { pass(held.readableBytes, context) }
    }

    /// Passes the client's preface and settings on, and an acknowledgement behind them.
    private func open(_ context: ChannelHandlerContext) {
        let start = held.readerIndex
        let known = Self.preface.prefix(held.readableBytes)
        guard held.readableBytesView.starts(with: known) else {
            stage = .passing
            return
        }
        let headEnd = Self.preface.count + Self.headLength
        guard held.readableBytes >= headEnd else { return }
        let length = frameLength(at: start + Self.preface.count)
        guard length <= Self.frameLimit, held.getInteger(at: start + Self.preface.count + 3) == Self.settings else {
            stage = .passing
            return
        }
        guard held.readableBytes >= headEnd + length else { return }
        pass(headEnd + length, context)
        context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: [0, 0, 0, Self.settings, 1, 0, 0, 0, 0])))
        stage = .scanning(skip: 0)
    }

    /// Passes frames on, but not the acknowledgement of the settings, which SwiftNIO already has.
    private func scan(_ context: ChannelHandlerContext, skip: Int) {
        var end = skip
        while held.readableBytes >= end + Self.headLength {
            let place = held.readerIndex + end
            let length = frameLength(at: place)
            let isSettings = held.getInteger(at: place + 3) == Self.settings
            if isSettings, length == 0, (held.getInteger(at: place + 4, as: UInt8.self) ?? 0) & 1 == 1 {
                pass(end, context)
                held.moveReaderIndex(forwardBy: Self.headLength)
                stage = .passing
                return
            }
            end += Self.headLength + length
        }
        let count = min(end, held.readableBytes)
        pass(count, context)
        stage = .scanning(skip: end - count)
    }

    private func frameLength(at place: Int) -> Int {
        Int((held.getInteger(at: place, as: UInt32.self) ?? 0) >> 8)
    }

    private func pass(_ count: Int, _ context: ChannelHandlerContext) {
        guard count > 0, let bytes = held.readSlice(length: count) else { return }
        if held.readableBytes == 0 { held = ByteBuffer() }
        context.fireChannelRead(wrapInboundOut(bytes))
    }
}

@available(*, unavailable)
extension HTTP2Wire: Sendable {}
