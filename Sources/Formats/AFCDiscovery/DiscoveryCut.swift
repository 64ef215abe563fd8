/// A limit for which some of what a document refers to was left out.
public enum DiscoveryCut: String, Sendable, CaseIterable, Comparable {
    /// There are more different references than are taken.
    case references
    /// A reference is longer than one may be.
    case referenceBytes = "reference-length"
    /// An attribute that holds several references, or a document, is longer than one may be.
    case attributeBytes = "attribute-length"
    /// All URLs together are longer than they may be.
    case urlBytes = "url-bytes"
    /// Documents are within each other more often than is read.
    case srcdocDepth = "srcdoc-depth"
    /// The text is longer than what is searched.
    case text

    /// Orders by identifier.
    public static func < (one: DiscoveryCut, other: DiscoveryCut) -> Bool { one.rawValue < other.rawValue }
}
