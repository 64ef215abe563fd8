extension MarkdownWriter {
    /// Writes an element within a line.
    mutating func writeInline(_ number: Int, _ element: HTMLElementName) {
        switch element {
        case .br: if !inline.lineBreak() { endParagraph() }
        case .wbr, .input, .embed, .area: break
        case .img, .image: writeImage(number)
        case .a: writeLink(number)
        case .code, .kbd, .samp, .tt: writeCodeSpan(number)
        case .math: if !writeFormula(number) { writeChildren(of: number) }
        case .strong, .b: write(number, "**", "**")
        case .em, .i, .cite, .dfn, .var: write(number, "*", "*")
        case .del, .s, .strike: write(number, "~~", "~~")
        case .q: write(number, "\"", "\"")
        case .sup: writeRaised(number, "sup")
        case .sub: writeRaised(number, "sub")
        case .annotation, .annotationXML: break
        case .option:
            inline.space()
            writeChildren(of: number)
            inline.space()
        default: writeChildren(of: number)
        }
    }

    private mutating func write(_ number: Int, _ opening: String, _ closing: String) {
        inline.open(opening, closing)
        writeChildren(of: number)
        inline.close()
    }

    /// Writes a superscript or subscript as an element; that of a footnote is a link already.
    private mutating func writeRaised(_ number: Int, _ name: String) {
        guard tree.firstChild(of: number, where: { tree[$0].element == .a }) == nil else {
            return writeChildren(of: number)
        }
        write(number, "<\(name)>", "</\(name)>")
    }

    private mutating func writeCodeSpan(_ number: Int) {
        // A block in it, such as a list, can't be code.
        guard firstBlock(in: number) == nil else { return writeChildren(of: number) }
        if flat == 0, tree.firstChild(of: number, where: { tree[$0].element == .br }) != nil, isAlone(number) {
            return writeCode(number)
        }
        let link = tree.firstChild(of: number) { tree[$0].model == nil && tree[$0].element == .a }
        if let link, link == number + 1, tree[link].end == tree[number].end,
            let address = links.address(tree.value(.href, of: link) ?? "")
        {
            inline.open("[", "](\(address))")
            inline.addCode(limitedCode(of: number))
            return inline.close()
        }
        inline.addCode(limitedCode(of: number))
    }

    private func isAlone(_ number: Int) -> Bool {
        let parent = Int(tree[number].parent)
        return parent == number - 1 && tree[parent].end == tree[number].end
    }

    /// Returns the first block within an element.
    private func firstBlock(in number: Int) -> Int? {
        var child = number + 1
        while child < Int(tree[number].end) {
            if content.isLeftOut[child] {
                child = Int(tree[child].end)
                continue
            }
            if tree[child].model == nil, tree[child].element.isBlock { return child }
            child += 1
        }
        return nil
    }

    // MARK: Links and images

    private mutating func writeLink(_ number: Int) {
        guard let href = tree.value(.href, of: number), let address = links.address(href),
            !(flat > 0 && href.hasPrefix("#") && isInHeading(number))
        else { return writeChildren(of: number) }
        let hasBlocks = flat == 0 && firstBlock(in: number) != nil
        if hasBlocks {
            endParagraph()
            flat += 1
        }
        inline.open("[", "](\(address))")
        writeChildren(of: number)
        inline.close()
        if hasBlocks {
            flat -= 1
            endParagraph()
        }
    }

    private func isInHeading(_ number: Int) -> Bool {
        var parent = Int(tree[number].parent)
        for _ in 0..<4 where parent != 0 {
            if tree[parent].element.isMarkdownHeading || tree[parent].element == .dt { return true }
            parent = Int(tree[parent].parent)
        }
        return false
    }

    private mutating func writeImage(_ number: Int) {
        let alt = tree.value(.alt, of: number, limit: 4096) ?? ""
        var source = tree.value(.src, of: number) ?? ""
        if source.isEmpty || source.lowercased().hasPrefix("data:") {
            source = tree.value(.dataSrc, of: number) ?? (tree.has(.src, number) ? "data:" : "")
        }
        // An image without a text is an ornament (HTML §4.8.4.4.3).
        guard !source.isEmpty, !alt.isEmpty || !tree.has(.alt, number) else { return }
        var text = MarkdownInline(inline.place == .cell ? .cell : .line)
        text.open("[", "")
        text.add(Array(alt.oneLine(limit: limits.title).utf8))
        let address = links.address(source, isImage: true) ?? ""
        guard !address.isEmpty || !alt.isEmpty else { return }
        text.close()
        let label = text.take()
        inline.addMarkup(Array("!".utf8) + (label.isEmpty ? [0x5B] : label) + Array("](\(address))".utf8))
    }
}
