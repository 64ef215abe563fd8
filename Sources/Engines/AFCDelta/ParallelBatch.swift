internal import AFCFiles
internal import Dispatch
internal import Synchronization

/// Does the work of a batch on several threads, and returns the results in order.
enum ParallelBatch {
    private struct State<Value: Sendable> {
        var next = 0
        var values: [Value?]
        var error: PatchError?
    }

    /// Runs the work.
    ///
    /// - Parameters:
    ///   - items: The items of the batch.
    ///   - workers: The number of threads.
    ///   - work: The work on one item.
    /// - Returns: The result for each item.
    /// - Throws: ``PatchError`` of one of the items.
    static func map<Item: Sendable, Value: Sendable>(
        _ items: [Item],
        workers: Int,
        _ work: @Sendable (Item) throws(PatchError) -> Value
    ) throws(PatchError) -> [Value] {
        let state = Mutex(State<Value>(values: Array(repeating: nil, count: items.count)))
        DispatchQueue.concurrentPerform(iterations: max(1, min(workers, items.count))) { _ in
            while true {
                let index: Int? = state.withLock { state in
                    guard state.error == nil, state.next < items.count else { return nil }
                    defer { state.next += 1 }
                    return state.next
                }
                guard let index else { return }
                let result = Result { () throws(PatchError) in try work(items[index]) }
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

    /// Splits a range into batches that have at most 64 items and, together, about 64 MiB.
    ///
    /// - Parameters:
    ///   - range: The indices of the items.
    ///   - cost: The number of bytes that an item takes.
    /// - Returns: The batches, in order.
    static func batches(_ range: Range<Int>, cost: (Int) -> Int64) -> [Range<Int>] {
        var batches: [Range<Int>] = []
        var start = range.lowerBound
        var sum: Int64 = 0
        for index in range {
            sum += cost(index)
            if index + 1 - start >= 64 || sum >= 64 << 20 {
                batches.append(start..<index + 1)
                start = index + 1
                sum = 0
            }
        }
        if start < range.upperBound { batches.append(start..<range.upperBound) }
        return batches
    }
}
