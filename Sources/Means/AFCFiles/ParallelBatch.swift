internal import AFCPlatform
internal import Dispatch
internal import Synchronization

/// Does the work of a batch on several threads, and returns the results in order.
package enum ParallelBatch {
    private struct State<Value: Sendable, Failure: Error> {
        var next = 0
        var values: [Value?]
        var error: Failure?
    }

    /// The number of processors, each of which can do the work of a thread.
    package static var processors: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// Runs the work.
    ///
    /// - Parameters:
    ///   - items: The items of the batch.
    ///   - workers: The number of threads.
    ///   - work: The work on one item.
    /// - Returns: The result for each item.
    /// - Throws: The error of one of the items.
    package static func map<Item: Sendable, Value: Sendable, Failure: Error>(
        _ items: [Item],
        workers: Int,
        _ work: @Sendable (Item) throws(Failure) -> Value
    ) throws(Failure) -> [Value] {
        let state = Mutex(State<Value, Failure>(values: Array(repeating: nil, count: items.count)))
        DispatchQueue.concurrentPerform(iterations: max(1, min(workers, items.count))) { _ in
            while true {
                let index: Int? = state.withLock { state in
                    guard state.error == nil, state.next < items.count else { return nil }
                    defer { state.next += 1 }
                    return state.next
                }
                guard let index else { return }
                let result = Result { () throws(Failure) in try work(items[index]) }
                state.withLock { state in
                    switch result {
                    case .success(let value): state.values[index] = value
                    case .failure(let error): state.error = state.error ?? error
                    }
                }
            }
        }
        let (values, error) = state.withLock { ($0.values, $0.error) }
        if let error { throw error }
        return values.compactMap(\.self)
    }

    /// Splits a range into batches that have at most a number of items and, together, about a number of bytes.
    ///
    /// - Parameters:
    ///   - range: The indices of the items.
    ///   - bytes: The number of bytes.
    ///   - count: The number of items.
    ///   - cost: The number of bytes that an item takes.
    /// - Returns: The batches, in order.
    package static func batches(_ range: Range<Int>, bytes: Int64 = 64 << 20, count: Int = 64, cost: (Int) -> Int64)
        -> [Range<Int>]
    {
        var batches: [Range<Int>] = []
        var start = range.lowerBound
        var sum: Int64 = 0
        for index in range {
            sum += cost(index)
            if index + 1 - start >= count || sum >= bytes {
                batches.append(start..<index + 1)
                start = index + 1
                sum = 0
            }
        }
        if start < range.upperBound { batches.append(start..<range.upperBound) }
        return batches
    }
}
