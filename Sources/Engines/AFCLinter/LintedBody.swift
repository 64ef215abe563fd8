internal import AFCCaching
internal import AFCDiscovery
internal import AFCHTTP
internal import AFCPackageFormat
internal import HTTPTypes

/// A body, read once for all rules that look at it.
struct LintedBody {
    /// The bytes: all of them, or as many as the settings' limit.
    let bytes: [UInt8]
    /// Whether the bytes are all of the body.
    let isWhole: Bool
    /// The resource it belongs to; of several with the same member each is looked at.
    let resource: PackageIndex.Resource
    /// What it is served as, or nil where nothing says so.
    let type: MediaType?
    /// What it and its record's fields refer to, without what only a script would bring to life.
    let references: [ResolvedReference]

    /// Takes a body.
    ///
    /// - Parameters:
    ///   - bytes: What was read of it.
    ///   - isWhole: Whether that is all.
    ///   - resource: The resource.
    ///   - wantsReferences: Whether a rule asks for them.
    init(_ bytes: [UInt8], isWhole: Bool, of resource: PackageIndex.Resource, wantsReferences: Bool) {
        self.bytes = bytes
        self.isWhole = isWhole
        self.resource = resource
        let type = Self.type(of: resource)
        self.type = type
        references = wantsReferences ? Self.references(in: bytes, of: resource, type) : []
    }

    /// The type that a resource is served with: the entry's, else the record's.
    static func type(of resource: PackageIndex.Resource) -> MediaType? {
        (resource.entry?.mediaType ?? resource.record?.fields[.contentType]).flatMap { MediaType($0) }
    }

    private static func references(
        in bytes: [UInt8],
        of resource: PackageIndex.Resource,
        _ type: MediaType?
    ) -> [ResolvedReference] {
        var references: [ResolvedReference] = []
        if let fields = resource.record?.fields {
            references = HeaderReferences.references(link: fields.links, refresh: nil, url: resource.url)
        }
        let essence = type?.essence ?? ""
        if ReferenceExtractor.isSearched(mediaType: essence) {
            let charset = type?.parameter("charset")
            references +=
                ReferenceExtractor.references(in: bytes, mediaType: essence, charset: charset, url: resource.url)
                .references
        }
        return references.filter { !$0.reference.isInert }
    }
}

extension HTTPFields {
    /// What a response's Link fields say (RFC 8288).
    fileprivate var links: [String] { HTTPField.Name("Link").map { self[values: $0] } ?? [] }
}
