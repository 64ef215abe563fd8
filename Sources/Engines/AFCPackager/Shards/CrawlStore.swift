package import AFCCrawlRules
internal import AFCFiles
internal import AFCText

/// Where jobs on several machines share the files of a crawl, if they share no folder.
///
/// A file is created as a whole under a free name, and never changed; so of several jobs that do the same work, one is the
/// first.
package protocol CrawlStore: Sendable {
    /// What the store is called.
    var address: String { get }

    /// Returns the names of all files that begin with a text, in no order.
    func names(below prefix: String) async throws -> [String]

    /// Returns the names of the folders whose names begin with a text.
    func folders(below prefix: String) async throws -> [String]

    /// Returns a file's bytes; nil if there is none.
    func read(_ name: String, limit: Int) async throws -> [UInt8]?

    /// Creates a file unless there is one.
    ///
    /// - Returns: False if there is one; it may be this one, if the answer to an earlier attempt was lost.
    func create(_ name: String, _ bytes: [UInt8]) async throws -> Bool

    /// Removes files; those that are missing are no error.
    func remove(_ names: [String]) async throws
}

/// A crawl whose files are in a store, and a folder of this process with what it needs of them.
///
/// Large files are stored in parts. A job writes its state and new bodies under new names, and then a *checkpoint*, which
/// lists the parts of both; another job begins with these.
///
///     plan.json
///     round-1/shard-3/try-1            the answers that an attempt began with
///     round-1/shard-3/done.json        names the attempt that counts
///     round-1/shard-3/attempt-1/       begun; checkpoint-2 with its parts state-2-1, bodies-2-1; package-1; to-7
package struct StoredCrawl: Sendable {
    /// The size of parts in bytes.
    private static let partSize = 32 << 20
    private static let checkpointLimit = 16 << 20
    /// How many files are read at once.
    private static let width = 4

    package let store: any CrawlStore
    /// The folder of this process.
    package let folder: CrawlFolder

    package init(_ store: any CrawlStore, folder: CrawlFolder) { (self.store, self.folder) = (store, folder) }

    func failure(_ name: String, _ message: String, remedy: Remedy? = nil) -> PackagingError {
        let subject = name.isEmpty ? store.address : "\(store.address)/\(name)"
        return PackagingError(.sharedFolder, subject: subject, message: message, remedy: remedy)
    }

    // MARK: The plan

    /// Writes the plan of a new crawl, unless the store has one.
    ///
    /// - Returns: False if it has one, of this crawl or another one.
    /// - Throws: ``PackagingError`` if the store can't be shared.
    package func plan(_ plan: ShardPlan) async throws -> Bool {
        guard try await store.read(CrawlFolder.planName, limit: ShardPlan.byteLimit) == nil else { return false }
        let probe = "probe-\(UInt32.random(in: 0...UInt32.max))"
        let isFirst = try await store.create(probe, [])
        let isSecond = try await store.create(probe, [])
        try await store.remove([probe])
        guard isFirst, !isSecond else {
            throw failure(
                "",
                "the server creates an object although it exists (it ignores If-None-Match), so that jobs would undo each "
                    + "other's work; use another service, or a shared folder"
            )
        }
        return try await store.create(CrawlFolder.planName, plan.bytes)
    }

    /// Gets the plan, if there is one.
    package func pullPlan() async throws {
        guard let plan = try await store.read(CrawlFolder.planName, limit: ShardPlan.byteLimit) else { return }
        try write(CrawlFolder.planName, plan)
    }

    /// Gets what the jobs have written about the current round and the one before.
    ///
    /// - Parameters:
    ///   - shard: The shard of which more is needed, to work on it.
    ///   - isWhole: True to get the records of all rounds.
    /// - Throws: The store's errors, and `FileError`.
    package func pull(shard: Int? = nil, isWhole: Bool = false) async throws {
        let rounds = try await rounds()
        guard let last = rounds.last else { return }
        var wanted: [String] = []
        for round in rounds {
            if round >= last - 1 || isWhole {
                for name in try await store.names(below: "round-\(round)/") {
                    guard let file = StoredName(name) else { continue }
                    if file.isRecord || (file.shard == shard && file.isNote) { wanted.append(name) }
                    // That there is one is what others count.
                    if let attempt = file.begun { try makeFolders("\(file.place)/attempt-\(attempt)") }
                }
            } else if let shard {
                wanted.append(SharedCrawl.doneName(round, shard))
            }
        }
        try await forEach(wanted) { name in
            guard let bytes = try await store.read(name, limit: ShardRecord.byteLimit) else { return }
            try write(name, bytes)
        }
    }

    /// Gets the URLs that shards handed over to one.
    func pullBlocks(for shard: Int, from round: CrawlRound?) async throws {
        let names = (round?.done.values).map(Array.init)?.filter { $0.blocks.contains { $0.shard == shard } }.map {
            "\(SharedCrawl.place($0))/\(SharedCrawl.blockName(shard))"
        }
        try await forEach(names ?? []) { name in
            guard let bytes = try await store.read(name, limit: HandoverBlock.byteLimit) else { return }
            try write(name, bytes)
        }
    }

    /// Gets the package to which a record belongs, and returns its path.
    package func pullPackage(_ record: ShardRecord) async throws -> String {
        let name = "\(SharedCrawl.place(record))/package"
        let path = folder[name + ".zip"]
        try makeFolders(SharedCrawl.place(record))
        let file = try OpenFile(creating: path)
        var position: Int64 = 0
        var part = 1
        while position < record.bytes {
            guard let bytes = try await store.read("\(name)-\(part)", limit: Self.partSize), !bytes.isEmpty else {
                throw failure("\(name)-\(part)", "a part of the package is missing")
            }
            try bytes.span.bytes.withUnsafeBytes { bytes throws(FileError) in try file.write(bytes, at: position) }
            (position, part) = (position + Int64(bytes.count), part + 1)
        }
        guard position == record.bytes else { throw failure(name, "the package has another size than stated") }
        return path
    }

    // MARK: Work

    /// Returns the number of a new attempt, which no other job has.
    func claim(_ place: String) async throws -> Int {
        let numbers = try await store.names(below: place + "/attempt-").compactMap { StoredName($0)?.attempt }
        var number = (numbers.max() ?? 0) + 1
        while try await !store.create("\(place)/attempt-\(number)/begun", []) { number += 1 }
        return number
    }

    /// Returns true if the work of a shard in a round is done, and then gets its record.
    func isDone(_ name: String) async throws -> Bool {
        guard let bytes = try await store.read(name, limit: ShardRecord.byteLimit) else { return false }
        if !folder.exists(name) { try write(name, bytes) }
        return true
    }

    /// Creates a file that nobody else creates.
    func createOwn(_ name: String, _ bytes: [UInt8]) async throws {
        if try await store.create(name, bytes) { return }
        // The answer to an earlier attempt may have been lost.
        guard try await store.read(name, limit: bytes.count) == bytes else {
            throw failure(name, "another process has written it")
        }
    }

    /// Stores a part of a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - range: The bytes.
    ///   - name: The beginning of the parts' names, to which a number is added.
    /// - Returns: The parts.
    /// - Throws: The store's errors, and `FileError`.
    func push(_ path: String, _ range: Range<Int64>, as name: String) async throws -> [StoredPart] {
        let file = try OpenFile(reading: path)
        var parts: [StoredPart] = []
        var position = range.lowerBound
        while position < range.upperBound {
            let bytes = try file.bytes(Int(min(range.upperBound - position, Int64(Self.partSize))), at: position)
            guard !bytes.isEmpty else { throw failure(name, "the file \(PrintableText.quoted(path)) became shorter") }
            let part = StoredPart(name: "\(name)-\(parts.count + 1)", bytes)
            try await createOwn(part.name, bytes)
            parts.append(part)
            position += Int64(bytes.count)
        }
        return parts
    }

    /// Gets a file from its parts.
    ///
    /// - Throws: ``PackagingError`` with the remedy `restart` if a part is missing or damaged.
    private func pull(_ parts: [StoredPart], to path: String) async throws {
        let file = try OpenFile(creating: path, mode: 0o600)
        var position: Int64 = 0
        for part in parts {
            guard let bytes = try await store.read(part.name, limit: Self.partSize), part.isOf(bytes) else {
                throw failure(part.name, "it is missing or damaged", remedy: .restart)
            }
            try bytes.span.bytes.withUnsafeBytes { bytes throws(FileError) in
                try file.write(UnsafeRawBufferPointer(rebasing: bytes[..<Int(part.used)]), at: position)
            }
            position += part.used
        }
    }

    /// Gets the state and the bodies of a checkpoint.
    func pull(_ checkpoint: StoredCheckpoint, to own: String) async throws {
        for (parts, suffix) in [(checkpoint.bodies, ".bodies"), (checkpoint.state, ".crawl")] {
            folder.remove(own + suffix)
            try await pull(parts, to: folder[own + suffix])
        }
    }

    /// Returns the newest checkpoint of an attempt; nil if it has none.
    func checkpoint(of attempt: String, plan: String) async throws -> StoredCheckpoint? {
        let prefix = attempt + "/checkpoint-"
        let numbers = try await store.names(below: prefix).compactMap { StoredName.number($0, prefix) }
        guard let last = numbers.max(),
            let bytes = try await store.read(prefix + String(last), limit: Self.checkpointLimit)
        else { return nil }
        guard let checkpoint = StoredCheckpoint(bytes, plan: plan) else {
            throw failure(prefix + String(last), "it is damaged, or belongs to another plan", remedy: .restart)
        }
        return checkpoint
    }

    /// Returns the checkpoint with the most bodies of all attempts of a shard in a round; nil if there is none.
    func bestCheckpoint(in place: String, plan: String) async throws -> StoredCheckpoint? {
        let attempts = Set(try await store.names(below: place + "/attempt-").compactMap { StoredName($0)?.attempt })
        var best: StoredCheckpoint?
        for attempt in attempts.sorted() {
            guard let found = try await checkpoint(of: "\(place)/attempt-\(attempt)", plan: plan) else { continue }
            if best.map({ found.bodyBytes >= $0.bodyBytes }) ?? true { best = found }
        }
        return best
    }

    /// Removes what nobody needs once a round of a shard is done: all but the records, the blocks for others, and what the
    /// attempt that counts has.
    func cleanUp(after record: ShardRecord) async throws {
        let attempt = SharedCrawl.place(record)
        guard let checkpoint = try await checkpoint(of: attempt, plan: record.plan) else { return }
        let needed = Set((checkpoint.bodies + checkpoint.state).map(\.name))
        var unneeded: [String] = []
        for round in try await rounds() where round <= record.round {
            let place = SharedCrawl.place(round, record.shard)
            for name in try await store.names(below: place + "/") where !needed.contains(name) {
                guard let file = StoredName(name), !file.isRecord, file.part("to-") == nil else { continue }
                let isOwn = name.hasPrefix(attempt + "/")
                let isKept = isOwn && (file.part("package-") != nil || file.part("checkpoint-") == checkpoint.number)
                if !isKept { unneeded.append(name) }
            }
        }
        try await store.remove(unneeded)
    }

    /// Removes what an attempt has written.
    func discard(_ attempt: String) async throws {
        try await store.remove(try await store.names(below: attempt + "/").filter { StoredName($0) != nil })
    }

    // MARK: Files

    /// Returns the rounds of which there is something, in order.
    private func rounds() async throws -> [Int] {
        try await store.folders(below: "round-").compactMap { StoredName.number($0, "round-") }.sorted()
    }

    private func makeFolders(_ name: String) throws {
        try FolderTree<FileError>.make(folder[name])
    }

    /// Writes a file of this process's folder, which needn't survive a failure of the machine.
    private func write(_ name: String, _ bytes: [UInt8]) throws {
        if let slash = name.lastIndex(of: "/") { try makeFolders(String(name[..<slash])) }
        folder.remove(name)
        let file = try OpenFile(creating: folder[name])
        try bytes.span.bytes.withUnsafeBytes { bytes throws(FileError) in try file.write(bytes, at: 0) }
    }

    private func forEach(_ names: [String], _ body: @Sendable @escaping (String) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, name) in names.enumerated() {
                if index >= Self.width { try await group.next() }
                group.addTask { try await body(name) }
            }
            try await group.waitForAll()
        }
    }
}
