internal import NIOCore

extension HTTP1Connection: Watched {
    func check(_ now: NIODeadline) {
        let buffered = bufferedBytes
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
        cut()
    }

    /// The bytes that wait for room in the socket.
    var bufferedBytes: Int { (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }

    func quiesce() {
        isQuiescing = true
        guard isIdle else { return }
        if bufferedBytes > 0 { finish() } else { cut() }
    }
}
