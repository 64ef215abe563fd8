package import AFCCrawlRules
package import AFCCrawler
internal import AFCFiles
internal import AFCPackageFile
internal import AFCPlatform
internal import AFCText
internal import AFCZip

/// The work of one job on one shard of a crawl, in the current round.
///
/// A job takes over what a killed one has left, which its lock shows; while another one lives, it begins with what that one
/// has written last. The first to create the record of the round counts.
package struct ShardWork: Sendable {
    /// How the work of a job ended.
    package enum Outcome: Sendable {
        /// There is nothing to do in the current round; the shard may be done.
        case nothing(CrawlRound)
        /// This job was the first to end.
        case done(ShardRecord)
        /// Another job was the first to end; nothing of this one remains.
        case late
        /// The shard was set aside, for this reason.
        case aside(String)
    }

    private let crawl: SharedCrawl
    private let shard: CrawlShard
    /// The store that other machines' jobs share with this one; nil if they share the folder.
    private let stored: StoredCrawl?
    /// The time after which the state is written so that it survives a failure of the machine.
    private let interval: Duration
    /// The size of new bodies after which it is, too.
    private static let growth: Int64 = 256 << 20
    /// How many seconds pass before a store is asked again whether the work is still wanted.
    private static let storePause = 10
    /// The time after which the state is first written into a store, since nothing else survives there; then twice as long
    /// each time, up to ``interval``.
    private static let firstInterval: Duration = .seconds(5)
    /// How many attempts that find nothing set a shard aside.
    package static let tryLimit = 3

    package init(
        _ crawl: SharedCrawl,
        _ shard: CrawlShard,
        stored: StoredCrawl? = nil,
        interval: Duration = .seconds(300)
    ) {
        (self.crawl, self.shard, self.stored, self.interval) = (crawl, shard, stored, interval)
    }

    private var folder: CrawlFolder { crawl.folder }

    /// Works on the shard until nothing waits in it.
    ///
    /// - Parameters:
    ///   - options: The options of the plan.
    ///   - fetching: The settings for fetching.
    ///   - output: The settings for the package; the path is set here.
    ///   - onEvent: A closure called for each event, from several tasks.
    /// - Returns: How it ended.
    /// - Throws: `PackagingError`, `PackageError`, and `CancellationError`; what was fetched is kept.
    package func run(
        _ options: CrawlOptions,
        fetching: HTTPFetcher.Options,
        output: Packaging.Output,
        onEvent: @escaping @Sendable (CrawlEvent) -> Void
    ) async throws -> Outcome {
        let (round, before) = try await OffPool.run { try crawl.position() }
        if let reason = round.aside[shard.number] { return .aside(reason) }
        // A job may have been killed once it was done, or too late.
        if let record = try crawl.lastRecord(of: shard.number, upTo: round.number) { await cleanUp(after: record) }
        guard round.waiting.contains(shard.number) else { return .nothing(round) }
        try await stored?.pullBlocks(for: shard.number, from: before)
        var options = options
        options.shard = shard
        options.round = round.number
        options.handed = try await OffPool.run { try crawl.handed(to: shard, in: before) }
        // The invented URLs would show what a part of the pages shows.
        options.asksForMissingPage = false
        options.stateInterval = .milliseconds(500)
        for name in ["round-\(round.number)", SharedCrawl.place(round.number, shard.number)] {
            _ = try folder.makeFolder(name)
        }
        let number = try await stored?.claim(SharedCrawl.place(round.number, shard.number))
        let attempt = try claim(number, in: round.number)
        // Between the look at the round and the claim, another job may have ended the shard, perhaps in this very attempt.
        guard try await !isDone(round.number) else {
            try await discard(attempt.name, in: round.number)
            return .late
        }
        do {
            let outcome = try await work(attempt.name, round.number, options, fetching, output, onEvent)
            if case .late = outcome { try await discard(attempt.name, in: round.number) }
            return outcome
        } catch {
            // A job that is too late may find its files removed.
            if await isKnownAsDone(round.number) {
                try await discard(attempt.name, in: round.number)
                return .late
            }
            if let error = error as? FileError { throw PackagingError(unusable: error, error.path) }
            throw error
        }
    }

    /// Removes an attempt that was too late, but never the one whose result counts.
    private func discard(_ attempt: String, in round: Int) async throws {
        guard try await isDone(round), let record = try? crawl.lastRecord(of: shard.number, upTo: round),
            record.round == round,
            SharedCrawl.place(record) != attempt
        else { return }
        folder.remove(attempt)
        try await stored?.discard(attempt)
    }

    private func isDone(_ round: Int) async throws -> Bool {
        let name = SharedCrawl.doneName(round, shard.number)
        return try await stored?.isDone(name) ?? folder.exists(name)
    }

    /// Returns true if a job that has failed was too late; one that can't find out has failed.
    private func isKnownAsDone(_ round: Int) async -> Bool { (try? await isDone(round)) ?? false }

    /// Creates a file that other jobs read.
    ///
    /// - Returns: False if it exists.
    private func create(_ name: String, _ bytes: [UInt8]) async throws -> Bool {
        if let stored, try await !stored.store.create(name, bytes) { return false }
        return try folder.create(name, bytes)
    }

    /// Removes files that other jobs read; what can't be removed takes room, and harms nobody.
    private func remove(_ names: [String]) async {
        for name in names { folder.remove(name) }
        try? await stored?.store.remove(names)
    }

    // MARK: Attempts

    /// The folder of an attempt, which only this process uses.
    private struct Attempt: ~Copyable {
        let name: String
        let lock: FileLock
    }

    /// Takes over the attempt of a process that is gone, or begins another one, which has the given number if there is one.
    private func claim(_ number: Int?, in round: Int) throws(PackagingError) -> Attempt {
        let place = SharedCrawl.place(round, shard.number)
        // In a store, nobody can see whether another attempt's process is gone.
        let numbers = number == nil ? folder.numbers("attempt-", in: place) : []
        func size(_ number: Int) -> Int64 { FolderTree<FileError>.usage(folder["\(place)/attempt-\(number)"]) }
        let sizes = numbers.map { ($0, size($0)) }
        for (number, _) in sizes.sorted(by: { ($0.1, $0.0) > ($1.1, $1.0) }) {
            let name = "\(place)/attempt-\(number)"
            // One that can't be opened is another user's, or was removed meanwhile.
            guard let lock = try? FileLock(file: folder[name + "/lock"]), lock.take(waiting: false) == .held,
                lock.hasName
            else { continue }
            return Attempt(name: name, lock: lock)
        }
        var number = number ?? (numbers.last ?? 0) + 1
        while true {
            let name = "\(place)/attempt-\(number)"
            if try folder.makeFolder(name) {
                do throws(FileError) {
                    let lock = try FileLock(file: folder[name + "/lock"])
                    if lock.take(waiting: false) == .held { return Attempt(name: name, lock: lock) }
                } catch {
                    throw PackagingError(unusable: error, folder[name])
                }
            }
            number += 1
        }
    }

    private static let files = "shard"

    /// Where the state of an attempt may come from.
    private enum Source {
        /// The state in its folder; without one, that of a process that is still at work.
        case own
        /// What it has written to survive a failure of the machine.
        case checkpoint
        /// The state at the end of the shard's last round.
        case lastRound
        case nothing
    }

    /// Works with the best state that can be used.
    private func work(
        _ attempt: String,
        _ round: Int,
        _ options: CrawlOptions,
        _ fetching: HTTPFetcher.Options,
        _ output: Packaging.Output,
        _ onEvent: @escaping @Sendable (CrawlEvent) -> Void
    ) async throws -> Outcome {
        var output = output
        output.path = folder["\(attempt)/package.zip"]
        let kept = stored.map { StoredAttempt($0, attempt, plan: crawl.digest) }
        for source in [Source.own, .checkpoint, .lastRound] {
            do {
                guard try await prepare(attempt, round, source, kept) else { continue }
                return try await work(attempt, round, options, fetching, output, onEvent, kept, isLast: false)
            } catch let error as PackagingError where error.remedy == .restart {
                // It was damaged with the machine on which it was written.
                continue
            }
        }
        _ = try await prepare(attempt, round, .nothing, kept)
        return try await work(attempt, round, options, fetching, output, onEvent, kept, isLast: true)
    }

    /// Puts a state into the folder of an attempt, from the folder or the store.
    ///
    /// - Returns: False if there is none.
    private func prepare(_ attempt: String, _ round: Int, _ source: Source, _ kept: StoredAttempt?) async throws -> Bool
    {
        guard let kept, source != .nothing else {
            kept?.begin(with: [])
            return try await OffPool.run { try prepare(attempt, round, source) }
        }
        let checkpoint: StoredCheckpoint?
        switch source {
        case .checkpoint:
            let place = SharedCrawl.place(round, shard.number)
            checkpoint = try await kept.stored.bestCheckpoint(in: place, plan: crawl.digest)
        case .lastRound:
            guard let record = try crawl.lastRecord(of: shard.number, upTo: round - 1) else { return false }
            checkpoint = try await kept.stored.checkpoint(of: SharedCrawl.place(record), plan: crawl.digest)
        case .own, .nothing: checkpoint = nil
        }
        guard let checkpoint else { return false }
        let own = "\(attempt)/\(Self.files)"
        removeState(own)
        try await kept.stored.pull(checkpoint, to: own)
        kept.begin(with: checkpoint.bodies)
        return true
    }

    /// Puts a state into the folder of an attempt.
    ///
    /// - Returns: False if there is none.
    private func prepare(_ attempt: String, _ round: Int, _ source: Source) throws -> Bool {
        let own = "\(attempt)/\(Self.files)"
        switch source {
        case .own:
            if folder.exists(own + ".crawl") { return true }
            // Another job, which is alive, may have written its state a while ago.
            let place = SharedCrawl.place(round, shard.number)
            for number in folder.numbers("attempt-", in: place).reversed() {
                let other = "\(place)/attempt-\(number)"
                guard other != attempt, let last = folder.numbers("checkpoint-", in: other).last else { continue }
                do {
                    try copy("\(other)/checkpoint-\(last)", "\(other)/\(Self.files).bodies", to: own)
                    return true
                } catch is FileError {
                    // It has ended meanwhile.
                    continue
                }
            }
            return false
        case .checkpoint:
            guard let last = folder.numbers("checkpoint-", in: attempt).last else { return false }
            try copy("\(attempt)/checkpoint-\(last)", nil, to: own)
        case .lastRound:
            guard let record = try crawl.lastRecord(of: shard.number, upTo: round - 1) else { return false }
            let earlier = "\(SharedCrawl.place(record))/\(Self.files)"
            do {
                try copy(earlier + ".crawl", earlier + ".bodies", to: own)
            } catch let error as FileError {
                throw PackagingError(.sharedFolder, subject: folder[earlier], message: error.message)
            }
        case .nothing:
            // What another round has fetched must not be missing.
            if try crawl.lastRecord(of: shard.number, upTo: round - 1) != nil {
                let name = folder[own]
                throw PackagingError(.sharedFolder, subject: name, message: "the state of an earlier round is damaged")
            }
            removeState(own)
            folder.remove(own + ".bodies")
        }
        return true
    }

    private func removeState(_ own: String) {
        for suffix in ["-shm", "-wal", ""] { folder.remove(own + ".crawl" + suffix) }
    }

    /// Copies a state, which appears last, and its bodies.
    private func copy(_ state: String, _ bodies: String?, to own: String) throws {
        removeState(own)
        let copies = (bodies.map { [($0, ".bodies")] } ?? []) + [(state, ".crawl")]
        for (from, suffix) in copies {
            let source = try OpenFile(reading: folder[from])
            let draft = folder[own + suffix + ".new"]
            folder.remove(own + suffix + ".new")
            let copy = try OpenFile(creating: draft, mode: 0o600)
            try copy.append(source)
            try Durable.rename(draft, to: folder[own + suffix])
        }
    }

    /// Notes that an attempt begins.
    ///
    /// - Returns: The name of the note, or nil if the shard is set aside.
    private func begin(_ round: Int, answers: Int) async throws -> String? {
        let place = SharedCrawl.place(round, shard.number)
        let note = Array("\(answers)".utf8)
        let numbers = folder.numbers("try-", in: place)
        var isStuck = numbers.count >= Self.tryLimit
        for number in numbers.suffix(Self.tryLimit) {
            if try folder.read("\(place)/try-\(number)", limit: 32) != note { isStuck = false }
        }
        guard !isStuck else { return nil }
        var number = (numbers.last ?? 0) + 1
        while try await !create("\(place)/try-\(number)", note) { number += 1 }
        return "\(place)/try-\(number)"
    }

    /// Sets the shard aside.
    private func setAside(_ round: Int) async throws -> Outcome {
        let place = SharedCrawl.place(round, shard.number)
        var reason = "it ended without a result"
        if let last = folder.numbers("error-", in: place).last,
            let text = try folder.read("\(place)/error-\(last)", limit: 4096)
        {
            reason = String(decoding: text, as: UTF8.self)
        }
        _ = try await create(SharedCrawl.asideName(round, shard.number), Array(reason.utf8))
        // Whoever lets it be tried again lets it be tried as often.
        await remove(notes(in: place))
        return .aside(reason)
    }

    // MARK: Work

    private enum Event: Sendable {
        case packed(PackageWriter.Summary?, CrawlReport)
        case late
    }

    private func work(
        _ attempt: String,
        _ round: Int,
        _ options: CrawlOptions,
        _ fetching: HTTPFetcher.Options,
        _ output: Packaging.Output,
        _ onEvent: @escaping @Sendable (CrawlEvent) -> Void,
        _ kept: StoredAttempt?,
        isLast: Bool
    ) async throws -> Outcome {
        let path = folder["\(attempt)/\(Self.files)"]
        let workspace = try await OffPool.run { () throws(PackagingError) in
            try CrawlWorkspace(
                attempt: path,
                fingerprint: "\(crawl.digest) \(shard.number)",
                mode: folder.mode
            )
        }
        kept?.keepBodies(workspace.bodyBytes)
        let answers = try await OffPool.run { try workspace.answerCount() }
        guard let note = try await begin(round, answers: answers) else {
            workspace.close()
            return try await setAside(round)
        }
        do {
            let event = try await withThrowingTaskGroup(of: Event.self) { group in
                group.addTask {
                    let (summary, report) = try await Packaging.packShard(
                        options,
                        in: workspace,
                        fetching: fetching,
                        to: output,
                        onEvent: onEvent
                    )
                    return .packed(summary, report)
                }
                group.addTask { try await watch(attempt, round, workspace, kept) }
                defer { group.cancelAll() }
                return try await group.next() ?? .late
            }
            guard case .packed(let summary, let report) = event else {
                workspace.close()
                await remove([note])
                return .late
            }
            if let record = try await end(attempt, round, workspace, summary, report, kept) { return .done(record) }
            await remove([note])
            return .late
        } catch {
            workspace.close()
            if error is CancellationError {
                // What was stopped hasn't failed. Requests of a task that was stopped would fail.
                try await Task { try await keep(path, note, kept) }.value
            } else if await !isKnownAsDone(round), isLast || (error as? PackagingError)?.remedy != .restart {
                let number = note.split(separator: "-").last ?? ""
                let name = SharedCrawl.place(round, shard.number) + "/error-\(number)"
                // The error itself says more than a note that can't be written.
                _ = try? await create(name, Array("\(error)".utf8.prefix(2000)))
            } else {
                await remove([note])
            }
            throw error
        }
    }

    /// Keeps the state and the bodies of an attempt that was stopped.
    private func keep(_ path: String, _ note: String, _ kept: StoredAttempt?) async throws {
        await remove([note])
        try Durable.sync(path: path + ".bodies")
        try Durable.sync(path: path + ".crawl")
        guard let kept else { return }
        let size = try OpenFile(reading: path + ".bodies").size()
        try await kept.store(state: path + ".crawl", bodies: path + ".bodies", size: size)
    }

    /// Looks from time to time whether the work is still wanted, and writes the state so that it survives a failure of the
    /// machine.
    private func watch(
        _ attempt: String,
        _ round: Int,
        _ workspace: CrawlWorkspace,
        _ kept: StoredAttempt?
    ) async throws -> Event {
        var number = folder.numbers("checkpoint-", in: attempt).last ?? 0
        var (last, size) = (ContinuousClock.now, workspace.bodyBytes)
        var interval = kept == nil ? interval : min(interval, Self.firstInterval)
        var seconds = 0
        while true {
            try await Task.sleep(for: .seconds(1))
            seconds += 1
            if kept == nil || seconds.isMultiple(of: Self.storePause) {
                if try await isDone(round) { return .late }
                guard try await isThere() else {
                    let subject = stored?.store.address ?? folder.path
                    throw PackagingError(.sharedFolder, subject: subject, message: "the crawl's folder was removed")
                }
            }
            guard last.duration(to: .now) >= interval || workspace.bodyBytes - size >= Self.growth else { continue }
            number += 1
            let name = "\(attempt)/checkpoint-\(number)"
            try await OffPool.run { [number] in
                folder.remove("\(attempt)/checkpoint.new")
                try workspace.copyState(to: folder["\(attempt)/checkpoint.new"])
                _ = chmod(folder["\(attempt)/checkpoint.new"], mode_t(folder.mode & 0o644))
                try Durable.rename(folder["\(attempt)/checkpoint.new"], to: folder[name])
                for old in folder.numbers("checkpoint-", in: attempt) where old < number {
                    folder.remove("\(attempt)/checkpoint-\(old)")
                }
            }
            // The state knows no more than these.
            size = workspace.bodyBytes
            try await kept?.store(state: folder[name], bodies: folder["\(attempt)/\(Self.files).bodies"], size: size)
            last = .now
            interval = min(interval * 2, self.interval)
        }
    }

    private func isThere() async throws -> Bool {
        let name = CrawlFolder.planName
        guard let stored else { return folder.exists(name) }
        return try await stored.store.names(below: name).contains(name)
    }

    private func notes(in place: String) -> [String] {
        ["try-", "error-"].flatMap { prefix in
            folder.numbers(prefix, in: place).map { "\(place)/\(prefix)\($0)" }
        }
    }

    // MARK: The end

    /// Hands over the URLs of other shards, and creates the record.
    ///
    /// - Returns: The record; nil if another job was the first.
    private func end(
        _ attempt: String,
        _ round: Int,
        _ workspace: CrawlWorkspace,
        _ summary: PackageWriter.Summary?,
        _ report: CrawlReport,
        _ kept: StoredAttempt?
    ) async throws -> ShardRecord? {
        let record = try await OffPool.run { try handOver(attempt, round, workspace, summary, report) }
        let name = SharedCrawl.doneName(round, shard.number)
        if let kept {
            try await store(record, attempt, kept)
            let isFirst = try await kept.stored.store.create(name, record.fileBytes)
            // The answer to an earlier attempt may have been lost.
            if !isFirst, try await kept.stored.store.read(name, limit: ShardRecord.byteLimit) != record.fileBytes {
                return nil
            }
        }
        guard try await OffPool.run({ try folder.create(name, record.fileBytes) }) else { return nil }
        await cleanUp(after: record)
        return record
    }

    /// Stores all that an attempt has made.
    private func store(_ record: ShardRecord, _ attempt: String, _ kept: StoredAttempt) async throws {
        for block in record.blocks {
            let name = "\(attempt)/\(SharedCrawl.blockName(block.shard))"
            try await kept.stored.createOwn(name, try folder.read(name, limit: HandoverBlock.byteLimit) ?? [])
        }
        let own = folder["\(attempt)/\(Self.files)"]
        let size = try OpenFile(reading: own + ".bodies").size()
        try await kept.store(state: own + ".crawl", bodies: own + ".bodies", size: size)
        guard record.bytes > 0 else { return }
        let package = folder["\(attempt)/package.zip"]
        _ = try await kept.stored.push(package, 0..<record.bytes, as: "\(attempt)/package")
    }

    /// Writes the blocks of URLs for other shards, and closes the files.
    private func handOver(
        _ attempt: String,
        _ round: Int,
        _ workspace: CrawlWorkspace,
        _ summary: PackageWriter.Summary?,
        _ report: CrawlReport
    ) throws -> ShardRecord {
        let number = Int(attempt.split(separator: "-").last ?? "") ?? 0
        var record = ShardRecord(plan: crawl.digest, round: round, shard: shard.number, attempt: number)
        if let summary {
            record.resources = summary.resources + summary.redirects
            record.bytes = summary.packageBytes
            _ = chmod(folder["\(attempt)/package.zip"], mode_t(folder.mode & 0o666))
        }
        record.failures = report.failures.count + report.unlistedFailures
        record.late = report.skipped.first { $0.rule == .maxTime }?.count ?? 0
        let urls = Dictionary(grouping: try workspace.handedOver()) { CrawlShard.number(of: $0.url, bits: shard.bits) }
        workspace.close()
        for (target, urls) in urls.sorted(by: { $0.key < $1.key }) {
            let name = "\(attempt)/\(SharedCrawl.blockName(target))"
            let bytes = HandoverBlock.bytes(of: urls)
            guard bytes.count <= HandoverBlock.byteLimit else {
                let message = "the URLs for shard \(target) are larger than \(HandoverBlock.byteLimit) bytes"
                throw PackagingError(.sharedFolder, subject: folder[name], message: message)
            }
            let data = try WholeDeflater().compress(bytes).data
            // A killed attempt may have left another one.
            folder.remove(name)
            guard try folder.create(name, data) else {
                throw PackagingError(.sharedFolder, subject: folder[name], message: "another process has written it")
            }
            let digest = ShardPlan.digest(of: data)
            record.blocks.append(ShardRecord.Block(shard: target, count: urls.count, digest: digest))
        }
        // The next round reads them after whatever failure.
        for suffix in [".bodies", ".crawl"] { try Durable.sync(path: folder["\(attempt)/\(Self.files)\(suffix)"]) }
        return record
    }

    /// Removes what nobody needs once a round of the shard is done.
    private func cleanUp(after record: ShardRecord) async {
        // What is left in a store takes room there until the next job for the shard.
        try? await stored?.cleanUp(after: record)
        let place = SharedCrawl.place(record.round, record.shard)
        for number in folder.numbers("attempt-", in: place) where number != record.attempt {
            let name = "\(place)/attempt-\(number)"
            // A job that is still at work removes its own.
            guard let lock = try? FileLock(file: folder[name + "/lock"]), lock.take(waiting: false) == .held else {
                continue
            }
            folder.remove(name)
        }
        for name in notes(in: place) { folder.remove(name) }
        let own = SharedCrawl.place(record)
        // What killed jobs were writing; one that still writes is too late.
        for name in [place, own] { folder.removeDrafts(in: name) }
        for number in folder.numbers("checkpoint-", in: own) { folder.remove("\(own)/checkpoint-\(number)") }
        // If the record before can't be read, its files only take room.
        guard let earlier = try? crawl.lastRecord(of: record.shard, upTo: record.round - 1) else { return }
        for name in [Self.files + ".crawl", Self.files + ".bodies", "package.zip"] {
            folder.remove("\(SharedCrawl.place(earlier))/\(name)")
        }
    }
}

extension OpenFile {
    /// Copies a whole file to the end of this one, which is empty.
    fileprivate func append(_ source: OpenFile) throws(FileError) {
        let size = try source.size()
        var done: Int64 = 0
        while done < size {
            let count = Int(min(size - done, 64 << 20))
            var copied = try copy(count, of: source, at: done, to: done)
            if copied == 0 {
                // The system can't copy between these files.
                let bytes = try source.bytes(min(count, 1 << 20), at: done)
                try bytes.span.bytes.withUnsafeBytes { bytes throws(FileError) in try write(bytes, at: done) }
                copied = bytes.count
            }
            done += Int64(copied)
        }
    }
}
