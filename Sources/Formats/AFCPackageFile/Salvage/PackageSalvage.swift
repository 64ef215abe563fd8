public import AFCHTTP
public import AFCPackageFormat
public import AFCURL
public import AFCZip

/// The intact parts of a package that loading may refuse: every resource with a whole body, as a new package has it.
///
/// Reading blocks. A body counts as sound where it has the size and the checksum that the archive says, and the digest
/// that its record says, where it has one.
public struct PackageSalvage: Sendable {
    /// Something that can't be taken over, and why.
    public struct LeftOut: Equatable, Sendable {
        /// The kinds of things.
        public enum Kind: String, Sendable {
            /// A line of the manifest that isn't understood.
            case line
            /// A resource whose body is missing or damaged.
            case resource
            /// A member of the archive.
            case member
            /// A line of the sidecar.
            case record
            /// A signature, which covers what is changed.
            case signature
        }

        /// The kind of thing.
        public var kind: Kind
        /// A URL, a member's name, or the number of a line.
        public var subject: String
        /// Why; lower case, no full stop, without raw control characters.
        public var reason: String
    }

    /// The resources, sorted by URL.
    public internal(set) var resources: [PackageWriter.Resource] = []
    /// The user data, which is carried along.
    public internal(set) var userData: [PackageWriter.UserData] = []
    /// The parts that are left out, in the order in which they were met.
    public internal(set) var leftOut: [LeftOut] = []
    /// The things that are read otherwise than they are written, as sentences.
    public internal(set) var notes: [String] = []
    /// When the package was made, as far as it is known.
    public internal(set) var created: Timestamp?
    /// Where its resources were found from.
    public internal(set) var seeds: [String] = []
    /// The base URL of AFCache 0.13's header line, where it is a URL.
    public internal(set) var baseURL: WebURL?

    init() {}

    /// Reads a package.
    ///
    /// - Parameters:
    ///   - path: The package's path.
    ///   - dialect: The manifest's dialect; where that can't name members, resources that need it are left out.
    ///   - limits: What the package may cost.
    ///   - isCancelled: Asked between bodies.
    /// - Throws: ``PackageError`` where the file can't be read, is no zip or encrypted, or has no manifest.
    public init(
        path: String,
        dialect: ManifestDialect = .afcache,
        limits: ReadLimits = ReadLimits(),
        isCancelled: () -> Bool = { false }
    ) throws(PackageError) {
        var work = try SalvageWork(path: path, limits: limits)
        try work.run(dialect, isCancelled)
        self = work.found
    }
}
