extension MarkdownWriter {
    mutating func writeList(_ number: Int, isOrdered: Bool) {
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
    mutating func writeDefinitions(_ number: Int) {
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
            span.addCode(limitedCode(of: number))
            text = span.take()
        } else {
            text = line(of: number)
            if text.first != UInt8(ascii: "`") { text = Self.bold(text) }
        }
        guard !text.isEmpty else { return }
        if tree.has(.id, number) { note(number, level: min(max(level, 1) + definitions, 9)) }
        writeLines([text])
    }
}
