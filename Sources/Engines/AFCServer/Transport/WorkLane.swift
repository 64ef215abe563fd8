internal import AFCBlocking
internal import NIOCore
internal import Synchronization

/// A lane for blocking work that takes long: little of it runs at a time, so that the other threads stay free.
///
/// Work that is submitted while the lane is full waits in order.
final class WorkLane: Sendable {
    private struct State {
        var running = 0
        var waiting = CircularBuffer<@Sendable () -> Void>()
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Creates a lane.
    ///
    /// - Parameter limit: The most work that runs at a time.
    init(limit: Int) { self.limit = limit }

    /// Runs blocking work, and continues on an event loop.
    ///
    /// - Parameters:
    ///   - loop: The loop.
    ///   - work: The blocking work.
    ///   - then: A closure called on the loop with the result.
    func submit<Value: Sendable>(
        to loop: any EventLoop,
        _ work: @escaping @Sendable () throws -> Value,
        then: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let start: @Sendable () -> Void = {
            Blocking.submit(to: loop) { () throws -> Value in
                defer { self.ended() }
                return try work()
            } then: {
                then($0)
            }
        }
        let isFree = state.withLock { state in
            guard state.running < limit else {
                state.waiting.append(start)
                return false
            }
            state.running += 1
            return true
        }
        if isFree { start() }
    }

    /// Starts the next work in place of one that has ended.
    private func ended() {
        let next = state.withLock { state -> (@Sendable () -> Void)? in
            guard let next = state.waiting.popFirst() else {
                state.running -= 1
                return nil
            }
            return next
        }
        next?()
    }
}
