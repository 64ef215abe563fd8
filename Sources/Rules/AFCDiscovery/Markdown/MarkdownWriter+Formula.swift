extension MarkdownWriter {
    /// The most bytes of a formula.
    private static let maxFormula = 1 << 16

    /// Writes a formula as TeX; returns false if none is found.
    mutating func writeFormula(_ number: Int) -> Bool {
        let node = tree[number]
        let isDisplayed = node.traits.contains(.displayed) || node.element == .div
        guard var tex = tex(of: number), !tex.isEmpty else {
            if node.element == .math { inline.add(Array(plainText(of: number).utf8)) }
            return node.element == .math
        }
        var displays = isDisplayed
        for (opening, closing, isBlock) in [("\\(", "\\)", false), ("\\[", "\\]", true), ("$$", "$$", true)]
        where tex.hasPrefix(opening) && tex.hasSuffix(closing) && tex.utf8.count >= 4 {
            tex = String(tex.dropFirst(2).dropLast(2)).trimmedASCII
            displays = isBlock
        }
        if tex.utf8.count > Self.maxFormula {
            tex = String(tex.unicodeScalars.prefix(Self.maxFormula / 4))
            isCut = true
        }
        if flat > 0 || !displays {
            addFormula(Array(tex.oneLine(limit: Self.maxFormula).utf8))
        } else {
            endParagraph()
            // Any of the line ends of HTML is one in Markdown, too.
            writeDisplayed(tex.utf8.map { $0 == 0x0D ? 0x0A : $0 })
        }
        return true
    }

    /// Adds a formula to a line, or its TeX as code if the formula could end early.
    private mutating func addFormula(_ tex: [UInt8]) {
        guard !tex.isEmpty else { return }
        let hasBrackets = tex.contains(UInt8(ascii: "[")) || tex.contains(UInt8(ascii: "]"))
        var text: [UInt8]? = Self.isOpenEnded(tex) || inline.isInLink && hasBrackets ? nil : Self.inert(tex)
        if inline.place == .cell { text = text.flatMap(Self.withoutPipes) }
        guard let text else { return inline.addCode(tex) }
        inline.addMarkup([0x24] + text + [0x24])
    }

    /// Writes a formula as a block.
    private mutating func writeDisplayed(_ tex: [UInt8]) {
        guard !Self.isOpenEnded(tex) else { return writeFenced(tex, "math") }
        guard !lines.isFull else {
            isCut = true
            return
        }
        lines.begin(isTight: isTight)
        isTight = false
        lines.add("$$".utf8)
        for line in LineSequence(Self.inert(tex)) where !lines.isTruncated {
            let line = line.drop(while: \.isSpace)
            // An empty line would end the paragraph.
            guard !line.isEmpty else { continue }
            // A line that is indented this far goes on with a paragraph (CommonMark §4.8).
            let isMarked =
                MarkdownInline.meaningfulStart(of: line) != nil || [0x5F, 0x7E].contains(line.first)
            lines.add((isMarked ? Array("    ".utf8) : []) + line)
        }
        lines.add("$$".utf8, isLast: true)
        lines.end()
    }

    /// Returns true if something in TeX ends a formula, or begins code that goes on after it.
    private static func isOpenEnded(_ tex: [UInt8]) -> Bool {
        var isEscaped = false
        for byte in tex {
            if byte == 0x60 || byte == 0x24 && !isEscaped { return true }
            isEscaped = byte == 0x5C && !isEscaped
        }
        return isEscaped
    }

    /// Returns TeX in which Markdown finds no element and no link; spaces have no meaning in TeX.
    private static func inert(_ tex: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        for byte in tex {
            let isTag = byte.isLetter || [0x2F, 0x21, 0x3F].contains(byte)
            if text.last == UInt8(ascii: "<") && isTag || text.last == UInt8(ascii: "]") && byte == UInt8(ascii: "(") {
                text.append(0x20)
            }
            text.append(byte)
        }
        return text
    }

    /// Returns TeX without the mark between the cells of a table; nil where it may have another meaning than a bar.
    private static func withoutPipes(_ tex: [UInt8]) -> [UInt8]? {
        guard tex.contains(UInt8(ascii: "|")) else { return tex }
        let text = String(decoding: tex, as: UTF8.self)
        guard !text.contains("\\begin"), !text.contains("\\text") else { return nil }
        var result: [UInt8] = []
        var isEscaped = false
        for (index, byte) in tex.enumerated() {
            if byte == UInt8(ascii: "|") {
                if isEscaped { result.removeLast() }
                result += Array((isEscaped ? "\\Vert" : "\\vert").utf8)
                if index + 1 < tex.count, tex[index + 1].isLetter { result.append(0x20) }
            } else {
                result.append(byte)
            }
            isEscaped = byte == 0x5C && !isEscaped
        }
        return result
    }

    /// Returns the TeX of a formula: of its annotation, its attribute, or its text within delimiters; nil if there is none.
    private func tex(of number: Int) -> String? {
        if tree[number].element == .math, let text = tree.value(.alttext, of: number) { return text }
        for child in number..<Int(tree[number].end) {
            if tree[child].element == .annotation, let encoding = tree.value(.encoding, of: child),
                encoding.lowercased().contains("tex")
            {
                return rawText(of: child).trimmedASCII
            }
            if tree[child].element == .math, let text = tree.value(.alttext, of: child) { return text }
        }
        guard tree[number].traits.contains(.math) else { return nil }
        let text = rawText(of: number).trimmedASCII
        return text.hasPrefix("\\(") || text.hasPrefix("\\[") || text.hasPrefix("$$") ? text : nil
    }

    private func rawText(of number: Int) -> String {
        var text: [UInt8] = []
        for child in number + 1..<max(number + 1, Int(tree[number].end)) {
            if let model = tree[child].model { HTMLText.append(tree.bytes, tree[child].range, model, to: &text) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
