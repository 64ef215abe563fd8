internal import Dispatch
internal import Synchronization

/// Runs blocking work on separate threads, so that Swift's threads are never blocked.
///
/// There are at most 64 such threads; further work waits in order. They don't belong to Dispatch's global queues, so
/// work here may wait for work there.
public enum OffPool {
    private static let limit = 64

    private struct State {
        var idle: [DispatchQueue] = []
        var made = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private static let state = Mutex(State())

    /// Runs blocking work.
    ///
    /// - Returns: The result of the work.
    /// - Throws: Any error of the work.
    public static func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            start { continuation.resume(returning: Result { () throws(Failure) in try work() }) }
        }
        return try result.get()
    }

    private static func start(_ work: @escaping @Sendable () -> Void) {
        let lane: DispatchQueue? = state.withLock { state in
            if let lane = state.idle.popLast() { return lane }
            guard state.made < limit else {
                state.waiting.append(work)
                return nil
            }
            state.made += 1
            // A serial queue gets a thread as soon as it has work, even if many others are busy.
            return DispatchQueue(label: "afcache.blocking.\(state.made)")
        }
        lane?.async { perform(work, on: lane) }
    }

    private static func perform(_ work: @Sendable () -> Void, on lane: DispatchQueue?) {
        work()
        let next: (@Sendable () -> Void)? = state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            if let lane { state.idle.append(lane) }
            return nil
        }
        // Run the next work after this one rather than inside it, however much is waiting.
        if let next { lane?.async { perform(next, on: lane) } }
    }
}
