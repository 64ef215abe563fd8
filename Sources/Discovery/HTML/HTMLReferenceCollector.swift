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
    /// The text so far of an open `style` element whose text may come in pieces.
    private var foreignStyle: [UInt8]?
    private var foreignStyleStart = 0
    /// Whether the next text is the style sheet of a `style` element.
    private var expectsStyle = false

    init(_ bytes: ScanBuffer, _ syntax: HTMLDocumentScanner.Syntax, _ limits: DiscoveryLimits) {
        self.bytes = bytes
        self.limits = limits
        self.syntax = syntax
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
                if expectsStyle || foreignStyle != nil { styleText() }
            case .comment:
                if syntax == .xml { processingInstruction() }
            case .doctype:
                break
            }
        }
        finishForeignStyle()
    }

    private mutating func endTag(_ element: HTMLElementName) {
        expectsStyle = false
        switch element {
        case .style: finishForeignStyle()
        case .picture, .video, .audio: sourceParent = .none
        default: break
        }
    }

    // MARK: Styles

    /// Notes that a `style` element was opened whose text is CSS.
    mutating func openStyle() {
        if scanner.namespace == .html {
            expectsStyle = true
        } else if !scanner.tokenizer.isSelfClosing {
            finishForeignStyle()
            foreignStyle = []
            foreignStyleStart = scanner.tokenizer.position
        }
    }

    private mutating func styleText() {
        let range = scanner.tokenizer.range
        if expectsStyle {
            expectsStyle = false
            style(bytes, range, .styleSheet, element: "style", offset: nil)
            return
        }
        foreignStyle?.append(contentsOf: HTMLText.string(bytes, range, scanner.tokenizer.textModel).utf8)
    }

    private mutating func finishForeignStyle() {
        guard let text = foreignStyle else { return }
        foreignStyle = nil
        text.withUnsafeBufferPointer { buffer in
            style(ScanBuffer(buffer), 0..<buffer.count, .styleSheet, element: "style", offset: foreignStyleStart)
        }
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
        CSSReferences.forEach(in: text, range, form) { address, notation, start in
            addDecoded(address, .requisite, element, notation.rawValue, at: offset ?? start)
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
    mutating func add(_ name: HTMLAttributeName, _ kind: Reference.Kind, isNofollow: Bool = false) {
        guard let range = scanner.tokenizer.value(of: name), range.count <= limits.referenceBytes,
            !ReferenceText.needsNoRequest(bytes.slice(range))
        else { return }
        let text = HTMLText.attribute(bytes, range)
        addDecoded(text, kind, elementName, name.rawValue, at: range.lowerBound, isNofollow: isNofollow)
    }

    /// Takes a reference unless nothing would be asked for.
    mutating func addDecoded(
        _ text: String,
        _ kind: Reference.Kind,
        _ element: String,
        _ attribute: String,
        at offset: Int,
        isNofollow: Bool = false
    ) {
        guard text.utf8.count <= limits.referenceBytes else { return }
        let first = text.utf8.first { $0 > 0x20 }
        if kind != .link, first == nil || first == UInt8(ascii: "#") { return }
        var reference = Reference(text: text, kind: kind, element: element, attribute: attribute, offset: offset)
        reference.isNofollow = isNofollow
        reference.isInert = scanner.templateDepth > 0
        _ = result.add(reference, limits)
    }

    /// Takes `<?xml-stylesheet href="…"?>`, which the tokenizer reads as a comment.
    private mutating func processingInstruction() {
        let range = scanner.tokenizer.range
        guard bytes.hasPrefix("?xml-stylesheet", at: range.lowerBound) else { return }
        var tokenizer = HTMLTokenizer(bytes)
        let tag = tokenizer.tag(.startTag, at: range.lowerBound, nameStart: range.lowerBound + 1)
        guard tag != nil, let value = tokenizer.value(of: .href), value.count <= limits.referenceBytes else { return }
        let text = HTMLText.attribute(bytes, value)
        addDecoded(text, .requisite, "?xml-stylesheet", "href", at: value.lowerBound)
    }
}
