internal import Synchronization

/// Writes an index from batches that several threads make, in the order of their places.
final class OrderedIndexWriter: Sendable {
    private struct State: ~Copyable {
        var writer: IndexWriter?
        var next = 0
        var waiting: [Int: IndexBatch] = [:]
    }

    private let state: Mutex<State>

    init(_ writer: consuming IndexWriter) { state = Mutex(State(writer: consume writer)) }

    /// Appends a batch once those of all earlier places were appended.
    func append(_ batch: IndexBatch, at place: Int) throws(CacheError) {
        try state.withLock { state throws(CacheError) in
            state.waiting[place] = batch
            while let ready = state.waiting.removeValue(forKey: state.next) {
                state.next += 1
                try state.writer?.append(ready)
            }
        }
    }

    /// Writes the tables; called once, after all batches were appended.
    ///
    /// - Returns: The SHA-256 of the file, in hexadecimal digits.
    func finish() throws(CacheError) -> String {
        try state.withLock { state throws(CacheError) -> String in
            guard let writer = state.writer.take() else { return "" }
            return try writer.finish()
        }
    }
}
