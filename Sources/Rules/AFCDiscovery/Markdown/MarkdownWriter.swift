internal import AFCURL

/// Writes the content of a page as Markdown, block by block.
struct MarkdownWriter {
    let tree: PageTree
    let content: MainContent
    let limits: PageMarkdown.Limits
    let links: MarkdownLinks

    var lines = MarkdownLines()
    var inline = MarkdownInline(.paragraph)
    var outline: [PageMarkdown.Heading] = []
    private(set) var isTruncated = false
    /// The beginning of the first paragraph of more than a few words.
    private(set) var summary = ""
    /// The number of elements around the current one whose blocks are written in one line.
    var flat = 0
    /// True if the next block follows the one before without an empty line.
    var isTight = false
    /// The level of the last heading.
    private var level = 0
    /// The number of lists of definitions around the current node.
    private var definitions = 0
    /// The labels of tabs whose panels follow, the first one last.
    var labels: [[String]] = []

    init(_ tree: PageTree, _ content: MainContent, _ links: MarkdownLinks, _ limits: PageMarkdown.Limits) {
        (self.tree, self.content, self.links, self.limits) = (tree, content, links, limits)
    }

    /// Writes the content.
    mutating func write() {
        if content.root == 0 || tree[content.root].element.markdownLevel == nil {
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
        guard lines.position + inline.text.count < limits.markdown else {
            isTruncated = true
            return
        }
        guard !content.isLeftOut[number] else { return }
        let node = tree[number]
        if let model = node.model {
            var text: [UInt8] = []
            HTMLText.append(tree.bytes, node.range, model, to: &text)
            return inline.add(text)
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
            inline.addCode(code(of: number))
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
        case .summary, .legend: writeSummary(number)
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
        case .pre, .listing: inline.addCode(code(of: number))
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
        writeLines(text.split(separator: 0x0A, omittingEmptySubsequences: true).map(MarkdownInline.escapingStart))
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
                HTMLText.append(tree.bytes, tree[child].range, model, to: &text)
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
        let isMarked = text.contains(UInt8(ascii: "*"))
        writeLines([isMarked ? text : Array("**".utf8) + text + Array("**".utf8)])
    }

    private mutating func writeSummary(_ number: Int) {
        let hasBlocks = tree.firstChild(of: number) { child in
            tree[child].element.isBlock && tree[child].element != .p && tree[child].element != .div
        }
        if hasBlocks == nil { writeBold(number) } else { writeChildren(of: number) }
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

    // MARK: Headings

    private mutating func writeHeading(_ number: Int, level: Int) {
        let isCode = tree[number].traits.contains(.signature)
        var text: [UInt8]
        if isCode {
            var span = MarkdownInline(.line)
            span.addCode(code(of: number))
            text = span.take()
        } else {
            text = line(of: number)
        }
        guard !text.isEmpty else { return }
        if text.last == UInt8(ascii: "#") { text.insert(0x5C, at: text.count - 1) }
        self.level = level
        note(number, level: level)
        writeLines([[UInt8](repeating: UInt8(ascii: "#"), count: level) + [0x20] + text])
    }

    /// Notes a heading or a term, whose line is the next one.
    private mutating func note(_ number: Int, level: Int) {
        guard outline.count < limits.headings else {
            isTruncated = true
            return
        }
        let text = plainText(of: number)
        guard !text.isEmpty else { return }
        lines.begin(isTight: isTight)
        outline.append(.init(level: level, text: text, offset: lines.position, anchor: anchor(of: number)))
    }

    /// Returns the id by which links refer to a heading: its own, that of an anchor in it, or of the section that it begins.
    private func anchor(of number: Int) -> String? {
        if let id = tree.value(.id, of: number, limit: 512), !id.isEmpty { return id }
        let inner = tree.firstChild(of: number) { tree.has(.id, $0) || tree[$0].element == .a && tree.has(.name, $0) }
        if let inner { return tree.value(.id, of: inner, limit: 512) ?? tree.value(.name, of: inner, limit: 512) }
        var (child, parent) = (number, Int(tree[number].parent))
        for _ in 0..<3 where parent != 0 {
            let first = tree.firstChild(of: parent) { tree[$0].model == nil && tree[$0].element != .span }
            guard first == child else { return nil }
            if let id = tree.value(.id, of: parent, limit: 512), !id.isEmpty { return id }
            (child, parent) = (parent, Int(tree[parent].parent))
        }
        return nil
    }

    // MARK: Lists

    private mutating func writeList(_ number: Int, isOrdered: Bool) {
        let tight = isTightList(number)
        var next = isOrdered ? tree.value(.start, of: number, limit: 16).flatMap { Int($0) } ?? 1 : 0
        var isFirst = true
        var child = number + 1
        let end = Int(tree[number].end)
        while child < end {
            if tree[child].element == .li, !content.isLeftOut[child] {
                next = tree.value(.value, of: child, limit: 16).flatMap { Int($0) } ?? next
                // A list that begins with another number doesn't interrupt a paragraph.
                isTight = tight && (!isFirst || lines.isAtMarker || definitions == 0 && isNested(number))
                if isOrdered, isFirst, next != 1 { isTight = false }
                let mark = isOrdered ? "\(min(max(next, 0), 999_999_999)). " : "- "
                writeItem(child, mark)
                (isFirst, next) = (false, next &+ 1)
            } else {
                visit(child)
                endParagraph()
            }
            child = Int(tree[child].end)
        }
    }

    private mutating func writeItem(_ number: Int, _ mark: String) {
        lines.open(mark, indent: String(repeating: " ", count: mark.utf8.count))
        writeChildren(of: number)
        endParagraph()
        lines.close()
        isTight = false
    }

    private func isNested(_ list: Int) -> Bool { tree[Int(tree[list].parent)].element == .li }

    /// Returns true if no item of a list has more than one block besides lists.
    private func isTightList(_ number: Int) -> Bool {
        tree.firstChild(of: number) { item in
            var blocks = 0
            tree.forEachChild(of: item) { child in
                let element = tree[child].element
                let isList = element == .ul || element == .ol || element == .menu
                if element.isBlock, !isList { blocks += element == .p || element == .div ? 1 : 2 }
            }
            return blocks > 1
        } == nil
    }

    /// Writes a list of definitions as a list of terms, each with its definition.
    private mutating func writeDefinitions(_ number: Int) {
        definitions += 1
        var isOpen = false
        writeDefinitions(in: number, &isOpen)
        if isOpen { lines.close() }
        definitions -= 1
    }

    private mutating func writeDefinitions(in number: Int, _ isOpen: inout Bool) {
        var child = number + 1
        let end = Int(tree[number].end)
        while child < end {
            let element = tree[child].element
            if content.isLeftOut[child] {
                // Nothing of it is shown.
            } else if element == .dt {
                if isOpen { lines.close() }
                lines.open("- ", indent: "  ")
                isOpen = true
                writeTerm(child)
            } else if element == .dd {
                if !isOpen { lines.open("- ", indent: "  ") }
                isOpen = true
                writeChildren(of: child)
                endParagraph()
            } else if element == .div, number != child {
                writeDefinitions(in: child, &isOpen)
            } else {
                visit(child)
                endParagraph()
            }
            child = Int(tree[child].end)
        }
    }

    private mutating func writeTerm(_ number: Int) {
        var text: [UInt8]
        if tree[number].traits.contains(.signature) {
            var span = MarkdownInline(.line)
            span.addCode(code(of: number))
            text = span.take()
        } else {
            text = line(of: number)
            if !text.isEmpty, !text.contains(UInt8(ascii: "*")), text.first != UInt8(ascii: "`") {
                text = Array("**".utf8) + text + Array("**".utf8)
            }
        }
        guard !text.isEmpty else { return }
        if tree.has(.id, number) { note(number, level: min(max(level, 1) + definitions, 9)) }
        writeLines([text])
    }
}
