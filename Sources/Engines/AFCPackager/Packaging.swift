public import AFCCrawlRules
public import AFCCrawler
package import AFCFiles
public import AFCHTTP
internal import AFCOrigin
public import AFCPackageFile
public import AFCPackageFormat
internal import AFCPlatform
internal import AFCText
package import AFCURL
public import AFCZip

/// The making of a package from a folder or a crawl.
public enum Packaging {
    /// The settings for writing a package.
    public struct Output: Sendable {
        /// The package's path; an existing package is replaced once the new one is complete.
        public var path: String
        /// True if an existing file at the path is replaced even if it isn't a package.
        public var overwrites = false
        /// The manifest's dialect.
        public var dialect: ManifestDialect = .afcache
        /// The name of the package; nil for the one of the package that is updated, or that its start URLs suggest.
        public var name: String?
        /// True if `.afcache/` is written.
        public var writesSidecar = true
        /// True if the manifest begins with AFCache 0.13's header line, which contains a folder's base URL.
        public var writesBaseURL = false
        /// The rules for parameters that make no difference; nil for none.
        public var matchRules: MatchRules?
        /// The compression level of Deflate, 1 to 9.
        public var level: Int32 = 6
        /// The keys that sign the package.
        public var signers: [SigningKey] = []
        /// The password that encrypts the package, or nil for none.
        public var password: Password?
        /// True if the summary contains the manifest, which then takes memory.
        public var keepsManifest = false
        /// The time of packing, or SOURCE_DATE_EPOCH.
        public var created: Timestamp
        /// The program and its version.
        public var generator: String

        /// Creates an output with the defaults.
        public init(path: String, created: Timestamp, generator: String) {
            self.path = path
            self.created = created
            self.generator = generator
        }

        /// Checks the place where the package will be written, before any work is done.
        ///
        /// - Parameter seeds: The start URLs, or a folder's base URL; none for a recording. Nil if an older package there is
        ///   checked elsewhere.
        /// - Returns: The target.
        /// - Throws: ``PackagingError`` if it can't be written to, or if a file that isn't a package would be lost, a
        ///   package of another site, or a signature or an encryption. An empty file may be replaced, since `mktemp`
        ///   creates one.
        package func target(replacing seeds: [WebURL]?) throws(PackagingError) -> OutputTarget {
            let (target, refusal): (OutputTarget, PackagingError?)
            do throws(FileError) {
                target = try OutputTarget(path)
                try target.requireWritable()
                guard target.isReplacing, !overwrites else { return target }
                let file = try OpenFile(reading: path)
                if try file.size() == 0 { return target }
                refusal = try self.refusal(toReplace: file, by: seeds)
            } catch {
                throw PackagingError(.inputOutput, subject: path, message: error.message)
            }
            if let refusal { throw refusal }
            return target
        }

        /// Returns the reason not to replace a file: it isn't a package, it is one of another site, or it has a signature or an
        /// encryption that would be lost with it; nil if it may be replaced.
        private func refusal(toReplace file: OpenFile, by seeds: [WebURL]?) throws(FileError) -> PackagingError? {
            func refusal(_ code: PackagingErrorCode, _ message: String) -> PackagingError {
                PackagingError(code, subject: path, message: message, remedy: .overwrite)
            }
            guard try file.listsMember(named: PackageLayout.manifest) else {
                return refusal(.inputOutput, "the file exists and is not a package; choose another file")
            }
            if password == nil, try Self.isEncrypted(file) {
                return refusal(
                    .badOption,
                    "the package there is encrypted, and the new one wouldn't be; encrypt it, too, or choose another file"
                )
            }
            if let seeds, let index = try? PackageReader(path: path).index,
                let difference = OlderPackage.otherSite(of: index, than: seeds)
            {
                return refusal(.badOption, "\(difference); choose another file")
            }
            guard try file.listsMember(named: PackageLayout.signature) else { return nil }
            guard !signers.isEmpty else {
                return refusal(
                    .badOption,
                    "the package there is signed, and the new one wouldn't be; sign it, too, or choose another file"
                )
            }
            // Devices that trust only the former key would refuse the new one.
            guard let keys = try? PackageReader(path: path).claimedSignatures().map(\.key), let key = keys.first,
                !signers.contains(where: { keys.contains($0.publicKey) })
            else { return nil }
            return refusal(
                .badOption,
                "the package there is signed by the key \(key), and the new one wouldn't be; sign it by that key, too, or choose "
                    + "another file"
            )
        }

        /// Returns true if a package with so many resources would replace a larger one, and needn't.
        package func wouldShrink(to count: Int) -> Bool {
            guard !overwrites, let older = try? PackageReader(path: path).index else { return false }
            return older.resources.count > count
        }

        /// Returns true if the first member of an archive is encrypted (APPNOTE 4.4.4, bit 0).
        private static func isEncrypted(_ file: OpenFile) throws(FileError) -> Bool {
            let header = try file.beginning(7)
            return header.starts(with: [0x50, 0x4B, 0x03, 0x04]) && header.count == 7 && header[6] & 1 != 0
        }

        /// Returns the name of a package of a site.
        ///
        /// - Parameters:
        ///   - seeds: The start URLs, or a folder's base URL.
        ///   - older: The name of the package that is updated.
        /// - Returns: The name; nil if the package states none.
        func name(of seeds: [WebURL], older: String?) -> String? {
            guard writesSidecar else { return nil }
            // Other URLs are those of a folder without a site: all of them would have the same name.
            return name ?? older ?? PackageName.suggested(for: seeds.filter(\.isHTTP))
        }

        /// True if a package contains only what every crawl writes, so that an unchanged older one may stay in its
        /// place.
        var isPlain: Bool {
            dialect == .afcache && writesSidecar && !writesBaseURL && signers.isEmpty && password == nil
                && !keepsManifest && matchRules == nil
        }

        func options(seeds: [WebURL], baseURL: WebURL?, older: String? = nil) -> PackageWriter.Options {
            var options = PackageWriter.Options(created: created, generator: generator)
            options.name = name(of: seeds, older: older)
            options.dialect = dialect
            options.writesSidecar = writesSidecar
            options.baseURL = writesBaseURL ? baseURL : nil
            options.seeds = seeds.map(\.description)
            options.level = level
            options.signers = signers
            options.password = password
            options.keepsManifest = keepsManifest
            options.matchRules = matchRules
            return options
        }
    }

    /// Packs a folder.
    ///
    /// - Parameters:
    ///   - folder: The folder to pack.
    ///   - output: The settings for writing.
    /// - Returns: The summary of the package, and the report on the folder's files.
    /// - Throws: `PackagingError` if the folder can't be packed, `PackageError` if the package can't be written,
    ///   `CancellationError`. An existing file at the path is then unchanged.
    @concurrent
    public static func pack(
        _ folder: FolderOptions,
        to output: Output
    ) async throws -> (summary: PackageWriter.Summary, report: FolderReport) {
        let target = try output.target(replacing: [folder.baseURL])
        var folder = folder
        // A folder's URL has no member name by the rule, and these dialects can't state one.
        if !output.dialect.namesMembers { folder.givesFolderURLs = false }
        let packed = try await FolderPackager.resources(of: folder)
        let seed = folder.givesFolderURLs ? try FolderPackager.url(ofFolder: "", below: folder.baseURL) : folder.baseURL
        var options = output.options(seeds: [seed], baseURL: folder.baseURL)
        options.userData = packed.userData
        options.fallback = packed.fallback
        // The files are read again while the package is written, so it gets its name only after they are checked for
        // changes.
        let draft = target.draft("draft")
        do {
            // The package takes the draft's place and mode.
            if target.isReplacing || target.isStream { _ = try OpenFile(creating: draft, mode: target.draftMode) }
            let resources = try await OffPool.run { try StatedResources(SortedResources(packed.resources)) }
            let summary = try await write(resources, to: draft, options: options)
            try packed.requireUnchanged()
            try target.put(draft)
            return (summary, packed.report)
        } catch {
            unlink(draft)
            if var error = error as? PackageError {
                error.subject = output.path
                throw error
            }
            if let error = error as? ZipError { throw PackageError(error, subject: output.path) }
            throw error
        }
    }

    /// Crawls, and packs the fetched resources.
    ///
    /// If the crawl updates the package at the output's path and nothing in it has changed, the package is kept as it
    /// is, and the report says so.
    ///
    /// - Parameters:
    ///   - crawl: The seeds and the limits.
    ///   - fetching: The settings for fetching.
    ///   - output: The settings for writing.
    ///   - onEvent: A closure called for each event, from several tasks.
    /// - Returns: The summary of the package, or nil if nothing was fetched; and the report on the crawl.
    /// - Throws: `PackagingError`, `PackageError`, `CancellationError`. An existing file at the path is then
    ///   unchanged, and no other file remains.
    @concurrent
    public static func pack(
        _ crawl: CrawlOptions,
        fetching: HTTPFetcher.Options = HTTPFetcher.Options(),
        to output: Output,
        onEvent: @escaping @Sendable (CrawlEvent) -> Void = { _ in }
    ) async throws -> (summary: PackageWriter.Summary?, report: CrawlReport) {
        try await HTTPFetcher.withFetcher(options: fetching.prepared(for: crawl)) { network in
            try await pack(crawl, over: network, to: output, onEvent: onEvent)
        }
    }

    /// Works on a shard of a crawl until nothing waits, and packs what it has.
    ///
    /// - Parameters:
    ///   - crawl: The seeds of all shards, the shard, and what others handed over to it.
    ///   - workspace: The files of the attempt, which remain open.
    ///   - fetching: The settings for fetching.
    ///   - output: The settings for writing.
    ///   - onEvent: A closure called for each event, from several tasks.
    /// - Returns: The summary of the package, or nil if there is none; and the report on the crawl.
    /// - Throws: `PackagingError`, `PackageError`, `CancellationError`.
    @concurrent
    package static func packShard(
        _ crawl: CrawlOptions,
        in workspace: CrawlWorkspace,
        fetching: HTTPFetcher.Options,
        to output: Output,
        onEvent: @escaping @Sendable (CrawlEvent) -> Void
    ) async throws -> (summary: PackageWriter.Summary?, report: CrawlReport) {
        var crawl = crawl
        crawl.seeds = crawl.seeds.map(\.asBrowsersAsk)
        try requireSeeds(crawl, output)
        return try await HTTPFetcher.withFetcher(options: fetching.prepared(for: crawl)) { [crawl] network in
            try await pack(crawl, in: workspace, over: network, to: output, onEvent: onEvent)
        }
    }

    static func pack(
        _ crawl: CrawlOptions,
        over network: some Fetcher,
        to output: Output,
        onEvent: @escaping @Sendable (CrawlEvent) -> Void = { _ in }
    ) async throws -> (summary: PackageWriter.Summary?, report: CrawlReport) {
        var crawl = crawl
        crawl.seeds = crawl.seeds.map(\.asBrowsersAsk)
        try requireSeeds(crawl, output)
        let workspace = try await OffPool.run { [crawl] () throws(PackagingError) in
            try CrawlWorkspace(
                beside: crawl.isDryRun ? nil : output.target(replacing: crawl.updates == nil ? crawl.seeds : nil),
                path: output.path,
                crawl,
                generator: output.generator,
                level: output.level
            )
        }
        do {
            return try await pack(crawl, in: workspace, over: network, to: output, onEvent: onEvent)
        } catch {
            // What waits in SQLite's log is then in the state itself, which the user may move or keep.
            workspace.close()
            throw error
        }
    }

    static func pack(
        _ crawl: CrawlOptions,
        in workspace: CrawlWorkspace,
        over network: some Fetcher,
        to output: Output,
        onEvent: @escaping @Sendable (CrawlEvent) -> Void
    ) async throws -> (summary: PackageWriter.Summary?, report: CrawlReport) {
        let crawler = Crawler(
            options: crawl,
            network: network,
            workspace: workspace,
            level: output.level,
            onEvent: onEvent
        )
        let end = try await crawler.run(digest: crawl.digest(generator: output.generator)) { older in
            guard output.isPlain, older.name == output.name(of: crawl.seeds, older: older.name) else { return nil }
            return older.kept(by: output.generator, crawl.seeds, at: output.path)
        }
        var report = end.report
        report.removesTooMuch = removesTooMuch(report, crawl.removalLimit)
        let forms = try await LoginForms(of: report, seeds: crawl.seeds.count, in: workspace)
        report.loginForms = forms.urls
        report.hadLogin = crawl.access.hasLogin
        // A shard may have nothing but redirects to others.
        let count = report.fetched + (crawl.shard == nil ? 0 : report.redirects)
        report.isLoggedOut =
            forms.isAll && (report.hadLogin || output.wouldShrink(to: report.fetched + report.redirects))
        guard count > 0, !report.removesTooMuch, !report.isLoggedOut, !crawl.isDryRun else {
            workspace.remove()
            return (nil, report)
        }
        if let kept = end.kept {
            workspace.remove()
            return (kept, report)
        }
        var options = output.options(
            seeds: crawl.seeds.filter { crawl.shard?.contains($0) ?? true },
            baseURL: crawl.seeds.first,
            older: workspace.files.older?.name
        )
        // What other shards found isn't in it.
        options.provenance = crawl.shard == nil ? end.provenance : nil
        options.missing = report.missing > 0 ? report.missing : nil
        options.fallback = end.missingPage?.fallback
        options.absent = try await OffPool.run { try workspace.state.absentURLs() }
        if let started = report.started, crawl.pinnedTime == nil, crawl.shard == nil { options.created = started }
        let resources = CrawledResources(
            state: workspace.state,
            files: workspace.files,
            maxAge: crawl.maxAge,
            missingPage: options.fallback == nil ? nil : end.missingPage,
            total: report.fetched + report.redirects,
            onEvent: onEvent
        )
        let summary = try await write(resources, to: output.path, options: options)
        workspace.remove()
        return (summary, report)
    }

    /// Writes the package of a recording.
    ///
    /// - Parameters:
    ///   - recording: The recorded answers.
    ///   - maxAge: The freshness lifetime after the Date, in seconds, or nil for the origin's.
    ///   - output: The settings for writing.
    /// - Returns: The summary of the package.
    /// - Throws: `PackageError`, `CancellationError`. An existing file at the path is then unchanged.
    @concurrent
    package static func pack(
        _ recording: RecordingStore,
        maxAge: Int64?,
        to output: Output
    ) async throws -> PackageWriter.Summary {
        let resources = CrawledResources(
            state: recording.workspace.state,
            files: recording.workspace.files,
            maxAge: maxAge,
            total: recording.count,
            onEvent: { _ in }
        )
        let options = output.options(seeds: [], baseURL: nil)
        return try await write(try StatedResources(resources), to: output.path, options: options)
    }

    /// Writes the package of resources that another module made.
    ///
    /// - Parameters:
    ///   - resources: The resources.
    ///   - seeds: The pages to begin with.
    ///   - output: The settings for writing.
    /// - Returns: The summary of the package.
    /// - Throws: `PackageError`, `CancellationError`. An existing file at the path is then unchanged.
    @concurrent
    package static func pack(
        _ resources: some ResourceSource,
        seeds: [WebURL],
        to output: Output
    ) async throws -> PackageWriter.Summary {
        let options = output.options(seeds: seeds, baseURL: nil)
        return try await write(try StatedResources(resources), to: output.path, options: options)
    }

    /// What a package says of itself beside its resources.
    package struct Description: Sendable {
        /// The start URLs.
        package var seeds: [String]
        /// The name, unless the settings for writing state one.
        package var name: String?
        /// The crawl that made it.
        package var provenance: CrawlProvenance?
        /// The number of URLs that it lacks, unless the crawl lists them.
        package var missing: Int?
        /// The URL parameters that make no difference, unless the settings for writing state some.
        package var matchRules: MatchRules?
        /// The pages for missing URLs.
        package var fallback: FallbackRules?
        /// The URLs that the site doesn't have.
        package var absent: AbsentURLs?

        /// Describes a package that has only start URLs.
        package init(seeds: [String]) { self.seeds = seeds }
    }

    /// Writes the package of resources that another one had.
    ///
    /// - Parameters:
    ///   - resources: The resources.
    ///   - description: What the other package said of itself.
    ///   - output: The settings for writing.
    /// - Returns: The summary of the package.
    /// - Throws: `PackageError`, `CancellationError`. An existing file at the path is then unchanged.
    @concurrent
    package static func pack(
        _ resources: some ResourceSource,
        as description: Description,
        to output: Output
    ) async throws -> PackageWriter.Summary {
        var options = output.options(seeds: [], baseURL: nil)
        options.seeds = description.seeds
        options.name = output.writesSidecar ? output.name ?? description.name : nil
        options.provenance = description.provenance
        options.missing = description.missing
        options.matchRules = output.matchRules ?? description.matchRules
        (options.fallback, options.absent) = (description.fallback, description.absent)
        return try await write(try StatedResources(resources), to: output.path, options: options)
    }

    private static func removesTooMuch(_ report: CrawlReport, _ limit: RemovalLimit?) -> Bool {
        guard let limit, let changes = report.changes else { return false }
        func count(_ change: CrawlReport.Change) -> Int { changes[change]?.count ?? 0 }
        return !limit.allows(count(.removed), of: count(.removed) + count(.changed) + count(.unchanged))
    }

    private static func requireSeeds(_ crawl: CrawlOptions, _ output: Output) throws(PackagingError) {
        for seed in crawl.seeds where !seed.isHTTP || seed.hasCredentials {
            let problem =
                seed.isHTTP
                ? "the URL has credentials, which a package must not contain; remove them from it"
                : "the scheme is neither http nor https"
            throw PackagingError(
                .badOption,
                subject: seed.removingCredentials.description,
                message: problem,
                remedy: seed.isHTTP ? .giveCrawlLogin : nil
            )
        }
        guard !crawl.seeds.isEmpty else {
            throw PackagingError(
                .nothing,
                subject: output.path,
                message: "there is no URL to start from; name one, or list some in a file"
            )
        }
    }

    private static func write(
        _ resources: some ResourceSource,
        to path: String,
        options: PackageWriter.Options
    ) async throws -> PackageWriter.Summary {
        let result = await written(resources, to: path, options: options)
        if case .failure(let error) = result, error.code == .cancelled { throw CancellationError() }
        return try result.get()
    }

    /// Returns the result as a value: Swift 6.3's optimizer crashes on the typed error within a larger async function.
    @inline(never)
    private static func written(
        _ resources: some ResourceSource,
        to path: String,
        options: PackageWriter.Options
    ) async -> Result<PackageWriter.Summary, PackageError> {
        do throws(PackageError) {
            return .success(try await PackageWriter.write(resources, to: path, options: options))
        } catch {
            return .failure(error)
        }
    }
}

extension HTTPFetcher.Options {
    /// Returns the settings with what a crawl adds to them.
    fileprivate func prepared(for crawl: CrawlOptions) -> HTTPFetcher.Options {
        var fetching = self
        fetching.connectionsPerHost = crawl.politeness.connectionsPerHost
        fetching.bytesPerSecond = crawl.politeness.bytesPerSecond
        fetching.access.allowsPrivate = crawl.scope.allowsPrivate
        fetching.now = fetching.now ?? crawl.now()
        fetching.namedHosts.formUnion(crawl.seeds.compactMap(\.host))
        return fetching
    }
}
