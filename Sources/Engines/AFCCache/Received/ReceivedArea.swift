internal import AFCCaching
internal import AFCFiles
internal import AFCHTTP
import AFCPlatform
internal import AFCSQLite
internal import AFCText
internal import AFCURL
internal import Dispatch
internal import Synchronization

/// The received responses of a cache: look-ups, and changes that are written to disk shortly after they are made.
///
/// What memory holds for a URL is always complete: a change is made in memory, where look-ups see it at once, and stays
/// there until a transaction has written it.
final class ReceivedArea: Sendable {
    private struct State {
        var memory: ReceivedMemory
        var reader: ReceivedReader?
        var horizon = ReceivedReader.Horizon()
        /// The number in `received.changes` to which memory corresponds, and the time when the folder was last
        /// examined.
        var change: UInt64 = 0
        /// The number of times that other processes were seen to have changed the area.
        var foreignChanges: UInt64 = 0
        var checked: Int64?
        var keeper: ReceivedKeeper?
        var nextID: Int64 = 1
        var queue: [ReceivedChange] = []
        var queueCost = 0
        var isScheduled = false
        /// The last uses of rows that aren't written yet, in minutes since 1970.
        var used: [Int64: UInt32] = [:]
        var failure: CacheError?
    }

    let layout: ReceivedLayout
    let room: ReceivedRoom
    private let cache: CacheLayout
    private let state: Mutex<State>
    /// What memory knows of responses that are found by more than their URL, for look-ups without a lock.
    private let variances = Atomic<Bool>(false)
    private let relations = Atomic<Bool>(false)
    private let flushing = DispatchQueue(label: "afcache.received")

    init(_ layout: CacheLayout, room: ReceivedRoom, memory: Int) {
        cache = layout
        self.layout = layout.received
        self.room = room
        state = Mutex(State(memory: ReceivedMemory(limit: memory)))
    }

    // MARK: Look-ups

    private enum Look {
        case known(ReceivedEntry)
        case ask(ReceivedReader)
    }

    /// Returns the entry of a resource.
    ///
    /// A process that only reads continues without an unreadable area; packages are served anyway.
    func entry(for key: ResourceKey) throws(CacheError) -> ReceivedEntry {
        do throws(CacheError) {
            return try stampedEntry(for: key).entry
        } catch {
            if state.withLock({ $0.keeper != nil }) { throw error }
            state.withLock { $0.reader = nil }
            return ReceivedEntry()
        }
    }

    /// Returns the entry of a resource; nil if the disk must be read, if it is time to examine the folder, or while
    /// another thread does so.
    func entryAtOnce(for key: ResourceKey) -> ReceivedEntry? {
        let known = state.withLockIfAvailable { state -> ReceivedEntry? in
            guard state.checked == MonotonicClock.seconds, (state.reader?.change ?? state.change) == state.change,
                case .known(let entry) = look(&state, key)
            else { return nil }
            return entry
        }
        return known ?? nil
    }

    /// True if some response may answer other URLs than its own.
    var hasVariances: Bool { variances.load(ordering: .relaxed) }

    /// True if some response may be found by more than its URL.
    var hasRelations: Bool { relations.load(ordering: .relaxed) }

    private func noteRelations(_ state: State) {
        if state.memory.relations.hasVariances { variances.store(true, ordering: .relaxed) }
        if !state.memory.relations.isEmpty { relations.store(true, ordering: .relaxed) }
    }

    /// Returns true if responses for other URLs may answer a URL, or while another thread looks.
    func mayHaveEquivalents(of key: ResourceKey) -> Bool {
        state.withLockIfAvailable { !$0.memory.relations.equivalents(of: key.text).isEmpty } ?? true
    }

    /// Returns the responses for other URLs that also answer a URL by their No-Vary-Search.
    func equivalents(of key: ResourceKey) throws(CacheError) -> [(variant: ReceivedVariant, key: ResourceKey)] {
        var found: [(variant: ReceivedVariant, key: ResourceKey)] = []
        let query = ReceivedRelations.parts(key.text).query
        for url in state.withLock({ $0.memory.relations.equivalents(of: key.text) }) {
            let (asked, stored) = (ReceivedRelations.parts(key.text).base, ReceivedRelations.parts(url))
            guard asked == stored.base, let other = ResourceKey(stored: url) else { continue }
            for variant in try entry(for: other).variants {
                guard variant.variance?.areEquivalent(query, stored.query) ?? false else { continue }
                found.append((variant, other))
            }
        }
        return found
    }

    /// Returns the entry of a resource, and the stamp of memory to which it corresponds.
    private func stampedEntry(for key: ResourceKey) throws(CacheError) -> (entry: ReceivedEntry, stamp: UInt64) {
        while true {
            let (found, stamp) = try locked { state throws(CacheError) in
                try refresh(&state)
                return (look(&state, key), state.memory.stamp)
            }
            switch found {
            case .known(let entry): return (entry, stamp)
            case .ask(let reader):
                let entry = try reader.read { db in try ReceivedEntry.fetch(key, from: db) }
                // What was read counts only if nothing was removed from disk or memory in the meantime.
                let isTrue = state.withLock { state in
                    guard state.memory.stamp == stamp else { return false }
                    state.memory.keep(entry, for: key)
                    return true
                }
                if isTrue { return (entry, stamp) }
            }
        }
    }

    private func look(_ state: inout State, _ key: ResourceKey) -> Look {
        if let entry = state.memory.entry(key) { return .known(entry) }
        guard let reader = state.reader, state.memory.hashCount > 0 else { return .known(ReceivedEntry()) }
        return state.memory.mayHave(key) ? .ask(reader) : .known(ReceivedEntry())
    }

    /// Detects changes by other processes: one small read of a file, and once a second a check of the folder.
    private func refresh(_ state: inout State) throws(CacheError) {
        let second = MonotonicClock.seconds
        let isDue = state.checked != second
        state.checked = second
        // A removed database is noticed by its number, too: whoever removes it increases the number.
        let isChanged = state.reader.map { $0.change != state.change } ?? false
        if isDue || isChanged { if state.keeper == nil { reopen(&state) } else { giveUpWhereGone(&state) } }
        guard let reader = state.reader else { return }
        let change = reader.change
        guard change != state.change else { return }
        state.change = change
        state.foreignChanges += 1
        state.memory.forgetAll()
        if state.keeper == nil { try addHashes(&state, reader) }
    }

    /// Gives up an area whose database was removed or replaced; the next change acquires the right to add again.
    private func giveUpWhereGone(_ state: inout State) {
        guard let reader = state.reader, !reader.isCurrent else { return }
        (state.keeper, state.reader, state.failure) = (nil, nil, nil)
        (state.queue, state.queueCost, state.used) = ([], 0, [:])
        state.memory.startOver()
        state.horizon = ReceivedReader.Horizon()
        state.foreignChanges += 1
    }

    private func reopen(_ state: inout State) {
        if let reader = state.reader, reader.isCurrent { return }
        guard state.reader != nil || ReceivedReader.exists(layout) else { return }
        state.foreignChanges += 1
        state.memory.forgetAll()
        state.memory.forgetHashes()
        state.horizon = ReceivedReader.Horizon()
        // Checking or changing the area reports why it can't be read.
        state.reader = try? ReceivedReader(layout)
        guard let reader = state.reader else { return }
        state.change = reader.change
        do throws(CacheError) {
            try addHashes(&state, reader)
        } catch {
            state.reader = nil
        }
    }

    /// Returns a number that differs after each change by another process; nil while the state in memory isn't that on
    /// disk.
    func foreignChanges() -> UInt64? {
        state.withLock { state in
            guard let reader = state.reader else { return state.foreignChanges }
            return reader.change == state.change ? state.foreignChanges : nil
        }
    }

    private func addHashes(_ state: inout State, _ reader: ReceivedReader) throws(CacheError) {
        let (hashes, horizon) = try reader.hashes(beyond: state.horizon)
        for hash in hashes { state.memory.addHash(hash) }
        try reader.forEachRelated(beyond: state.horizon.response) {
            state.memory.relate($0.url, $0.variance, $0.groups)
        }
        state.horizon = horizon
        noteRelations(state)
    }

    // MARK: Changes

    /// Changes the entry of a resource: in memory at once, on disk soon.
    ///
    /// - Parameters:
    ///   - key: The key of the resource.
    ///   - body: Changes the entry, and returns the changes to write; it may be called more than once.
    /// - Throws: ``CacheError`` if this process may not add to the area, or if an earlier write failed.
    private func change(_ key: ResourceKey, _ body: (inout ReceivedEntry, inout State) -> [ReceivedChange])
        throws(CacheError)
    {
        try tellFailure()
        while true {
            // An area that was removed has been given up.
            try open()
            let (found, stamp) = try stampedEntry(for: key)
            let isDone = try locked { state throws(CacheError) in
                guard state.keeper != nil else { return false }
                guard var entry = state.memory.entry(key) ?? (state.memory.stamp == stamp ? found : nil) else {
                    return false
                }
                let changes = body(&entry, &state)
                guard !changes.isEmpty else { return true }
                for change in changes {
                    state.memory.change(entry, for: key)
                    state.queue.append(change)
                    state.queueCost += change.cost
                }
                noteRelations(state)
                schedule(&state)
                return true
            }
            guard isDone else { continue }
            return waitWhereFull()
        }
    }

    /// Runs a closure with exclusive access to the state.
    private func locked<Value: Sendable>(_ body: (inout State) throws(CacheError) -> Value) throws(CacheError) -> Value
    {
        try state.withLock { state throws(CacheError) in try body(&state) }
    }

    // MARK: Writing

    /// The time that a change waits for further ones before they are written.
    private static let delay = DispatchTimeInterval.milliseconds(100)
    private static let batchSize = 256
    /// The number of changes that may wait before those who make more must wait.
    private static let waitingLimit = 8192
    private static let waitingCostLimit = 64 << 20
    /// The number of rows whose uses may be recorded before they are written.
    private static let usedLimit = 4096

    /// Acquires the right to add to the area, unless this process already has it.
    func open() throws(CacheError) {
        try locked { state throws(CacheError) in
            guard state.keeper == nil else { return }
            let keeper = try ReceivedKeeper(layout)
            DiskReserve.make(cache)
            let reader = try ReceivedReader(layout)
            state.memory.forgetAll()
            state.memory.forgetHashes()
            state.horizon = ReceivedReader.Horizon()
            state.change = reader.change
            try addHashes(&state, reader)
            (state.keeper, state.reader, state.nextID, state.failure) = (keeper, reader, keeper.nextID, nil)
        }
    }

    /// Writes pending changes, and gives up the right to add.
    func close() throws(CacheError) {
        guard state.withLock({ $0.keeper != nil }) else { return }
        var keeper: ReceivedKeeper?
        var failure: CacheError?
        var isEmpty = false
        while !isEmpty {
            flushing.sync { commit(withUses: true) }
            isEmpty = state.withLock { state in
                guard state.queue.isEmpty else { return false }
                (keeper, failure) = (state.keeper, state.failure)
                (state.keeper, state.failure) = (nil, nil)
                return true
            }
        }
        try withReserve { () throws(CacheError) in try keeper?.close() }
        if let failure { throw failure }
    }

    /// Writes pending changes.
    func flush() throws(CacheError) {
        flushing.sync { commit(withUses: true) }
        try tellFailure()
    }

    /// Records that a response was used.
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

    /// Makes sure that pending changes are written soon.
    private func schedule(_ state: inout State) {
        if state.queue.count == Self.batchSize {
            flushing.async { [weak self] in self?.commit(withUses: false) }
        } else if !state.isScheduled {
            state.isScheduled = true
            flushing.asyncAfter(deadline: .now() + Self.delay) { [weak self] in self?.commit(withUses: false) }
        }
    }

    /// Waits until fewer changes are pending.
    private func waitWhereFull() {
        let isFull = state.withLock {
            $0.queue.count >= Self.waitingLimit || $0.queueCost >= Self.waitingCostLimit
        }
        if isFull { flushing.sync { commit(withUses: false) } }
    }

    /// Throws the error of a failed write, once.
    private func tellFailure() throws(CacheError) {
        let failure = state.withLock { state in
            defer { state.failure = nil }
            return state.failure
        }
        if let failure { throw failure }
    }

    /// Writes what is pending; called only on the queue.
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
        store(batch, used, by: keeper)
    }

    /// Writes a batch in one transaction, or in several if the log has no room for all of it.
    private func store(_ batch: [ReceivedChange], _ used: [Int64: UInt32], by keeper: ReceivedKeeper) {
        do throws(CacheError) {
            // The bodies first: every row that can be seen has its body, even after a power failure.
            try BodyFile.sync(batch.compactMap(\.file), in: layout)
            let left: Departures
            do throws(CacheError) {
                left = try write(batch, used, by: keeper)
            } catch {
                guard error.isDiskFull else { throw error }
                // The log may have room for fewer changes.
                guard batch.count < 2 else {
                    store(Array(batch.prefix(batch.count / 2)), used, by: keeper)
                    return store(Array(batch.dropFirst(batch.count / 2)), [:], by: keeper)
                }
                let isNew = batch.contains(where: \.isNew)
                guard try giveWay(to: batch, by: keeper) || !isNew else { throw error }
                // What is invalid, or has gone, must not be back after the next start.
                left =
                    try isNew
                    ? write(batch, used, by: keeper)
                    : withReserve { () throws(CacheError) in try write(batch, used, by: keeper) }
            }
            settle(batch, left.evicted)
            removeFiles(of: left.replaced + left.evicted)
        } catch {
            state.withLock { state in
                state.failure = error
                for case .put(let row, _, _) in batch { state.memory.remove(row.variant.id, of: row.key.text) }
                state.memory.settle(batch.map(\.key), isLost: true)
            }
            for file in batch.compactMap(\.file) { file.remove() }
        }
    }

    /// The responses that left with a batch.
    private struct Departures {
        var replaced: [ReceivedDeparture] = []
        var evicted: [ReceivedDeparture] = []
    }

    private func write(_ batch: [ReceivedChange], _ used: [Int64: UInt32], by keeper: ReceivedKeeper)
        throws(CacheError) -> Departures
    {
        let room = try self.room.current()
        let now = batch.compactMap(\.time).max()
        // The rows need room in the log and then, as much as the whole log takes, in the database. If there is little,
        // the log is kept short, and rows take the pages of older ones.
        let growth = batch.reduce(0) { $0 + $1.growth }
        if try FreedPages.room(in: layout.root) < 4 * growth + FreedPages.logSize(of: layout.database) {
            try FreedPages.emptyLog(of: keeper.database, path: layout.database, truncating: true)
        }
        let isScarce = try FreedPages.room(in: layout.root) < 4 * growth
        return try keeper.write { db in
            var left = Departures()
            if isScarce, let now {
                let missing = try growth - FreedPages.size(in: db)
                left.evicted = try ReceivedDeparture.makeRoom(CacheLimits(), freeing: missing, now: now, in: db)
            }
            for change in batch { left.replaced += try change.apply(to: db) }
            for (id, minutes) in used {
                // The clock may have been set back.
                try db.statement("UPDATE response SET used = ? WHERE id = ?")
                    .execute([Int64(minutes), id])
            }
            if let now { left.evicted += try ReceivedDeparture.makeRoom(room, now: now, in: db) }
            return left
        }
    }

    /// Makes memory and other processes see what was written.
    private func settle(_ batch: [ReceivedChange], _ evicted: [ReceivedDeparture]) {
        // Readers that miss the number detect a removed or changed response when they access it.
        let change = try? ChangeCounter.grow(path: layout.changes, lock: layout.changesLock)
        state.withLock { state in
            state.memory.settle(batch.map(\.key), isLost: false)
            for one in evicted { state.memory.remove(one.id, of: one.url) }
            // If the number increased by more than this change, another process removed something in the meantime.
            if let change, change == state.change &+ 1 { state.change = change }
        }
    }

    /// Removes the bodies of removed responses.
    ///
    /// If that fails, verification and garbage collection find them.
    func removeFiles(of left: [ReceivedDeparture]) {
        for file in left.compactMap(\.file) { BodyFile.remove(file, in: layout) }
    }

    // MARK: Kinds of changes

    /// Adds a response whose body is complete.
    func put(
        _ response: StoredResponse,
        digest: [UInt8],
        body: ReceivedVariant.Body,
        file: BodyFile?,
        for key: ResourceKey,
        replacing: [Int64]
    ) throws(CacheError) -> ReceivedVariant {
        var variant = ReceivedVariant(id: 0, response: response, digest: digest, body: body)
        try change(key) { entry, state in
            variant = variant.numbered(state.nextID)
            state.nextID += 1
            let leaving = entry.add(variant, replacing: replacing)
            return [.put(ReceivedRow(key: key, variant: variant), file: file, leaving: leaving)]
        }
        return variant
    }

    /// Replaces the head of a response if it still exists.
    func update(_ id: ReceivedID, _ response: StoredResponse) throws(CacheError) {
        try change(id.key) { entry, _ in
            guard let known = entry.variant(id.number) else { return [] }
            let variant = known.with(response)
            entry.replace(variant)
            return [.update(ReceivedRow(key: id.key, variant: variant))]
        }
    }

    /// Stores new fields for a package's entry.
    func freshen(_ key: ResourceKey, _ freshened: FreshenedEntry) throws(CacheError) {
        try change(key) { entry, _ in
            entry.freshened = freshened
            return [.freshen(freshened, key)]
        }
    }

    /// Invalidates variants.
    func invalidate(_ key: ResourceKey, where isChosen: (ReceivedVariant) -> Bool = { _ in true }) throws(CacheError) {
        try change(key) { entry, _ in
            entry.variants.filter { !$0.response.isInvalidated && isChosen($0) }.map { known in
                var response = known.response
                response.isInvalidated = true
                let variant = known.with(response)
                entry.replace(variant)
                return .update(ReceivedRow(key: key, variant: variant))
            }
        }
    }

    /// Invalidates the responses of an origin that are in one of some groups (RFC 9875 §2.2.1).
    ///
    /// This takes time for each response that wasn't invalidated yet, and once for all rows of the origin if the table of
    /// relations isn't complete.
    ///
    /// - Parameters:
    ///   - groups: The names of the groups.
    ///   - origin: The origin.
    /// - Returns: The resources with such responses.
    /// - Throws: ``CacheError`` if nothing can be stored.
    func invalidate(groups: Set<String>, of origin: String) throws(CacheError) -> [ResourceKey] {
        guard !groups.isEmpty else { return [] }
        // A response that is stored from now on adds itself again.
        let (known, isAll) = state.withLock { $0.memory.takeURLs(of: groups, at: origin) }
        do throws(CacheError) {
            var urls = known
            if !isAll, let reader = state.withLock({ $0.reader }) {
                try flush()
                try reader.forEachRelated(beyond: 0, of: origin) {
                    if !groups.isDisjoint(with: $0.groups) { urls.insert($0.url) }
                }
            }
            return try invalidate(urls, of: origin) { !groups.isDisjoint(with: $0.groups) }
        } catch {
            state.withLock { $0.memory.noteMissingGroups() }
            throw error
        }
    }

    /// Invalidates those variants of URLs that are chosen and weren't invalidated yet.
    private func invalidate(
        _ urls: Set<String>,
        of origin: String,
        where isChosen: (ReceivedVariant) -> Bool
    ) throws(CacheError) -> [ResourceKey] {
        var keys: [ResourceKey] = []
        for url in urls {
            guard let parsed = try? WebURL(url), parsed.origin == origin else { continue }
            let key = ResourceKey(parsed)
            let variants = try entry(for: key).variants
            guard variants.contains(where: { !$0.response.isInvalidated && isChosen($0) }) else { continue }
            try invalidate(key, where: isChosen)
            keys.append(key)
        }
        return keys
    }

    /// Removes responses of one resource.
    func remove(_ ids: [Int64], of key: ResourceKey) throws(CacheError) {
        try change(key) { entry, _ in
            let leaving = ids.filter { entry.variant($0) != nil }
            entry.remove(Set(leaving))
            return leaving.map { .remove($0, key) }
        }
    }

    /// Forgets a response whose body is gone or damaged.
    func drop(_ id: Int64, of key: ResourceKey) {
        guard state.withLock({ $0.keeper != nil }) else {
            return state.withLock { $0.memory.remove(id, of: key.text) }
        }
        // If it can't be removed, it will be found damaged again.
        try? remove([id], of: key)
    }

    // MARK: Maintenance

    /// Returns the URLs that have responses, in no order, without pending changes.
    func urls(limit: Int) throws(CacheError) -> [String] {
        guard ReceivedReader.exists(layout) else { return [] }
        return try ReceivedReader(layout).urls(limit: limit)
    }

    /// Returns the totals, without pending changes.
    func totals() throws(CacheError) -> ReceivedTotals {
        guard ReceivedReader.exists(layout) else { return ReceivedTotals() }
        return try ReceivedReader(layout).totals()
    }

    /// The number of rows that are removed in one transaction: few on a disk with little room for SQLite's log.
    private var rowsAtOnce: Int {
        get throws(CacheError) {
            try FreedPages.room(in: layout.root) < 64 << 20 ? 64 : 4096
        }
    }

    /// Removes rows, a few at a time, with the files of their bodies, and gives the space back to the disk.
    ///
    /// Any process with write access to the cache may do so, even while another one adds; that one detects it.
    ///
    /// - Returns: The number of responses that were removed.
    @discardableResult
    private func removing(_ choose: (Database) throws -> ReceivedChoice) throws(CacheError) -> Int {
        guard ReceivedReader.exists(layout) else { return 0 }
        let keeper = state.withLock { $0.keeper }
        if keeper != nil { try flush() }
        let database = if let keeper { keeper.database } else { try ReceivedKeeper.open(layout) }
        let count = try remove(try onDatabase(layout.database) { try database.use(choose) }, by: database)
        try FreedPages.release(from: database, path: layout.database)
        return count
    }

    private func remove(_ chosen: ReceivedChoice, by database: LockedDatabase) throws(CacheError) -> Int {
        var (responses, freshened) = (chosen.responses[...], chosen.freshened[...])
        var (count, size) = (0, try rowsAtOnce)
        while !responses.isEmpty || !freshened.isEmpty {
            let left: [ReceivedDeparture]
            do throws(CacheError) {
                left = try ReceivedKeeper.transaction(database, layout) { db in
                    for id in freshened.prefix(size) {
                        try db.statement("DELETE FROM freshened WHERE id = ?").execute([id])
                    }
                    return try responses.prefix(size).compactMap { try ReceivedDeparture.remove($0, from: db) }
                }
            } catch {
                // The log may still have room for fewer rows.
                guard error.isDiskFull, size > 1 else { throw error }
                size /= 8
                continue
            }
            (responses, freshened) = (responses.dropFirst(size), freshened.dropFirst(size))
            count += left.count
            try ChangeCounter.grow(path: layout.changes, lock: layout.changesLock)
            state.withLock { state in
                for one in left { state.memory.remove(one.id, of: one.url) }
            }
            removeFiles(of: left)
            try FreedPages.emptyLog(of: database, path: layout.database)
        }
        return count
    }

    /// Removes responses for which the cache's limits leave no room, and returns their number.
    func makeRoom(now: Timestamp) throws(CacheError) -> Int {
        let room = try room.current()
        guard !room.isUnlimited else { return 0 }
        return try removing { db in
            ReceivedChoice(responses: try ReceivedDeparture.excess(room, now: now, in: db))
        }
    }

    /// Evicts the responses that are needed least, because the disk is full.
    ///
    /// - Parameters:
    ///   - bytes: The number of bytes that the disk needs.
    ///   - now: The current time.
    /// - Returns: False if there is nothing to evict.
    /// - Throws: ``CacheError`` if nothing can be removed.
    func giveWay(_ bytes: Int64, now: Timestamp) throws(CacheError) -> Bool {
        try withReserve { () throws(CacheError) in
            try removing { db in
                let chosen = try ReceivedDeparture.excess(CacheLimits(), freeing: bytes, now: now, in: db)
                return ReceivedChoice(responses: chosen)
            } > 0
        }
    }

    /// Evicts responses for a batch that the disk has no room for; called only on the queue.
    private func giveWay(to batch: [ReceivedChange], by keeper: ReceivedKeeper) throws(CacheError) -> Bool {
        guard let now = batch.compactMap(\.time).max() else { return false }
        let growth = batch.reduce(0) { $0 + $1.growth }
        return try withReserve { () throws(CacheError) in
            let chosen = try onDatabase(layout.database) {
                try keeper.database.use { db in
                    try ReceivedDeparture.excess(CacheLimits(), freeing: growth, now: now, in: db)
                }
            }
            return try remove(ReceivedChoice(responses: chosen), by: keeper.database) > 0
        }
    }

    /// Changes something, with the disk's reserve if there is no room for that otherwise.
    private func withReserve<Value>(_ change: () throws(CacheError) -> Value) throws(CacheError) -> Value {
        do throws(CacheError) {
            return try change()
        } catch {
            guard error.isDiskFull else { throw error }
            DiskReserve.releaseWhereScarce(cache)
            defer { DiskReserve.make(cache) }
            return try change()
        }
    }

    /// Removes the responses received from a host, or all.
    func clear(host: String?) throws(CacheError) -> Int {
        guard let host else { return try clearAll() }
        return try removing { db in try ReceivedChoice.all(in: db) { (try? WebURL($0))?.host == host } }
    }

    /// Removes the responses of a group that were received from a host, or from all.
    func clear(group: String, host: String?) throws(CacheError) -> Int {
        try removing { db in
            try ReceivedChoice.group(group, in: db) { host == nil || (try? WebURL($0))?.host == host }
        }
    }

    /// Removes the responses that were received, or last validated, at a time or later.
    func clear(since time: Timestamp) throws(CacheError) -> Int {
        try removing { db in try ReceivedChoice.received(since: time, in: db) }
    }

    /// Removes everything, even what this program can't read.
    ///
    /// Unless a process adds to the area, the files are removed as they are, which needs no room on the disk.
    private func clearAll() throws(CacheError) -> Int {
        guard Descriptor.allows(layout.database, F_OK) else { return 0 }
        try OpenFolder(path: layout.root).requireOwn()
        guard let lock = try freeLock() else {
            return try removing { db in try ReceivedChoice.all(in: db) { _ in true } }
        }
        let count = try readableCount
        try removeDatabase()
        try ChangeCounter.grow(path: layout.changes, lock: layout.changesLock)
        lock.release()
        return count
    }

    /// The number of responses; 0 if this program can't read them.
    private var readableCount: Int {
        get throws(CacheError) {
            do throws(CacheError) {
                return try totals().responses
            } catch {
                guard error.code == .damaged || error.code == .newerCache else { throw error }
                return 0
            }
        }
    }

    private func removeDatabase() throws(CacheError) {
        for suffix in ["", "-wal", "-shm"] { try Folders.remove(layout.database + suffix) }
        for path in try ReceivedKeeper.leftovers(in: layout, known: []) { try Folders.remove(path) }
    }

    /// Removes expired responses, those that belong to removed packages, and unknown files; frees unused pages.
    ///
    /// - Returns: The number of responses that were removed.
    func collectGarbage(now: Timestamp?) throws(CacheError) -> Int {
        guard ReceivedReader.exists(layout) else { return 0 }
        // First what needs no room on the disk.
        try removeLeftovers()
        let generations = try room.generations()
        return try removing { db in
            ReceivedChoice(
                responses: try now.map { try ReceivedChoice.expired(now: $0, in: db) } ?? [],
                freshened: try ReceivedChoice.freshened(besides: generations, in: db)
            )
        }
    }

    /// Removes files that no row refers to, if no process adds to the area.
    private func removeLeftovers() throws(CacheError) {
        guard let lock = try freeLock() else { return }
        let known = try ReceivedReader(layout).read { try ReceivedKeeper.knownFiles($0) }
        for path in try ReceivedKeeper.leftovers(in: layout, known: known) { try Folders.remove(path) }
        lock.release()
    }

    /// Acquires the right to add; nil if another process has it.
    private func freeLock() throws(CacheError) -> WriterLock? {
        do throws(CacheError) {
            return try WriterLock(layout)
        } catch {
            guard error.code == .busy else { throw error }
            return nil
        }
    }

    // MARK: Checking

    /// Compares everything with what was received, without changing anything.
    func verify(isQuick: Bool, _ report: inout VerifyReport) throws(CacheError) {
        guard ReceivedReader.exists(layout) else { return }
        let check = try ReceivedCheck(layout, isQuick: isQuick)
        report.received += check.responses
        report.bodies += check.responses
        report.bytes += check.bytes
        report.findings += check.findings
    }

    /// Removes damaged responses, or the whole area if its database is damaged.
    func repair(_ report: inout RepairReport) throws(CacheError) {
        guard ReceivedReader.exists(layout) else { return }
        let check = try ReceivedCheck(layout, isQuick: false)
        guard !check.findings.isEmpty else { return }
        if check.isDatabaseDamaged {
            guard let lock = try freeLock() else {
                report.remaining += check.findings
                return
            }
            try removeDatabase()
            lock.release()
        } else {
            try removing { _ in ReceivedChoice(responses: check.damaged) }
            try removeLeftovers()
        }
        let last = ReceivedReader.exists(layout) ? try ReceivedCheck(layout, isQuick: false).findings : []
        report.repaired += check.findings.filter { !last.contains($0) }
        report.remaining += last
    }
}
