public import AFCCaching
public import AFCHTTP
public import AFCPackageFormat
public import AFCText
public import AFCURL

/// Packages that are served from their files, without a cache and without extracting them; see
/// docs/reference/mounting.md.
///
/// Requests are answered as a cache with these packages would answer them. The packages are only read, and stay as they
/// were opened: a file that is put in the place of one of them is not noticed. A value is cheap to share and safe to
/// use from any thread. A look-up blocks for a few file reads, which take microseconds.
public final class MountedPackages: OfflineAnswering {
    /// The settings.
    public struct Options: Sendable {
        /// The folder in which what was read of large packages is kept; nil for none.
        ///
        /// The packages are then mounted at once the next time. A missing folder is created.
        public var indexFolder: String?
        /// Indexes that ``MountedPackages/writeIndex(of:to:now:)`` made, by their paths, so that their packages are
        /// mounted at once also the first time.
        ///
        /// They are believed: name only files that come from whoever made the program, such as those in its bundle.
        public var indexes: [String] = []
        /// The smallest number of resources of a package for which something is kept in the folder.
        public var keptResources = 2_000
        /// Whether each body is compared with its checksum and its SHA-256 whenever it is read, and not only the first
        /// time.
        public var verifiesBodies = false
        /// The rules for which signers are trusted.
        public var trust = TrustPolicy()
        /// Called with the package's path and the reason if what was read of it can't be kept, although it should.
        ///
        /// The package is served nevertheless, and is read again when it is mounted the next time.
        public var onNotKept: @Sendable (_ path: String, _ reason: CacheError) -> Void = { _, _ in }

        /// Creates settings with the defaults: nothing is kept.
        public init() {}
    }

    private let responses: StoredResponses
    private let snapshot: Snapshot

    /// Mounts packages.
    ///
    /// - Parameters:
    ///   - paths: The packages. If several have a URL, the newest response counts, as in a cache; of equally old ones,
    ///     that of the package named first.
    ///   - options: The settings.
    ///   - now: The current time.
    /// - Throws: ``CacheError`` if a package can't be read, is encrypted, or couldn't be loaded into a cache, or if an
    ///   index isn't of one of the packages.
    public init(_ paths: [String], options: Options = Options(), now: Timestamp) throws(CacheError) {
        var packages: [OpenPackage] = []
        var mounting = try PackageMounting(options, IndexMemory(), now: now)
        for path in paths {
            let number = Int64(paths.count - packages.count)
            packages.append(try mounting.open(path, number: number, besides: packages.map(\.name)))
        }
        try mounting.requireIndexesUsed()
        snapshot = Snapshot(mounted: packages)
        responses = StoredResponses(
            CacheLayout(root: paths.first ?? ""),
            CatalogueReader(mounted: snapshot),
            nil,
            verifiesBodies: options.verifiesBodies
        )
    }

    /// Writes the index of a package to a file, for ``Options/indexes``.
    ///
    /// The package is read and checked as a whole, signature included. The same package gives the same bytes. A program
    /// that comes with a package comes with its index, too, so that it is served at once when it is first started.
    ///
    /// - Parameters:
    ///   - path: The package.
    ///   - target: The path of the index; a file there is replaced when the index is complete.
    ///   - now: The current time, for a package that doesn't say when it was made.
    /// - Throws: ``CacheError`` if the package can't be read, is encrypted, or couldn't be loaded into a cache, or if
    ///   the index can't be written.
    public static func writeIndex(of path: String, to target: String, now: Timestamp) throws(CacheError) {
        try MountedPackageReader.writeIndex(of: path, to: target, now: now)
    }

    // MARK: Lists

    /// Returns the mounted packages, sorted by name.
    public func packages() -> [InstalledPackage] { listing.packages }

    /// Returns the contents of the packages by origin, sorted by host.
    public func origins() -> [OriginSummary] { listing.origins }

    /// Returns the names of the packages that contain something from a host, sorted.
    ///
    /// - Parameter host: The host as serialized in a URL.
    /// - Returns: The names.
    public func packages(withHost host: String) -> [String] { listing.packages(withHost: host) }

    /// Returns the names of the packages that contain something from an origin, sorted.
    ///
    /// - Parameter origin: Scheme, host and port, as ``OriginSummary/origin``.
    /// - Returns: The names.
    public func packages(withOrigin origin: String) -> [String] { listing.packages(withOrigin: origin) }

    /// Returns the origins that have something in one package with an origin, sorted, the origin itself too.
    ///
    /// - Parameter origin: Scheme, host and port, as ``OriginSummary/origin``.
    /// - Returns: The origins; none if no package has the origin.
    public func origins(beside origin: String) -> [String] { listing.origins(beside: origin) }

    /// Returns the resources in the order of their URLs, one page at a time.
    ///
    /// - Parameters:
    ///   - after: The last URL of the previous page, or nil for the first page.
    ///   - limit: The maximum number of resources to return.
    /// - Returns: The resources of the page.
    /// - Throws: ``CacheError`` if the packages can't be read.
    public func resources(after: WebURL? = nil, limit: Int) throws(CacheError) -> [ResourceSummary] {
        try listing.resources(after: after, limit: limit)
    }

    /// Returns the packages, in the order in which a look-up tries them.
    package func currentGenerations() -> [CurrentGeneration] { snapshot.packages.map { CurrentGeneration($0) } }

    /// Returns nothing: of a mounted package, there is one generation.
    package func earlierGenerations(of package: String) -> [CurrentGeneration] { [] }

    private var listing: CacheListing { CacheListing(snapshot, in: CacheLayout(root: "")) }

    /// Returns a number that differs after the file of a mounted package was changed.
    ///
    /// Bodies of such a package are no longer served.
    public func changeMark() -> UInt64 {
        snapshot.packages.reduce(0) { mark, package in mark << 1 | (package.files.mounted?.isUnchanged == true ? 0 : 1)
        }
    }

    /// Checks that no file of a mounted package was changed.
    ///
    /// - Throws: ``CacheError`` that names the first one.
    public func requireServable() throws(CacheError) {
        for package in snapshot.packages { try package.files.mounted?.requireUnchanged() }
    }

    /// Opens a reader for the number that increases with each change of a cache, which is always 0 here.
    public func openChangeReader() -> ChangeReader? { ChangeReader() }

    // MARK: Responses

    /// Answers a request; see ``OfflineAnswering/respond(to:now:policy:_:)``.
    ///
    /// A body that the package has deflated is sent so, with gzip, to a client that prefers that (RFC 9110 §12.5.3).
    public func respond(
        to request: OfflineRequest,
        now: Timestamp,
        policy: OfflinePolicy,
        _ lookUp: LookUp
    ) throws(CacheError) -> CacheAnswer? { try responses.respond(to: request, now: now, policy: policy, lookUp) }

    /// Returns true if a package has a response for a URL.
    ///
    /// - Parameter url: The URL of the resource.
    /// - Returns: True if there is one.
    /// - Throws: ``CacheError`` if the packages can't be read.
    public func contains(_ url: WebURL) throws(CacheError) -> Bool { try !responses.candidates(for: url).isEmpty }
}

extension ChangeReader {
    /// Creates the reader for packages that don't change.
    convenience init() { self.init(packages: "", received: "") }
}
