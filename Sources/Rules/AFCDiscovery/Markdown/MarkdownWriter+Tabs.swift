extension MarkdownWriter {
    /// Notes the labels of a set of tabs.
    mutating func noteTabs(_ number: Int) {
        if tree[number].element == .label { return labels.append([plainText(of: number)]) }
        var found: [String] = []
        tree.forEachChild(of: number) { child in
            if tree[child].model == nil, tree[child].element != .input { found.append(plainText(of: child)) }
        }
        labels.append(found.reversed())
    }

    /// Writes the label of the next panel.
    mutating func writeLabel() {
        while let last = labels.last, last.isEmpty { labels.removeLast() }
        guard !labels.isEmpty, let label = labels[labels.count - 1].popLast(), !label.isEmpty else { return }
        inline.open("**", "**")
        inline.add(Array(label.utf8))
        inline.close()
        endParagraph()
    }

    /// Writes several pieces of code, each below its label.
    mutating func writeCodeGroup(_ number: Int) {
        endParagraph()
        var parts: [Int] = []
        tree.forEachChild(of: number) { if tree[$0].model == nil { parts.append($0) } }
        guard parts.count == 2 else { return writeChildren(of: number) }
        var found: [String] = []
        tree.forEachChild(of: parts[0]) { if tree[$0].element == .label { found.append(plainText(of: $0)) } }
        labels.append(found.reversed())
        var panel = parts[1] + 1
        while panel < Int(tree[parts[1]].end) {
            if tree[panel].model == nil {
                writeLabel()
                visit(panel)
                endParagraph()
            }
            panel = Int(tree[panel].end)
        }
    }
}
