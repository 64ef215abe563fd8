/// What an HTML or XML document refers to, and what it says about itself.
public struct HTMLReferences: Sendable {
    /// By which rules the document is read.
    public enum Syntax: Sendable {
        /// HTML as browsers read it.
        case html
        /// XHTML, SVG and other XML, forgivingly.
        case xml
    }

    /// In the order of the document, each once.
    public var references: [Reference] { list.references }
    private var list = ReferenceList()
    /// The address of the first `base` element that has one.
    public private(set) var baseHref: String?
    /// The character encoding that the first `meta` element to name one names.
    public private(set) var metaCharset: String?
    /// The text of the first `title` element of HTML, without white space around it.
    public private(set) var title: String?
    /// Whether a `meta` for robots asks for links not to be followed.
    public private(set) var isNofollow = false
    /// Whether a `meta` for robots asks for the document not to be indexed.
    public private(set) var isNoindex = false
    /// What its import maps say, in order.
    private(set) var importMap = ImportMap()
    /// For which limits something was left out.
    public var cuts: Set<DiscoveryCut> { list.cuts }
    /// Whether something was left out.
    public var isTruncated: Bool { !cuts.isEmpty }
    /// Whether there is no room for another reference.
    var isFull: Bool { list.isFull }

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - text: The document in UTF-8, without a byte order mark; errors in the encoding are repaired where they matter.
    ///   - syntax: By which rules it is read.
    ///   - limits: How much is taken.
    ///   - productToken: The crawler's name; a `meta` of that name counts as one of the name `robots` does.
    public init(
        utf8 text: UnsafeBufferPointer<UInt8>,
        syntax: Syntax = .html,
        limits: DiscoveryLimits = DiscoveryLimits(),
        productToken: String = "afcache"
    ) {
        var collector = HTMLReferenceCollector(
            ScanBuffer(text),
            syntax == .html ? .html : .xml,
            limits,
            productToken: productToken
        )
        collector.run()
        self = collector.result
        list.finish()
    }

    init() {}
}

// MARK: - Collecting

extension HTMLReferences {
    /// Adds a reference; false where there is no more room.
    @discardableResult
    mutating func add(_ reference: Reference, _ limits: DiscoveryLimits) -> Bool { list.add(reference, limits) }

    /// Notes that something was left out.
    mutating func cut(_ cut: DiscoveryCut) { list.cut(cut) }

    /// Takes over what a document in `srcdoc` refers to.
    mutating func adopt(_ inner: HTMLReferences, at offset: Int, isInert: Bool, _ limits: DiscoveryLimits) {
        for cut in inner.cuts { list.cut(cut) }
        for var reference in inner.references {
            if let base = inner.baseHref, !reference.precedesBase { reference.bases.insert(base, at: 0) }
            // A document in an attribute is UTF-8.
            if reference.resolution == .address { reference.resolution = .utf8Address }
            reference.precedesBase = baseHref == nil
            reference.offset = offset
            reference.isInert = reference.isInert || isInert
            guard add(reference, limits) else { return }
        }
    }

    /// Adds an import map, unless there is much of them already.
    mutating func add(_ map: ImportMap) {
        guard importMap.entries.count < 10_000 else { return list.cut(.references) }
        importMap.add(map, precedesBase: baseHref == nil)
    }

    mutating func noteBase(_ href: String) { baseHref = baseHref ?? href }

    mutating func noteCharset(_ label: String) { metaCharset = metaCharset ?? label }

    mutating func noteTitle(_ text: String) { title = title ?? text.trimmedASCII }

    mutating func noteRobots(_ content: String) {
        let separators: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0C, 0x0D, UInt8(ascii: ",")]
        for word in content.utf8.split(whereSeparator: separators.contains) {
            switch String(Substring(word)).lowercased() {
            case "nofollow": isNofollow = true
            case "noindex": isNoindex = true
            case "none":
                isNofollow = true
                isNoindex = true
            default: break
            }
        }
    }
}
