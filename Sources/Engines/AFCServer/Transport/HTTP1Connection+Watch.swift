internal import NIOCore

extension HTTP1Connection: Watched {
    func check(_ now: NIODeadline) {
        guard clock.isOver(view, now: now, limits: service.limits) else { return }
        exchange?.cancel()
        cut()
    }

    /// A head that has come in part only is no reason to stay: that is how places are held without asking for anything.
    func idleSince(_ now: NIODeadline) -> NIODeadline? {
        let view = view
        guard isIdle || fate == .lingering, !view.isSending else { return nil }
        return clock.stillSince(view, now: now)
    }

    private var view: ConnectionClock.View {
        let buffered = bufferedBytes
        return ConnectionClock.View(
            answered: answered,
            sent: written &- buffered,
            // Nobody is kept waiting by a client that goes on to send what nobody wants.
            received: fate == .lingering ? 0 : received,
            isSending: buffered > 0,
            isReceiving: incoming != nil && isBodyWanted,
            isAnswering: current != nil,
            isLingering: fate == .lingering
        )
    }

    /// The bytes that wait for room in the socket.
    var bufferedBytes: Int { (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }

    func quiesce() {
        isQuiescing = true
        guard isIdle else { return }
        if bufferedBytes > 0 { finish() } else { cut() }
    }
}
