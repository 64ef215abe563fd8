public import AFCCaching
internal import AFCFiles
public import AFCHTTP
public import AFCPackageFormat
import AFCPlatform
public import AFCText
public import AFCURL
public import AFCZip

/// The disk cache: installed packages, found by URL.
///
/// Any number of processes may read a cache while one writes to it. A value is cheap to share and safe to use from any
/// thread; a look-up blocks for a few reads of files, which are microseconds.
public final class OfflineCache: Sendable {
    /// What a process may do with the cache.
    public enum Access: Sendable, Equatable {
        /// Look-ups only; the cache must exist and may lie on a read-only medium.
        case readOnly
        /// Look-ups and changes; the cache must exist.
        case existing
        /// Look-ups and changes; a cache that isn't there is made.
        case readWrite
        /// Look-ups and changes; the cache must exist, and a catalogue that is lost or damaged is rebuilt.
        case repairing
    }

    /// The cache's folder.
    public var path: String { layout.root }
    /// Where packages are kept while they arrive from a server.
    public var downloadFolder: String { layout.downloads }

    private let layout: CacheLayout
    private let creation: CacheCreation
    /// Indicates whether the catalogue was rebuilt when the cache was opened.
    private let isRebuilt: Bool
    private let reader: CatalogueReader
    private let writer: CatalogueWriter
    private let received: ReceivedArea
    private let responses: StoredResponses

    /// Opens a cache.
    ///
    /// - Parameters:
    ///   - path: The cache's folder.
    ///   - access: What to do with it.
    ///   - memory: About how many bytes the process may keep of received responses, their small bodies counted.
    ///   - verifiesBodies: Whether each body is compared with its SHA-256 whenever it is read; docs/cache.md says what
    ///     that costs and what is noticed without it.
    /// - Throws: ``CacheError`` where there is no cache, or one that this program can't use.
    public init(
        path: String,
        access: Access,
        memory: Int = 32 << 20,
        verifiesBodies: Bool = false
    ) throws(CacheError) {
        guard !path.isEmpty else {
            throw CacheError(.badPath, subject: path, message: "the path of the cache is empty; name a folder")
        }
        let layout = CacheLayout(root: path)
        self.layout = layout
        let isFolderMissing = !Descriptor.allows(layout.root, F_OK)
        let lock: CreationLock? =
            if access == .readWrite, try CacheCreation.mayBeUnderway(layout) { try CreationLock(layout.root) } else {
                nil
            }
        creation = try CacheCreation(layout, access, isFolderMissing: isFolderMissing)
        isRebuilt = access == .repairing ? try CatalogueSalvage.rebuildWhereUnusable(layout) : false
        let isPublished = !creation.isNew && PublishedCatalogue.Mark(layout) != nil
        if access != .readOnly {
            try FolderKind.prepare(layout)
            try ChangeCounter.make(path: layout.changes)
        }
        reader = CatalogueReader(layout)
        writer = CatalogueWriter(layout, access: access, reader: reader)
        received = ReceivedArea(layout, room: ReceivedRoom(layout), memory: memory)
        responses = StoredResponses(layout, reader, received, verifiesBodies: verifiesBodies)
        if !isPublished { try writer.prepare() }
        _ = consume lock
    }

    /// Writes down what isn't yet, received responses and which entries were used, and gives back the right to keep responses.
    ///
    /// Who has asked or changed a cache closes it at the end: what wasn't written is lost with the last reference, as in a
    /// crash. It may be used again, and is then closed again.
    ///
    /// - Throws: ``CacheError`` where received responses can't be written.
    public func close() throws(CacheError) {
        reader.flushRecency()
        try received.close()
    }

    // MARK: Changes by anybody

    /// Opens the number that moves with each change of the cache, by any process.
    ///
    /// It is a hint: a writer that is killed at the wrong moment leaves it as it was. ``changeMark()`` knows for sure.
    public func openChangeReader() -> ChangeReader {
        ChangeReader(packages: layout.changes, received: layout.received.changes)
    }

    /// What says whether the cache is what it was; looks at the catalogue at most once a second.
    ///
    /// - Returns: A number that is another after each change.
    /// - Throws: ``CacheError`` where the catalogue can't be read.
    public func changeMark() throws(CacheError) -> UInt64 {
        let snapshot = try reader.snapshot()
        // A reader of its own, as the file may not have been there when the reader was opened.
        let received = ChangeCounter(path: layout.received.changes)
        return snapshot.change &+ snapshot.stamp &* 0x9E37_79B9_7F4A_7C15
            &+ received.value &* 0xC2B2_AE3D_27D4_EB4F
    }

    // MARK: Lists

    /// The installed packages, sorted by name.
    ///
    /// - Throws: ``CacheError`` where the catalogue can't be read.
    public func packages() throws(CacheError) -> [InstalledPackage] { try listing().packages }

    /// What the cache has, by origin, sorted by host.
    ///
    /// - Throws: ``CacheError`` where the catalogue can't be read.
    public func origins() throws(CacheError) -> [OriginSummary] { try listing().origins }

    /// The names of the packages that brought something from a host, sorted.
    ///
    /// - Parameter host: The host as a URL serialises it.
    /// - Returns: The names.
    /// - Throws: ``CacheError`` where the catalogue can't be read.
    public func packages(withHost host: String) throws(CacheError) -> [String] {
        try listing().packages(withHost: host)
    }

    /// The resources in the order of their URLs, a page at a time.
    ///
    /// A URL that two packages brought comes once, as it would be served.
    ///
    /// - Parameters:
    ///   - after: The last URL of the page before, or nil for the first page.
    ///   - limit: The most resources to return.
    /// - Returns: At most so many resources.
    /// - Throws: ``CacheError`` where the cache can't be read.
    public func resources(after: WebURL? = nil, limit: Int) throws(CacheError) -> [ResourceSummary] {
        try listing().resources(after: after, limit: limit)
    }

    /// Counts what the cache holds; looks at every file.
    ///
    /// - Throws: ``CacheError`` where the catalogue can't be read.
    public func info() throws(CacheError) -> CacheInfo { try listing().info(try received.totals()) }

    /// How much the cache may hold.
    ///
    /// - Throws: ``CacheError`` where the catalogue can't be read.
    public func limits() throws(CacheError) -> CacheLimits { try reader.snapshot().catalogue.limits }

    private func listing() throws(CacheError) -> CacheListing { CacheListing(try reader.snapshot(), in: layout) }

    // MARK: Responses

    /// The stored responses for a URL, the most recent first (RFC 9111 §4).
    ///
    /// That is the package's entry, with what later validations brought, and every received variant. They are sorted by
    /// Date, or by when they were received where that is earlier; priority and pinning of packages don't count here.
    /// Where there are none, those of an equivalent spelling are taken (RFC 3986 §6.2.2): `%7euser` for `~user`, `%C3` for
    /// `%c3`.
    ///
    /// - Parameter url: The resource.
    /// - Returns: The responses; none where there are none.
    /// - Throws: ``CacheError`` where the cache can't be read.
    public func candidates(for url: WebURL) throws(CacheError) -> [StoredCandidate] {
        try responses.candidates(for: url)
    }

    /// Answers a request from the cache alone.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - now: The time for which freshness counts.
    ///   - policy: What becomes of a response that is no longer fresh.
    /// - Returns: The answer; also refusals are answers.
    /// - Throws: ``CacheError`` where the index or the body can't be read.
    public func respond(
        to request: OfflineRequest,
        now: Timestamp,
        policy: OfflinePolicy
    ) throws(CacheError) -> CacheAnswer { try responses.respond(to: request, now: now, policy: policy) }

    /// Returns true if the cache has a response for a URL; doesn't count as a use of it.
    ///
    /// - Parameter url: The resource.
    /// - Returns: True if there is one.
    /// - Throws: ``CacheError`` where the cache can't be read.
    public func contains(_ url: WebURL) throws(CacheError) -> Bool { try !responses.candidates(for: url).isEmpty }

    /// Opens the body of a candidate; blocks.
    ///
    /// - Parameter candidate: What ``candidates(for:)`` or ``ReceivedBody/finish()`` gave.
    /// - Returns: The body, whole for as long as it is held; it is empty where the response has none. Where bodies are
    ///   verified, all of it was read and compared.
    /// - Throws: ``CacheError`` where the body is gone or isn't what was stored; ask for the candidates again.
    public func body(of candidate: StoredCandidate) throws(CacheError) -> StoredBody {
        try responses.body(of: candidate)
    }

    /// Remembers that a response was used, for eviction; costs no write.
    ///
    /// - Parameters:
    ///   - candidate: The response.
    ///   - now: The present time.
    public func markUsed(_ candidate: StoredCandidate, at now: Timestamp) { responses.markUsed(candidate, at: now) }

    // MARK: Received responses

    /// Gets the right to keep received responses, which one process has at a time.
    ///
    /// Without this call the first change gets it. It is given back by ``close()``.
    ///
    /// - Throws: ``CacheError`` with `busy` where another process has it; that process is named.
    public func startReceiving() throws(CacheError) {
        try writer.requireWritable()
        try received.open()
    }

    /// Writes down what isn't yet, as is done by itself every 100 ms; blocks.
    ///
    /// - Throws: ``CacheError`` where it can't be written.
    public func flushReceived() throws(CacheError) { try received.flush() }

    /// Begins to keep a received response; its body is written as it arrives.
    ///
    /// Nobody but those who have the returned value sees it before ``ReceivedBody/finish()``. A response of the same URL
    /// whose Vary and kept request fields are the same is replaced, too, but never by a part (206) or one that is a part,
    /// and no other response by an error (5xx).
    ///
    /// - Parameters:
    ///   - response: Status, fields, times; size and digest are counted. Of the request's fields those that Vary names are
    ///     kept.
    ///   - url: The resource.
    ///   - replacing: Which responses of the URL leave when this one is whole.
    /// - Returns: Where the body goes.
    /// - Throws: ``CacheError`` where nothing can be kept.
    public func receive(
        _ response: StoredResponse,
        for url: WebURL,
        replacing: [ReceivedID] = []
    ) throws(CacheError) -> ReceivedBody {
        try writer.requireWritable()
        return try responses.receive(response, for: url, replacing: replacing)
    }

    /// Replaces status, fields, times and invalidation of a received response, for example after a 304 (RFC 9111 §4.3.4).
    ///
    /// The body stays; a response that has left meanwhile stays away.
    ///
    /// - Parameters:
    ///   - id: The response.
    ///   - response: As it is now.
    /// - Throws: ``CacheError`` where nothing can be kept.
    public func update(_ id: ReceivedID, _ response: StoredResponse) throws(CacheError) {
        try writer.requireWritable()
        try received.update(id, response)
    }

    /// Keeps new fields beside what came in a package, after a 304 (RFC 9111 §4.3.4).
    ///
    /// The body stays the package's. The fields are forgotten when another generation of the package is served.
    ///
    /// - Parameters:
    ///   - url: The resource.
    ///   - response: As it is now.
    /// - Throws: ``CacheError`` where nothing can be kept.
    public func freshenPackageEntry(_ url: WebURL, _ response: StoredResponse)
        throws(CacheError)
    {
        try writer.requireWritable()
        try responses.freshenPackageEntry(url, response)
    }

    /// Makes all responses of a URL, the package's too, count as invalidated (RFC 9111 §4.4).
    ///
    /// - Parameter url: The resource.
    /// - Throws: ``CacheError`` where nothing can be kept.
    public func invalidate(_ url: WebURL) throws(CacheError) {
        try writer.requireWritable()
        try responses.invalidate(url)
    }

    /// Removes received responses.
    ///
    /// - Parameter ids: Which.
    /// - Throws: ``CacheError`` where nothing can be changed.
    public func remove(_ ids: [ReceivedID]) throws(CacheError) {
        try writer.requireWritable()
        for (key, ids) in Dictionary(grouping: ids, by: \.key) { try received.remove(ids.map(\.number), of: key) }
    }

    /// Removes received responses, and what validations brought for packages' entries; packages stay as they were loaded.
    ///
    /// This may be done while another process receives.
    ///
    /// - Parameter host: Whose; nil for all.
    /// - Returns: What was removed.
    /// - Throws: ``CacheError`` where nothing can be changed.
    public func clearReceived(host: String? = nil) async throws(CacheError) -> ClearReport {
        try writer.requireWritable()
        return try await OffPool.run { () throws(CacheError) in
            DiskReserve.releaseWhereScarce(self.layout)
            defer { DiskReserve.make(self.layout) }
            return ClearReport(responses: try self.received.clear(host: host))
        }
    }

    // MARK: Packages

    /// Loads a package: all of it, or nothing of it.
    ///
    /// The bodies are extracted aside, checked and synced; then one transaction makes the package visible in the place of
    /// an earlier one of the same name, which stays to be returned to. Readers see the old package until then and the new
    /// one after. When this returns, a power cut doesn't undo it. See docs/cache.md.
    ///
    /// - Parameters:
    ///   - packagePath: The package.
    ///   - options: How to load it.
    ///   - now: The present time.
    /// - Returns: What was done.
    /// - Throws: ``CacheError``; the cache is then as it was.
    public func install(
        _ packagePath: String,
        options: InstallOptions = InstallOptions(),
        now: Timestamp
    ) async throws(CacheError) -> InstallReport {
        try await writer.changing(options.patience) { [received] change throws(CacheError) in
            try PackageInstallation(change, received: received, options: options, now: now).run(packagePath)
        }
    }

    /// Removes a package; what other packages brought stays, also where this one's was served instead.
    ///
    /// - Parameters:
    ///   - name: The package.
    ///   - patience: How long to wait for another writer.
    /// - Returns: The package as it was.
    /// - Throws: ``CacheError`` where there is none of that name.
    public func remove(_ name: String, patience: WriterPatience = WriterPatience()) async throws(CacheError)
        -> InstalledPackage
    {
        try await writer.changing(patience, isFreeing: true) { change throws(CacheError) in try change.remove(name) }
    }

    /// Returns to a package's previous generation; the current one becomes the previous one.
    ///
    /// - Parameters:
    ///   - name: The package.
    ///   - patience: How long to wait for another writer.
    /// - Returns: The package as it is now.
    /// - Throws: ``CacheError`` where there is no such package, or nothing to return to.
    public func rollBack(_ name: String, patience: WriterPatience = WriterPatience()) async throws(CacheError)
        -> InstalledPackage
    {
        try await writer.changing(patience) { change throws(CacheError) in try change.rollBack(name) }
    }

    /// Changes what counts when packages meet or the cache is full; what is nil stays.
    ///
    /// - Parameters:
    ///   - name: The package.
    ///   - settings: What the user decides of it.
    ///   - source: Where it came from.
    ///   - patience: How long to wait for another writer.
    /// - Returns: The package as it is now.
    /// - Throws: ``CacheError`` where there is none of that name.
    public func update(
        _ name: String,
        _ settings: PackageSettings.Change = PackageSettings.Change(),
        source: String? = nil,
        patience: WriterPatience = WriterPatience()
    ) async throws(CacheError) -> InstalledPackage {
        try await writer.changing(patience) { change throws(CacheError) in
            try change.update(name, settings, source: source)
        }
    }

    /// Sets how much the cache may hold, and makes it hold no more.
    ///
    /// - Parameters:
    ///   - limits: The limits.
    ///   - now: The present time.
    ///   - patience: How long to wait for another writer.
    /// - Returns: What left, in words.
    /// - Throws: ``CacheError`` where what is pinned alone is more; the limits are then as they were.
    public func setLimits(_ limits: CacheLimits, now: Timestamp, patience: WriterPatience = WriterPatience())
        async throws(CacheError) -> [String]
    {
        try await writer.changing(patience, isFreeing: true) { [received] change throws(CacheError) in
            try RoomMaker(change, received: received, now: now).set(limits)
        }
    }

    /// Removes what is no longer needed, and gives the space of the catalogue back.
    ///
    /// - Parameters:
    ///   - includingPrevious: Whether previous generations are removed, so that nothing can be rolled back.
    ///   - now: For when received responses that expired or were invalidated are removed; nil to keep them.
    ///   - patience: How long to wait for another writer.
    /// - Returns: What was removed.
    /// - Throws: ``CacheError`` where something can't be removed.
    public func collectGarbage(
        includingPrevious: Bool,
        now: Timestamp? = nil,
        patience: WriterPatience = WriterPatience()
    ) async throws(CacheError) -> GarbageReport {
        let before = layout.usage
        let (previous, left) = try await writer.changing(patience, isFreeing: true) {
            [received] change throws(CacheError) in
            try GarbageCollection(change, received: received).run(includingPrevious: includingPrevious, now: now)
        }
        // Counted once the database is closed, since its log and shared memory are gone then.
        return GarbageReport(
            previousGenerations: previous,
            received: left,
            bytesBefore: before,
            bytesAfter: layout.usage
        )
    }

    /// Removes the cache again where this value made it and nothing was put into it, so that what was refused leaves
    /// nothing.
    ///
    /// Only names that a new cache has are removed, and folders only where they are empty. Where another process uses the
    /// cache, or something arrived, it stays.
    ///
    /// - Throws: ``CacheError`` where the cache can't be looked at, or something can't be removed.
    public func discardIfUnused() async throws(CacheError) {
        let creation = creation
        try await OffPool.run { () throws(CacheError) in try creation.undo() }
    }

    // MARK: Damage

    /// Compares everything in the cache with what was loaded; changes nothing.
    ///
    /// A package that is replaced meanwhile is checked as far as it is still there.
    ///
    /// - Parameter isQuick: Whether names and sizes are enough, and no body is read.
    /// - Returns: What was looked at and what is wrong.
    /// - Throws: ``CacheError`` where the catalogue can't be read at all.
    public func verify(isQuick: Bool = false) throws(CacheError) -> VerifyReport {
        var report = try CacheCheck(layout).verify(isQuick: isQuick)
        try received.verify(isQuick: isQuick, &report)
        return report
    }

    /// What is missing or damaged of a package's current generation, as far as a look at its files tells.
    ///
    /// Bodies are read where something wrote to them after they were loaded; a disk that gives back other bytes than were
    /// written is found only by ``verify(isQuick:)``.
    ///
    /// - Parameter name: The package.
    /// - Returns: What is wrong; nothing where there is no such package.
    /// - Throws: ``CacheError`` where the catalogue can't be read.
    public func damage(of name: String) throws(CacheError) -> [CacheFinding] { try CacheCheck(layout).damage(of: name) }

    /// Restores missing or damaged files from other generations and from packages at hand.
    ///
    /// Damaged received responses are removed; their origins still have them. Nothing is replaced before its
    /// successor was checked and synced. Files that no entry refers to are reported and kept.
    ///
    /// - Parameters:
    ///   - packages: Packages that may hold what is missing.
    ///   - password: What decrypts them.
    ///   - patience: How long to wait for another writer.
    /// - Returns: What was repaired, and what wasn't.
    /// - Throws: ``CacheError`` where a package can't be read or the cache can't be written.
    public func repair(
        from packages: [String],
        password: Password? = nil,
        patience: WriterPatience = WriterPatience()
    ) async throws(CacheError) -> RepairReport {
        try await writer.changing(patience) { [received, isRebuilt] change throws(CacheError) in
            var report = try CacheRepair(change, from: packages, password: password).run(isRebuilt: isRebuilt)
            try received.repair(&report)
            return report
        }
    }
}

/// Reads the number that moves with each change of a cache; safe to use from any thread.
public final class ChangeReader: Sendable {
    private let packages: ChangeCounter
    private let received: ChangeCounter

    init(packages: String, received: String) {
        self.packages = ChangeCounter(path: packages)
        self.received = ChangeCounter(path: received)
    }

    /// The number; two small reads.
    public var value: UInt64 { packages.value &+ received.value << 24 }
}

/// What clearing removed.
public struct ClearReport: Sendable, Equatable {
    /// How many received responses.
    public var responses: Int
}
