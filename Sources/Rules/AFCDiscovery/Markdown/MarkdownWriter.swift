internal import AFCURL

/// Writes the content of a page as Markdown, block by block.
struct MarkdownWriter {
    let tree: PageTree
    let content: MainContent
    let limits: PageMarkdown.Limits
    let links: MarkdownLinks

    var lines: MarkdownLines
    var inline = MarkdownInline(.paragraph)
    var outline: [PageMarkdown.Heading] = []
    /// True if the limit has cut a text.
    var isCut = false
    /// The beginning of the first paragraph of more than a few words.
    private(set) var summary = ""
    /// The number of elements around the current one whose blocks are written in one line.
    var flat = 0
    /// True if the next block follows the one before without an empty line.
    var isTight = false
    /// The level of the last heading.
    var level = 0
    /// The first child of a node that isn't a text or a `span`, by node.
    var firstChildren: [Int: Int] = [:]
    /// The number of lists of definitions around the current node.
    var definitions = 0
    /// The labels of tabs whose panels follow, the first one last.
    var labels: [[String]] = []

    init(_ tree: PageTree, _ content: MainContent, _ links: MarkdownLinks, _ limits: PageMarkdown.Limits) {
        (self.tree, self.content, self.links, self.limits) = (tree, content, links, limits)
        lines = MarkdownLines(limit: limits.markdown)
    }

    /// True if the limits left out a part of the text.
    var isTruncated: Bool { isCut || lines.isTruncated }

    /// Writes the content.
    mutating func write() {
        let root = tree[content.root]
        if root.element.markdownLevel == nil, root.traits.isDisjoint(with: [.formula, .math]) {
            writeChildren(of: content.root)
        } else {
            visit(content.root)
        }
        endParagraph()
    }

    // MARK: Nodes

    mutating func writeChildren(of node: Int) {
        var child = node + 1
        let end = Int(tree[node].end)
        while child < end {
            visit(child)
            child = Int(tree[child].end)
        }
    }

    mutating func visit(_ number: Int) {
        guard !content.isLeftOut[number] else { return }
        guard lines.position + inline.text.count < limits.markdown else {
            isCut = true
            return
        }
        let node = tree[number]
        if let model = node.model {
            var text: [UInt8] = []
            HTMLText.append(tree.bytes, node.range, model, to: &text)
            if !inline.add(text, limit: limits.markdown - lines.position) { isCut = true }
            return
        }
        if !node.traits.isEmpty, writeByTraits(number, node.traits) { return }
        if node.element.isBlock { writeBlock(number, node.element) } else { writeInline(number, node.element) }
    }

    /// Writes an element that its classes describe; returns false for others.
    private mutating func writeByTraits(_ number: Int, _ traits: PageTraits) -> Bool {
        if traits.contains(.formula) || traits.contains(.math) { return writeFormula(number) }
        if traits.contains(.tabList) {
            noteTabs(number)
            return true
        }
        if flat > 0 { return false }
        if traits.contains(.codeGroup) {
            writeCodeGroup(number)
        } else if traits.contains(.fragment), tree[number].element == .div {
            writeCode(number)
        } else if traits.contains(.signature), tree[number].element == .div {
            endParagraph()
            inline.addCode(limitedCode(of: number))
            endParagraph()
        } else if traits.contains(.admonitionTitle) {
            writeBold(number)
        } else if traits.contains(.admonition), tree[number].element.isBlock {
            writeQuote(number)
        } else if traits.contains(.tabPanel) {
            endParagraph()
            writeLabel()
            writeChildren(of: number)
            endParagraph()
        } else {
            return false
        }
        return true
    }

    private mutating func writeBlock(_ number: Int, _ element: HTMLElementName) {
        guard flat == 0 else { return writeFlat(number, element) }
        endParagraph()
        switch element {
        case .h1, .h2, .h3, .h4, .h5, .h6: writeHeading(number, level: element.markdownLevel ?? 6)
        case .ul, .ol, .menu: writeList(number, isOrdered: element == .ol)
        case .dl: writeDefinitions(number)
        case .pre, .listing, .xmp, .plaintext: writeCode(number)
        case .table: writeTable(number)
        case .blockquote: writeQuote(number)
        case .hr:
            if lines.position > 0, !lines.isAtMarker { writeLines([Array("---".utf8)]) }
        case .summary where tree[Int(tree[number].parent)].element == .details: writeSummary(number)
        case .legend: writeSummary(number)
        case .aside where tree[number].traits.isEmpty: writeQuote(number)
        case .div where tree[number].traits.contains(.lineBlock): writeLineBlock(number)
        default:
            if element == .p, summary.isEmpty { noteSummary(number) }
            writeChildren(of: number)
        }
        endParagraph()
    }

    private mutating func noteSummary(_ number: Int) {
        let text = plainText(of: number)
        guard text.utf8.count >= 40 else { return }
        let cut = text.oneLine(limit: 200)
        summary = cut == text ? text : cut + " …"
    }

    /// Writes a block in the line of another one.
    private mutating func writeFlat(_ number: Int, _ element: HTMLElementName) {
        let isSeparate = inline.place == .cell && (element == .li || element == .p || element == .pre || element == .dt)
        if isSeparate, !inline.isEmpty { _ = inline.lineBreak() } else { inline.space() }
        switch element {
        case .pre, .listing: inline.addCode(limitedCode(of: number))
        default: writeChildren(of: number)
        }
        inline.space()
    }

    // MARK: Paragraphs

    /// Writes the text that waits as a paragraph.
    mutating func endParagraph() {
        guard flat == 0, !inline.isEmpty else { return }
        let text = inline.take()
        guard !text.isEmpty else { return }
        lines.begin(isTight: isTight)
        isTight = false
        for line in LineSequence(text) where !line.isEmpty && !lines.isTruncated {
            lines.add(MarkdownInline.escapingStart(line))
        }
        lines.end()
    }

    /// Writes the lines of a block.
    mutating func writeLines(_ block: [[UInt8]]) {
        lines.begin(isTight: isTight)
        isTight = false
        for line in block { lines.add(line) }
        lines.end()
    }

    /// Returns the text of an element in one line.
    mutating func line(of number: Int, _ place: MarkdownInline.Place = .line) -> [UInt8] {
        let outer = inline
        inline = MarkdownInline(place)
        flat += 1
        writeChildren(of: number)
        let text = inline.take()
        flat -= 1
        inline = outer
        return text
    }

    /// Returns the text of an element without Markdown, in one line.
    func plainText(of number: Int) -> String {
        var text: [UInt8] = []
        var child = number + 1
        let end = Int(tree[number].end)
        while child < end, text.count < 4 * limits.title {
            guard !content.isLeftOut[child] else {
                child = Int(tree[child].end)
                continue
            }
            if let model = tree[child].model {
                HTMLText.append(tree.bytes, tree[child].range.prefix(64 * limits.title), model, to: &text)
            } else if tree[child].element.isBlock || tree[child].element == .br {
                text.append(0x20)
            }
            child += 1
        }
        return String(decoding: text, as: UTF8.self).oneLine(limit: limits.title)
    }

    private mutating func writeBold(_ number: Int) {
        endParagraph()
        let text = line(of: number)
        guard !text.isEmpty else { return }
        writeLines([Self.bold(text)])
    }

    /// Returns a line as bold text unless there is emphasis in it.
    static func bold(_ line: [UInt8]) -> [UInt8] {
        let ends = [MarkdownCharacter(in: line, at: 0), MarkdownCharacter(in: line, before: line.count)]
        guard !line.contains(UInt8(ascii: "*")), !ends.contains(.space) else {
            return MarkdownInline.escapingStart(line[...])
        }
        // Some readers look for white space behind a tilde.
        let isTilde = line[0] == UInt8(ascii: "~") && line.count > 1 && line[1] != line[0]
        return Array((isTilde ? "**\\" : "**").utf8) + line + Array("**".utf8)
    }

    private mutating func writeSummary(_ number: Int) {
        let hasBlocks = (number + 1..<max(number + 1, Int(tree[number].end))).contains { child in
            tree[child].model == nil && tree[child].element.isBlock && tree[child].element != .p
                && tree[child].element != .div
        }
        if hasBlocks { writeChildren(of: number) } else { writeBold(number) }
    }

    private mutating func writeQuote(_ number: Int) {
        endParagraph()
        lines.open("> ", indent: "> ")
        writeChildren(of: number)
        endParagraph()
        lines.close()
    }

    private mutating func writeLineBlock(_ number: Int) {
        var child = number + 1
        let end = Int(tree[number].end)
        while child < end {
            if !inline.isEmpty, tree[child].model == nil { _ = inline.lineBreak() }
            flat += 1
            visit(child)
            flat -= 1
            child = Int(tree[child].end)
        }
    }
}
