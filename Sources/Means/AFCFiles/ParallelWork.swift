internal import AFCPlatform
internal import Dispatch
internal import Synchronization

/// Does work on several threads, at most a window ahead of the caller, who takes the results in order.
package enum ParallelWork {
    /// The number of processors, each of which can do the work of a thread.
    package static var processors: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// Works on items, and hands over the results in the order of the items.
    ///
    /// The calling thread also works, unless a result waits for it.
    ///
    /// - Parameters:
    ///   - items: The items.
    ///   - workers: The number of threads, including the calling one.
    ///   - limit: The most bytes of the items that began and whose results weren't taken yet; one item may take more.
    ///   - cost: The number of bytes that an item takes until its result was taken.
    ///   - work: The work on one item; several threads call it at once.
    ///   - take: Takes a result, on the calling thread.
    /// - Throws: The first error of `work` or `take`, after all threads have ended.
    package static func forEach<Item: Sendable, Value: Sendable, Failure: Error>(
        _ items: [Item],
        workers: Int,
        limit: Int64 = 64 << 20,
        cost: @Sendable (Item) -> Int64,
        _ work: @Sendable (Item) throws(Failure) -> Value,
        take: (Value) throws(Failure) -> Void
    ) throws(Failure) {
        let result: Result<Void, Failure> = withoutActuallyEscaping(work) { work in
            withoutActuallyEscaping(cost) { cost in
                let window = Window(items, cost: cost, limit: limit, work)
                let threads = DispatchGroup()
                for _ in 1..<max(2, min(workers, items.count)) where workers > 1 {
                    DispatchQueue.global().async(group: threads) { window.run() }
                }
                let result = Result { () throws(Failure) in
                    while let value = try window.next() { try take(value) }
                }
                window.end()
                threads.wait()
                return result
            }
        }
        try result.get()
    }
}

/// The items between the first whose result wasn't taken and the next that nobody works on.
private final class Window<Item: Sendable, Value: Sendable, Failure: Error>: Sendable {
    private struct State {
        /// The number of the next item to work on, and of the next result to take.
        var (next, taken) = (0, 0)
        /// What the items of the window take, in bytes.
        var cost: Int64 = 0
        /// The results that weren't taken, by item.
        var results: [Int: Result<Value, Failure>] = [:]
        var isEnded = false
        /// The number of threads that wait for an item, and whether the caller waits for a result.
        var waiting = 0
        var isCallerWaiting = false
    }

    /// What a thread has to do next.
    private enum Step {
        case take(Result<Value, Failure>)
        case work(Int)
        case wait
        case end
    }

    /// The most items of a window, so that it stays small where items are.
    private static var countLimit: Int { 512 }

    private let items: [Item]
    private let cost: @Sendable (Item) -> Int64
    private let limit: Int64
    private let work: @Sendable (Item) throws(Failure) -> Value
    private let state = Mutex(State())
    private let hasSpace = DispatchSemaphore(value: 0)
    private let hasResult = DispatchSemaphore(value: 0)

    init(
        _ items: [Item],
        cost: @escaping @Sendable (Item) -> Int64,
        limit: Int64,
        _ work: @escaping @Sendable (Item) throws(Failure) -> Value
    ) {
        (self.items, self.cost, self.limit, self.work) = (items, cost, limit, work)
    }

    /// Works until nothing is left.
    func run() {
        while true {
            switch state.withLock({ step(&$0, isCaller: false) }) {
            case .work(let index): finish(index)
            case .wait: hasSpace.wait()
            case .take, .end: return
            }
        }
    }

    /// Returns the next result, and works until it is there; nil after the last one.
    func next() throws(Failure) -> Value? {
        while true {
            switch state.withLock({ step(&$0, isCaller: true) }) {
            case .take(let result):
                wake()
                return try result.get()
            case .work(let index): finish(index)
            case .wait: hasResult.wait()
            case .end: return nil
            }
        }
    }

    /// Lets no further item begin.
    func end() {
        state.withLock { $0.isEnded = true }
        wake()
    }

    private func step(_ state: inout State, isCaller: Bool) -> Step {
        if isCaller, let result = state.results.removeValue(forKey: state.taken) {
            state.cost -= cost(items[state.taken])
            state.taken += 1
            return .take(result)
        }
        if state.isEnded || (isCaller ? state.taken : state.next) == items.count { return .end }
        let count = state.next - state.taken
        if state.next < items.count, count < Self.countLimit {
            let cost = cost(items[state.next])
            if count == 0 || state.cost + cost <= limit {
                state.cost += cost
                state.next += 1
                return .work(state.next - 1)
            }
        }
        if isCaller { state.isCallerWaiting = true } else { state.waiting += 1 }
        return .wait
    }

    private func finish(_ index: Int) {
        let result = Result { () throws(Failure) in try work(items[index]) }
        let isAwaited = state.withLock { state in
            state.results[index] = result
            guard state.isCallerWaiting, index == state.taken else { return false }
            state.isCallerWaiting = false
            return true
        }
        if isAwaited { hasResult.signal() }
    }

    /// Wakes the threads that wait for space.
    private func wake() {
        let count = state.withLock { state in
            defer { state.waiting = 0 }
            return state.waiting
        }
        for _ in 0..<count { hasSpace.signal() }
    }
}
