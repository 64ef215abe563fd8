public import AFCHTTP
public import AFCPackageFormat
public import AFCURL
public import AFCZip

/// The intact parts of a package that loading may refuse: every resource with an intact body, ready for a new package.
///
/// Reading blocks. A body is intact if it has the size and the checksum that the archive says, and the digest of its
/// record, if it has one.
public struct PackageSalvage: Sendable {
    /// A part that can't be recovered, and the reason.
    public struct LeftOut: Equatable, Sendable {
        /// The kind of a part.
        public enum Kind: String, Sendable {
            /// A line of the manifest that can't be parsed.
            case line
            /// A resource whose body is missing or damaged.
            case resource
            /// A member of the archive.
            case member
            /// A line of the sidecar.
            case record
            /// A signature, which would not match the new package.
            case signature
        }

        /// The kind of the part.
        public var kind: Kind
        /// A URL, a member's name, or the number of a line.
        public var subject: String
        /// The reason; lower case, no full stop, without raw control characters.
        public var reason: String
    }

    /// The resources, sorted by URL.
    public internal(set) var resources: [PackageWriter.Resource] = []
    /// The user data, which the new package keeps.
    public internal(set) var userData: [PackageWriter.UserData] = []
    /// The rules for parameters that make no difference, if the old package has valid ones.
    public internal(set) var matchRules: MatchRules?
    /// The pages for navigations to URLs that the package doesn't have, if the old package has valid ones.
    public internal(set) var fallback: FallbackRules?
    /// The URLs that the site doesn't have, if the old package has a valid list.
    public internal(set) var absent: AbsentURLs?
    /// The parts that are left out, in the order in which they were found.
    public internal(set) var leftOut: [LeftOut] = []
    /// The URLs whose bodies had been edited, sorted by URL; empty unless edits were accepted.
    public internal(set) var edited: [WebURL] = []
    /// Sentences about things that were read differently from how they are written.
    public internal(set) var notes: [String] = []
    /// The time when the package was made, if known.
    public internal(set) var created: Timestamp?
    /// The name that the old package states, if it can be used.
    public internal(set) var name: String?
    /// The URLs that the crawl began with.
    public internal(set) var seeds: [String] = []
    /// The base URL of AFCache 0.13's header line, if it is a URL.
    public internal(set) var baseURL: WebURL?

    init() {}

    /// Reads the intact parts of a package.
    ///
    /// - Parameters:
    ///   - path: The package's path.
    ///   - dialect: The dialect of the new manifest; if it can't name members, resources that need that are left out.
    ///   - edited: The present time, if somebody has edited the package on purpose: bodies that differ from their records,
    ///     records whose entries are gone, and a signature are then nothing that is left out. No edit is dated later.
    ///   - limits: The limits on what reading the package may cost.
    ///   - isCancelled: Returns whether to stop; called between bodies.
    /// - Throws: ``PackageError`` if the file can't be read, is not a zip, is encrypted, or has no manifest.
    public init(
        path: String,
        dialect: ManifestDialect = .afcache,
        edited: Timestamp? = nil,
        limits: ReadLimits = ReadLimits(),
        isCancelled: () -> Bool = { false }
    ) throws(PackageError) {
        var work = try SalvageWork(path: path, edited: edited, limits: limits)
        try work.run(dialect, isCancelled)
        self = work.found
    }
}
