internal import AFCCaching
internal import AFCFiles
internal import AFCText
internal import Dispatch
internal import Synchronization

/// The responses that were received from origins: look-ups, and changes that are written a moment after they are made.
///
/// What memory says of a URL is always all that there is: a change is made in memory, where look-ups see it at once, and
/// stays there until a transaction has it.
final class ReceivedArea: Sendable {
    struct State {
        var memory: ReceivedMemory
        var reader: ReceivedReader?
        var horizon = ReceivedReader.Horizon()
        /// The number in `received.changes` that memory goes with, and when the folder was looked at last.
        var change: UInt64 = 0
        var checked: Int64?
        var keeper: ReceivedKeeper?
        var nextID: Int64 = 1
        var queue: [ReceivedChange] = []
        var queueCost = 0
        var isScheduled = false
        /// When rows were used, in minutes since 1970, as far as that isn't written down.
        var used: [Int64: UInt32] = [:]
        var failure: CacheError?
    }

    let layout: ReceivedLayout
    let room: ReceivedRoom
    let state: Mutex<State>
    let flushing = DispatchQueue(label: "afcache.received")

    init(_ layout: StoreLayout, room: ReceivedRoom, memory: Int) {
        self.layout = layout.received
        self.room = room
        state = Mutex(State(memory: ReceivedMemory(limit: memory)))
    }

    deinit {
        // Nobody is left to be told; what isn't written then was lost, as in a crash.
        try? closeAtEnd()
    }

    static func hash(_ url: String) -> UInt64 {
        var url = url
        return url.withUTF8 { IndexWriter.hash($0) }
    }

    // MARK: Look-ups

    private enum Look {
        case known(ReceivedEntry)
        case ask(ReceivedReader, hash: UInt64)
    }

    /// What there is for a URL.
    ///
    /// A process that only reads goes on without an area that can't be read: what came in packages is served all the same.
    func entry(for url: String) throws(CacheError) -> ReceivedEntry {
        do throws(CacheError) {
            return try stampedEntry(for: url).entry
        } catch {
            if state.withLock({ $0.keeper != nil }) { throw error }
            state.withLock { $0.reader = nil }
            return ReceivedEntry()
        }
    }

    /// What there is for a URL, and the stamp of memory that it goes with.
    private func stampedEntry(for url: String) throws(CacheError) -> (entry: ReceivedEntry, stamp: UInt64) {
        while true {
            let (found, stamp) = try locked { state throws(CacheError) in
                try refresh(&state)
                return (look(&state, url), state.memory.stamp)
            }
            switch found {
            case .known(let entry): return (entry, stamp)
            case .ask(let reader, let hash):
                let entry = try reader.read { db in try ReceivedEntry.fetch(url, hash: hash, from: db) }
                // What was read counts only where nothing left the disk or memory meanwhile.
                let isTrue = state.withLock { state in
                    guard state.memory.stamp == stamp else { return false }
                    state.memory.keep(entry, for: url)
                    return true
                }
                if isTrue { return (entry, stamp) }
            }
        }
    }

    private func look(_ state: inout State, _ url: String) -> Look {
        if let entry = state.memory.entry(url) { return .known(entry) }
        guard let reader = state.reader, state.memory.hashCount > 0 else { return .known(ReceivedEntry()) }
        let hash = Self.hash(url)
        return state.memory.mayHave(hash) ? .ask(reader, hash: hash) : .known(ReceivedEntry())
    }

    /// Notices what other processes changed: a small read of a file, and once a second a look at the folder.
    private func refresh(_ state: inout State) throws(CacheError) {
        let second = MonotonicClock.seconds
        if state.checked != second {
            state.checked = second
            if state.keeper == nil { reopen(&state) }
        }
        guard let reader = state.reader else { return }
        let change = reader.change
        guard change != state.change else { return }
        state.change = change
        state.memory.forgetAll()
        if state.keeper == nil { try addHashes(&state, reader) }
    }

    private func reopen(_ state: inout State) {
        if let reader = state.reader, reader.isCurrent { return }
        guard state.reader != nil || ReceivedReader.exists(layout) else { return }
        state.memory.forgetAll()
        state.memory.replaceHashes([])
        state.horizon = ReceivedReader.Horizon()
        // An area that can't be read says why when somebody checks or changes it.
        state.reader = try? ReceivedReader(layout)
        guard let reader = state.reader else { return }
        state.change = reader.change
        do throws(CacheError) {
            try addHashes(&state, reader)
        } catch {
            state.reader = nil
        }
    }

    func addHashes(_ state: inout State, _ reader: ReceivedReader) throws(CacheError) {
        let (hashes, horizon) = try reader.hashes(beyond: state.horizon)
        for hash in hashes { state.memory.addHash(hash) }
        state.horizon = horizon
    }

    // MARK: Changes

    /// Changes what there is for a URL: in memory at once, on the disk soon.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - body: Changes the entry, and says how the change is written; it may be called more than once.
    /// - Throws: ``CacheError`` where this process may not add to the area, or something before could not be written.
    func change(_ url: String, _ body: (inout ReceivedEntry, inout State) -> [ReceivedChange]) throws(CacheError) {
        try open()
        try tellFailure()
        while true {
            let (found, stamp) = try stampedEntry(for: url)
            let isDone = try locked { state throws(CacheError) in
                guard state.keeper != nil else { throw notKept }
                guard var entry = state.memory.entry(url) ?? (state.memory.stamp == stamp ? found : nil) else {
                    return false
                }
                let changes = body(&entry, &state)
                guard !changes.isEmpty else { return true }
                for change in changes {
                    state.memory.change(entry, for: url, hash: Self.hash(url))
                    state.queue.append(change)
                    state.queueCost += change.cost
                }
                schedule(&state)
                return true
            }
            guard isDone else { continue }
            return waitWhereFull()
        }
    }

    private var notKept: CacheError {
        CacheError(.inputOutput, subject: layout.root, message: "no responses are kept any more; start again")
    }

    /// Calls a closure while nobody else uses the state.
    func locked<Value: Sendable>(_ body: (inout State) throws(CacheError) -> Value) throws(CacheError) -> Value {
        let result = state.withLock { state in Result { () throws(CacheError) in try body(&state) } }
        return try result.get()
    }
}
