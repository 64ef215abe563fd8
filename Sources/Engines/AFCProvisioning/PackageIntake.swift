public import AFCCache
internal import AFCCaching
internal import AFCDelivery
internal import AFCDelta
internal import AFCFiles
internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
internal import Synchronization

/// The way of one package into a cache: from a file, a server, a registry or a bucket, as a package or as a patch.
public struct PackageIntake: Sendable {
    /// The result for the package.
    public enum Outcome: Sendable {
        /// The package was loaded.
        case installed(InstallReport)
        /// The package was already loaded; its settings may have changed.
        case unchanged(InstalledPackage, hasNewSettings: Bool)

        /// The package after that.
        public var package: InstalledPackage {
            switch self {
            case .installed(let report): report.package
            case .unchanged(let package, _): package
            }
        }
    }

    /// The cache.
    public let store: DiskCache
    /// The options for loading; the names are those of ``run(_:name:)``.
    public var options: InstallOptions
    /// What the program gives.
    public var context: IntakeContext
    /// The largest package that is accepted from a server, in bytes; nil for the download's own limit.
    public var maxBytes: Int64?
    /// True if a file is skipped when it is the one that was loaded last.
    public var skipsKnownFile = false

    /// True if another server has the package, so that one that lets a time limit pass isn't asked again.
    var hasOtherPlaces = false

    /// Creates the way into a cache.
    public init(store: DiskCache, options: InstallOptions, context: IntakeContext) {
        self.store = store
        self.options = options
        self.context = context
    }

    /// Brings a package into the cache, unless it is loaded already.
    ///
    /// Without a name, a package that came from the same URL before keeps the name that it has. A patch replaces the
    /// package that it leads from. Any other package gets the name that it states, or that of its file.
    ///
    /// - Parameters:
    ///   - from: The URL, the artifact's name, or the path of a package or patch.
    ///   - name: The package's name in the cache, or nil.
    /// - Returns: What was done.
    /// - Throws: `CacheError`, `DeliveryError`, `PackageError` or `PatchError` about the source; the cache is then
    ///   unchanged.
    public func run(_ from: String, name: String?) async throws -> Outcome {
        let damage = DamageNote()
        var intake = self
        intake.context.onEvent = { [onEvent = context.onEvent] event in
            if case .damaged = event { damage.isFound.withLock { $0 = true } }
            onEvent(event)
        }
        var outcome = try await PackageSource.isRemote(from) ? intake.fetch(from, name) : intake.load(from, name)
        if case .installed(var report) = outcome {
            report.isRepair = damage.isFound.withLock { $0 }
            outcome = .installed(report)
        }
        try await context.afterLoading(outcome.package.name, store)
        return outcome
    }

    /// Returns the name of a loaded package that a package without a name is certainly a version of, first the one that
    /// is named as its source.
    private func knownName(of from: String, _ isSame: @Sendable (InstalledPackage) -> Bool) async throws -> String? {
        let packages = try await OffPool.run { [store] () throws in try store.packages() }
        let same = packages.filter { package in
            !options.refusedNames.contains(package.name) && isSame(package)
        }
        let first = same.first { $0.name == PackageSource.defaultName(of: from) } ?? same.first
        return first?.name
    }

    /// Returns the name of a package that was loaded from a URL.
    private func knownName(of from: String, at url: WebURL) async throws -> String? {
        let location = RemoteLocation(url)
        return try await knownName(of: from) { $0.source.flatMap { RemoteState(text: $0) }?.location == location }
    }

    /// Returns the digest of the contents that were last loaded by a name.
    ///
    /// - Parameter name: The package's name in the cache.
    /// - Returns: The digest; nil if there is no such package, it is damaged, or an older version loaded it.
    /// - Throws: `CacheError` if the catalogue can't be read.
    public func loadedDigest(_ name: String) async throws -> String? {
        guard let known = try await sound(name), isTrusted(known) else { return nil }
        return Self.digest(of: known)
    }

    private static func digest(of known: InstalledPackage) -> String? {
        known.origin?.digest
    }

    /// Changes the settings of a package that is loaded already.
    func keep(_ name: String) async throws -> Outcome? {
        guard let known = try await installed(name) else { return nil }
        return try await keep(known)
    }

    private func load(_ from: String, _ name: String?) async throws -> Outcome {
        var options = options
        options.defaultName = PackageSource.defaultName(of: from)
        var path = from
        if from.hasPrefix(RegistryLayout.prefix) {
            let found = try RegistryLayout(from).find()
            path = found.path
            options.sha256 = options.sha256 ?? found.sha256
        }
        options.name = name
        context.onEvent(.reading(path: path))
        if skipsKnownFile {
            let file = try await OffPool.run { [path] () throws in try HashedFile(path: path) }
            let knownName =
                try await name == nil
                ? knownName(of: from) { $0.origin?.isFile == true && $0.origin?.sha256 == file.sha256 } : name
            if let knownName, let known = try await sound(knownName), isTrusted(known),
                options.sha256 ?? file.sha256 == file.sha256,
                let loaded = known.origin, loaded.isFile, loaded.sha256 == file.sha256,
                options.digest == nil || options.digest == loaded.digest
            {
                return try await keep(known)
            }
            // The file that is loaded is the file that was compared.
            options.file = file
        }
        let sha256 = options.file?.sha256
        options.sourceWithDigest = { digest in PackageOrigin(sha256: sha256, digest: digest).text }
        return try await install(path, options, shown: path)
    }

    private func fetch(_ from: String, _ name: String?) async throws -> Outcome {
        var options = options
        options.defaultName = PackageSource.defaultName(of: from)
        var request = context.download(from: from)
        request.maxBytes = maxBytes ?? request.maxBytes
        request.retriesTimeouts = !hasOtherPlaces
        let url: WebURL
        if from.hasPrefix(RegistryReference.prefix) {
            url = try await find(try RegistryReference(from), &options, &request)
        } else if from.hasPrefix(BucketAccess.prefix) {
            url = try request.find(from, in: try BucketAccess(context.variable))
        } else {
            url = try IntakeContext.url(from)
        }
        var name = name
        if name == nil {
            let digest = options.digest
            name = try await knownName(of: from, at: url)
            if name == nil, let digest { name = try await knownName(of: from) { Self.digest(of: $0) == digest } }
        }
        let known = try await trusted(name)
        // With the required contents, it doesn't matter where they came from.
        if let known, let digest = options.digest, options.sha256 == nil, Self.digest(of: known) == digest {
            return try await keep(known)
        }
        @Sendable func state(of known: InstalledPackage?, _ digest: String?) -> RemoteState? {
            let state = known?.source.flatMap { RemoteState(text: $0) }
            return state.flatMap { $0.location == RemoteLocation(url) && (digest ?? $0.digest) == $0.digest ? $0 : nil }
        }
        request.known = state(of: known, options.digest)
        let (digest, latest) = (options.digest, Latest(known))
        // The other process may have loaded it by the name that the package has. A cache that can't be read now is
        // reported when the package is loaded.
        request.knownAfterWait = { [name] in
            var name = name
            if name == nil { name = try? await knownName(of: from, at: url) }
            guard let loaded = try? await trusted(name) else { return nil }
            latest.package = loaded
            return state(of: loaded, digest)
        }
        request.sha256 = options.sha256
        request.digest = options.digest
        if try await mayHold(name, url) {
            let other = name ?? options.defaultName ?? ""
            request.heldMembers = { [store, name] package in
                try store.heldMembers(of: package, replacing: name ?? package.index.info?.name ?? other)
            }
        }
        if options.trust.requiresSignature { request.servers.allowsPlainHTTP = true }
        let onEvent = context.onEvent
        request.waitLimit = options.patience.seconds.map { .seconds($0) }
        request.onWait = { onEvent(.waiting(from: PackageSource.shown(from))) }
        onEvent(.downloading(url, isUpdate: known != nil))
        defer { onEvent(.ended) }
        let outcome = try await context.stalled.avoiding(url) {
            try await PackageDownload.deliver(url, into: store.downloadFolder, options: request) { count, total in
                onEvent(.received(url, count, of: total))
            } isCuredByWholePackage: { error in
                guard let error = error as? CacheError, error.code.isCuredByWholePackage else { return false }
                onEvent(.wholePackageNeeded(reason: error.message))
                return true
            } load: { package in
                onEvent(.ended)
                return try await load(package, options, name, shown: PackageSource.shown(from))
            }
        }
        switch outcome {
        case .unchanged(let state):
            guard let known = latest.package else {
                throw DeliveryError(
                    .protocolViolation,
                    url,
                    "the server sent 304 Not Modified to an unconditional request"
                )
            }
            return try await keep(known, source: state.text)
        case .loaded(let outcome): return outcome
        }
    }

    /// Returns the package of a name in the cache, if it is intact, and from who is trusted.
    private func trusted(_ name: String?) async throws -> InstalledPackage? {
        guard let name, let known = try await sound(name) else { return nil }
        return isTrusted(known) ? known : nil
    }

    /// The package that is loaded at the moment; another process may load it meanwhile.
    private final class Latest: Sendable {
        private let value: Mutex<InstalledPackage?>

        init(_ package: InstalledPackage?) { value = Mutex(package) }

        var package: InstalledPackage? {
            get { value.withLock { $0 } }
            set { value.withLock { $0 = newValue } }
        }
    }

    /// Finds a package in a registry, and requires what its manifest says of it.
    private func find(
        _ reference: RegistryReference,
        _ options: inout InstallOptions,
        _ request: inout PackageDownload.Options
    ) async throws -> WebURL {
        context.onEvent(.asking(reference))
        let logins = try await context.logins(reference)
        let root = reference.root(allowsPlainHTTP: request.servers.allowsPlainHTTP)
        let found = try await context.stalled.avoiding(root) { [request] in
            try await RegistryPull.find(reference, logins: logins, options: request)
        }
        request.expect(found)
        // With the digest of the contents, a part of the package suffices.
        if let contents = found.contents {
            options.digest = options.digest ?? contents
        } else {
            options.sha256 = options.sha256 ?? found.sha256
        }
        return found.url
    }

    /// Loads a package that was downloaded.
    private func load(
        _ package: ArrivedPackage,
        _ options: InstallOptions,
        _ name: String?,
        shown: String
    ) async throws -> Outcome {
        var options = options
        options.name = name
        options.sourceWithDigest = { digest in
            var state = package.state
            state.digest = digest
            return state.text
        }
        options.held = package.lacking
        if !package.lacking.isEmpty { context.onEvent(.lacking(bodies: package.lacking.count)) }
        do {
            return try await install(package.path, options, shown: shown)
        } catch let error as CacheError {
            // Errors of the package are permanent; errors of the disk may be temporary.
            switch error.code {
            case .package(.inputOutput): break
            case .package, .olderPackage, .bodyMissing: package.discard()
            default: break
            }
            throw error
        } catch let error as PatchError {
            // A patch that doesn't fit will not fit later, either.
            if error.code != .package(.inputOutput), error.code != .cancelled { package.discard() }
            throw error
        }
    }

    /// Installs a package, or the package that a patch leads to; errors name its origin, not the temporary file.
    private func install(
        _ path: String,
        _ options: InstallOptions,
        shown: String
    ) async throws -> Outcome {
        var options = options
        if options.file == nil, options.sha256 != nil {
            do {
                options.file = try await OffPool.run { () throws in try HashedFile(path: path) }
            } catch var error as PackageError {
                error.subject = shown
                throw error
            }
        }
        do {
            return .installed(try await installPackage(path, options, shown: shown))
        } catch let error as CacheError
            where error.code == .package(.invalidPackage(rule: ProblemRule.sidecarPatch.id))
        {
            // Few files are patches, so none is opened only to ask.
        }
        if let known = try await loadedResult(of: path, options) {
            // What an earlier process left would else stay until the next patch.
            _ = await OffPool.run { [store] in
                TemporaryFolder.removeLeftovers(of: AbandonedDownloads.patchUse, in: store.downloadFolder)
            }
            return try await keep(known)
        }
        context.onEvent(.patching(from: shown))
        if options.name == nil { options.name = try await nameOfOld(path, options.file) ?? options.defaultName }
        let report = try await PatchIntake(store: store, shown: shown).withPackage(
            of: path,
            options.file,
            replacing: options.name ?? "",
            sha256: options.sha256
        ) { [options] new, lacking in
            var options = options
            // It was compared with the patch, which isn't loaded itself.
            (options.file, options.sha256) = (nil, nil)
            options.held = lacking
            return try await installPackage(new, options, shown: shown)
        }
        return .installed(report)
    }

    /// Returns the loaded package that a patch leads to; nil if there is none, or the options demand more of the patch.
    private func loadedResult(of path: String, _ options: InstallOptions) async throws -> InstalledPackage? {
        guard options.sha256 == nil else { return nil }
        let patch = await OffPool.run { try? PatchReader(path: path, file: options.file?.file) }
        guard let new = patch?.newDigest, options.digest.map({ $0 == new }) ?? true else { return nil }
        var name = options.name
        if name == nil { name = try await knownName(of: path) { Self.digest(of: $0) == new } }
        guard let name, let known = try await sound(name), Self.digest(of: known) == new, isTrusted(known) else {
            return nil
        }
        return known
    }

    /// Returns the name of the loaded package that a patch leads from; nil if there is none, or the file is no patch, so
    /// that applying it fails.
    private func nameOfOld(_ path: String, _ file: HashedFile?) async throws -> String? {
        let patch = await OffPool.run { try? PatchReader(path: path, file: file?.file) }
        guard let old = patch?.oldDigest else { return nil }
        return try await knownName(of: path) { Self.digest(of: $0) == old }
    }

    private func installPackage(
        _ path: String,
        _ options: InstallOptions,
        shown: String
    ) async throws -> InstallReport {
        try await context.unlocking(shown) { [store, context] key in
            var options = options
            options.password = key
            do {
                return try await store.install(path, options: options, now: context.now())
            } catch var error as CacheError {
                if error.subject == path { error.subject = shown }
                throw error
            }
        }
    }

    private func installed(_ name: String) async throws -> InstalledPackage? {
        try await OffPool.run { [store] () throws in try store.packages().first { $0.name == name } }
    }

    /// Returns the package of a name, or nil if it must be loaded again because files are missing or damaged.
    private func sound(_ name: String) async throws -> InstalledPackage? {
        let store = store
        let (known, damage) = try await OffPool.run { () throws in
            let known = try store.packages().first { $0.name == name }
            return (known, known == nil ? nil : try store.damage(of: name).first)
        }
        guard let damage else { return known }
        context.onEvent(.damaged(package: name, path: damage.path, reason: damage.message))
        return nil
    }

    /// Returns true if the loaded package satisfies the trust options: a key that is trusted now signed it, if required.
    ///
    /// Otherwise it is downloaded in full, and all of its signatures are verified.
    private func isTrusted(_ package: InstalledPackage) -> Bool {
        guard options.trust.requiresSignature else { return true }
        let trusted = Set(options.trust.trusted.map(\.id))
        return package.signers.contains { trusted.contains($0) }
    }

    /// Returns true if the cache probably has an older version of a package: one by its name or, if it isn't known yet,
    /// one from its server.
    private func mayHold(_ name: String?, _ url: WebURL) async throws -> Bool {
        let packages = try await OffPool.run { [store] () throws in try store.packages() }
        guard let name else {
            return packages.contains { package in
                package.origin?.location.flatMap { try? WebURL($0) }?.origin == url.origin
            }
        }
        return packages.contains { $0.name == name }
    }

    private func keep(_ known: InstalledPackage, source: String? = nil) async throws -> Outcome {
        let hasNewSettings = known.settings.applying(options.settings) != known.settings
        guard hasNewSettings || (source != nil && source != known.source) else {
            return .unchanged(known, hasNewSettings: false)
        }
        let package = try await store.update(
            known.name,
            options.settings,
            source: source,
            patience: options.patience
        )
        return .unchanged(package, hasNewSettings: hasNewSettings)
    }
}

/// Whether the package that a load replaces was found to be damaged.
private final class DamageNote: Sendable {
    let isFound = Mutex(false)
}
