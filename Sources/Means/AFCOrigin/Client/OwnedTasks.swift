internal import Synchronization

/// Tasks that outlive the code that started them, until they end or their owner ends them.
package final class OwnedTasks: Sendable {
    private struct State {
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var last: UInt64 = 0
        var isEnded = false
    }

    private let state = Mutex(State())

    /// Creates an owner without tasks.
    package init() {}

    /// Starts a task.
    ///
    /// - Parameter body: The work.
    /// - Returns: The task, or nil if the owner has ended all tasks.
    @discardableResult
    package func run(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never>? {
        state.withLock { state in
            guard !state.isEnded else { return nil }
            state.last += 1
            let number = state.last
            let task = Task {
                await body()
                self.state.withLock { $0.tasks[number] = nil }
            }
            state.tasks[number] = task
            return task
        }
    }

    /// Cancels all tasks; no more can be started.
    ///
    /// - Returns: The tasks, which may not have ended yet.
    @discardableResult
    package func cancel() -> [Task<Void, Never>] {
        let tasks = state.withLock { state in
            state.isEnded = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
        return tasks
    }

    /// Cancels all tasks, and waits until they have ended; no more can be started.
    package func end() async { for task in cancel() { await task.value } }
}
