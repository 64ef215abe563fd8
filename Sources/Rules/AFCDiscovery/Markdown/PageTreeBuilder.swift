/// Builds the tree of a page from its tokens, in linear time.
///
/// Omitted end tags are supplied as in HTML §13.2.6, but misnested elements aren't repeated. Elements nested too deeply
/// are children of the deepest one that is kept.
struct PageTreeBuilder {
    /// The most open elements.
    private static let maxDepth = 192
    /// The most attributes of an element that are looked at.
    private static let maxAttributes = 64

    private(set) var tree: PageTree
    private var scanner: HTMLDocumentScanner
    private let isXML: Bool
    private let limits: PageMarkdown.Limits
    private let names = PageAttribute.byKey
    /// The numbers of the open elements.
    private var stack: [Int] = [0]
    /// The number of open elements by name, including those that are nested too deeply.
    private var open: [HTMLElementName: Int] = [:]
    /// The number of those that are nested too deeply.
    private var dropped: [HTMLElementName: Int] = [:]
    /// The number of open elements whose content isn't read.
    private var inert = 0

    init(_ bytes: ScanBuffer, isXML: Bool, limits: PageMarkdown.Limits) {
        tree = PageTree(bytes)
        scanner = HTMLDocumentScanner(bytes, isXML ? .xml : .html)
        (self.isXML, self.limits) = (isXML, limits)
    }

    private var bytes: ScanBuffer { tree.bytes }

    /// Reads the page.
    mutating func build() {
        while let token = scanner.next() {
            guard tree.nodes.count < limits.nodes else {
                tree.isTruncated = true
                break
            }
            switch token {
            case .startTag: start()
            case .endTag: end()
            case .text: addText()
            case .comment, .doctype: break
            }
        }
        closeAll(above: 0)
    }

    // MARK: Tags

    private mutating func start() {
        let element = scanner.tokenizer.element
        let isForeign = scanner.namespace == .svg || scanner.namespace == .math
        switch element {
        case .html, .head, .body: return
        case .base:
            if tree.base == nil { tree.base = attribute(.href) }
            return
        case .meta: return noteMeta()
        case .link: return
        default: break
        }
        guard inert == 0 else { return startInert(element, isForeign) }
        if !isForeign { closeImplied(before: element) }
        let number = add(element)
        let isVoid = element.isVoid || (scanner.tokenizer.isSelfClosing && (isForeign || isXML))
        if !isVoid { push(number, element) }
    }

    /// Notes an element within one whose content isn't read, so that the end of the outer one is found.
    private mutating func startInert(_ element: HTMLElementName, _ isForeign: Bool) {
        guard element.isInert, !(scanner.tokenizer.isSelfClosing && (isForeign || isXML)) else { return }
        if element == tree.nodes[stack[stack.count - 1]].element { dropped[element, default: 0] += 1 }
    }

    private mutating func add(_ element: HTMLElementName) -> Int {
        let number = tree.nodes.count
        let first = Int32(tree.attributes.count)
        for attribute in scanner.tokenizer.attributes.prefix(Self.maxAttributes) {
            guard let key = PackedName(bytes, attribute.nameRange) else { continue }
            let name = names.name(of: key)
            if name != .other { tree.attributes.append(.init(name: name, value: attribute.valueRange)) }
        }
        tree.nodes.append(
            PageTree.Node(
                element: element,
                parent: Int32(stack[stack.count - 1]),
                end: Int32(number + 1),
                range: scanner.tokenizer.range,
                attributes: first..<Int32(tree.attributes.count)
            )
        )
        tree.nodes[number].traits = PageTraits(of: number, in: tree)
        return number
    }

    private func attribute(_ name: HTMLAttributeName) -> String? {
        guard let range = scanner.tokenizer.value(of: name), range.count <= 8192 else { return nil }
        return HTMLText.attribute(bytes, range).trimmedASCII
    }

    private mutating func noteMeta() {
        guard tree.description.isEmpty, let name = attribute(.name) ?? attribute(.property),
            ["description", "og:description"].contains(name.lowercased())
        else { return }
        tree.description = attribute(.content)?.oneLine(limit: limits.title) ?? ""
    }

    private mutating func push(_ number: Int, _ element: HTMLElementName) {
        guard stack.count < Self.maxDepth else {
            dropped[element, default: 0] += 1
            return
        }
        stack.append(number)
        open[element, default: 0] += 1
        if element.isInert { inert += 1 }
    }

    private mutating func end() {
        let element = scanner.tokenizer.element
        if inert > 0 {
            guard element == tree.nodes[stack[stack.count - 1]].element else { return }
        }
        if let count = dropped[element], count > 0 {
            dropped[element] = count - 1
            return
        }
        if element.isMarkdownHeading {
            if let index = lastOpen(where: \.isMarkdownHeading, within: .block) { closeAll(above: index) }
            return
        }
        guard open[element, default: 0] > 0 else { return }
        let scope: Scope = element.isTablePart ? .table : element.isBlock ? .block : .inline
        if let index = lastOpen(where: { $0 == element }, within: scope, name: scanner.tokenizer.range) {
            closeAll(above: index)
        }
    }

    /// Closes the elements from a place of the stack on.
    private mutating func closeAll(above index: Int) {
        let end = Int32(tree.nodes.count)
        for number in stack[index...] {
            tree.nodes[number].end = end
            let element = tree.nodes[number].element
            if number != 0 { open[element, default: 1] -= 1 }
            if element.isInert { inert -= 1 }
        }
        stack.removeSubrange(index...)
    }

    // MARK: Implied ends

    /// How far an end tag reaches.
    private enum Scope { case inline, block, table, list, definitions }

    /// Returns the place in the stack of the innermost element for which a closure returns true, within a scope.
    private func lastOpen(
        where predicate: (HTMLElementName) -> Bool,
        within scope: Scope,
        name: Range<Int>? = nil
    ) -> Int? {
        var index = stack.count - 1
        while index > 0 {
            let node = tree.nodes[stack[index]]
            if predicate(node.element), node.element != .other || isSame(node.range, name) { return index }
            switch (scope, node.element) {
            case (.table, .table), (.list, .ul), (.list, .ol), (.list, .menu), (.definitions, .dl): return nil
            case (.inline, .td), (.inline, .th), (.inline, .caption), (.block, .td), (.block, .th), (.block, .caption),
                (.list, .td), (.list, .th), (.definitions, .td), (.definitions, .th):
                return nil
            default: break
            }
            index -= 1
        }
        return nil
    }

    private func isSame(_ one: Range<Int>, _ other: Range<Int>?) -> Bool {
        guard let other, one.count == other.count, one.count <= 64 else { return false }
        return zip(one, other).allSatisfy { bytes[$0].lowercased == bytes[$1].lowercased }
    }

    /// Closes the elements whose end tags a start tag implies.
    private mutating func closeImplied(before element: HTMLElementName) {
        if element.endsParagraph, open[.p, default: 0] > 0, let index = lastOpen(where: { $0 == .p }, within: .block) {
            closeAll(above: index)
        }
        switch element {
        case .li: close(within: .list) { $0 == .li }
        case .dt, .dd: close(within: .definitions) { $0 == .dt || $0 == .dd }
        case .tr: close(within: .table) { $0 == .tr || $0 == .caption }
        case .td, .th: close(within: .table) { $0 == .td || $0 == .th }
        case .tbody, .thead, .tfoot: close(within: .table) { [.tbody, .thead, .tfoot, .caption].contains($0) }
        case .a: close(within: .inline) { $0 == .a }
        case .option: close(within: .inline) { $0 == .option }
        default: break
        }
    }

    private mutating func close(within scope: Scope, _ predicate: (HTMLElementName) -> Bool) {
        if let index = lastOpen(where: predicate, within: scope) { closeAll(above: index) }
    }

    // MARK: Text

    private mutating func addText() {
        let tokenizer = scanner.tokenizer
        let parent = stack[stack.count - 1]
        let element = tree.nodes[parent].element
        if element == .title, inert == 1, tree.title.isEmpty {
            let range = tokenizer.range.prefix(4 * limits.title)
            tree.title = HTMLText.string(bytes, range, tokenizer.textModel).oneLine(limit: limits.title)
        }
        guard inert == 0 else { return }
        let number = tree.nodes.count
        tree.nodes.append(
            PageTree.Node(
                element: .other,
                model: tokenizer.textModel,
                parent: Int32(parent),
                end: Int32(number + 1),
                range: tokenizer.range
            )
        )
    }
}

extension HTMLElementName {
    /// True for headings.
    var isMarkdownHeading: Bool { markdownLevel != nil }

    /// The level of a heading; nil for other elements.
    var markdownLevel: Int? {
        switch self {
        case .h1: 1
        case .h2: 2
        case .h3: 3
        case .h4: 4
        case .h5: 5
        case .h6: 6
        default: nil
        }
    }

    /// True if the element has no content and no end tag.
    fileprivate var isVoid: Bool {
        switch self {
        case .area, .base, .br, .col, .embed, .hr, .img, .image, .input, .link, .meta, .source, .track, .wbr: true
        default: false
        }
    }

    /// True if the content isn't shown as text.
    fileprivate var isInert: Bool {
        switch self {
        case .script, .style, .noscript, .template, .iframe, .object, .noembed, .noframes, .select, .textarea, .svg,
            .audio, .video, .title:
            true
        default: false
        }
    }

    fileprivate var isTablePart: Bool {
        switch self {
        case .table, .tbody, .thead, .tfoot, .tr, .td, .th, .caption: true
        default: false
        }
    }

    /// True if the element is a block of its own.
    var isBlock: Bool {
        switch self {
        case .p, .div, .li, .ul, .ol, .dl, .dt, .dd, .table, .tr, .tbody, .thead, .tfoot, .td, .th, .pre, .blockquote,
            .hr, .h1, .h2, .h3, .h4, .h5, .h6, .center, .menu, .listing, .xmp, .plaintext, .main, .article, .nav,
            .aside, .header, .footer, .section, .form, .details, .summary, .figure, .figcaption, .caption, .address,
            .dialog, .fieldset, .hgroup, .legend, .search:
            true
        default: false
        }
    }

    /// True if the element is a part of a text, not a container for such parts.
    var isProse: Bool {
        switch self {
        case .p, .h1, .h2, .h3, .h4, .h5, .h6, .ul, .ol, .dl, .table, .pre, .blockquote: true
        default: false
        }
    }

    /// True if the start tag ends a paragraph; HTML §13.2.6.4.7.
    fileprivate var endsParagraph: Bool {
        switch self {
        case .tr, .td, .th, .tbody, .thead, .tfoot, .caption, .legend: false
        default: isBlock
        }
    }
}
