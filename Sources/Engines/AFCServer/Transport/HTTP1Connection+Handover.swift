internal import HTTPTypes
internal import Logging
internal import NIOCore
internal import NIOHTTP1

extension HTTP1Connection {
    /// Sends the head that switches protocols, and gives the connection away behind it.
    func handOver(_ answer: ServerAnswer, to handover: Handover) {
        guard let context, fate == .open, incoming == nil, waiting.isEmpty else { return cut() }
        fate = .leaving
        let isUpgrade = answer.status.code == 101
        let head = ResponseHead(
            status: answer.status,
            fields: answer.fields,
            framing: .length(nil),
            persistence: isUpgrade ? .upgrade : .implied
        )
        var buffer = ByteBuffer()
        head.write(into: &buffer)
        write(buffer)
        flushIfNeeded()
        // In a later turn of the loop, when the parser has come to the end of the request.
        let handler = NIOLoopBound(self, eventLoop: state.loop)
        let bound = context.loopBound
        state.loop.execute { handler.value.leave(bound.value, to: handover) }
    }

    private func leave(_ context: ChannelHandlerContext, to handover: Handover) {
        guard fate == .leaving, let decoder else { return cut() }
        fate = .handedOver
        state.remove(self)
        let handler = NIOLoopBound(self, eventLoop: state.loop)
        let bound = context.loopBound
        do {
            switch handover {
            case .raw(let run):
                let tunnel = TunnelWatch(state: state, limits: service.limits)
                try context.pipeline.syncOperations.addHandler(tunnel)
                try RawTunnel.start(on: context.channel, watch: tunnel, logger: service.logger, run)
            case .secure(let certificates, let authority):
                var inner = connection
                inner.tunnelled = authority
                try SecureStart.begin(
                    on: context.channel,
                    certificates: certificates,
                    service: service,
                    state: state,
                    connection: inner
                )
            }
        } catch {
            service.logger.debug("cannot hand over", metadata: ["error": "\(error)"])
            return cut()
        }
        // What came behind the request belongs to the new protocol; the parser passes it on when it leaves.
        context.pipeline.syncOperations.removeHandler(decoder).whenComplete { _ in
            handler.value.readOn()
            bound.value.read()
        }
    }
}
