/// Reads tags and texts of XML by their local names, and tolerates malformed XML.
struct XMLTagReader {
    /// The next item of a document.
    enum Event: Equatable {
        case start(XMLElementName)
        case end(XMLElementName)
        case text
    }

    private(set) var tokenizer: HTMLTokenizer
    private let names = XMLElementName.byKey

    init(_ bytes: ScanBuffer) {
        tokenizer = HTMLTokenizer(bytes)
        tokenizer.isXML = true
        tokenizer.allowsCDATA = true
    }

    /// Returns the next tag or text, or nil at the end; comments and instructions are skipped.
    mutating func next() -> Event? {
        while let token = tokenizer.next() {
            switch token {
            case .startTag: return .start(name)
            case .endTag: return .end(name)
            case .text: return .text
            case .comment, .doctype: continue
            }
        }
        return nil
    }

    /// True if the current start tag is the whole element.
    var isSelfClosing: Bool { tokenizer.isSelfClosing }

    /// Appends the current text with decoded references, up to a limit.
    func append(to text: inout [UInt8], limit: Int) {
        guard text.count + tokenizer.range.count <= limit else { return }
        HTMLText.append(tokenizer.bytes, tokenizer.range, tokenizer.textModel, to: &text)
    }

    /// Returns the value of an attribute, or nil if it is missing or exceeds a limit.
    func value(of name: HTMLAttributeName, limit: Int) -> String? {
        guard let range = tokenizer.value(of: name), range.count <= limit else { return nil }
        return HTMLText.attribute(tokenizer.bytes, range)
    }

    /// The start of the current tag.
    var start: Int { tokenizer.tokenStart }

    private var name: XMLElementName {
        let range = tokenizer.range
        let colon = tokenizer.bytes.find(UInt8(ascii: ":"), from: range.lowerBound, to: range.upperBound)
        let local = colon < range.upperBound ? colon + 1..<range.upperBound : range
        return PackedName(tokenizer.bytes, local).map { names.name(of: $0) } ?? .other
    }

    /// Returns the name of a document's first element, or nil if there is none.
    static func root(of bytes: ScanBuffer) -> XMLElementName? {
        var reader = XMLTagReader(bytes)
        while let event = reader.next() {
            if case .start(let name) = event { return name }
        }
        return nil
    }
}

/// The elements, by local name, that identify XML formats or hold references in sitemaps and feeds.
enum XMLElementName: String, CaseIterable, Sendable {
    case other = ""

    // Root elements that identify a format.
    case feed, rdf, rss, sitemapindex, stylesheet, transform, urlset

    // Elements of sitemaps.
    case image, loc, sitemap, url, video
    case contentLocation = "content_loc"
    case thumbnail = "thumbnail_loc"

    // Elements of DASH that another document names.
    case adaptationset, period, segmentlist

    // Elements of XSLT.
    case `import`, include

    // Elements of feeds.
    case channel, content, enclosure, entry, icon, item, link, logo, textinput

    static let byKey = PackedNameTable<XMLElementName>(otherwise: .other)
}
