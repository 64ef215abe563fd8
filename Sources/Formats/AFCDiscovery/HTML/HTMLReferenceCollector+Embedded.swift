/// Styles and scripts within a document: in elements of their own, and in attributes.
extension HTMLReferenceCollector {
    /// Notes that an element was opened whose text isn't markup.
    mutating func open(_ content: Embedded) {
        if scanner.namespace == .html {
            expected = content
        } else if !scanner.tokenizer.isSelfClosing {
            finishPieces()
            pieces = (content, [], scanner.tokenizer.position)
        }
    }

    mutating func embeddedText() {
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

    mutating func finishPieces() {
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
                return !result.isFull
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
                // Declarations in an attribute are in no style sheet, and so not in its encoding.
                resolution: form == .styleSheet ? found.notation.resolution : .utf8Address
            )
            return !result.isFull
        }
    }

    /// Takes the references of an attribute that holds declarations.
    mutating func declarations(_ name: HTMLAttributeName) {
        guard let range = scanner.tokenizer.value(of: name) else { return }
        // Without a parenthesis, plain, escaped or as a character reference, there can be no address.
        guard bytes.slice(range).contains(where: { $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: "&") }) else { return }
        guard range.count <= limits.attributeBytes else { return result.cut(.attributeBytes) }
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
}
