public import AFCCaching
internal import AFCFiles
public import AFCHTTP
public import AFCPackageFile
public import AFCPackageFormat
import AFCPlatform
public import AFCText
public import AFCURL
public import AFCZip

/// The disk cache, which stores installed packages and received responses by URL.
///
/// Any number of processes may read a cache while one writes to it. A value is cheap to share and safe to use from any
/// thread. A look-up blocks for a few file reads, which take microseconds.
public final class DiskCache: OfflineAnswering {
    /// The kinds of access that a process may have.
    public enum Access: Sendable, Equatable {
        /// Look-ups only; the cache must exist and may be on a read-only medium.
        case readOnly
        /// Look-ups and changes; the cache must exist.
        case existing
        /// Look-ups and changes; a missing cache is created.
        case readWrite
        /// Look-ups and changes; the cache must exist, and a lost or damaged catalogue is rebuilt.
        case repairing
    }

    /// The cache's folder.
    public var path: String { layout.root }
    /// The folder for packages that are being downloaded.
    public var downloadFolder: String { layout.downloads }
    /// The folder for what is remembered of channels; docs/reference/channels.md.
    public var channelFolder: String { layout.channels }

    let layout: CacheLayout
    private let access: Access
    private let creation: CacheCreation
    /// What was rebuilt when the cache was opened.
    private let rebuilt: [CacheFinding]
    let reader: CatalogueReader
    private let writer: CatalogueWriter
    private let received: ReceivedArea
    private let responses: StoredResponses
    /// The packages as they were at other times.
    let past = PastViews()
    private let packageChanges: ChangeCounter

    /// Opens a cache.
    ///
    /// - Parameters:
    ///   - path: The cache's folder.
    ///   - access: The kind of access.
    ///   - memory: The approximate number of bytes that the process may use for received responses, including small
    ///     bodies.
    ///   - verifiesBodies: Whether each body is compared with its SHA-256 whenever it is read; docs/reference/cache.md says what
    ///     this costs and detects.
    /// - Throws: ``CacheError`` if there is no cache, or one that this program can't use.
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
        self.access = access
        let isFolderMissing = !Descriptor.allows(layout.root, F_OK)
        let lock: CreationLock? =
            if access == .readWrite, try CacheCreation.mayBeUnderway(layout) { try CreationLock(layout.root) } else {
                nil
            }
        creation = try CacheCreation(layout, access, isFolderMissing: isFolderMissing)
        if access != .readOnly {
            try FolderKind.prepare(layout)
            try ChangeCounter.make(path: layout.changes)
        }
        packageChanges = ChangeCounter(path: layout.changes)
        reader = CatalogueReader(layout)
        rebuilt = access == .repairing ? try CatalogueSalvage.rebuildWhereUnusable(layout, reader: reader) : []
        writer = CatalogueWriter(layout, access: access, reader: reader)
        received = ReceivedArea(layout, room: ReceivedRoom(layout), memory: memory)
        responses = StoredResponses(layout, reader, received, verifiesBodies: verifiesBodies)
        if creation.isNew { try writer.create() }
        _ = consume lock
    }

    /// Writes pending received responses and uses of entries to disk, and gives up the right to store responses.
    ///
    /// Close a cache after using it: without that, pending data is lost with the last reference, as in a crash. A
    /// closed cache can be used again and must then be closed again.
    ///
    /// - Throws: ``CacheError`` if received responses can't be written.
    public func close() throws(CacheError) {
        reader.flushRecency()
        try received.close()
    }

    /// Looks for bodies in all packages, by the first 8 bytes of their SHA-256.
    ///
    /// This blocks, and reads the indices of packages until all bodies are found.
    ///
    /// - Parameter wanted: The first 8 bytes of the SHA-256 of each body as a number, the first byte highest.
    /// - Returns: The bodies that were found.
    /// - Throws: ``CacheError`` if the catalogue can't be read.
    public func bodies(_ wanted: Set<UInt64>) throws(CacheError) -> BodyLookUp {
        let packages = try reader.snapshot().catalogue.packages
        let generations = packages.map(\.current) + packages.flatMap(\.older)
        return BodyLookUp(of: wanted, in: generations.map { layout.generation($0.folder) })
    }

    // MARK: Changes by any process

    /// Opens a reader for the number that increases with each change of the cache by any process.
    ///
    /// The number is a hint: a writer that is killed at the wrong moment doesn't update it. ``changeMark()`` is
    /// reliable.
    public func openChangeReader() -> ChangeReader? {
        ChangeReader(packages: layout.changes, received: layout.received.changes)
    }

    /// Returns a number that identifies the cache's state.
    ///
    /// It examines the catalogue at most once a second.
    ///
    /// - Returns: A number that differs after each change.
    /// - Throws: ``CacheError`` if the catalogue can't be read.
    public func changeMark() throws(CacheError) -> UInt64 {
        let snapshot = try reader.snapshot()
        // A new reader, since the file may not have existed when the shared reader was opened.
        let received = ChangeCounter(path: layout.received.changes)
        return snapshot.change &+ snapshot.stamp &* 0x9E37_79B9_7F4A_7C15
            &+ received.value &* 0xC2B2_AE3D_27D4_EB4F &+ snapshot.mounts.changes &* 0x1656_67B1_9E37_79F9
    }

    /// Checks that the cache's folder is there and its catalogue can be read.
    ///
    /// - Throws: ``CacheError`` if not.
    public func requireServable() throws(CacheError) {
        _ = try reader.snapshot()
        guard reader.limitsWhereGone != nil else { return }
        throw CacheError(.noCache, subject: path, message: "the folder was removed or emptied; load the packages again")
    }

    /// Returns a number that differs after each change of the packages, and after each change of the received responses
    /// by another process.
    ///
    /// It takes two small reads of files. It is a hint, as ``openChangeReader()`` is.
    ///
    /// - Returns: The number; nil while a change is being written.
    package func foreignChangeMark() -> UInt64? {
        received.foreignChanges().map { packageChanges.value &+ $0 << 32 }
    }

    /// Returns the path of a file that is in a cache's folder from its opening on, until the folder is removed or
    /// emptied.
    ///
    /// - Parameter path: The path of the folder.
    /// - Returns: The path of the file.
    package static func presenceFile(in path: String) -> String { CacheLayout(root: path).changes }

    // MARK: Lists

    /// Returns the installed packages, sorted by name.
    ///
    /// - Throws: ``CacheError`` if the catalogue can't be read.
    public func packages() throws(CacheError) -> [InstalledPackage] { try listing().packages }

    /// Returns the contents of the cache by origin, sorted by host.
    ///
    /// - Throws: ``CacheError`` if the catalogue can't be read.
    public func origins() throws(CacheError) -> [OriginSummary] { try listing().origins }

    /// Returns the names of the packages that contain something from a host, sorted.
    ///
    /// - Parameter host: The host as serialized in a URL.
    /// - Returns: The names.
    /// - Throws: ``CacheError`` if the catalogue can't be read.
    public func packages(withHost host: String) throws(CacheError) -> [String] {
        try listing().packages(withHost: host)
    }

    /// Returns the names of the packages that contain something from an origin, sorted.
    ///
    /// - Parameter origin: Scheme, host and port, as ``OriginSummary/origin``.
    /// - Returns: The names.
    /// - Throws: ``CacheError`` if the catalogue can't be read.
    public func packages(withOrigin origin: String) throws(CacheError) -> [String] {
        try listing().packages(withOrigin: origin)
    }

    /// Returns the origins that have something in one package with an origin, sorted, the origin itself too.
    ///
    /// - Parameter origin: Scheme, host and port, as ``OriginSummary/origin``.
    /// - Returns: The origins; none if no package has the origin.
    /// - Throws: ``CacheError`` if the catalogue can't be read.
    public func origins(beside origin: String) throws(CacheError) -> [String] {
        try listing().origins(beside: origin)
    }

    /// Returns the resources in the order of their URLs, one page at a time.
    ///
    /// A URL that is in several packages occurs once, as it would be served.
    ///
    /// - Parameters:
    ///   - after: The last URL of the previous page, or nil for the first page.
    ///   - limit: The maximum number of resources to return.
    /// - Returns: The resources of the page.
    /// - Throws: ``CacheError`` if the cache can't be read.
    public func resources(after: WebURL? = nil, limit: Int) throws(CacheError) -> [ResourceSummary] {
        try listing().resources(after: after, limit: limit)
    }

    /// Counts the contents of the cache, which accesses every file.
    ///
    /// - Throws: ``CacheError`` if the catalogue can't be read.
    public func info() throws(CacheError) -> CacheInfo { try listing().info(try received.totals()) }

    /// Returns the size of all bodies together in bytes, without accessing every file.
    ///
    /// - Throws: ``CacheError`` if the catalogue can't be read, or pending changes can't be written.
    package func bodyBytes() throws(CacheError) -> Int64 {
        try received.flush()
        return try reader.snapshot().catalogue.packages.reduce(try received.totals().bytes) { $0 + $1.storedBytes }
    }

    /// Returns the URLs that have received responses, in no order.
    ///
    /// - Parameter limit: The most URLs to return.
    /// - Returns: The URLs.
    /// - Throws: ``CacheError`` if they can't be read, or pending changes can't be written.
    package func receivedURLs(limit: Int) throws(CacheError) -> [WebURL] {
        try received.flush()
        return try received.urls(limit: limit).compactMap { try? WebURL($0) }
    }

    /// Returns the limits of the cache.
    ///
    /// - Throws: ``CacheError`` if the catalogue can't be read.
    public func limits() throws(CacheError) -> CacheLimits { try reader.snapshot().catalogue.limits }

    /// Returns the current generation of each package, in the order in which a look-up tries them.
    ///
    /// - Throws: ``CacheError`` if the catalogue can't be read.
    package func currentGenerations() throws(CacheError) -> [CurrentGeneration] {
        let snapshot = try reader.snapshot()
        return snapshot.packages.map { CurrentGeneration($0) }
    }

    /// Returns the generations that a package had before the current one and that are kept, that to which a rollback
    /// returns first.
    ///
    /// - Parameter package: The name of the package.
    /// - Returns: The generations.
    /// - Throws: ``CacheError`` if the catalogue can't be read.
    package func earlierGenerations(of package: String) throws(CacheError) -> [CurrentGeneration] {
        guard let row = try reader.snapshot().catalogue.packages.first(where: { $0.name == package }) else {
            return []
        }
        return try row.older.map { generation throws(CacheError) in
            CurrentGeneration(try OpenPackage(row, at: generation, in: layout))
        }
    }

    /// True if this process may write to the cache, so that it could keep a search index there.
    package var isWritable: Bool {
        guard let root = try? OpenFolder(path: layout.root), root.isOwn else { return false }
        return Descriptor.allows(layout.root, W_OK) && Descriptor.allows(layout.packages, W_OK)
            && Descriptor.allows(layout.lock, W_OK)
    }

    /// Puts a search index beside the bodies of a generation, in place of an earlier one.
    ///
    /// The index is copied, synced and renamed, so readers see either the old one or the new one. Nothing is stored if
    /// the generation is no longer in the cache.
    ///
    /// - Parameters:
    ///   - path: The finished index.
    ///   - generation: The generation.
    ///   - patience: The waiting time for another writer.
    /// - Returns: True if it was stored.
    /// - Throws: ``CacheError`` if it can't be stored; an earlier index is then unchanged.
    package func storeSearchIndex(
        _ path: String,
        for generation: CurrentGeneration,
        patience: WriterPatience = WriterPatience()
    ) async throws(CacheError) -> Bool {
        try await writer.changing(patience) { change throws(CacheError) in
            let isCurrent = change.catalogue.packages.contains { package in
                package.generations.contains { $0.folder == generation.folder }
            }
            guard isCurrent else { return false }
            try SearchFile.store(path, for: generation.folder, in: change.layout)
            change.noteNewFiles()
            return true
        }
    }

    private func listing() throws(CacheError) -> CacheListing { CacheListing(try reader.snapshot(), in: layout) }

    // MARK: Responses

    /// Returns the stored responses for a URL, the most recent first (RFC 9111 §4).
    ///
    /// These are the package's entry, updated by later validations, and every received variant. They are sorted by
    /// Date, or by the time when they were received if that is earlier; priority and pinning of packages make no
    /// difference. If there are none, those of an equivalent spelling are returned (RFC 3986 §6.2.2): `%7euser` for
    /// `~user`, `%C3` for `%c3`.
    ///
    /// - Parameter url: The URL of the resource.
    /// - Returns: The responses; empty if there are none.
    /// - Throws: ``CacheError`` if the cache can't be read.
    public func candidates(for url: WebURL) throws(CacheError) -> [StoredCandidate] {
        try responses.candidates(for: url)
    }

    /// Answers a request; see ``OfflineAnswering/respond(to:now:policy:_:)``.
    public func respond(
        to request: OfflineRequest,
        now: Timestamp,
        policy: OfflinePolicy,
        _ lookUp: LookUp
    ) throws(CacheError) -> CacheAnswer? { try responses.respond(to: request, now: now, policy: policy, lookUp) }

    /// Returns the packaged response whose query differs, or the fallback, for a request for a URL for which nothing is stored.
    package func match(for request: OfflineRequest, by matching: QueryMatching) throws(CacheError) -> MatchedCandidate?
    {
        try responses.match(for: request, by: matching)
    }

    /// Returns the URLs that the sites of the packages don't have, as the crawls that made the packages found.
    package func absentURLs() throws(CacheError) -> AbsentURLs { try responses.absentURLs() }

    /// Returns true if the cache has a response for a URL.
    ///
    /// This doesn't count as a use of it.
    ///
    /// - Parameter url: The URL of the resource.
    /// - Returns: True if there is one.
    /// - Throws: ``CacheError`` if the cache can't be read.
    public func contains(_ url: WebURL) throws(CacheError) -> Bool { try !responses.candidates(for: url).isEmpty }

    /// Opens the body of a candidate; blocks.
    ///
    /// - Parameter candidate: A result of ``candidates(for:)`` or ``ReceivedBody/finish()``.
    /// - Returns: The body, which stays complete as long as it is referenced; empty if the response has none. If bodies
    ///   are verified, all of it was read and compared.
    /// - Throws: ``CacheError`` if the body is gone or differs from what was stored; look up the candidates again.
    public func body(of candidate: StoredCandidate) throws(CacheError) -> StoredBody {
        try responses.body(of: candidate)
    }

    /// Records that a response was used, for eviction; writes nothing to disk.
    ///
    /// - Parameters:
    ///   - candidate: The response.
    ///   - now: The current time.
    public func markUsed(_ candidate: StoredCandidate, at now: Timestamp) { responses.markUsed(candidate, at: now) }

    // MARK: Received responses

    /// Acquires the right to store received responses, which only one process has at a time.
    ///
    /// Without this call, the first change acquires it. ``close()`` gives it up.
    ///
    /// - Throws: ``CacheError`` with `busy` if another process has it; the message names that process.
    public func startReceiving() throws(CacheError) {
        try writer.requireWritable()
        try received.open()
    }

    /// Creates the cache again, with its limits, if its folder was removed or emptied after it was opened; without that,
    /// nothing could be stored until the program is restarted.
    private func restoreWhereGone() throws(CacheError) {
        guard access == .readWrite else { return }
        do throws(CacheError) {
            _ = try reader.snapshot()
        } catch {
            // Responses are stored beside packages that can't be read, too.
            return
        }
        guard let limits = reader.limitsWhereGone else { return }
        let lock = try CreationLock(layout.root)
        if try FolderKind.of(layout) == .vacant {
            try FolderKind.prepare(layout)
            try ChangeCounter.make(path: layout.changes)
            try writer.create(limits: limits)
        }
        reader.forget()
        _ = consume lock
    }

    /// Writes pending changes to disk, which otherwise happens every 100 ms; blocks.
    ///
    /// - Throws: ``CacheError`` if they can't be written.
    public func flushReceived() throws(CacheError) { try received.flush() }

    /// Begins to store a received response; its body is written as it arrives.
    ///
    /// Until ``ReceivedBody/finish()``, only users of the returned value see the response. It also replaces a response
    /// of the same URL with the same Vary and the same stored request fields. A partial response (206) never replaces
    /// another response and is never replaced in this way, and an error (5xx) replaces only another error.
    ///
    /// - Parameters:
    ///   - response: Status, fields and times; size and digest are computed. Of the request fields, those that Vary
    ///     names are stored.
    ///   - url: The URL of the resource.
    ///   - replacing: The responses of the URL to remove when this one is complete.
    /// - Returns: The target of the body.
    /// - Throws: ``CacheError`` if nothing can be stored.
    public func receive(
        _ response: StoredResponse,
        for url: WebURL,
        replacing: [ReceivedID] = []
    ) throws(CacheError) -> ReceivedBody {
        try writer.requireWritable()
        try restoreWhereGone()
        return try responses.receive(response, for: url, replacing: replacing)
    }

    /// Replaces status, fields, times and invalidation of a received response, for example after a 304 (RFC 9111
    /// §4.3.4).
    ///
    /// The body is kept. A response that was removed in the meantime stays removed.
    ///
    /// - Parameters:
    ///   - id: The response.
    ///   - response: The new values.
    /// - Throws: ``CacheError`` if nothing can be stored.
    public func update(_ id: ReceivedID, _ response: StoredResponse) throws(CacheError) {
        try writer.requireWritable()
        try received.update(id, response)
    }

    /// Stores new fields for a package's entry, after a 304 (RFC 9111 §4.3.4).
    ///
    /// The body remains the package's. The fields are discarded when another generation of the package is served.
    ///
    /// - Parameters:
    ///   - url: The URL of the resource.
    ///   - response: The new values.
    /// - Throws: ``CacheError`` if nothing can be stored.
    public func freshenPackageEntry(_ url: WebURL, _ response: StoredResponse)
        throws(CacheError)
    {
        try writer.requireWritable()
        try responses.freshenPackageEntry(url, response)
    }

    /// Invalidates all responses of a URL, including those in packages (RFC 9111 §4.4).
    ///
    /// - Parameter url: The URL of the resource.
    /// - Throws: ``CacheError`` if nothing can be stored.
    public func invalidate(_ url: WebURL) throws(CacheError) {
        _ = try invalidateAll(url)
    }

    /// Invalidates all responses of a URL, those that answer it by their No-Vary-Search, and the received responses of its
    /// origin that share a group with one of these (RFC 9875 §2.2.1).
    ///
    /// - Parameter url: The URL of the resource.
    /// - Returns: The other URLs of which a response was invalidated.
    /// - Throws: ``CacheError`` if nothing can be stored.
    package func invalidateAll(_ url: WebURL) throws(CacheError) -> [WebURL] {
        try writer.requireWritable()
        return try responses.invalidateAll(url)
    }

    /// True if an invalidation may concern many responses, since some are in groups or answer several URLs.
    package var hasRelatedResponses: Bool { received.hasRelations }

    /// Invalidates the received responses of an origin that are in one of some groups (RFC 9875 §3).
    ///
    /// - Parameters:
    ///   - groups: The names of the groups.
    ///   - origin: Scheme, host and port, as in a URL.
    /// - Returns: The URLs of which a response was invalidated.
    /// - Throws: ``CacheError`` if nothing can be stored.
    package func invalidate(groups: Set<String>, of origin: String) throws(CacheError) -> [WebURL] {
        try writer.requireWritable()
        return try responses.invalidate(groups: groups, of: origin)
    }

    /// Removes received responses.
    ///
    /// - Parameter ids: The responses to remove.
    /// - Throws: ``CacheError`` if nothing can be changed.
    public func remove(_ ids: [ReceivedID]) throws(CacheError) {
        try writer.requireWritable()
        for (key, ids) in Dictionary(grouping: ids, by: \.key) { try received.remove(ids.map(\.number), of: key) }
    }

    /// Removes received responses and the validations of packages' entries; packages are then as they were loaded.
    ///
    /// This is possible while another process stores responses.
    ///
    /// - Parameter host: The host of the responses; nil for all hosts.
    /// - Returns: A summary of the removal.
    /// - Throws: ``CacheError`` if nothing can be changed.
    public func clearReceived(host: String? = nil) async throws(CacheError) -> ClearReport {
        try writer.requireWritable()
        return try await OffPool.run { () throws(CacheError) in
            DiskReserve.releaseWhereScarce(self.layout)
            defer { DiskReserve.make(self.layout) }
            return ClearReport(responses: try self.received.clear(host: host))
        }
    }

    /// Removes the received responses of a group (RFC 9875); packages stay as they are.
    ///
    /// - Parameters:
    ///   - group: The name of the group, as origins send it in Cache-Groups.
    ///   - host: The host of the responses; nil for all hosts.
    /// - Returns: A summary of the removal.
    /// - Throws: ``CacheError`` if nothing can be changed.
    package func clearReceived(group: String, host: String?) async throws(CacheError) -> ClearReport {
        try writer.requireWritable()
        return try await OffPool.run { () throws(CacheError) in
            ClearReport(responses: try self.received.clear(group: group, host: host))
        }
    }

    /// Removes received responses as ``clearReceived(host:)`` does, but blocks.
    ///
    /// - Parameter time: The time since which the responses were received or last validated; nil for all responses, and
    ///   the validations of packages' entries.
    /// - Returns: The number of responses that were removed.
    /// - Throws: ``CacheError`` if nothing can be changed.
    package func clearReceivedNow(since time: Timestamp? = nil) throws(CacheError) -> Int {
        try writer.requireWritable()
        guard let time else { return try received.clear(host: nil) }
        return try received.clear(since: time)
    }

    // MARK: Packages

    /// Loads a package as a whole, or not at all.
    ///
    /// The bodies are extracted to a separate folder, checked and synced. Then one change of the catalogue makes the
    /// package visible. It replaces an earlier one with the same name, which is kept for a rollback. Readers see the old
    /// package until then and the new one afterwards. When this returns, the change survives a power failure. See
    /// docs/reference/cache.md.
    ///
    /// - Parameters:
    ///   - packagePath: The path of the package.
    ///   - options: The options for loading.
    ///   - now: The current time.
    /// - Returns: A report on what was done.
    /// - Throws: ``CacheError``; the cache is then unchanged.
    public func install(
        _ packagePath: String,
        options: InstallOptions = InstallOptions(),
        now: Timestamp
    ) async throws(CacheError) -> InstallReport {
        let mounts = reader.mounts
        return try await writer.changing(options.patience) { [received] change throws(CacheError) in
            try PackageInstallation(change, received: received, mounts: mounts, options: options, now: now)
                .run(packagePath)
        }
    }

    // MARK: Mounted packages

    /// Serves a package from its file beside those of the cache, for this value only; blocks.
    ///
    /// Nothing is extracted, and nothing is written to the cache. The package answers as if it had been installed before
    /// all others. As long as a package with its name is installed, that one takes its place. A file that is mounted
    /// with the same priority already, and with the same name if there is one, stays as it is.
    ///
    /// - Parameters:
    ///   - path: The package.
    ///   - name: The name of the package; nil for the one that the package states, or else its file's without the
    ///     extension. A mounted package with the name is replaced.
    ///   - priority: The priority among packages with the same URL.
    ///   - options: The settings; whether bodies are compared each time is the cache's own setting.
    ///   - now: The current time.
    /// - Returns: The package.
    /// - Throws: ``CacheError`` if the package can't be read, is encrypted, isn't signed as it must be, or couldn't be
    ///   loaded into a cache, or if an index isn't of the package. What is mounted is then unchanged.
    public func mount(
        _ path: String,
        name: String? = nil,
        priority: Int = 0,
        options: MountedPackages.Options = MountedPackages.Options(),
        now: Timestamp
    ) throws(CacheError) -> InstalledPackage {
        if let name { try PackageInstallation.check(name) }
        let known = reader.mounts.packages.first { package in
            (name.map { $0 == package.name } ?? true) && package.priority == priority
                && package.files.mounted?.isFile(at: path) == true
        }
        if let known { return InstalledPackage(known.row) }
        var settings = PackageSettings()
        settings.priority = priority
        return InstalledPackage(try reader.mount(path, name, settings, options, now: now).row)
    }

    /// Stops serving a mounted package; answers that have begun are completed.
    ///
    /// - Parameter name: The name of the package.
    /// - Throws: ``CacheError`` if no package with the name is mounted.
    public func unmount(_ name: String) throws(CacheError) {
        guard reader.unmount(name) else {
            throw CacheError(
                .noPackage,
                subject: PrintableText.quoted(name),
                message: "no package with this name is mounted"
            )
        }
    }

    /// Returns the mounted packages, sorted by name, also those in whose place an installed one answers.
    public func mountedPackages() -> [InstalledPackage] {
        reader.mounts.packages.map { InstalledPackage($0.row) }.sorted { $0.name < $1.name }
    }

    /// Returns the members of a package whose bodies the cache holds already, in any generation of any package, by the
    /// SHA-256 of their records.
    ///
    /// Of the package, only the members that describe it need to be there. To load it without those bodies, state them
    /// in ``InstallOptions/held``. This blocks, and reads the indices of all packages.
    ///
    /// - Parameters:
    ///   - package: The package.
    ///   - name: The name of the package that it replaces, whose bodies are used before those of others.
    /// - Returns: The members.
    /// - Throws: ``CacheError`` if the catalogue can't be read.
    public func heldMembers(of package: PackageReader, replacing name: String) throws(CacheError) -> MemberSet {
        let packages = try reader.snapshot().catalogue.packages
        let replaced = packages.first { $0.name == name }
        let generations = PackageInstallation.generations(of: packages, first: replaced)
        let layouts = generations.map { layout.generation($0.folder) }
        return HeldBodies(nil, of: package, in: layouts, replacing: replaced?.current.folder).members
    }

    /// Removes a package.
    ///
    /// Responses in other packages are kept, even if this package's were served instead.
    ///
    /// - Parameters:
    ///   - name: The name of the package.
    ///   - patience: The waiting time for another writer.
    /// - Returns: The package before its removal.
    /// - Throws: ``CacheError`` if there is no package with that name.
    public func remove(_ name: String, patience: WriterPatience = WriterPatience()) async throws(CacheError)
        -> InstalledPackage
    {
        try await writer.changing(patience, isFreeing: true) { change throws(CacheError) in try change.remove(name) }
    }

    /// Returns to a package's previous generation; the current one becomes the previous one.
    ///
    /// - Parameters:
    ///   - name: The name of the package.
    ///   - patience: The waiting time for another writer.
    /// - Returns: The package after the change.
    /// - Throws: ``CacheError`` if there is no such package, or no previous generation.
    public func rollBack(_ name: String, patience: WriterPatience = WriterPatience()) async throws(CacheError)
        -> InstalledPackage
    {
        try await writer.changing(patience) { change throws(CacheError) in try change.rollBack(name) }
    }

    /// Changes the settings and the source of a package; nil leaves a value unchanged.
    ///
    /// - Parameters:
    ///   - name: The name of the package.
    ///   - settings: The new settings.
    ///   - source: The new source.
    ///   - now: The current time, for forgetting versions by their age at once; nil to forget them when the package is
    ///     loaded again.
    ///   - patience: The waiting time for another writer.
    /// - Returns: The package after the change.
    /// - Throws: ``CacheError`` if there is no package with that name.
    public func update(
        _ name: String,
        _ settings: PackageSettings.Change = PackageSettings.Change(),
        source: String? = nil,
        now: Timestamp? = nil,
        patience: WriterPatience = WriterPatience()
    ) async throws(CacheError) -> InstalledPackage {
        try await writer.changing(patience) { change throws(CacheError) in
            try change.update(name, settings, source: source, now: now)
        }
    }

    /// Sets the limits of the cache, and evicts until it fits.
    ///
    /// - Parameters:
    ///   - limits: The new limits.
    ///   - now: The current time.
    ///   - patience: The waiting time for another writer.
    /// - Returns: The evicted items, in words.
    /// - Throws: ``CacheError`` if the pinned packages alone exceed the limits, which are then unchanged.
    public func setLimits(_ limits: CacheLimits, now: Timestamp, patience: WriterPatience = WriterPatience())
        async throws(CacheError) -> [String]
    {
        try await writer.changing(patience, isFreeing: true) { [received] change throws(CacheError) in
            try RoomMaker(change, received: received, now: now).set(limits)
        }
    }

    /// Removes everything that is no longer needed, and shrinks the database of received responses.
    ///
    /// - Parameters:
    ///   - includingPrevious: Whether to remove previous generations as well, so that no rollback is possible, except of
    ///     packages whose settings say how many are kept.
    ///   - now: The time for removing expired and invalidated received responses; nil to keep them.
    ///   - patience: The waiting time for another writer.
    /// - Returns: A summary of the removal.
    /// - Throws: ``CacheError`` if something can't be removed.
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
        return GarbageReport(
            previousGenerations: previous,
            received: left,
            bytesBefore: before,
            bytesAfter: layout.usage
        )
    }

    /// Removes a cache that this value created if nothing was put into it, so that a refused operation leaves nothing
    /// behind.
    ///
    /// Only files with the names of a new cache are removed, and only empty folders. If another process uses the cache,
    /// or something was stored, the cache is kept.
    ///
    /// - Throws: ``CacheError`` if the cache can't be accessed, or something can't be removed.
    public func discardIfUnused() async throws(CacheError) {
        let creation = creation
        try await OffPool.run { () throws(CacheError) in try creation.undo() }
    }

    // MARK: Damage

    /// Compares everything in the cache with what was loaded, without changing anything.
    ///
    /// A package that is replaced in the meantime is checked as far as it still exists.
    ///
    /// - Parameter isQuick: Whether to check names and sizes only, without reading bodies.
    /// - Returns: The findings, and counts of what was checked.
    /// - Throws: ``CacheError`` if the catalogue can't be read at all.
    public func verify(isQuick: Bool = false) throws(CacheError) -> VerifyReport {
        var report = try CacheCheck(layout).verify(isQuick: isQuick)
        try received.verify(isQuick: isQuick, &report)
        return report
    }

    /// Returns the missing or damaged files of a package's current generation, as far as the files' metadata shows
    /// that.
    ///
    /// Bodies are read if they were written to after they were loaded. Data that the disk itself has corrupted is
    /// detected only by ``verify(isQuick:)``.
    ///
    /// - Parameter name: The name of the package.
    /// - Returns: The findings; empty if there is no such package.
    /// - Throws: ``CacheError`` if the catalogue can't be read.
    public func damage(of name: String) throws(CacheError) -> [CacheFinding] { try CacheCheck(layout).damage(of: name) }

    /// Restores missing or damaged files from other generations and from packages.
    ///
    /// Damaged received responses are removed; their origins still have them. A file is replaced only after its
    /// replacement was checked and synced. Files that no entry refers to are reported and kept.
    ///
    /// - Parameters:
    ///   - packages: Packages that may contain the missing files.
    ///   - password: The password of the packages.
    ///   - patience: The waiting time for another writer.
    /// - Returns: The findings that were repaired, and those that weren't.
    /// - Throws: ``CacheError`` if a package can't be read or the cache can't be written.
    public func repair(
        from packages: [String],
        password: Password? = nil,
        patience: WriterPatience = WriterPatience()
    ) async throws(CacheError) -> RepairReport {
        try await writer.changing(patience) { [received, rebuilt] change throws(CacheError) in
            var report = try CacheRepair(change, from: packages, password: password).run(rebuilt: rebuilt)
            try received.repair(&report)
            return report
        }
    }
}

/// Reads the number that increases with each change of a cache; safe to use from any thread.
public final class ChangeReader: Sendable {
    private let packages: ChangeCounter
    private let received: ChangeCounter

    init(packages: String, received: String) {
        self.packages = ChangeCounter(path: packages)
        self.received = ChangeCounter(path: received)
    }

    /// The number, which takes two small reads.
    public var value: UInt64 { packages.value &+ received.value << 24 }
}

/// The result of clearing received responses.
public struct ClearReport: Sendable, Equatable {
    /// The number of received responses that were removed.
    public var responses: Int
}
