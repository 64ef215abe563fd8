internal import Dispatch
internal import Synchronization

/// Prepares bodies on several threads, at most a window ahead of whoever takes them in order.
///
/// The window bounds memory: each place in it holds at most ``PreparedBody/memoryLimit`` bytes.
final class CompressionQueue: Sendable {
    private struct State {
        var next = 0
        var isStopped = false
        var prepared: [Int: Result<PreparedBody, ZipError>] = [:]
    }

    private static let window = 32
    private let members: [NewMember]
    private let level: Int32
    private let spoolFolder: String
    private let state = Mutex(State())
    private let places = DispatchSemaphore(value: CompressionQueue.window)
    private let ready = (0..<CompressionQueue.window).map { _ in DispatchSemaphore(value: 0) }
    private let workers = DispatchGroup()

    init(_ members: [NewMember], level: Int32, spoolFolder: String) {
        self.members = members
        self.level = level
        self.spoolFolder = spoolFolder
    }

    func start(workers count: Int) {
        for _ in 0..<max(1, count) { DispatchQueue.global().async(group: workers) { self.work() } }
    }

    /// Waits for a member's body; members must be taken in order, each once.
    func take(_ index: Int) -> Result<PreparedBody, ZipError> {
        ready[index % Self.window].wait()
        return state.withLock { $0.prepared.removeValue(forKey: index) } ?? .failure(.cancelled)
    }

    /// Gives the place of a member that was written to the next one.
    func release() { places.signal() }

    /// Ends the workers, whether or not all was taken.
    func stop() {
        state.withLock { $0.isStopped = true }
        for _ in 0..<64 { places.signal() }
        workers.wait()
    }

    private func work() {
        let made = Result { () throws(ZipError) in try DeflaterBox(level: level) }
        while true {
            places.wait()
            let index: Int? = state.withLock { state in
                guard !state.isStopped, state.next < members.count else { return nil }
                defer { state.next += 1 }
                return state.next
            }
            guard let index else {
                places.signal()
                return
            }
            let result: Result<PreparedBody, ZipError>
            switch made {
            case .failure(let error): result = .failure(error)
            case .success(let box):
                result = Result { () throws(ZipError) in
                    try PreparedBody(members[index], deflater: &box.deflater, spoolFolder: spoolFolder)
                }
            }
            state.withLock { $0.prepared[index] = result }
            ready[index % Self.window].signal()
        }
    }
}

/// Holds a deflater for as long as its one thread works.
private final class DeflaterBox {
    var deflater: Deflater

    init(level: Int32) throws(ZipError) { deflater = try Deflater(level: level) }
}
