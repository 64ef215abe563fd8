internal import NIOCore
internal import Synchronization

/// Room for so much work at the same time; what else comes waits in its order, without a thread.
package final class WaitingRoom: Sendable {
    private struct State {
        var free: Int
        var waiting = CircularBuffer<CheckedContinuation<Void, Never>>()
    }

    private let state: Mutex<State>

    /// Creates room.
    ///
    /// - Parameter count: How much work there may be at the same time.
    package init(_ count: Int) { state = Mutex(State(free: count)) }

    /// Waits for room, and takes it; the task being cancelled doesn't end the wait.
    package func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Gives the room to the next that waits.
    package func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
