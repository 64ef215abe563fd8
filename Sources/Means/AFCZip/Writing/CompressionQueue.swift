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
        /// The number of members put in.
        var count = 0
        /// The members that ``take(_:)`` waits for, and how many of them are not prepared yet.
        var awaited = 0..<0
        var missing = 0
    }

    /// The maximum number of members in the queue.
    static let window = 32
    /// The number of members to add and take in a row, since each wait wakes a thread.
    static let run = 8
    private let level: Int32
    private let spoolFolder: String
    private let state = Mutex(State())
    private let waiting = DispatchSemaphore(value: 0)
    private let ready = DispatchSemaphore(value: 0)
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
        state.withLock {
            $0.members[index % Self.window] = member
            $0.count = index + 1
        }
        waiting.signal()
    }

    /// Waits for a member's body.
    ///
    /// Members must be taken in order, each once. A body that isn't ready is awaited together with those
    /// after it, so that the waiting thread wakes once for all of them.
    func take(_ index: Int) -> Result<PreparedBody, ZipError> {
        let mustWait = state.withLock { state in
            guard state.prepared[index % Self.window] == nil else { return false }
            state.awaited = index..<min(state.count, index + Self.run)
            state.missing = state.awaited.count { state.prepared[$0 % Self.window] == nil }
            return true
        }
        if mustWait { ready.wait() }
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
            let job: (index: Int, member: NewMember)? = state.withLock { state in
                let index = state.next
                guard !state.isStopped, let member = state.members[index % Self.window].take() else { return nil }
                state.next += 1
                return (index, member)
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
            let isAwaited = state.withLock { state in
                state.prepared[job.index % Self.window] = result
                guard state.awaited.contains(job.index) else { return false }
                state.missing -= 1
                return state.missing == 0
            }
            if isAwaited { ready.signal() }
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
