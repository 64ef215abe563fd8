internal import AFCFiles
public import AFCHTTP
public import AFCPackageFormat
public import AFCText
public import AFCURL
public import AFCZip

/// Writes resources as a package, with names, manifest, sidecar and zip.
///
/// The package is synced to disk when a call returns.
public enum PackageWriter {
    /// The source of a body.
    public enum Body: Sendable {
        /// Bytes in memory.
        case bytes([UInt8])
        /// A file, which is read while the package is written.
        case file(path: String)
        /// Bytes that are already compressed and are copied unchanged.
        case spooled(DeflatedBody)
    }

    /// A resource to write.
    public struct Resource: Sendable {
        /// Status, fields, size and digest.
        public var record: ResourceRecord
        /// The entry, or nil for a redirect; the writer sets its member.
        public var entry: ManifestEntry?
        /// The body, or nil for a redirect.
        public var body: Body?
        /// True if the body is worth deflating.
        public var isCompressible: Bool

        /// Creates a resource.
        public init(record: ResourceRecord, entry: ManifestEntry?, body: Body?, isCompressible: Bool) {
            self.record = record
            self.entry = entry
            self.body = body
            self.isCompressible = isCompressible
        }
    }

    /// A file that is included below `.userdata/`.
    public struct UserData: Sendable {
        /// The member's name, including `.userdata/`.
        public var member: String
        /// The contents of the file.
        public var body: Body
        /// The SHA-256 of the contents in hexadecimal digits, which a signature of a compressed body needs.
        public var sha256: String?

        /// Creates the description of a file.
        public init(member: String, path: String) {
            self.member = member
            body = .file(path: path)
        }

        /// Creates the description of a body that is already compressed.
        public init(member: String, body: DeflatedBody, sha256: String) {
            self.member = member
            self.body = .spooled(body)
            self.sha256 = sha256
        }
    }

    /// Options for writing a package.
    public struct Options: Sendable {
        /// The manifest's dialect.
        public var dialect: ManifestDialect = .afcache
        /// The base URL for AFCache 0.13's header line, or nil for none.
        public var baseURL: WebURL?
        /// The name of the package, for the sidecar; nil for none.
        public var name: String?
        /// The URLs that the crawl began with.
        public var seeds: [String] = []
        /// The time of packing, which becomes each member's time.
        public var created: Timestamp
        /// The program and its version.
        public var generator: String
        /// The level of zlib, 1 to 9.
        public var level: Int32 = 6
        /// The files to include below `.userdata/`.
        public var userData: [UserData] = []
        /// True if the sidecar `.afcache/` is written.
        public var writesSidecar = true
        /// The crawl that made the resources, for the sidecar; nil if there was none or the sidecar shouldn't describe
        /// it.
        public var provenance: CrawlProvenance?
        /// The number of URLs that the crawl requested and didn't get, without guesses, for the sidecar if ``provenance``
        /// doesn't list them; nil for none.
        package var missing: Int?
        /// The rules for parameters that make no difference, for the sidecar; nil for none.
        public var matchRules: MatchRules?
        /// The pages for navigations to URLs that the package doesn't have, for the sidecar; nil for none.
        ///
        /// They must be among the resources, or the package can't be loaded.
        public var fallback: FallbackRules?
        /// The URLs that the site doesn't have, for the sidecar; nil for none.
        ///
        /// Those that are among the resources, or of an origin without any, are left out.
        public var absent: AbsentURLs?
        /// The keys that sign the package; a signed package needs its sidecar.
        public var signers: [SigningKey] = []
        /// The time of signing, which people compare with what they know of a key; nil for ``created``.
        public var signed: Timestamp?
        /// The password that encrypts the package, or nil.
        public var password: Password?
        /// The number of threads that deflate, or nil for one per processor.
        public var workers: Int?
        /// True if the summary contains the manifest, which then takes memory.
        public var keepsManifest = false

        /// Creates options with the defaults.
        public init(created: Timestamp, generator: String) {
            self.created = created
            self.generator = generator
        }

        /// Takes what a package states about itself: all that isn't in its resources.
        ///
        /// - Parameters:
        ///   - salvage: The package that is written again.
        ///   - created: The time of packing; nil for the package's own, or else the one that the options have.
        package mutating func adopt(_ salvage: PackageSalvage, created: Timestamp? = nil) {
            self.created = created ?? salvage.created ?? self.created
            name = salvage.name
            seeds = salvage.seeds
            baseURL = salvage.baseURL
            userData = salvage.userData
            matchRules = salvage.matchRules
            fallback = salvage.fallback
            absent = salvage.absent
        }
    }

    /// The result of writing a package.
    public struct Summary: Sendable, Equatable {
        /// The number of entries in the manifest.
        public var resources: Int
        /// The number of recorded redirects.
        public var redirects: Int
        /// The size of all bodies together, in bytes.
        public var bodyBytes: Int64
        /// The size of the package, in bytes.
        public var packageBytes: Int64
        /// The manifest if ``Options/keepsManifest`` is true, else empty.
        public var manifest: [UInt8]
        /// True if the package already existed and was left unchanged.
        public var isUntouched = false

        /// Creates a summary.
        public init(
            resources: Int,
            redirects: Int,
            bodyBytes: Int64,
            packageBytes: Int64,
            manifest: [UInt8] = []
        ) {
            self.resources = resources
            self.redirects = redirects
            self.bodyBytes = bodyBytes
            self.packageBytes = packageBytes
            self.manifest = manifest
        }
    }

    /// Writes a package and replaces the file at the path, which stays unchanged after an error.
    ///
    /// - Parameters:
    ///   - resources: The resources in any order, each URL once.
    ///   - path: The package's path.
    ///   - options: The options for writing.
    /// - Returns: A summary of the package.
    /// - Throws: ``PackageError``.
    @concurrent
    public static func write(
        _ resources: [Resource],
        to path: String,
        options: Options
    ) async throws(PackageError) -> Summary {
        try await write(SortedResources(resources), to: path, options: options)
    }

    /// Writes a package and replaces the file at the path, using memory that hardly grows with the number of resources.
    ///
    /// After an error, the file at the path is unchanged. An encrypted package takes memory for each resource.
    ///
    /// - Parameters:
    ///   - source: The resources; called from a thread that may block.
    ///   - path: The package's path.
    ///   - options: The options for writing.
    /// - Returns: A summary of the package.
    /// - Throws: ``PackageError``, and any error of the source.
    @concurrent
    public static func write(
        _ source: some ResourceSource,
        to path: String,
        options: Options
    ) async throws(PackageError) -> Summary {
        let cancellation = CancellationFlag()
        let result: Result<Summary, PackageError> = await withTaskCancellationHandler {
            await OffPool.run {
                Result { () throws(PackageError) in
                    let assembly = try PackageAssembly(path: path, options: options, cancellation: cancellation)
                    return try assembly.write(source)
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
        return try result.get()
    }
}

extension PackageError {
    init(_ refusal: ManifestWriter.Refusal, subject: String) {
        switch refusal {
        case .dialectCannotNameMember(let url, let dialect):
            self.init(
                .unwritable,
                subject: subject,
                message: "'\(url)' needs the name of its member in the manifest, but dialect '\(dialect.rawValue)' "
                    + "has no field for it",
                remedy: .nameMembers
            )
        }
    }
}
