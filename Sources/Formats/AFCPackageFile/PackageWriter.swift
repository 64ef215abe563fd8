internal import AFCFiles
public import AFCHTTP
public import AFCPackageFormat
public import AFCText
public import AFCURL
public import AFCZip

/// Writes resources as a package: names, manifest, sidecar, zip, durable when it returns.
public enum PackageWriter {
    /// Where a body comes from.
    public enum Body: Sendable {
        /// Bytes at hand.
        case bytes([UInt8])
        /// A file, read while the package is written.
        case file(path: String)
        /// Bytes that were compressed before, copied as they are.
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
        /// Whether deflating is worth its time.
        public var isCompressible: Bool

        /// Creates a resource.
        public init(record: ResourceRecord, entry: ManifestEntry?, body: Body?, isCompressible: Bool) {
            self.record = record
            self.entry = entry
            self.body = body
            self.isCompressible = isCompressible
        }
    }

    /// A file that is carried along below `.userdata/`.
    public struct UserData: Sendable {
        /// The member's name, with `.userdata/` before it.
        public var member: String
        /// What it holds.
        public var body: Body

        /// Creates the description of a file.
        public init(member: String, path: String) {
            self.member = member
            body = .file(path: path)
        }

        /// Creates the description of a body that was compressed before.
        public init(member: String, body: DeflatedBody) {
            self.member = member
            self.body = .spooled(body)
        }
    }

    /// How to write.
    public struct Options: Sendable {
        /// The manifest's dialect.
        public var dialect: ManifestDialect = .afcache
        /// The base URL for AFCache 0.13's header line, or nil for none.
        public var baseURL: WebURL?
        /// Where the resources were found from.
        public var seeds: [String] = []
        /// The time of packing, which becomes each member's time.
        public var created: Timestamp
        /// The program and its version.
        public var generator: String
        /// The level of zlib, 1 to 9.
        public var level: Int32 = 6
        /// Files to carry along.
        public var userData: [UserData] = []
        /// Whether `.afcache/` is written.
        public var writesSidecar = true
        /// Which crawl brought the resources, as the sidecar has it; nil where none did, or it isn't to be told.
        public var provenance: CrawlProvenance?
        /// Who signs; a signed package needs its sidecar.
        public var signers: [SigningKey] = []
        /// What encrypts the package, or nil for none.
        public var password: Password?
        /// How many threads deflate, or nil for one each processor.
        public var workers: Int?
        /// Whether the summary has the manifest, which then takes memory.
        public var keepsManifest = false

        /// Creates options with the defaults.
        public init(created: Timestamp, generator: String) {
            self.created = created
            self.generator = generator
        }
    }

    /// What was written.
    public struct Summary: Sendable, Equatable {
        /// Entries in the manifest.
        public var resources: Int
        /// Records of redirects.
        public var redirects: Int
        /// The bytes of all bodies.
        public var bodyBytes: Int64
        /// The bytes of the package.
        public var packageBytes: Int64
        /// The manifest, where ``Options/keepsManifest`` asks for it, else nothing.
        public var manifest: [UInt8]
        /// Whether the package was there already, and stays as it is.
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

    /// Writes the package in the place of whatever is at the path; on any error that stays as it was.
    ///
    /// - Parameters:
    ///   - resources: In any order, each URL once.
    ///   - path: The package's path.
    ///   - options: How to write.
    /// - Returns: What was written.
    /// - Throws: ``PackageError``.
    @concurrent
    public static func write(
        _ resources: [Resource],
        to path: String,
        options: Options
    ) async throws(PackageError) -> Summary {
        try await write(SortedResources(resources), to: path, options: options)
    }

    /// Writes the package in the place of whatever is at the path, in memory that hardly grows with the resources.
    ///
    /// On any error what is at the path stays as it was. An encrypted package takes memory for each resource.
    ///
    /// - Parameters:
    ///   - source: The resources; asked from a thread that may block.
    ///   - path: The package's path.
    ///   - options: How to write.
    /// - Returns: What was written.
    /// - Throws: ``PackageError``, and what the source throws.
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
                message: "'\(url)' needs the name of its member in the manifest, which dialect '\(dialect.rawValue)' "
                    + "has no field for",
                remedy: .nameMembers
            )
        }
    }
}
