public import AFCPackageFormat
public import AFCYAML

/// What packages a device should have, as a sync file says; see docs/delivery.md.
public struct SyncPlan: Sendable, Equatable {
    /// A package that should be there.
    public struct Package: Sendable, Equatable {
        /// Under what name it is kept.
        public var name: String
        /// Where it comes from: a URL, or a path.
        public var from: String
        /// The SHA-256 that its file must have, in lower-case hexadecimal digits.
        public var sha256: String?
        /// What the user decides of it.
        public var settings = PackageSettings()
        /// True if the package may come over plain HTTP, where anyone on the network path can alter it.
        public var allowsPlainHTTP = false

        /// Creates a package with the defaults.
        public init(name: String, from: String) {
            self.name = name
            self.from = from
        }

        /// Whether it comes from a server.
        public var isRemote: Bool { from.hasPrefix("https://") || from.hasPrefix("http://") }
    }

    /// The store, where the file names one.
    public var cache: String?
    /// Whether packages that aren't listed are removed.
    public var removesOthers = false
    /// Whether packages must be signed by a trusted key.
    public var requiresSignature = false
    /// Files of public keys.
    public var trust: [String] = []
    /// The file of additional CA certificates to trust when downloading, if the sync file names one.
    public var trustRoots: String?
    /// The most bytes of all bodies; nil leaves the store's limit as it is.
    public var byteLimit: Int64?
    /// The most entries; nil leaves the store's limit as it is.
    public var entryLimit: Int?
    /// The packages, in the order of the file; no name comes twice.
    public var packages: [Package] = []

    /// Creates an empty plan.
    public init() {}

    /// The installed packages that have to leave.
    ///
    /// - Parameter installed: The names of the packages in the store.
    /// - Returns: Names, in the order given.
    public func superfluous(among installed: [String]) -> [String] {
        guard removesOthers else { return [] }
        let wanted = Set(packages.map(\.name))
        return installed.filter { !wanted.contains($0) }
    }
}

/// Why a sync file can't be used: where, and what is wrong there.
public typealias SyncFileError = YAMLFileError
