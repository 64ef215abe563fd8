/// A difference between the cache and what was written to it.
public struct CacheFinding: Sendable, Equatable {
    /// The kinds of differences.
    public enum Kind: String, Sendable {
        /// A body is missing.
        case bodyMissing = "body-missing"
        /// A body has a different size or different bytes.
        case bodyDamaged = "body-damaged"
        /// The index of a generation is missing or was changed.
        case indexDamaged = "index-damaged"
        /// The cache contains a file or folder that isn't afcache's.
        case fileUnknown = "file-unknown"
        /// The catalogue or one of its backups is damaged, or SQLite reports damage in the database of received responses.
        case catalogueDamaged = "catalogue-damaged"
    }

    /// The kind of the difference.
    public var kind: Kind
    /// The file.
    public var path: String
    /// The package, or nil for the catalogue and for received responses.
    public var package: String?
    /// The URL of the resource, if the finding is about a body.
    public var url: String?
    /// A sentence that says what was found; lower case, no full stop.
    public var message: String
}

/// The result of checking a cache.
public struct VerifyReport: Sendable, Equatable {
    /// The findings, by package.
    public var findings: [CacheFinding] = []
    /// The number of packages checked.
    public var packages = 0
    /// The number of generations checked.
    public var generations = 0
    /// The number of received responses checked.
    public var received = 0
    /// The number of bodies checked.
    public var bodies = 0
    /// The size of these bodies together, in bytes.
    public var bytes: Int64 = 0
}
