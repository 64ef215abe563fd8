extension HTMLTokenizer {
    /// The markup declaration open state; nil where a CDATA section is empty.
    mutating func markupDeclaration(at start: Int) -> Token? {
        let index = start + 2
        if bytes.hasPrefix("--", at: index) { return comment(at: start) }
        if bytes.hasPrefix("doctype", at: index) { return isXML ? xmlDoctype(at: start) : doctype(at: start) }
        let isSection = bytes.hasPrefix("[cdata[", at: index) && bytes.string(index..<index + 7) == "[CDATA["
        guard isSection, allowsCDATA else { return bogusComment(at: start, dataStart: index) }
        contentModel = .cdata
        position = index + 7
        return nextInCDATA()
    }

    /// A comment that isn't one to the standard: it ends at the next `>`.
    mutating func bogusComment(at start: Int, dataStart: Int) -> Token {
        let end = bytes.find(UInt8(ascii: ">"), from: dataStart)
        tokenStart = start
        range = dataStart..<end
        position = min(end + 1, bytes.count)
        return .comment
    }

    /// The comment states.
    ///
    /// Hyphens that may belong to the end aren't data, also where the input ends with them.
    private mutating func comment(at start: Int) -> Token {
        let dataStart = start + 4
        if bytes.at(dataStart) == UInt8(ascii: ">") {
            return comment(start, dataStart..<dataStart, then: dataStart + 1)
        }
        if bytes.hasPrefix("->", at: dataStart) { return comment(start, dataStart..<dataStart, then: dataStart + 2) }
        var index = dataStart
        while true {
            index = bytes.find(UInt8(ascii: "-"), from: index)
            let first = index
            guard let after = bytes.at(index + 1) else { return comment(start, dataStart..<index, then: bytes.count) }
            guard after == UInt8(ascii: "-") else {
                index += 1
                continue
            }
            while bytes.at(index) == UInt8(ascii: "-") { index += 1 }
            let end = max(first, index - 2)
            guard let closing = bytes.at(index) else { return comment(start, dataStart..<end, then: index) }
            if closing == UInt8(ascii: ">") { return comment(start, dataStart..<end, then: index + 1) }
            guard closing == UInt8(ascii: "!") else { continue }
            guard let last = bytes.at(index + 1) else { return comment(start, dataStart..<end, then: index + 1) }
            if last == UInt8(ascii: ">") { return comment(start, dataStart..<end, then: index + 2) }
            index += 1
        }
    }

    private mutating func comment(_ start: Int, _ data: Range<Int>, then next: Int) -> Token {
        tokenStart = start
        range = data
        position = next
        return .comment
    }

    /// The DOCTYPE states: whatever is in it, it ends at the next `>`.
    ///
    /// `HTMLDoctype` reads the parts.
    private mutating func doctype(at start: Int) -> Token {
        let end = bytes.find(UInt8(ascii: ">"), from: start + 9)
        tokenStart = start
        range = start + 9..<end
        position = min(end + 1, bytes.count)
        return .doctype
    }

    /// The CDATA section states; nil at the end, and after an empty section.
    mutating func nextInCDATA() -> Token? {
        var index = position
        while true {
            index = bytes.find(UInt8(ascii: "]"), from: index)
            guard index < bytes.count else { return text(to: bytes.count, then: bytes.count) }
            if bytes.hasPrefix("]]>", at: index) {
                let token = text(to: index, then: index + 3)
                contentModel = .data
                return token
            }
            index += 1
        }
    }

    // MARK: XML

    /// A processing instruction, which a `>` alone doesn't end; it comes as a comment that begins with `?`.
    mutating func instruction(at start: Int) -> Token {
        var index = start + 2
        while true {
            index = bytes.find(UInt8(ascii: "?"), from: min(index, bytes.count))
            guard index < bytes.count, bytes.at(index + 1) != UInt8(ascii: ">") else { break }
            index += 1
        }
        return comment(start, start + 1..<max(index, start + 1), then: min(index + 2, bytes.count))
    }

    /// A document type declaration with its internal subset, whose literals and comments may hold what looks like tags.
    private mutating func xmlDoctype(at start: Int) -> Token {
        var index = start + 9
        var isInSubset = false
        while let byte = bytes.at(index) {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                index = bytes.find(byte, from: index + 1)
            case UInt8(ascii: "["): isInSubset = true
            case UInt8(ascii: "]"): isInSubset = false
            case UInt8(ascii: "<") where bytes.hasPrefix("<!--", at: index):
                index = endOfComment(from: index + 4)
            case UInt8(ascii: "<") where bytes.hasPrefix("<?", at: index):
                _ = instruction(at: index)
                index = position - 1
            case UInt8(ascii: ">") where !isInSubset:
                tokenStart = start
                range = start + 9..<index
                position = index + 1
                return .doctype
            default: break
            }
            index += 1
        }
        tokenStart = start
        range = start + 9..<bytes.count
        position = bytes.count
        return .doctype
    }

    /// The last byte of the comment whose text begins at an index.
    private func endOfComment(from index: Int) -> Int {
        var index = index
        while true {
            index = bytes.find(UInt8(ascii: "-"), from: min(index, bytes.count))
            guard index < bytes.count else { return index }
            if bytes.hasPrefix("-->", at: index) { return index + 2 }
            index += 1
        }
    }
}
