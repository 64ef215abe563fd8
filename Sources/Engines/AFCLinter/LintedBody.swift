internal import AFCDiscovery
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCZip
internal import HTTPTypes

/// A body, read once for all rules that check it; expensive properties are computed on demand.
final class LintedBody {
    /// The bytes: all of them, or as many as the settings' limit.
    let bytes: [UInt8]
    /// True if the bytes are the whole body.
    let isWhole: Bool
    /// The resource that the body belongs to; resources that share a member are checked one by one.
    let resource: PackageIndex.Resource
    /// The type that it is served with, or nil if none is known.
    let type: MediaType?
    /// The references and the metadata of a page in the body; empty if the body isn't whole.
    private(set) lazy var document = isWhole ? discovered() : DiscoveredReferences()
    /// The references of the body and of its record's fields, without guesses and what only a script would activate.
    private(set) lazy var references = isWhole ? linked() + document.references.filter { $0.reference.isCertain } : []

    /// The number of bytes of a decompressed data file that are searched for references.
    private static let textLimit = 64 << 20

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that were read.
    ///   - isWhole: True if they are the whole body.
    ///   - resource: The resource.
    init(_ bytes: [UInt8], isWhole: Bool, of resource: PackageIndex.Resource) {
        self.bytes = bytes
        self.isWhole = isWhole
        self.resource = resource
        type = Self.type(of: resource)
    }

    /// Returns the type that a resource is served with: the entry's, else the record's.
    static func type(of resource: PackageIndex.Resource) -> MediaType? {
        (resource.entry?.mediaType ?? resource.record?.fields[.contentType]).flatMap { MediaType($0) }
    }

    private func discovered() -> DiscoveredReferences {
        let (essence, charset) = (type?.essence ?? "", type?.parameter("charset"))
        let url = resource.url
        guard ReferenceExtractor.isSearched(mediaType: essence, url: url) else { return DiscoveredReferences() }
        let isCompressed = ReferenceExtractor.isDataFile(url) && bytes.starts(with: Inflater.gzipSignature)
        let text = isCompressed ? Inflater.beginning(ofGzip: bytes, limit: Self.textLimit) : bytes
        return ReferenceExtractor.references(in: text, mediaType: essence, charset: charset, url: url)
    }

    private func linked() -> [ResolvedReference] {
        guard let fields = resource.record?.fields else { return [] }
        return HeaderReferences.references(link: fields.links, refresh: nil, url: resource.url)
            .filter { $0.reference.isCertain }
    }
}

extension Reference {
    /// True if browsers need no script to activate the reference, or a table says that a script loads it.
    fileprivate var isCertain: Bool { !isInert && !isGuess }
}

extension HTTPFields {
    /// The values of a response's Link fields (RFC 8288).
    fileprivate var links: [String] { HTTPField.Name("Link").map { self[values: $0] } ?? [] }
}
