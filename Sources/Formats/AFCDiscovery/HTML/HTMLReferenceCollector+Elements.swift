/// Which attributes are references: HTML's elements with an address, their obsolete cousins, and SVG's.
extension HTMLReferenceCollector {
    mutating func startTag() {
        let element = scanner.tokenizer.element
        let uses = scanner.tokenizer.uses
        if uses.contains(.style) { declarations(.style) }
        guard element != .other || uses.contains(.paint) else { return }
        let namespace = scanner.namespace
        if namespace == .html || namespace == .any { html(element) }
        if namespace == .svg || namespace == .any {
            svg(element)
            if uses.contains(.paint) { HTMLAttributeName.paints.forEach { declarations($0) } }
        }
    }

    private mutating func html(_ element: HTMLElementName) {
        switch element {
        case .a, .area: link()
        // For browsers with scripts, which most are, what `noscript` has isn't there.
        case .base where scanner.templateDepth == 0 && !scanner.isInNoscript:
            text(of: .href).map { result.noteBase($0) }
        case .body, .col, .colgroup, .table, .thead, .tbody, .tfoot, .tr, .td, .th:
            add(.background, .requisite, .image, isLate: true)
        case .embed, .track: add(.src, .requisite, .other)
        case .frame: add(.src, .frame, .document)
        case .iframe: iframe()
        case .img: image()
        // The tree builder reads `image` as `img`.
        case .image where scanner.namespace == .html: image()
        case .input: if isValue(of: .type, "image") { add(.src, .requisite, .image) }
        case .link: linkElement()
        case .meta: meta()
        case .object: add(.data, .requisite, .other)
        case .picture: sourceParent = .picture
        case .script: script(.src)
        case .source: source()
        case .style: style()
        case .audio, .video:
            sourceParent = .media
            add(.src, .requisite, .other)
            if element == .video { add(.poster, .requisite, .image) }
        default: break
        }
    }

    private mutating func svg(_ element: HTMLElementName) {
        let address: HTMLAttributeName = scanner.tokenizer.value(of: .href) != nil ? .href : .xlinkHref
        switch element {
        case .a where scanner.namespace == .svg || address == .xlinkHref: link(address)
        case .animate, .set: animation()
        case .feimage, .image, .use: add(address, .requisite, .image)
        case .script where scanner.namespace == .svg || scanner.tokenizer.value(of: .src) == nil: script(address)
        case .style where scanner.namespace == .svg: style()
        default: break
        }
    }

    // MARK: Elements

    private mutating func link(_ address: HTMLAttributeName = .href) {
        let relations = text(of: .rel)?.lowercasedTokens ?? []
        add(address, .link, .document, isNofollow: relations.contains("nofollow"))
    }

    private mutating func image() {
        add(.src, .requisite, .image)
        candidates(.srcset)
    }

    /// A script at an address, or else the one in the element, whose text may refer to modules.
    private mutating func script(_ address: HTMLAttributeName) {
        guard let type = ScriptType(type: text(of: .type), language: text(of: .language)) else { return }
        if scanner.tokenizer.value(of: address) == nil {
            open(.script(type))
        } else if type != .importMap {
            add(address, .requisite, type == .module ? .module : .script)
        }
    }

    private mutating func linkElement() {
        guard let relations = text(of: .rel)?.lowercasedTokens else { return }
        let type = text(of: .type)
        if let kind = LinkRelation.kind(relations, type: type) {
            let loads = LinkRelation.loads(relations, type: type, as: text(of: .as))
            let isLate = !LinkRelation.isLoadedAtOnce(relations)
            add(.href, kind, loads, isNofollow: relations.contains("nofollow"), isLate: isLate)
        }
        if relations.contains("preload") { candidates(.imagesrcset) }
    }

    /// An `iframe`'s document is in `srcdoc` where it has one, else at `src`.
    private mutating func iframe() {
        guard let range = scanner.tokenizer.value(of: .srcdoc) else {
            add(.src, .frame, .document)
            return
        }
        guard limits.srcdocDepth > 0 else { return result.cut(.srcdocDepth) }
        guard range.count <= limits.attributeBytes else { return result.cut(.attributeBytes) }
        var inner = limits
        inner.srcdocDepth -= 1
        inner.references -= result.references.count
        var document = HTMLText.attribute(bytes, range)
        let references = document.withUTF8 { HTMLReferences(utf8: $0, limits: inner, productToken: productToken) }
        result.adopt(references, at: range.lowerBound, isInert: scanner.templateDepth > 0, limits)
    }

    private mutating func source() {
        switch sourceParent {
        case .picture: candidates(.srcset)
        case .media: add(.src, .requisite, .other)
        case .none: break
        }
    }

    /// An animation of an address goes through others.
    private mutating func animation() {
        guard let name = text(of: .attributename)?.lowercased(), name == "href" || name == "xlink:href" else { return }
        add(.from, .requisite, .image)
        add(.to, .requisite, .image)
        guard let range = list(of: .values) else { return }
        let element = elementName
        for value in HTMLText.attribute(bytes, range).split(separator: ";") {
            let address = String(value).trimmedASCII
            addDecoded(address, .requisite, .image, element, "values", at: range.lowerBound)
        }
    }

    private mutating func style() {
        let type = text(of: .type)?.lowercased() ?? ""
        if type.isEmpty || type == "text/css" { open(.style) }
    }

    private mutating func meta() {
        if let charset = text(of: .charset) { result.noteCharset(charset) }
        guard let content = text(of: .content) else { return }
        if isValue(of: .httpEquiv, "refresh") {
            guard let address = RefreshDirective.address(in: content), let range = scanner.tokenizer.value(of: .content)
            else { return }
            addDecoded(address, .redirect, .document, "meta", "content", at: range.lowerBound)
        } else if isValue(of: .httpEquiv, "content-type") {
            MetaPrescan.charset(inContentType: Array(content.utf8)).map { result.noteCharset($0) }
        }
        if let name = text(of: .name)?.lowercased(), name == "robots" || name == productToken {
            result.noteRobots(content)
        }
    }

    /// Takes each candidate of a `srcset`.
    private mutating func candidates(_ name: HTMLAttributeName) {
        guard let range = list(of: name) else { return }
        let element = elementName
        for address in SourceSet(HTMLText.attribute(bytes, range)).addresses {
            addDecoded(address, .requisite, .image, element, name.rawValue, at: range.lowerBound)
        }
    }

    // MARK: Attributes

    /// Where an attribute stands that may hold many addresses.
    private mutating func list(of name: HTMLAttributeName) -> Range<Int>? {
        guard let range = scanner.tokenizer.value(of: name) else { return nil }
        guard range.count <= limits.attributeBytes else {
            result.cut(.attributeBytes)
            return nil
        }
        return range
    }

    private func text(of name: HTMLAttributeName) -> String? {
        guard let range = scanner.tokenizer.value(of: name), range.count <= limits.referenceBytes else { return nil }
        return HTMLText.attribute(bytes, range)
    }

    private func isValue(of name: HTMLAttributeName, _ expected: String) -> Bool {
        text(of: name)?.lowercased() == expected
    }
}
