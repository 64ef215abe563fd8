package import AFCCrawlRules
internal import AFCCrawler
internal import AFCFiles
internal import AFCPlatform
internal import AFCText
internal import AFCZip

/// The folder that the jobs of a crawl in shards share: the only place where they learn of each other.
///
/// What others read is created as a whole under a free name, and never changed. So of several jobs that do the same work, one
/// is the first, whatever their clocks say. Files get the mode of the folder, whatever the umask of the process.
///
///     plan.json
///     round-1/shard-3/try-1            the answers that an attempt began with
///     round-1/shard-3/attempt-1/       its state, bodies, package, and blocks of URLs for others
///     round-1/shard-3/done.json        names the attempt that counts
package struct CrawlFolder: Sendable {
    package let path: String
    /// The permissions of the folder.
    let mode: UInt32

    package static let planName = "plan.json"

    /// Uses an existing folder.
    ///
    /// - Parameter path: The folder.
    /// - Throws: ``PackagingError`` if there is none.
    package init(_ path: String) throws(PackagingError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            let isFile = status.st_mode != 0
            let why =
                isFile
                ? "this is a file, not a folder"
                : errno == ENOENT ? "there is no such folder" : String(cString: strerror(errno))
            throw PackagingError(.sharedFolder, subject: path, message: why)
        }
        self.path = path
        mode = UInt32(status.st_mode) & 0o7777
    }

    /// Creates a folder, unless it exists, and checks that it can be shared.
    ///
    /// - Parameter path: The folder.
    /// - Returns: The folder.
    /// - Throws: ``PackagingError`` that names what the file system lacks.
    package static func make(_ path: String) throws(PackagingError) -> CrawlFolder {
        do throws(FileError) {
            try FolderTree<FileError>.make(path)
        } catch {
            throw PackagingError(unusable: error, path)
        }
        let folder = try CrawlFolder(path)
        try folder.requireSharing()
        return folder
    }

    /// Checks that a file can be created only if its name is free, and that locks work.
    private func requireSharing() throws(PackagingError) {
        let name = "probe-\(UInt32.random(in: 0...UInt32.max))"
        defer { remove(name) }
        guard try create(name, []), try !create(name, []) else {
            throw PackagingError(
                .sharedFolder,
                subject: path,
                message: "the file system creates a file although it exists; use a folder on another file system"
            )
        }
        do throws(FileError) {
            let lock = try FileLock(file: self[name])
            guard lock.take(waiting: false) == .held else { throw lock.failure() }
        } catch {
            throw PackagingError(unusable: error, path)
        }
    }

    /// Checks that the folder has a plan or else no files of others, among which those of the crawl would lie.
    func requireOwn() throws(PackagingError) {
        let names = FolderListing.names(in: path) ?? []
        // Another process may be making the plan.
        let others = names.filter { !$0.hasPrefix("probe-") && !$0.hasPrefix(".") && $0 != "lost+found" }
        guard !names.contains(Self.planName), let other = others.filter({ !$0.contains(".afcache-tmp-") }).min() else {
            return
        }
        throw PackagingError(
            .sharedFolder,
            subject: path,
            message: "the folder has other files, such as \(PrintableText.quoted(other)); name one that is new or empty"
        )
    }

    /// Returns the path of a name.
    package subscript(name: String) -> String { "\(path)/\(name)" }

    /// Creates a file unless it exists.
    ///
    /// - Returns: False if it exists.
    /// - Throws: ``PackagingError`` if it can't be created.
    package func create(_ name: String, _ bytes: [UInt8]) throws(PackagingError) -> Bool {
        do throws(FileError) {
            try Durable.write(bytes, to: self[name], mode: mode & 0o666, replacing: false)
            return true
        } catch {
            if error.number == EEXIST { return false }
            throw PackagingError(unusable: error, self[name])
        }
    }

    /// Returns a file's bytes; nil if there is none.
    ///
    /// - Throws: ``PackagingError`` if it can't be read or is too large.
    package func read(_ name: String, limit: Int) throws(PackagingError) -> [UInt8]? {
        do throws(FileError) {
            return try OpenFile(reading: self[name]).contents(upTo: limit)
        } catch {
            if error.number == ENOENT { return nil }
            throw PackagingError(unusable: error, self[name])
        }
    }

    package func exists(_ name: String) -> Bool { Descriptor.allows(self[name], F_OK) }

    /// Returns the numbers of the names in a folder that begin with a text and end with a number, in order.
    func numbers(_ prefix: String, in name: String) -> [Int] {
        let names = FolderListing.names(in: self[name]) ?? []
        return names.filter { $0.hasPrefix(prefix) }.compactMap { Int($0.dropFirst(prefix.count)) }
            .filter { $0 > 0 && $0 < 1 << 31 }.sorted()
    }

    /// Creates a folder, unless it exists, in a folder that exists.
    ///
    /// - Returns: False if it exists.
    /// - Throws: ``PackagingError`` if it can't be created.
    func makeFolder(_ name: String) throws(PackagingError) -> Bool {
        guard mkdir(self[name], mode_t(mode)) == 0 else {
            if errno == EEXIST { return false }
            throw PackagingError(unusable: .system("cannot create the folder", self[name]), path)
        }
        // The umask may have removed bits.
        _ = chmod(self[name], mode_t(mode))
        return true
    }

    /// Removes the files in a folder that were being written, also by other machines.
    func removeDrafts(in name: String) {
        for draft in FolderListing.names(in: self[name]) ?? [] where draft.contains(".afcache-tmp-") {
            remove("\(name)/\(draft)")
        }
    }

    /// Removes a file or folder; what can't be removed takes room, and harms nobody.
    package func remove(_ name: String) { try? FolderTree<FileError>.remove(self[name]) }
}

extension PackagingError {
    /// Creates the error for a file of a crawl that several jobs share.
    init(unusable error: FileError, _ subject: String) {
        self.init(.sharedFolder, subject: subject, message: error.message)
    }
}

// MARK: What the jobs know

/// A crawl in shards: its folder and its plan.
package struct SharedCrawl: Sendable {
    package let folder: CrawlFolder
    package let plan: ShardPlan
    /// The digest of the plan's file.
    package let digest: String

    /// Writes the plan of a new crawl.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - folder: The folder.
    /// - Returns: The crawl, and false if the same plan was there before.
    /// - Throws: ``PackagingError`` if the folder has another plan.
    package static func make(_ plan: ShardPlan, in folder: CrawlFolder) throws(PackagingError) -> (SharedCrawl, Bool) {
        try folder.requireOwn()
        let isNew = try folder.create(CrawlFolder.planName, plan.bytes)
        let crawl = try SharedCrawl(folder)
        var planned = plan
        // The same command may be run again; only the time then differs.
        planned.created = crawl.plan.created
        guard isNew || crawl.plan == planned else {
            throw PackagingError(
                .sharedFolder,
                subject: folder[CrawlFolder.planName],
                message: "the folder has the plan of another crawl; choose another folder"
            )
        }
        return (crawl, isNew)
    }

    /// Reads the plan of a crawl.
    ///
    /// - Parameter folder: The folder.
    /// - Throws: ``PackagingError`` if there is none.
    package init(_ folder: CrawlFolder) throws(PackagingError) {
        self.folder = folder
        guard let bytes = try folder.read(CrawlFolder.planName, limit: ShardPlan.byteLimit) else {
            throw PackagingError(.nothing, subject: folder.path, message: "the folder has no plan of a crawl")
        }
        do throws(ShardPlan.Problem) {
            plan = try ShardPlan(bytes)
        } catch {
            throw PackagingError(.sharedFolder, subject: folder[CrawlFolder.planName], message: error.message)
        }
        digest = ShardPlan.digest(of: bytes)
    }

    static func place(_ round: Int, _ shard: Int) -> String { "round-\(round)/shard-\(shard)" }

    /// The name of the folder of an attempt that counts.
    static func place(_ record: ShardRecord) -> String {
        "\(place(record.round, record.shard))/attempt-\(record.attempt)"
    }

    static func doneName(_ round: Int, _ shard: Int) -> String { place(round, shard) + "/done.json" }

    static func asideName(_ round: Int, _ shard: Int) -> String { place(round, shard) + "/aside.txt" }

    /// Returns the record of a shard's work in a round; nil if it isn't done.
    ///
    /// - Throws: ``PackagingError`` if it can't be read, or belongs to another plan.
    package func record(_ round: Int, _ shard: Int) throws(PackagingError) -> ShardRecord? {
        let name = Self.doneName(round, shard)
        guard let bytes = try folder.read(name, limit: ShardRecord.byteLimit) else { return nil }
        guard let number = CrawlShard(shard, bits: plan.bits),
            let record = ShardRecord(bytes, round: round, shard: number)
        else {
            throw PackagingError(.sharedFolder, subject: folder[name], message: "it is damaged")
        }
        guard record.plan == digest else {
            throw PackagingError(.sharedFolder, subject: folder[name], message: "it belongs to another plan")
        }
        return record
    }

    /// Returns the last record of a shard, in a round or before; nil if it has none.
    ///
    /// - Throws: ``PackagingError`` if it can't be read.
    package func lastRecord(of shard: Int, upTo round: Int) throws(PackagingError) -> ShardRecord? {
        for round in stride(from: round, to: 0, by: -1) {
            if let record = try record(round, shard) { return record }
        }
        return nil
    }

    /// Returns how many attempts work on a shard in a round, or did and were killed.
    package func attempts(_ round: Int, _ shard: Int) -> Int {
        folder.numbers("attempt-", in: Self.place(round, shard)).count
    }

    /// Returns the path of the package to which a record belongs, if it has one.
    package func packagePath(_ record: ShardRecord) -> String { folder["\(Self.place(record))/package.zip"] }

    /// Returns the round in which the crawl is, and the one before; a finished crawl is in a round without shards.
    ///
    /// - Throws: ``PackagingError`` if a record can't be read.
    package func position() throws(PackagingError) -> (now: CrawlRound, before: CrawlRound?) {
        // A round begins only when the one before is done, so only two have to be read.
        let last = folder.numbers("round-", in: ".").last ?? 1
        var before: CrawlRound?
        var round = CrawlRound(1, shards: plan.firstShards)
        if last > 1 {
            var past = CrawlRound(last - 1, shards: Set(1...plan.count))
            try read(&past)
            before = past
            round = past.next
        }
        try read(&round)
        guard round.isDone, !round.isLast else { return (round, before) }
        return (round.next, round)
    }

    private func read(_ round: inout CrawlRound) throws(PackagingError) {
        for shard in round.shards {
            if let record = try record(round.number, shard) {
                round.done[shard] = record
            } else if let bytes = try folder.read(Self.asideName(round.number, shard), limit: 1 << 16) {
                round.aside[shard] = PrintableText.escaped(String(decoding: bytes, as: UTF8.self))
            }
        }
    }

    // MARK: Handed over

    /// The name of the block for a shard, in the folder of an attempt.
    static func blockName(_ shard: Int) -> String { "to-\(shard)" }

    /// Returns the URLs that shards handed over to one in a round, sorted.
    ///
    /// - Throws: ``PackagingError`` that names a block that is missing or isn't what its record says.
    func handed(to shard: CrawlShard, in round: CrawlRound?) throws(PackagingError) -> [HandedURL] {
        var blocks: [[HandedURL]] = []
        for record in (round?.done ?? [:]).values.sorted(by: { $0.shard < $1.shard }) {
            guard let block = record.blocks.first(where: { $0.shard == shard.number }) else { continue }
            let name = "\(Self.place(record))/\(Self.blockName(shard.number))"
            func refused(_ message: String) -> PackagingError {
                PackagingError(.sharedFolder, subject: folder[name], message: message)
            }
            guard let bytes = try folder.read(name, limit: HandoverBlock.byteLimit) else {
                throw refused("the URLs that shard \(record.shard) handed over are missing")
            }
            guard ShardPlan.digest(of: bytes) == block.digest else {
                throw refused("the URLs that shard \(record.shard) handed over are damaged")
            }
            do {
                let urls = try HandoverBlock.urls(
                    in: Inflater.whole(bytes, limit: HandoverBlock.byteLimit),
                    for: shard
                )
                guard urls.count == block.count else { throw refused("it has another number of URLs than stated") }
                blocks.append(urls)
            } catch let error as HandoverBlock.Problem {
                throw refused(error.message)
            } catch let error as PackagingError {
                throw error
            } catch {
                throw refused("it can't be decompressed")
            }
        }
        return HandoverBlock.merged(blocks)
    }
}
