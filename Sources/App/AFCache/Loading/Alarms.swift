internal import Synchronization

/// The moments that some wait for, with one task that sleeps for all of them.
///
/// A sleep that is cancelled keeps its timer until it would have ended, so one for each piece of a large body, or for
/// each of many loads, would take much memory.
final class Alarms: Sendable {
    private struct Entry {
        var time: ContinuousClock.Instant
        var waiter: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        var last: UInt64 = 0
        /// The moment to which the task sleeps that counts; nil if none does.
        var wake: ContinuousClock.Instant?
    }

    static let shared = Alarms()

    private let state = Mutex(State())

    /// The number of those who wait.
    var count: Int { state.withLock { $0.entries.count } }

    /// Waits until a moment.
    ///
    /// - Parameter time: The moment.
    /// - Returns: True at that moment; false as soon as the task is cancelled.
    func wait(until time: ContinuousClock.Instant) async -> Bool {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                state.withLock { state in
                    state.entries[number] = Entry(time: time, waiter: waiter)
                    guard state.wake.map({ time < $0 }) ?? true else { return }
                    state.wake = time
                    sleep(until: time)
                }
                // The cancellation handler may already have run, and found nothing.
                if Task.isCancelled { leave(number) }
            }
        } onCancel: {
            leave(number)
        }
    }

    private func leave(_ number: UInt64) {
        state.withLock { $0.entries.removeValue(forKey: number) }?.waiter.resume(returning: false)
    }

    private func sleep(until time: ContinuousClock.Instant) {
        Task { [self] in
            // Nothing cancels this task.
            try? await ContinuousClock().sleep(until: time)
            let due = state.withLock { state -> [CheckedContinuation<Bool, Never>] in
                guard state.wake == time else { return [] }
                let due = state.entries.filter { $0.value.time <= time }
                for number in due.keys { state.entries[number] = nil }
                state.wake = state.entries.values.map(\.time).min()
                if let next = state.wake { sleep(until: next) }
                return due.values.map(\.waiter)
            }
            for waiter in due { waiter.resume(returning: true) }
        }
    }
}
