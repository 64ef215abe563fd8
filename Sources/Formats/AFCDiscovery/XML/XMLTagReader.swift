/// Reads tags and texts of XML by their local names, forgivingly: what isn't well-formed is read as it stands.
struct XMLTagReader {
    /// What comes next.
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

    /// The next tag or text, or nil at the end; comments and instructions are none.
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

    /// Whether the current start tag is the whole element.
    var isSelfClosing: Bool { tokenizer.isSelfClosing }

    /// Appends the current text with its references resolved, up to a limit.
    func append(to text: inout [UInt8], limit: Int) {
        guard text.count + tokenizer.range.count <= limit else { return }
        HTMLText.append(tokenizer.bytes, tokenizer.range, tokenizer.textModel, to: &text)
    }

    /// The value of an attribute, or nil where there is none or it is longer than a limit.
    func value(of name: HTMLAttributeName, limit: Int) -> String? {
        guard let range = tokenizer.value(of: name), range.count <= limit else { return nil }
        return HTMLText.attribute(tokenizer.bytes, range)
    }

    /// Where the current tag begins.
    var start: Int { tokenizer.tokenStart }

    private var name: XMLElementName {
        let range = tokenizer.range
        let colon = tokenizer.bytes.find(UInt8(ascii: ":"), from: range.lowerBound, to: range.upperBound)
        let local = colon < range.upperBound ? colon + 1..<range.upperBound : range
        return PackedName(tokenizer.bytes, local).map { names.name(of: $0) } ?? .other
    }

    /// The name of a document's first element, or nil where there is none.
    static func root(of bytes: ScanBuffer) -> XMLElementName? {
        var reader = XMLTagReader(bytes)
        while let event = reader.next() {
            if case .start(let name) = event { return name }
        }
        return nil
    }
}

/// The elements, by their local names, that tell XML's formats apart or have references in sitemaps and feeds.
enum XMLElementName: String, CaseIterable, Sendable {
    case other = ""

    // What a document may begin with.
    case feed, rdf, rss, sitemapindex, stylesheet, transform, urlset

    // Sitemaps.
    case image, loc, sitemap, url, video
    case contentLocation = "content_loc"
    case thumbnail = "thumbnail_loc"

    // XSLT.
    case `import`, include

    // Feeds.
    case channel, content, enclosure, entry, icon, item, link, logo, textinput

    static let byKey = PackedNameTable<XMLElementName>(otherwise: .other)
}
