/// Something in the cache that is not as it was written.
public struct CacheFinding: Sendable, Equatable {
    /// What is wrong.
    public enum Kind: String, Sendable {
        /// A body isn't there.
        case bodyMissing = "body-missing"
        /// A body has another size or other bytes.
        case bodyDamaged = "body-damaged"
        /// The index of a generation is missing or has other bytes.
        case indexDamaged = "index-damaged"
        /// A file or folder lies in the cache that afcache doesn't know.
        case fileUnknown = "file-unknown"
        /// SQLite finds the catalogue, or the database of received responses, damaged.
        case catalogueDamaged = "catalogue-damaged"
    }

    /// What is wrong.
    public var kind: Kind
    /// The file.
    public var path: String
    /// The package, or nil for the catalogue and for what was received.
    public var package: String?
    /// The resource, for a body.
    public var url: String?
    /// What was found; lower case, no full stop.
    public var message: String
}

/// What checking a cache found.
public struct VerifyReport: Sendable, Equatable {
    /// What is wrong, by package.
    public var findings: [CacheFinding] = []
    /// How many packages, generations and bodies were looked at.
    public var packages = 0
    /// How many generations were looked at.
    public var generations = 0
    /// How many received responses were looked at.
    public var received = 0
    /// How many bodies were looked at.
    public var bodies = 0
    /// How many bytes they have.
    public var bytes: Int64 = 0
}
