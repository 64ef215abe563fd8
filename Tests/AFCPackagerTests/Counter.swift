import Synchronization

/// Words that were said, in order.
final class Counter: Sendable {
    private let state = Mutex<[String]>([])

    var words: [String] { state.withLock { $0 } }

    func add(_ word: String) { state.withLock { $0.append(word) } }
}
