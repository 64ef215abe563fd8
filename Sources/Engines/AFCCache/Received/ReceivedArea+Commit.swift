internal import AFCCaching
internal import AFCHTTP
internal import Dispatch
internal import GRDB
internal import Synchronization

extension ReceivedArea {
    /// How long a change waits for others, and how many wait at most before they are written.
    private static let delay = DispatchTimeInterval.milliseconds(100)
    private static let batchSize = 256
    /// How many changes may wait, and how many bytes of memory they may take, before those who make more wait for them.
    private static let waitingLimit = 8192
    private static let waitingCostLimit = 64 << 20
    /// For how many rows it may be remembered that they were used before that is written down.
    private static let usedLimit = 4096

    /// Gets the right to add to the area, where this process doesn't have it.
    func open() throws(CacheError) {
        try locked { state throws(CacheError) in
            guard state.keeper == nil else { return }
            let keeper = try ReceivedKeeper(layout)
            let reader = try ReceivedReader(layout)
            state.memory.forgetAll()
            state.memory.replaceHashes([])
            state.horizon = ReceivedReader.Horizon()
            state.change = reader.change
            try addHashes(&state, reader)
            (state.keeper, state.reader, state.nextID, state.failure) = (keeper, reader, keeper.nextID, nil)
        }
    }

    /// Writes what waits, and gives back the right to add.
    func close() throws(CacheError) { try close { flushing.sync { commit(withUses: true) } } }

    /// Does the same where nobody else has this value any more, which may be noticed on the queue itself.
    func closeAtEnd() throws(CacheError) { try close { commit(withUses: true) } }

    private func close(_ commit: () -> Void) throws(CacheError) {
        guard state.withLock({ $0.keeper != nil }) else { return }
        var keeper: ReceivedKeeper?
        var failure: CacheError?
        var isEmpty = false
        while !isEmpty {
            commit()
            isEmpty = state.withLock { state in
                guard state.queue.isEmpty else { return false }
                (keeper, failure) = (state.keeper, state.failure)
                (state.keeper, state.failure) = (nil, nil)
                return true
            }
        }
        try keeper?.close()
        if let failure { throw failure }
    }

    /// Writes what waits.
    func flush() throws(CacheError) {
        flushing.sync { commit(withUses: true) }
        try tellFailure()
    }

    /// A response was used.
    func markUsed(_ id: Int64, at now: Timestamp) {
        let minutes = RecencyRecorder.minutes(now)
        state.withLock { state in
            guard state.keeper != nil, state.used[id] != minutes else { return }
            state.used[id] = minutes
            if state.used.count == 1 || state.used.count == Self.usedLimit {
                let pause = DispatchTimeInterval.seconds(state.used.count == 1 ? 60 : 0)
                flushing.asyncAfter(deadline: .now() + pause) { [weak self] in
                    self?.commit(withUses: true)
                }
            }
        }
    }

    /// Makes sure that what waits is written soon.
    func schedule(_ state: inout State) {
        if state.queue.count == Self.batchSize {
            flushing.async { [weak self] in self?.commit(withUses: false) }
        } else if !state.isScheduled {
            state.isScheduled = true
            flushing.asyncAfter(deadline: .now() + Self.delay) { [weak self] in self?.commit(withUses: false) }
        }
    }

    /// Waits until less waits to be written.
    func waitWhereFull() {
        let isFull = state.withLock {
            $0.queue.count >= Self.waitingLimit || $0.queueCost >= Self.waitingCostLimit
        }
        if isFull { flushing.sync { commit(withUses: false) } }
    }

    /// Throws, once, why something could not be written.
    func tellFailure() throws(CacheError) {
        let failure = state.withLock { state in
            defer { state.failure = nil }
            return state.failure
        }
        if let failure { throw failure }
    }

    /// Writes a batch in one transaction; on the queue only.
    private func commit(withUses: Bool) {
        let (batch, used, keeper) = state.withLock { state in
            let used = withUses || state.used.count >= Self.usedLimit ? state.used : [:]
            if !used.isEmpty { state.used.removeAll(keepingCapacity: true) }
            defer {
                state.queue = []
                state.queueCost = 0
                state.isScheduled = false
            }
            return (state.queue, used, state.keeper)
        }
        guard let keeper, !batch.isEmpty || !used.isEmpty else { return }
        do throws(CacheError) {
            // The bodies first: whoever sees a row has its body, also after a power cut.
            try BodyFile.sync(batch.compactMap(\.file), in: layout)
            let room = try self.room.current()
            let now = batch.compactMap(\.time).max()
            let (replaced, displaced) = try keeper.write { db in
                var replaced: [ReceivedDeparture] = []
                for change in batch { replaced += try change.apply(to: db) }
                for (id, minutes) in used {
                    try db.cachedStatement(sql: "UPDATE response SET used = ? WHERE id = ? AND used < ?")
                        .execute(arguments: [Int64(minutes), id, Int64(minutes)])
                }
                let displaced = try now.map { try ReceivedDeparture.makeRoom(room, now: $0, in: db) } ?? []
                return (replaced, displaced)
            }
            settle(batch, displaced)
            removeFiles(of: replaced + displaced)
        } catch {
            state.withLock { state in
                state.failure = error
                for case .put(let row, _, _) in batch { state.memory.remove(row.variant.id, of: row.url) }
                state.memory.settle(batch.map(\.url), isLost: true)
            }
            for file in batch.compactMap(\.file) { file.remove() }
        }
    }

    /// Makes memory and other processes see what was written.
    private func settle(_ batch: [ReceivedChange], _ displaced: [ReceivedDeparture]) {
        // Readers that miss the number find what they have gone or changed when they look at it.
        let change = try? ChangeCounter.grow(path: layout.changes, lock: layout.changesLock)
        state.withLock { state in
            state.memory.settle(batch.map(\.url), isLost: false)
            for one in displaced { state.memory.remove(one.id, of: one.url) }
            // Another process removed something meanwhile where the number grew by more than this change.
            if let change, change == state.change &+ 1 { state.change = change }
        }
    }

    /// Removes the bodies of what left; what can't be removed now is found by `verify` and `gc`.
    func removeFiles(of left: [ReceivedDeparture]) {
        for file in left.compactMap(\.file) { BodyFile.remove(file, in: layout) }
    }
}
