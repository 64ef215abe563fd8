/// Walks through a document and gathers its references; which attribute of which element is one is in
/// `HTMLReferenceCollector+Elements.swift`.
struct HTMLReferenceCollector {
    /// What a `source` element belongs to, which decides which of its attributes counts.
    enum SourceParent { case none, picture, media }

    let bytes: ScanBuffer
    let limits: DiscoveryLimits
    let syntax: HTMLDocumentScanner.Syntax
    var scanner: HTMLDocumentScanner
    var result = HTMLReferences()
    var sourceParent = SourceParent.none
    /// The name of the crawler in lower case, for which a `meta` may say something of its own.
    let productToken: String
    /// What the next text is, where an element's content isn't markup.
    var expected: Embedded?
    /// The text so far of an open element whose text may come in pieces, and where it begins.
    var pieces: (content: Embedded, text: [UInt8], start: Int)?

    /// What the text of an element may be that has references.
    enum Embedded {
        case style
        case script(ScriptType)
    }

    init(
        _ bytes: ScanBuffer,
        _ syntax: HTMLDocumentScanner.Syntax,
        _ limits: DiscoveryLimits,
        productToken: String = "afcache"
    ) {
        self.bytes = bytes
        self.limits = limits
        self.syntax = syntax
        self.productToken = productToken.lowercased()
        scanner = HTMLDocumentScanner(bytes, syntax)
    }

    mutating func run() {
        while !result.isFull, let token = scanner.next() {
            switch token {
            case .startTag:
                startTag()
            case .endTag:
                endTag(scanner.tokenizer.element)
            case .text:
                if expected != nil || pieces != nil { embeddedText() }
            case .comment:
                if syntax == .xml { processingInstruction() }
            case .doctype:
                break
            }
        }
        finishPieces()
    }

    private mutating func endTag(_ element: HTMLElementName) {
        expected = nil
        switch element {
        case .style, .script: finishPieces()
        case .picture, .video, .audio: sourceParent = .none
        default: break
        }
    }

    // MARK: Adding

    /// The current tag's name; for an unknown element what is written.
    var elementName: String {
        let element = scanner.tokenizer.element
        return element == .other ? HTMLText.name(bytes, scanner.tokenizer.range) : element.rawValue
    }

    /// Takes the reference that is the value of an attribute.
    mutating func add(
        _ name: HTMLAttributeName,
        _ kind: Reference.Kind,
        _ loads: Destination,
        isNofollow: Bool = false,
        isLate: Bool = false
    ) {
        guard let range = scanner.tokenizer.value(of: name), !ReferenceText.needsNoRequest(bytes.slice(range)) else {
            return
        }
        guard range.count <= limits.referenceBytes else { return result.cut(.referenceBytes) }
        let text = HTMLText.attribute(bytes, range)
        let offset = range.lowerBound
        addDecoded(text, kind, loads, elementName, name.rawValue, at: offset, isNofollow: isNofollow, isLate: isLate)
    }

    /// Takes a reference unless nothing would be asked for.
    ///
    /// A late one becomes a URL after the whole page was read, as a link does when it is followed; others do where they stand.
    mutating func addDecoded(
        _ text: String,
        _ kind: Reference.Kind,
        _ loads: Destination,
        _ element: String,
        _ attribute: String,
        at offset: Int,
        isNofollow: Bool = false,
        isLate: Bool = false,
        resolution: Reference.Resolution = .address
    ) {
        let first = text.utf8.first { $0 > 0x20 }
        if kind != .link, first == nil || first == UInt8(ascii: "#") { return }
        var reference = Reference(text, kind, loads, element: element, attribute: attribute, at: offset)
        reference.isNofollow = isNofollow
        reference.isInert = scanner.templateDepth > 0
        reference.precedesBase = result.baseHref == nil && !isLate && kind != .link
        reference.resolution = resolution
        result.add(reference, limits)
    }

    /// Takes `<?xml-stylesheet href="…"?>`, which the tokenizer reads as a comment.
    private mutating func processingInstruction() {
        let range = scanner.tokenizer.range
        guard bytes.hasPrefix("?xml-stylesheet", at: range.lowerBound) else { return }
        // Read as if it were a tag of its own.
        var text = Array(bytes.slice(range))
        if text.last == UInt8(ascii: "?") { text.removeLast() }
        text.append(UInt8(ascii: ">"))
        let found = text.withUnsafeBufferPointer { buffer -> (href: String, type: String?)? in
            let bytes = ScanBuffer(buffer)
            var tokenizer = HTMLTokenizer(bytes)
            guard tokenizer.tag(.startTag, at: 0, nameStart: 1) != nil, let href = tokenizer.value(of: .href),
                href.count <= limits.referenceBytes
            else { return nil }
            let type = tokenizer.value(of: .type).map { HTMLText.attribute(bytes, $0).lowercased().trimmedASCII }
            return (HTMLText.attribute(bytes, href), type)
        }
        guard let found else { return }
        let loads: Destination = found.type == nil || found.type == "text/css" ? .style : .other
        addDecoded(found.href, .requisite, loads, "?xml-stylesheet", "href", at: range.lowerBound)
    }
}
