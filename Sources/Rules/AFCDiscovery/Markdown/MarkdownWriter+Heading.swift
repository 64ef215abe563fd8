extension MarkdownWriter {
    mutating func writeHeading(_ number: Int, level: Int) {
        let isCode = tree[number].traits.contains(.signature)
        var text: [UInt8]
        if isCode {
            var span = MarkdownInline(.line)
            span.addCode(limitedCode(of: number))
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
    mutating func note(_ number: Int, level: Int) {
        guard outline.count < limits.headings else { return }
        let text = plainText(of: number)
        guard !text.isEmpty else { return }
        lines.begin(isTight: isTight)
        outline.append(.init(level: level, text: text, offset: lines.position, anchor: anchor(of: number)))
    }

    /// Returns the id by which links refer to a heading: its own, that of an anchor in it, or of the section that it begins.
    private mutating func anchor(of number: Int) -> String? {
        if let id = tree.value(.id, of: number, limit: 512), !id.isEmpty { return id }
        let inner = tree.firstChild(of: number) { tree.has(.id, $0) || tree[$0].element == .a && tree.has(.name, $0) }
        if let inner { return tree.value(.id, of: inner, limit: 512) ?? tree.value(.name, of: inner, limit: 512) }
        var (child, parent) = (number, Int(tree[number].parent))
        for _ in 0..<3 where parent != 0 {
            guard firstChild(of: parent) == child else { return nil }
            if let id = tree.value(.id, of: parent, limit: 512), !id.isEmpty { return id }
            (child, parent) = (parent, Int(tree[parent].parent))
        }
        return nil
    }

    /// Returns the first child of a node that isn't a text or a `span`; each node's children are looked at once.
    private mutating func firstChild(of node: Int) -> Int {
        if let known = firstChildren[node] { return known }
        let first = tree.firstChild(of: node) { tree[$0].model == nil && tree[$0].element != .span } ?? 0
        firstChildren[node] = first
        return first
    }
}
