public import URLStandard

/// How a document refers to something.
public enum ReferenceKind: Sendable, Hashable {
    /// A reader may go there.
    case link
    /// The document needs it to look and work as it should.
    case requisite
}

/// A reference as it stands in a document.
public struct RawReference: Sendable, Hashable {
    /// The text, with escapes and character references resolved.
    public var text: String
    /// How the document refers to it.
    public var kind: ReferenceKind
    /// Whether the author asks not to follow it (`rel=nofollow`).
    public var isNoFollow = false

    /// Creates a reference.
    public init(_ text: String, _ kind: ReferenceKind, isNoFollow: Bool = false) {
        self.text = text
        self.kind = kind
        self.isNoFollow = isNoFollow
    }
}

/// What a document refers to.
public struct DocumentReferences: Sendable, Equatable {
    /// The references in the order in which they stand.
    public var references: [RawReference] = []
    /// The first `<base href>`, which the references are relative to.
    public var base: String?
    /// Whether the document asks that none of its links be followed (`<meta name=robots content=nofollow>`).
    public var isNoFollow = false

    /// Creates an empty result.
    public init() {}
}

/// Finds what a body refers to, by its media type.
public enum ReferenceExtractor {
    /// A reference resolved to a URL.
    public struct Found: Sendable, Hashable {
        /// What is referred to.
        public var url: WebURL
        /// How.
        public var kind: ReferenceKind
        /// Whether the author asks not to follow it.
        public var isNoFollow: Bool
    }

    /// The most references that one document may have; more are left out.
    public static let countLimit = 100_000

    /// Whether bodies of a media type can refer to anything.
    ///
    /// - Parameter essence: Type and subtype in lower case.
    public static func isSearched(_ essence: String) -> Bool {
        ["text/html", "application/xhtml+xml", "text/css", "image/svg+xml"].contains(essence)
    }

    /// What a body refers to; what can't be resolved to a URL is left out, and each URL comes once for each kind.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - essence: Its media type in lower case, without parameters.
    ///   - charset: The charset that Content-Type names, or nil.
    ///   - url: Where the body came from.
    /// - Returns: The references in the order in which they stand.
    public static func references(
        in body: [UInt8],
        essence: String,
        charset: String?,
        url: WebURL
    ) -> [Found] {
        let found: DocumentReferences
        switch essence {
        case "text/html", "application/xhtml+xml", "image/svg+xml":
            found = HTMLReferences.references(in: TextDecoding.utf8(body, charset: charset, isHTML: true))
        case "text/css":
            var result = DocumentReferences()
            result.references = CSSReferences.references(in: TextDecoding.utf8(body, charset: charset, isHTML: false))
            found = result
        default: return []
        }
        let base = found.base.flatMap { try? WebURL($0, base: url) } ?? url
        var seen: Set<Found> = []
        var result: [Found] = []
        for reference in found.references.prefix(countLimit) {
            guard let target = try? WebURL(reference.text, base: base) else { continue }
            let isNoFollow = reference.isNoFollow || (found.isNoFollow && reference.kind == .link)
            let item = Found(url: target, kind: reference.kind, isNoFollow: isNoFollow)
            if seen.insert(item).inserted { result.append(item) }
        }
        return result
    }
}
