internal import NIOCore

extension HTTP1Connection: Watched {
    func check(_ now: NIODeadline) {
        guard let context else { return }
        let buffered = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        let view = ConnectionClock.View(
            answered: answered,
            sent: written &- buffered,
            // Nobody is kept waiting by a client that goes on to send what nobody wants.
            received: fate == .lingering ? 0 : received,
            isSending: buffered > 0,
            isReceiving: incoming != nil && isBodyWanted,
            isAnswering: current != nil,
            isLingering: fate == .lingering
        )
        guard clock.isOver(view, now: now, limits: service.limits) else { return }
        exchange?.cancel()
        context.close(promise: nil)
    }

    func quiesce() {
        isQuiescing = true
        guard isIdle else { return }
        let buffered = (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        if buffered > 0 { finish() } else { cut() }
    }
}
