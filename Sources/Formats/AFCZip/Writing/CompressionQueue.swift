internal import Dispatch
internal import Synchronization

/// Prepares bodies on several threads, at most a window ahead of the caller, who takes them in the order in which they
/// were added.
///
/// The window bounds memory: each slot holds at most ``PreparedBody/memoryLimit`` bytes.
final class CompressionQueue: Sendable {
    private struct State {
        var next = 0
        var isStopped = false
        var members = [NewMember?](repeating: nil, count: CompressionQueue.window)
        var prepared = [Result<PreparedBody, ZipError>?](repeating: nil, count: CompressionQueue.window)
    }

    /// The maximum number of members in the queue.
    static let window = 32
    private let level: Int32
    private let spoolFolder: String
    private let state = Mutex(State())
    private let waiting = DispatchSemaphore(value: 0)
    private let ready = (0..<CompressionQueue.window).map { _ in DispatchSemaphore(value: 0) }
    private let workers = DispatchGroup()
    private let workerCount: Int

    init(level: Int32, spoolFolder: String, workers count: Int) {
        self.level = level
        self.spoolFolder = spoolFolder
        workerCount = max(1, count)
        for _ in 0..<workerCount { DispatchQueue.global().async(group: workers) { self.work() } }
    }

    /// Adds a member.
    ///
    /// Members are numbered from 0, and the previous member of the slot must have been taken.
    func put(_ member: NewMember, as index: Int) {
        state.withLock { $0.members[index % Self.window] = member }
        waiting.signal()
    }

    /// Waits for a member's body.
    ///
    /// Members must be taken in order, each once.
    func take(_ index: Int) -> Result<PreparedBody, ZipError> {
        ready[index % Self.window].wait()
        return state.withLock { $0.prepared[index % Self.window].take() } ?? .failure(.cancelled)
    }

    /// Stops the workers, even if bodies are left.
    func stop() {
        state.withLock { $0.isStopped = true }
        for _ in 0..<workerCount { waiting.signal() }
        workers.wait()
    }

    private func work() {
        let made = Result { () throws(ZipError) in try DeflaterBox(level: level) }
        while true {
            waiting.wait()
            let job: (place: Int, member: NewMember)? = state.withLock { state in
                let place = state.next % Self.window
                guard !state.isStopped, let member = state.members[place].take() else { return nil }
                state.next += 1
                return (place, member)
            }
            guard let job else { return }
            let result: Result<PreparedBody, ZipError>
            switch made {
            case .failure(let error): result = .failure(error)
            case .success(let box):
                result = Result { () throws(ZipError) in
                    try box.prepare(job.member, spoolFolder: spoolFolder)
                }
            }
            state.withLock { $0.prepared[job.place] = result }
            ready[job.place].signal()
        }
    }
}

/// Holds a deflater for its only thread.
private final class DeflaterBox {
    private var deflater: Deflater
    private let whole: WholeDeflater

    init(level: Int32) throws(ZipError) {
        deflater = try Deflater(level: level)
        whole = try WholeDeflater(level: level)
    }

    func prepare(_ member: NewMember, spoolFolder: String) throws(ZipError) -> PreparedBody {
        try PreparedBody(member, deflater: &deflater, whole: whole, spoolFolder: spoolFolder)
    }
}
