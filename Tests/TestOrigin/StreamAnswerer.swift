import NIOConcurrencyHelpers
import NIOCore
import NIOHPACK
import NIOHTTP2

/// One stream of HTTP/2: reads a head, writes an answer.
final class StreamAnswerer: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let state: NIOLockedValueBox<TestOrigin.State>

    init(state: NIOLockedValueBox<TestOrigin.State>) { self.state = state }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .headers(let payload) = unwrapInboundIn(data) else { return }
        let request = TestOrigin.Request(
            method: payload.headers.first(name: ":method") ?? "",
            target: payload.headers.first(name: ":path") ?? "",
            fields: payload.headers.map { "\($0.name): \($0.value)" },
            version: "HTTP/2"
        )
        let answer = state.withLockedValue { $0.answer(request) }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: TimeAmount(answer.delay)) {
            let (answerer, context) = bound.value
            answerer.write(answer, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func write(_ answer: TestOrigin.Answer, _ context: ChannelHandlerContext) {
        state.withLockedValue { $0.running -= 1 }
        switch answer.end {
        case .whole where answer.isReset: context.channel.parent?.close(promise: nil)
        case .whole: write(answer, answer.body.count, context)
        case .refused: context.writeAndFlush(wrapOutboundOut(.rstStream(.refusedStream)), promise: nil)
        case .goAway:
            let payload = HTTP2Frame.FramePayload.goAway(lastStreamID: 0, errorCode: .noError, opaqueData: nil)
            context.channel.parent?.writeAndFlush(HTTP2Frame(streamID: .rootStream, payload: payload), promise: nil)
        case .early(let count): write(answer, count, context)
        case .cut(let count):
            write(answer, count, context, isEnd: false)
            context.writeAndFlush(wrapOutboundOut(.rstStream(.internalError)), promise: nil)
        }
    }

    private func write(
        _ answer: TestOrigin.Answer,
        _ count: Int,
        _ context: ChannelHandlerContext,
        isEnd: Bool = true
    ) {
        var headers = HPACKHeaders([(":status", String(answer.status))])
        for (name, value) in answer.fields { headers.add(name: name.lowercased(), value: value) }
        context.write(wrapOutboundOut(.headers(.init(headers: headers))), promise: nil)
        let bytes = context.channel.allocator.buffer(bytes: answer.body.prefix(count))
        context.writeAndFlush(wrapOutboundOut(.data(.init(data: .byteBuffer(bytes), endStream: isEnd))), promise: nil)
    }
}
