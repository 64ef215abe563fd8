extension MarkdownWriter {
    /// Writes a block of code, byte for byte.
    mutating func writeCode(_ number: Int) {
        endParagraph()
        guard !tree[number].traits.contains(.lineNumbers) else { return }
        var text = limitedCode(of: number)
        if tree[number].element == .pre || tree[number].element == .listing, text.first == 0x0A { text.removeFirst() }
        if text.last == 0x0A { text.removeLast() }
        guard text.contains(where: { !$0.isSpace }) else { return }
        writeFenced(text, language(of: number))
    }

    /// Writes a text as a block of code in a language.
    mutating func writeFenced(_ text: [UInt8], _ language: String) {
        guard !lines.isFull else {
            isCut = true
            return
        }
        let fence = [UInt8](repeating: 0x60, count: max(3, MarkdownInline.longestRun(of: 0x60, in: text) + 1))
        lines.begin(isTight: isTight)
        isTight = false
        lines.add(fence + Array(language.utf8))
        for line in LineSequence(text) where !lines.isTruncated { lines.addVerbatim(line) }
        lines.add(fence, isLast: true)
        lines.end()
    }

    /// Returns the text of code, up to the limit.
    mutating func limitedCode(of number: Int) -> [UInt8] {
        var text = code(of: number)
        var end = max(0, limits.markdown - lines.position - inline.text.count)
        guard end < text.count else { return text }
        // A character isn't cut.
        while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
        text.removeSubrange(end...)
        isCut = true
        return text
    }

    /// Returns the text of code without its line numbers and buttons.
    func code(of number: Int) -> [UInt8] {
        var text: [UInt8] = []
        var child = number + 1
        let end = Int(tree[number].end)
        // The ends of the lines that are elements, innermost last.
        var ends: [Int] = []
        while child <= end {
            while let last = ends.last, last <= child {
                ends.removeLast()
                if text.last != 0x0A, child < end { text.append(0x0A) }
            }
            guard child < end else { break }
            let node = tree[child]
            if let model = node.model {
                if isBetweenLines(child) {
                    child += 1
                    continue
                }
                appendCode(node.range, model, to: &text)
            } else if isNoCode(child) {
                child = Int(node.end)
                continue
            } else if node.element == .br {
                text.append(0x0A)
            } else if isLine(node.element) {
                if !text.isEmpty, text.last != 0x0A { text.append(0x0A) }
                ends.append(Int(node.end))
            }
            child += 1
        }
        return text
    }

    private func appendCode(_ range: Range<Int>, _ model: HTMLTokenizer.ContentModel, to text: inout [UInt8]) {
        let start = text.count
        HTMLText.append(tree.bytes, range, model, to: &text)
        guard text[start...].contains(where: { $0 == 0 || $0 == 0x0D }) else { return }
        let part = Array(text[start...])
        text.removeSubrange(start...)
        for (index, byte) in part.enumerated() where byte != 0 {
            // A carriage return, which only a reference can mean, would end a line of Markdown, too.
            if byte == 0x0D, index + 1 < part.count, part[index + 1] == 0x0A { continue }
            text.append(byte == 0x0D ? 0x0A : byte)
        }
    }

    /// Returns true for white space between lines that are elements, as Doxygen writes them.
    private func isBetweenLines(_ number: Int) -> Bool {
        let parent = tree[Int(tree[number].parent)]
        return parent.traits.contains(.fragment) && tree.bytes.slice(tree[number].range).allSatisfy(\.isSpace)
    }

    private func isNoCode(_ number: Int) -> Bool {
        let node = tree[number]
        if content.isLeftOut[number] || node.traits.contains(.lineNumbers) { return true }
        return node.element == .button
    }

    private func isLine(_ element: HTMLElementName) -> Bool {
        switch element {
        case .div, .p, .li, .tr: true
        default: false
        }
    }

    // MARK: Language

    /// Returns the language of code: by a class or an attribute of it, of the element in it, or of one around it; empty if none
    /// is known.
    private func language(of number: Int) -> String {
        var nodes = [number]
        if let inner = tree.firstChild(of: number, where: { tree[$0].element == .code }) { nodes.append(inner) }
        var parent = Int(tree[number].parent)
        for _ in 0..<3 where parent != 0 && parent != content.root {
            nodes.append(parent)
            parent = Int(tree[parent].parent)
        }
        for node in nodes {
            if let language = language(named: node), !language.isEmpty { return Self.known[language] ?? language }
        }
        return ""
    }

    private func language(named node: Int) -> String? {
        for name in [PageAttribute.dataLanguage, .dataLang] {
            if let value = tree.value(name, of: node, limit: 64), let language = Self.language(value[...]) {
                return language
            }
        }
        let words = tree.words(.class, of: node)
        for word in words {
            for prefix in ["language-", "highlight-source-", "highlight-", "lang-", "brush:", "src-"]
            where word.hasPrefix(prefix) {
                if let language = Self.language(word.dropFirst(prefix.count)) { return language }
            }
        }
        guard let mark = words.first(where: { Self.marks.contains(String($0)) }) else {
            return words.contains("rust") ? "rust" : nil
        }
        return words.first { $0 != mark && !Self.noLanguages.contains(String($0)) }.flatMap { Self.language($0) }
    }

    private static func language(_ name: Substring) -> String? {
        guard (1...32).contains(name.utf8.count),
            name.utf8.allSatisfy({ $0.isLetter || $0.isDigit || "+#._-".utf8.contains($0) })
        else { return nil }
        return name.lowercased()
    }

    /// The classes beside which that of a language is.
    private static let marks: Set<String> = ["hljs", "sourceCode", "src", "prettyprint", "brush:", "codehilite"]
    private static let noLanguages: Set<String> = [
        "numberSource", "copyable", "undefined", "editable", "ignore", "should_panic", "no_run", "notranslate",
        "numberLines",
        "linenums", "focus", "line-numbers", "highlight", "code", "literal-block", "hljs", "prettyprinted",
    ]
    /// What generators call languages, or their lack.
    private static let known: [String: String] = [
        "python3": "python", "ipython3": "python", "ipython": "python", "default": "", "none": "", "plaintext": "",
        "text": "", "undefined": "", "source": "", "nohighlight": "", "fallback": "", "txt": "", "plain": "",
        "literal": "", "block": "",
    ]
}
