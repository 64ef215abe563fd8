/// What a writer may be asked to write; a reader takes them all, line by line.
public enum ManifestDialect: String, Sendable, CaseIterable {
    /// Four fields, and five where the body's name is not the rule's: the default.
    case afcache
    /// `URL ; last-modified ; expires`, for AFCache 0.6.
    case three
    /// `URL ; last-modified ; expires ; mimetype`, always.
    case four
    /// `URL ; last-modified ; expires ; mimetype ; member`, always, for AFCache 0.13, which drops shorter lines.
    case five

    /// Whether an entry of this dialect can say where its body lies.
    public var namesMembers: Bool { self == .afcache || self == .five }
}
