import NIOCore
import Testing

@testable import AFCServer

struct ConnectionClockTests {
    private static let limits: Server.Configuration.Limits = {
        var limits = Server.Configuration.Limits()
        limits.idleTimeout = .seconds(30)
        limits.stallTimeout = .seconds(60)
        limits.lingerTimeout = .seconds(2)
        return limits
    }()

    private static func view(
        answered: Int = 0,
        sent: Int = 0,
        received: Int = 0,
        _ change: (inout ConnectionClock.View) -> Void = { _ in }
    ) -> ConnectionClock.View {
        var view = ConnectionClock.View(
            answered: answered,
            sent: sent,
            received: received,
            isSending: false,
            isReceiving: false,
            isAnswering: false,
            isLingering: false
        )
        change(&view)
        return view
    }

    /// Looks at a connection at each second, and says in which one its time has run out.
    private static func end(_ seconds: Int, _ view: (Int) -> ConnectionClock.View) -> Int? {
        var clock = ConnectionClock()
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
        clock.begin(at: start)
        return (1...seconds).first { second in
            clock.isOver(view(second), now: start + .seconds(Int64(second)), limits: limits)
        }
    }

    @Test func `a connection without requests closes after the idle time from its start`() {
        #expect(Self.end(100) { _ in Self.view() } == 30)
    }

    @Test func `each answer restarts the idle time`() {
        #expect(Self.end(100) { Self.view(answered: $0 < 20 ? 0 : 1) } == 50)
    }

    @Test func `a client that reads nothing is disconnected, but not one that reads a little`() {
        #expect(Self.end(300) { _ in Self.view { $0.isSending = true } } == 60)
        #expect(Self.end(300) { second in Self.view(sent: second / 50) { $0.isSending = true } } == nil)
    }

    @Test func `a request's body must make progress`() {
        let isReceiving: (inout ConnectionClock.View) -> Void = {
            $0.isReceiving = true
            $0.isAnswering = true
        }
        #expect(Self.end(300) { _ in Self.view(isReceiving) } == 60)
        #expect(Self.end(300) { second in Self.view(received: 1024 * (second / 50), isReceiving) } == nil)
        // A byte now and then is no progress, or it would take weeks; 18 bytes a second are.
        #expect(Self.end(300) { second in Self.view(received: second / 2, isReceiving) } == 60)
        #expect(Self.end(300) { second in Self.view(received: second * 18, isReceiving) } == nil)
    }

    @Test func `an answer may take long to be made`() {
        #expect(Self.end(3000) { _ in Self.view { $0.isAnswering = true } } == nil)
    }

    @Test func `a client must close its side soon after the server did`() {
        #expect(Self.end(100) { second in Self.view { $0.isLingering = second >= 10 } } == 12)
    }
}
