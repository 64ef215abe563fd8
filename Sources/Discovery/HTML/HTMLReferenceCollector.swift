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
    private var expected: Embedded?
    /// The text so far of an open element whose text may come in pieces, and where it begins.
    private var pieces: (content: Embedded, text: [UInt8], start: Int)?

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
        while !result.isTruncated, let token = scanner.next() {
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

    // MARK: Styles and scripts

    /// Notes that an element was opened whose text isn't markup.
    mutating func open(_ content: Embedded) {
        if scanner.namespace == .html {
            expected = content
        } else if !scanner.tokenizer.isSelfClosing {
            finishPieces()
            pieces = (content, [], scanner.tokenizer.position)
        }
    }

    private mutating func embeddedText() {
        let range = scanner.tokenizer.range
        if let content = expected {
            expected = nil
            embedded(content, bytes, range, offset: nil)
            return
        }
        guard var open = pieces else { return }
        // Two owners of the text would have it copied for each piece.
        pieces = nil
        HTMLText.append(bytes, range, scanner.tokenizer.textModel, to: &open.text)
        pieces = open
    }

    private mutating func finishPieces() {
        guard let (content, text, start) = pieces else { return }
        pieces = nil
        text.withUnsafeBufferPointer { buffer in
            embedded(content, ScanBuffer(buffer), 0..<buffer.count, offset: start)
        }
    }

    /// Takes the references of an element's text.
    private mutating func embedded(_ content: Embedded, _ text: ScanBuffer, _ range: Range<Int>, offset: Int?) {
        switch content {
        case .style: style(text, range, .styleSheet, element: "style", offset: offset)
        case .script(.importMap): importMap(ScanBuffer(text.slice(range)), offset: offset ?? range.lowerBound)
        case .script(let type):
            JavaScriptReferences.forEach(in: text, range, type == .module ? .module : .script) { found in
                addDecoded(
                    found.text,
                    .requisite,
                    found.loads,
                    "script",
                    found.notation.rawValue,
                    at: offset ?? found.start,
                    resolution: found.notation.resolution
                )
                return !result.isTruncated
            }
        }
    }

    /// Takes the addresses of an import map, but not its prefixes, behind which there is nothing.
    private mutating func importMap(_ text: ScanBuffer, offset: Int) {
        guard scanner.templateDepth == 0 else { return }
        let map = ImportMap(text, limits)
        for entry in map.entries where !entry.address.hasSuffix("/") {
            let at = offset + entry.offset
            addDecoded(
                entry.address,
                .requisite,
                .module,
                "script",
                "importmap",
                at: at,
                resolution: .importMapAddress
            )
        }
        result.add(map)
    }

    /// Takes the references of CSS.
    ///
    /// - Parameters:
    ///   - text: The document, or decoded text of it.
    ///   - range: The CSS in that.
    ///   - form: What the CSS is.
    ///   - element: Whose it is.
    ///   - offset: Where it begins in the document, for text that was decoded.
    mutating func style(
        _ text: ScanBuffer,
        _ range: Range<Int>,
        _ form: CSSReferences.Form,
        element: String,
        offset: Int?
    ) {
        CSSReferences.forEach(in: text, range, form) { found in
            addDecoded(
                found.address,
                .requisite,
                found.loads,
                element,
                found.notation.rawValue,
                at: offset ?? found.start,
                resolution: .utf8Address
            )
            return !result.isTruncated
        }
    }

    /// Takes the references of an attribute that holds declarations.
    mutating func declarations(_ name: HTMLAttributeName) {
        guard let range = scanner.tokenizer.value(of: name), range.count <= limits.attributeBytes else { return }
        // Without a parenthesis, plain, escaped or as a character reference, there can be no address.
        guard bytes.slice(range).contains(where: { $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: "&") }) else { return }
        guard bytes.find(UInt8(ascii: "&"), from: range.lowerBound, to: range.upperBound) < range.upperBound else {
            style(bytes, range, .declarations, element: elementName, offset: nil)
            return
        }
        var text = HTMLText.attribute(bytes, range)
        text.withUTF8 { buffer in
            let text = ScanBuffer(buffer)
            style(text, 0..<text.count, .declarations, element: elementName, offset: range.lowerBound)
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
        isNofollow: Bool = false
    ) {
        guard let range = scanner.tokenizer.value(of: name), range.count <= limits.referenceBytes,
            !ReferenceText.needsNoRequest(bytes.slice(range))
        else { return }
        let text = HTMLText.attribute(bytes, range)
        addDecoded(text, kind, loads, elementName, name.rawValue, at: range.lowerBound, isNofollow: isNofollow)
    }

    /// Takes a reference unless nothing would be asked for.
    mutating func addDecoded(
        _ text: String,
        _ kind: Reference.Kind,
        _ loads: Destination,
        _ element: String,
        _ attribute: String,
        at offset: Int,
        isNofollow: Bool = false,
        resolution: Reference.Resolution = .address
    ) {
        guard text.utf8.count <= limits.referenceBytes else { return }
        let first = text.utf8.first { $0 > 0x20 }
        if kind != .link, first == nil || first == UInt8(ascii: "#") { return }
        var reference = Reference(text, kind, loads, element: element, attribute: attribute, at: offset)
        reference.isNofollow = isNofollow
        reference.isInert = scanner.templateDepth > 0
        reference.resolution = resolution
        _ = result.add(reference, limits)
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
