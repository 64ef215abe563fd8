/// The limits on what is taken from one document, which may be hostile.
public struct DiscoveryLimits: Hashable, Sendable {
    /// The number of different references; those that differ only in their fragment count once.
    ///
    /// ``DiscoveredReferences/cuts`` lists the limits that were reached.
    public var references = 1_000_000
    /// The longest reference, in bytes; longer ones are left out.
    public var referenceBytes = 65_536
    /// The longest value of an attribute that holds several references (`srcset`, `style`, `srcdoc`), in bytes.
    public var attributeBytes = 4_194_304
    /// The size of all URLs together, in bytes, because a long base makes every short reference a long URL.
    public var urlBytes = 134_217_728
    /// The number of nested `srcdoc` documents that are read.
    public var srcdocDepth = 4

    /// Creates the default limits.
    public init() {}
}

/// A limit, or a property of a stream, that caused references of a document to be left out.
public enum DiscoveryCut: String, Sendable, CaseIterable, Comparable {
    /// The document has too many different references.
    case references
    /// A reference is too long.
    case referenceBytes = "reference-length"
    /// An attribute that holds several references, or a document, is too long.
    case attributeBytes = "attribute-length"
    /// The URLs of all references together are too long.
    case urlBytes = "url-bytes"
    /// Documents are nested too deeply.
    case srcdocDepth = "srcdoc-depth"
    /// The text is too long.
    case text
    /// The document lists a live stream, of which it names only the part of the moment.
    case live
    /// The document names media that a system of copy protection encrypts.
    case protection
    /// A playlist uses variables that nothing defines.
    case variables

    /// Orders by identifier.
    public static func < (one: DiscoveryCut, other: DiscoveryCut) -> Bool { one.rawValue < other.rawValue }
}
