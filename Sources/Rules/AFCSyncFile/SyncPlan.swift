public import AFCPackageFormat
public import AFCYAML

/// The packages that a device should have, according to a sync file; see docs/reference/delivery.md.
public struct SyncPlan: Sendable, Equatable {
    /// A package that should be installed.
    public struct Package: Sendable, Equatable {
        /// The name of the package in the cache; nil for the one that the package states, or that of its file.
        public var name: String?
        /// The source of the package: a URL or a path.
        public var from: String
        /// The SHA-256 that the package's file must have, in lower-case hexadecimal digits.
        public var sha256: String?
        /// The digest that the package's contents must have, in lower-case hexadecimal digits.
        public var digest: String?
        /// True if a signed package is loaded even if it is older than the loaded one.
        public var allowsOlder = false
        /// The user's settings for the package.
        public var settings = PackageSettings()
        /// True if the package may be downloaded over plain HTTP, where anyone on the network path can alter it.
        public var allowsPlainHTTP = false
        /// The line of ``from`` in the file, from 1.
        public var line = 1

        /// Creates a package with the defaults.
        public init(name: String?, from: String) {
            self.name = name
            self.from = from
        }

        /// True if the package comes from a server.
        public var isRemote: Bool { PackageSource.isRemote(from) }
    }

    /// The channel that lists packages; docs/reference/channels.md.
    public struct Channel: Sendable, Equatable {
        /// The source of the channel: a URL or a path.
        public var from: String
        /// The name that the channel must have.
        public var name: String
        /// The number of trusted keys that must sign the first time.
        public var threshold = 1
        /// The ID of this device; nil if it makes one.
        public var device: String?
        /// The line of ``from`` in the file, from 1.
        public var line = 1
        /// The line of ``name``, or of ``from`` if the file states no name.
        public var nameLine = 1
        /// The line of ``threshold``, or of ``from`` if the file states none.
        public var thresholdLine = 1

        /// Creates a channel with the defaults.
        public init(from: String, name: String) {
            self.from = from
            self.name = name
        }
    }

    /// The cache, if the file names one.
    public var cache: String?
    /// True if packages that aren't listed are removed.
    public var removesOthers = false
    /// True if packages must be signed by a trusted key.
    public var requiresSignature = false
    /// The files with trusted public keys.
    public var trust: [String] = []
    /// The file of additional CA certificates to trust when downloading, if the sync file names one.
    public var trustRoots: String?
    /// The netrc file with logins for the servers, if the sync file names one.
    public var netrc: String?
    /// The maximum size of all bodies together, in bytes; nil leaves the cache's limit unchanged.
    public var byteLimit: Int64?
    /// The maximum number of entries; nil leaves the cache's limit unchanged.
    public var entryLimit: Int?
    /// The channel, if the file names one.
    public var channel: Channel?
    /// The lines of what ``cache``, ``trust``, ``trustRoots`` and ``netrc`` name, from 1, by the paths as written.
    public var lines: [String: Int] = [:]
    /// The packages, in the order of the file; those with a name have distinct ones.
    public var packages: [Package] = []

    /// Creates an empty plan.
    public init() {}

    /// Returns the installed packages that have to be removed.
    ///
    /// - Parameters:
    ///   - installed: The names of the packages in the cache.
    ///   - listed: The names of the other packages that the device should have: those that the channel lists, and
    ///     those that stated their names when they were loaded.
    /// - Returns: The names, in the order given.
    public func superfluous(among installed: [String], listed: [String] = []) -> [String] {
        guard removesOthers else { return [] }
        let wanted = Set(packages.compactMap(\.name) + listed)
        return installed.filter { !wanted.contains($0) }
    }
}

/// An error in a sync file, with its place.
public typealias SyncFileError = YAMLFileError
