extension HTMLTokenizer {
    /// The RCDATA and RAWTEXT states: all is text up to the end tag of the element that began it.
    mutating func nextInRawText() -> Token? {
        var index = position
        while true {
            index = bytes.find(UInt8(ascii: "<"), from: index)
            guard index < bytes.count else { return text(to: bytes.count, then: bytes.count) }
            if isAppropriateEndTag(at: index) { return endOfText(at: index) }
            index += 1
        }
    }

    /// The script data states.
    mutating func nextInScript() -> Token? {
        endOfText(at: scriptEnd())
    }

    /// Emits the text before an end tag, or where there is none the tag.
    private mutating func endOfText(at index: Int) -> Token? {
        if index > position { return text(to: index, then: index) }
        guard index < bytes.count else { return nil }
        contentModel = .data
        return tag(.endTag, at: index, nameStart: index + 2)
    }

    /// Whether `</name` stands at an index and is followed by what may follow a name.
    private func isAppropriateEndTag(at index: Int) -> Bool {
        let nameEnd = index + 2 + lastStartTag.length
        guard bytes.at(index + 1) == UInt8(ascii: "/"), lastStartTag.length > 0, let after = bytes.at(nameEnd) else {
            return false
        }
        guard after.isSpace || after == UInt8(ascii: "/") || after == UInt8(ascii: ">") else { return false }
        return NameKey(bytes, index + 2..<nameEnd) == lastStartTag
    }

    /// Where the end tag of the script is, or the end.
    ///
    /// `<!--` begins escaped text, in which `<script` begins doubly escaped text, in which `</script` is no end tag. Both
    /// end at `-->`, the doubly escaped text also at `</script`.
    private func scriptEnd() -> Int {
        enum Escape { case none, once, twice }
        var escape = Escape.none
        var index = position
        while index < bytes.count {
            if escape == .none { index = bytes.find(UInt8(ascii: "<"), from: index) }
            guard let byte = bytes.at(index) else { break }
            if byte == UInt8(ascii: "-"), escape != .none, bytes.hasPrefix("-->", at: index) {
                escape = .none
                index += 3
            } else if byte != UInt8(ascii: "<") {
                index += 1
            } else if escape != .twice, isAppropriateEndTag(at: index) {
                return index
            } else if escape == .none, bytes.hasPrefix("<!--", at: index) {
                escape = .once
                // The two hyphens may be those of the end: `<!-->`.
                index += 2
            } else if escape == .once, isScriptName(at: index + 1) {
                escape = .twice
                index += 7
            } else if escape == .twice, bytes.at(index + 1) == UInt8(ascii: "/"), isScriptName(at: index + 2) {
                escape = .once
                index += 8
            } else {
                index += 1
            }
        }
        return bytes.count
    }

    private func isScriptName(at index: Int) -> Bool {
        guard bytes.hasPrefix("script", at: index), let after = bytes.at(index + 6) else { return false }
        return after.isSpace || after == UInt8(ascii: "/") || after == UInt8(ascii: ">")
    }
}
