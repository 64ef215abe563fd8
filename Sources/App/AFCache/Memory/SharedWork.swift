internal import Synchronization

/// Work that several callers wait for and that is done once.
///
/// A caller that is cancelled stops waiting at once; the work is cancelled when no caller waits for it any more.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Run {
        var number: Int
        var task: Task<Void, Never>?
        var waiting: [Int: CheckedContinuation<Value, any Error>] = [:]
    }

    private struct State {
        var runs: [Key: Run] = [:]
        var last = 0
    }

    private let state = Mutex(State())

    /// Returns the result of the work for a key, which is started unless it is under way.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - work: The work.
    /// - Returns: Its result.
    /// - Throws: Its error, or `CancellationError` if the caller is cancelled.
    func value(for key: Key, _ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let caller = state.withLock { state in
            state.last += 1
            return state.last
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                join(key, caller, continuation, work)
            }
        } onCancel: {
            leave(key, caller)
        }
    }

    /// Returns the number of callers that wait for the work of a key.
    func waiting(for key: Key) -> Int { state.withLock { $0.runs[key]?.waiting.count ?? 0 } }

    private func join(
        _ key: Key,
        _ caller: Int,
        _ continuation: CheckedContinuation<Value, any Error>,
        _ work: @escaping @Sendable () async throws -> Value
    ) {
        // Under the lock, so that a cancellation either sees the caller or is seen here.
        let isCancelled = state.withLock { state in
            guard !Task.isCancelled else { return true }
            var run = state.runs[key] ?? Run(number: caller)
            run.waiting[caller] = continuation
            if run.task == nil {
                let number = run.number
                run.task = Task { [self] in
                    let result: Result<Value, any Error>
                    do { result = .success(try await work()) } catch { result = .failure(error) }
                    end(key, number, result)
                }
            }
            state.runs[key] = run
            return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
    }

    private func leave(_ key: Key, _ caller: Int) {
        let (continuation, task) = state.withLock {
            state -> (CheckedContinuation<Value, any Error>?, Task<Void, Never>?) in
            guard var run = state.runs[key], let continuation = run.waiting.removeValue(forKey: caller) else {
                return (nil, nil)
            }
            guard run.waiting.isEmpty else {
                state.runs[key] = run
                return (continuation, nil)
            }
            // Later callers start the work again.
            state.runs[key] = nil
            return (continuation, run.task)
        }
        task?.cancel()
        continuation?.resume(throwing: CancellationError())
    }

    private func end(_ key: Key, _ number: Int, _ result: Result<Value, any Error>) {
        let waiting = state.withLock { state -> [CheckedContinuation<Value, any Error>] in
            guard let run = state.runs[key], run.number == number else { return [] }
            state.runs[key] = nil
            return Array(run.waiting.values)
        }
        for continuation in waiting { continuation.resume(with: result) }
    }
}
