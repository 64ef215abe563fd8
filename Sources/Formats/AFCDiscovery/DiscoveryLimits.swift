/// How much is taken from one document, which may be hostile.
public struct DiscoveryLimits: Hashable, Sendable {
    /// How many different references; those that differ in their fragment only are one.
    ///
    /// What is left out for this or another limit, ``DiscoveredReferences/cuts`` says.
    public var references = 1_000_000
    /// The longest reference in bytes; longer ones are left out.
    public var referenceBytes = 65_536
    /// The longest value in bytes of an attribute that holds several references: `srcset`, `style`, `srcdoc`.
    public var attributeBytes = 4_194_304
    /// How many bytes all URLs together may have: a long base makes a long URL of each short reference.
    public var urlBytes = 134_217_728
    /// How many levels of documents in `srcdoc` are read.
    public var srcdocDepth = 4

    /// Creates the usual limits.
    public init() {}
}

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
