internal import AFCCaching
internal import AFCFiles
internal import AFCHTTP
internal import AFCText
internal import GRDB
internal import Synchronization

extension ReceivedArea {
    /// How much there is; what waits to be written isn't counted.
    func totals() throws(CacheError) -> ReceivedTotals {
        guard ReceivedReader.exists(layout) else { return ReceivedTotals() }
        return try ReceivedReader(layout).totals()
    }

    /// Removes rows in one transaction, then the files of their bodies.
    ///
    /// Any process that may write to the store may remove, also while another one adds: that one notices.
    @discardableResult
    func removing(_ body: (Database) throws -> [ReceivedDeparture]) throws(CacheError) -> [ReceivedDeparture] {
        guard ReceivedReader.exists(layout) else { return [] }
        let keeper = state.withLock { $0.keeper }
        if keeper != nil { try flush() }
        let left: [ReceivedDeparture]
        if let keeper {
            left = try keeper.write(body)
        } else {
            left = try ReceivedKeeper.transaction(try ReceivedKeeper.open(layout), layout, body)
        }
        guard !left.isEmpty else { return [] }
        try ChangeCounter.grow(path: layout.changes, lock: layout.changesLock)
        for one in left { state.withLock { $0.memory.remove(one.id, of: one.url) } }
        removeFiles(of: left)
        return left
    }

    /// Removes what the store's limits leave no room for.
    func makeRoom(now: Timestamp) throws(CacheError) -> [ReceivedDeparture] {
        let room = try room.current()
        guard room != StoreLimits() else { return [] }
        return try removing { db in try ReceivedDeparture.makeRoom(room, now: now, in: db) }
    }

    /// Removes everything that a rule chooses by its URL.
    func clear(where isChosen: (String) -> Bool) throws(CacheError) -> Int {
        let left = try removing { db in try ReceivedDeparture.removeAll(from: db, where: isChosen) }
        if ReceivedReader.exists(layout) { try ChangeCounter.grow(path: layout.changes, lock: layout.changesLock) }
        return left.count
    }

    /// Removes everything, also what this program can't read.
    func clearAll() throws(CacheError) -> Int {
        do throws(CacheError) {
            return try clear { _ in true }
        } catch {
            guard error.code == .damaged || error.code == .newerStore else { throw error }
            let lock = try WriterLock(layout)
            try removeDatabase()
            lock.release()
            return 0
        }
    }

    private func removeDatabase() throws(CacheError) {
        for suffix in ["", "-wal", "-shm"] { try Folders.remove(layout.database + suffix) }
        for path in try ReceivedKeeper.leftovers(in: layout, known: []) { try Folders.remove(path) }
    }

    /// Removes what expired, what belongs to packages that are gone, and files that nobody knows of; gives free pages back.
    func collectGarbage(now: Timestamp?) throws(CacheError) -> [ReceivedDeparture] {
        guard ReceivedReader.exists(layout) else { return [] }
        let generations = try room.generations()
        let left = try removing { db in
            for row in try Row.fetchAll(db, sql: "SELECT id, generation FROM freshened")
            where !generations.contains(row[1] as String) {
                try db.execute(sql: "DELETE FROM freshened WHERE id = ?", arguments: [row[0] as Int64])
            }
            return try now.map { try ReceivedDeparture.removeExpired(now: $0, from: db) } ?? []
        }
        let database = try ReceivedKeeper.open(layout)
        do {
            try database.writeWithoutTransaction { db in
                try db.execute(sql: "VACUUM")
                _ = try? db.checkpoint(.truncate)
            }
        } catch {
            throw CacheError(database: error, path: layout.database)
        }
        try removeLeftovers()
        return left
    }

    /// Removes files that no row names, where nobody adds to the area.
    private func removeLeftovers() throws(CacheError) {
        guard let lock = try freeLock() else { return }
        let known = try ReceivedReader(layout).read { try ReceivedKeeper.knownFiles($0) }
        for path in try ReceivedKeeper.leftovers(in: layout, known: known) { try Folders.remove(path) }
        lock.release()
    }

    /// The right to add, or nil where somebody has it.
    private func freeLock() throws(CacheError) -> WriterLock? {
        do throws(CacheError) {
            return try WriterLock(layout)
        } catch {
            guard error.code == .busy else { throw error }
            return nil
        }
    }

    // MARK: Checking

    /// Compares everything with what was received; changes nothing.
    func verify(isQuick: Bool, _ report: inout VerifyReport) throws(CacheError) {
        guard ReceivedReader.exists(layout) else { return }
        let check = try ReceivedCheck(layout, isQuick: isQuick)
        report.received += check.responses
        report.bodies += check.responses
        report.bytes += check.bytes
        report.findings += check.findings
    }

    /// Removes what is damaged, and the whole area where its database is.
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
            try removing { db in try check.damaged.compactMap { try ReceivedDeparture.remove($0, from: db) } }
            try removeLeftovers()
        }
        let last = ReceivedReader.exists(layout) ? try ReceivedCheck(layout, isQuick: false).findings : []
        report.repaired += check.findings.filter { !last.contains($0) }
        report.remaining += last
    }
}
