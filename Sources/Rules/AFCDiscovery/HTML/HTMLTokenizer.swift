/// The WHATWG HTML tokenizer (HTML §13.2.5) for UTF-8 bytes.
///
/// A token is a kind; its parts are ranges of the input, valid until the next token is read. Nothing is copied,
/// lower-cased or decoded before it is requested (`HTMLText`), so callers that only want tags don't pay for text.
/// Adjacent characters always form one token, and carriage returns count as line feeds.
///
/// States of the standard that only look ahead are branches here. `contentModel` and `allowsCDATA` pass on what the
/// tree builder would say; see `HTMLDocumentScanner`.
struct HTMLTokenizer {
    /// The content model, which decides how input is read.
    enum ContentModel: Sendable {
        case data, rcdata, rawText, scriptData, plaintext, cdata
    }

    /// The kind of a token.
    enum Token: Sendable {
        case startTag, endTag, text, comment, doctype
    }

    /// An attribute in the input.
    struct Attribute {
        var name: HTMLAttributeName
        var nameRange: Range<Int>
        /// The value without quotes; empty if there is none.
        var valueRange: Range<Int>
    }

    let bytes: ScanBuffer
    var contentModel = ContentModel.data
    /// True if the current node is foreign, so that `<![CDATA[` starts a section.
    var allowsCDATA = false
    /// True to read instructions and DOCTYPEs by the rules of XML.
    var isXML = false
    /// The name of the end tag that ends content other than markup.
    var lastStartTag = PackedName.empty

    /// The start of the next token.
    private(set) var position = 0
    /// The start of the current token.
    private(set) var tokenStart = 0
    /// The tag's name, the text, the comment's data, or the text after `<!doctype`.
    private(set) var range = 0..<0
    /// The content model by which to decode the current text.
    private(set) var textModel = ContentModel.data
    /// The current tag's element.
    var element = HTMLElementName.other
    /// True if the current tag ends in `/>`.
    private(set) var isSelfClosing = false
    /// The current tag's attributes in order, including duplicates; the first of a name applies.
    private(set) var attributes: [Attribute] = []
    /// The possible uses of the current tag's attributes.
    private(set) var uses: HTMLAttributeUses = []

    let elements = HTMLElementName.byKey
    private let attributeNames = HTMLAttributeName.byKey

    init(_ bytes: ScanBuffer, from position: Int = 0) {
        self.bytes = bytes
        self.position = position
        attributes.reserveCapacity(16)
    }

    /// Returns the next token, or nil at the end.
    mutating func next() -> Token? {
        switch contentModel {
        case .data: return nextInData()
        case .rcdata, .rawText: return nextInRawText()
        case .scriptData: return nextInScript()
        case .plaintext: return text(to: bytes.count, then: bytes.count)
        case .cdata:
            if let token = nextInCDATA() { return token }
            return contentModel == .data ? nextInData() : nil
        }
    }

    /// Returns the value of the first attribute with a name.
    func value(of name: HTMLAttributeName) -> Range<Int>? {
        for attribute in attributes where attribute.name == name { return attribute.valueRange }
        return nil
    }

    /// Emits the text from `position` to an end, if there is any.
    private mutating func text(to end: Int, then next: Int) -> Token? {
        guard end > position else {
            position = next
            return nil
        }
        tokenStart = position
        range = position..<end
        textModel = contentModel
        position = next
        return .text
    }

    /// Implements the data state and its tag open states.
    ///
    /// Each `<` that starts something ends the preceding text.
    private mutating func nextInData() -> Token? {
        var index = position
        while true {
            index = bytes.find(UInt8(ascii: "<"), from: index)
            guard let after = bytes.at(index + 1) else { return text(to: bytes.count, then: bytes.count) }
            if after.isLetter {
                if index > position { return text(to: index, then: index) }
                return tag(.startTag, at: index, nameStart: index + 1)
            }
            switch after {
            case UInt8(ascii: "/"):
                guard let name = bytes.at(index + 2) else { return text(to: bytes.count, then: bytes.count) }
                if index > position { return text(to: index, then: index) }
                if name.isLetter { return tag(.endTag, at: index, nameStart: index + 2) }
                guard name == UInt8(ascii: ">") else { return bogusComment(at: index, dataStart: index + 2) }
                index += 3
                position = index
            case UInt8(ascii: "!"):
                if index > position { return text(to: index, then: index) }
                if let token = markupDeclaration(at: index) { return token }
                if position == bytes.count { return nil }
                index = position
            case UInt8(ascii: "?"):
                if index > position { return text(to: index, then: index) }
                return isXML ? instruction(at: index) : bogusComment(at: index, dataStart: index + 1)
            default:
                index += 1
            }
        }
    }
}

extension HTMLTokenizer {
    /// The number of attributes that are kept.
    ///
    /// Further ones are dropped, so that a hostile tag doesn't take many times its size.
    private static let maxAttributes = 4096

    /// Returns true if a byte ends a tag's name.
    @inline(__always)
    private static func endsTagName(_ byte: UInt8) -> Bool {
        byte <= UInt8(ascii: ">") && (byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") || byte.isSpace)
    }

    /// Returns true if a byte ends an attribute's name.
    @inline(__always)
    private static func endsAttributeName(_ byte: UInt8) -> Bool {
        byte <= UInt8(ascii: ">") && (byte == UInt8(ascii: "=") || endsTagName(byte))
    }

    /// Implements the tag name state and all that follow, up to the tag's end.
    ///
    /// A tag that the end of the input cuts off is not a token.
    mutating func tag(_ kind: Token, at start: Int, nameStart: Int) -> Token? {
        tokenStart = start
        isSelfClosing = false
        uses = []
        attributes.removeAll(keepingCapacity: true)
        var index = nameStart
        while index < bytes.count, !Self.endsTagName(bytes[index]) { index &+= 1 }
        range = nameStart..<index
        let key = PackedName(bytes, range)
        element = key.map { elements.name(of: $0) } ?? .other
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: ">") { return finish(kind, key: key, at: index + 1) }
            if byte.isSpace {
                index &+= 1
            } else if byte == UInt8(ascii: "/") {
                index &+= 1
                isSelfClosing = bytes.at(index) == UInt8(ascii: ">")
            } else {
                index = attribute(at: index)
            }
        }
        position = bytes.count
        return nil
    }

    private mutating func finish(_ kind: Token, key: PackedName?, at end: Int) -> Token {
        position = end
        if kind == .startTag { lastStartTag = key ?? .empty }
        return kind
    }

    /// Reads one attribute with its value; returns the position after it.
    @inline(__always)
    private mutating func attribute(at start: Int) -> Int {
        var index = start &+ 1
        while index < bytes.count, !Self.endsAttributeName(bytes[index]) { index &+= 1 }
        let nameRange = start..<index
        var valueRange = index..<index
        var equals = index
        while equals < bytes.count, bytes[equals].isSpace { equals &+= 1 }
        if equals < bytes.count, bytes[equals] == UInt8(ascii: "=") {
            index = equals &+ 1
            while index < bytes.count, bytes[index].isSpace { index &+= 1 }
            guard index < bytes.count else { return index }
            let quote = bytes[index]
            if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                let end = bytes.find(quote, from: index &+ 1)
                valueRange = index &+ 1..<end
                index = min(end &+ 1, bytes.count)
            } else {
                let valueStart = index
                while index < bytes.count, bytes[index] != UInt8(ascii: ">"), !bytes[index].isSpace { index &+= 1 }
                valueRange = valueStart..<index
            }
        }
        guard attributes.count < Self.maxAttributes else { return index }
        let name = PackedName(bytes, nameRange).map { attributeNames.name(of: $0) } ?? .other
        uses.formUnion(name.uses)
        if nameRange.count > 15, bytes.hasPrefix("data-background-", at: nameRange.lowerBound) { uses.insert(.slide) }
        if name == .other, valueRange.count > 4, bytes.hasPrefix("data-", at: nameRange.lowerBound) {
            uses.insert(.data)
        }
        attributes.append(Attribute(name: name, nameRange: nameRange, valueRange: valueRange))
        return index
    }
}

extension HTMLTokenizer {
    /// Implements the markup declaration open state; nil for an empty CDATA section.
    private mutating func markupDeclaration(at start: Int) -> Token? {
        let index = start + 2
        if bytes.hasPrefix("--", at: index) { return comment(at: start) }
        if bytes.hasPrefix("doctype", at: index) { return isXML ? xmlDoctype(at: start) : doctype(at: start) }
        let isSection = bytes.hasPrefix("[cdata[", at: index) && bytes.string(index..<index + 7) == "[CDATA["
        guard isSection, allowsCDATA else { return bogusComment(at: start, dataStart: index) }
        contentModel = .cdata
        position = index + 7
        return nextInCDATA()
    }

    /// Reads a bogus comment, which ends at the next `>`.
    private mutating func bogusComment(at start: Int, dataStart: Int) -> Token {
        let end = bytes.find(UInt8(ascii: ">"), from: dataStart)
        tokenStart = start
        range = dataStart..<end
        position = min(end + 1, bytes.count)
        return .comment
    }

    /// Implements the comment states.
    ///
    /// Hyphens that may belong to the comment's end aren't data, even at the end of the input.
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

    /// Implements the DOCTYPE states; a DOCTYPE ends at the next `>`, whatever it contains.
    ///
    /// `HTMLDoctype` reads its parts.
    private mutating func doctype(at start: Int) -> Token {
        let end = bytes.find(UInt8(ascii: ">"), from: start + 9)
        tokenStart = start
        range = start + 9..<end
        position = min(end + 1, bytes.count)
        return .doctype
    }

    /// Implements the CDATA section states; nil at the end, and after an empty section.
    private mutating func nextInCDATA() -> Token? {
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

    /// Reads a processing instruction, which ends at `?>`, not at a mere `>`.
    ///
    /// It becomes a comment that starts with `?`.
    private mutating func instruction(at start: Int) -> Token {
        var index = start + 2
        while true {
            index = bytes.find(UInt8(ascii: "?"), from: min(index, bytes.count))
            guard index < bytes.count, bytes.at(index + 1) != UInt8(ascii: ">") else { break }
            index += 1
        }
        return comment(start, start + 1..<max(index, start + 1), then: min(index + 2, bytes.count))
    }

    /// Reads a document type declaration.
    ///
    /// Literals and comments of its internal subset may contain what looks like tags.
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

    /// Returns the last byte of the comment whose text starts at an index.
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

extension HTMLTokenizer {
    /// Implements the RCDATA and RAWTEXT states: everything is text up to the element's end tag.
    private mutating func nextInRawText() -> Token? {
        var index = position
        while true {
            index = bytes.find(UInt8(ascii: "<"), from: index)
            guard index < bytes.count else { return text(to: bytes.count, then: bytes.count) }
            if isAppropriateEndTag(at: index) { return endOfText(at: index) }
            index += 1
        }
    }

    /// Implements the script data states.
    private mutating func nextInScript() -> Token? {
        endOfText(at: scriptEnd())
    }

    /// Emits the text before an end tag, or the tag if there is no text.
    private mutating func endOfText(at index: Int) -> Token? {
        if index > position { return text(to: index, then: index) }
        guard index < bytes.count else { return nil }
        contentModel = .data
        return tag(.endTag, at: index, nameStart: index + 2)
    }

    /// Returns true if `</name` is at an index, followed by a byte that may follow a name.
    private func isAppropriateEndTag(at index: Int) -> Bool {
        let nameEnd = index + 2 + lastStartTag.length
        guard bytes.at(index + 1) == UInt8(ascii: "/"), lastStartTag.length > 0, let after = bytes.at(nameEnd) else {
            return false
        }
        guard after.isSpace || after == UInt8(ascii: "/") || after == UInt8(ascii: ">") else { return false }
        return PackedName(bytes, index + 2..<nameEnd) == lastStartTag
    }

    /// Returns the start of the script's end tag, or the end of the input.
    ///
    /// `<!--` starts escaped text, in which `<script` starts double-escaped text, in which `</script` is not an end
    /// tag. Both end at `-->`, and double-escaped text also at `</script`.
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
                // The two hyphens may belong to the end: `<!-->`.
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
