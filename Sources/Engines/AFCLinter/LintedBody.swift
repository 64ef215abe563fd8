internal import AFCDiscovery
internal import AFCHTTP
internal import AFCPackageFormat
internal import HTTPTypes

/// A body, read once for all rules that look at it; what costs something is made when a rule asks for it.
final class LintedBody {
    /// The bytes: all of them, or as many as the settings' limit.
    let bytes: [UInt8]
    /// Whether the bytes are all of the body.
    let isWhole: Bool
    /// The resource it belongs to; of several with the same member each is looked at.
    let resource: PackageIndex.Resource
    /// What it is served as, or nil where nothing says so.
    let type: MediaType?
    /// What reading the body shows: its references, and what a page says of itself; nothing where it isn't whole.
    private(set) lazy var document = isWhole ? discovered() : DiscoveredReferences()
    /// What it and its record's fields refer to, without what only a script would bring to life.
    private(set) lazy var references = isWhole ? linked() + document.references.filter { !$0.reference.isInert } : []

    /// Takes a body.
    ///
    /// - Parameters:
    ///   - bytes: What was read of it.
    ///   - isWhole: Whether that is all.
    ///   - resource: The resource.
    init(_ bytes: [UInt8], isWhole: Bool, of resource: PackageIndex.Resource) {
        self.bytes = bytes
        self.isWhole = isWhole
        self.resource = resource
        type = Self.type(of: resource)
    }

    /// The type that a resource is served with: the entry's, else the record's.
    static func type(of resource: PackageIndex.Resource) -> MediaType? {
        (resource.entry?.mediaType ?? resource.record?.fields[.contentType]).flatMap { MediaType($0) }
    }

    private func discovered() -> DiscoveredReferences {
        let (essence, charset) = (type?.essence ?? "", type?.parameter("charset"))
        guard ReferenceExtractor.isSearched(mediaType: essence) else { return DiscoveredReferences() }
        return ReferenceExtractor.references(in: bytes, mediaType: essence, charset: charset, url: resource.url)
    }

    private func linked() -> [ResolvedReference] {
        guard let fields = resource.record?.fields else { return [] }
        return HeaderReferences.references(link: fields.links, refresh: nil, url: resource.url)
            .filter { !$0.reference.isInert }
    }
}

extension HTTPFields {
    /// What a response's Link fields say (RFC 8288).
    fileprivate var links: [String] { HTTPField.Name("Link").map { self[values: $0] } ?? [] }
}
