/// The WHATWG HTML tokenizer (HTML §13.2.5) over UTF-8 bytes.
///
/// A token is a kind; its parts are ranges of the input, to be read before the next token is asked for. Nothing is
/// copied, lower-cased or decoded until somebody asks (`HTMLText`), so a caller that only wants tags pays nothing for
/// text. Adjacent characters always come as one token, and carriage returns are read as the line feeds they stand for.
///
/// The states of the standard that only look ahead are written as branches. What the tree builder would tell the
/// tokenizer, it is told through `contentModel` and `allowsCDATA`; see `HTMLDocumentScanner`.
struct HTMLTokenizer {
    /// How input is read.
    enum ContentModel: Sendable {
        case data, rcdata, rawText, scriptData, plaintext, cdata
    }

    /// What a token is.
    enum Token: Sendable {
        case startTag, endTag, text, comment, doctype
    }

    /// An attribute as it stands in the input.
    struct Attribute {
        var name: HTMLAttributeName
        var nameRange: Range<Int>
        /// Without quotes; empty where there is no value.
        var valueRange: Range<Int>
    }

    let bytes: ScanBuffer
    var contentModel = ContentModel.data
    /// Whether the current node is foreign, so that `<![CDATA[` begins a section.
    var allowsCDATA = false
    /// Whether instructions and DOCTYPEs are read as XML has them.
    var isXML = false
    /// The name that ends content other than markup.
    var lastStartTag = NameKey.empty

    /// Where the next token begins.
    var position = 0
    /// Where the current token begins.
    var tokenStart = 0
    /// The tag's name, the text, the comment's data, or what follows `<!doctype`.
    var range = 0..<0
    /// How the current text is to be decoded.
    var textModel = ContentModel.data
    /// The current tag's element.
    var element = HTMLElementName.other
    /// Whether the current tag ends in `/>`.
    var isSelfClosing = false
    /// The current tag's attributes in order, duplicates included; the first of a name counts.
    var attributes: [Attribute] = []
    /// What the current tag's attributes may be for.
    var uses: HTMLAttributeUses = []

    let elements = HTMLElementName.byKey
    let attributeNames = HTMLAttributeName.byKey

    init(_ bytes: ScanBuffer, from position: Int = 0) {
        self.bytes = bytes
        self.position = position
        attributes.reserveCapacity(16)
    }

    /// The next token, or nil at the end.
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

    /// The value of the first attribute of a name.
    func value(of name: HTMLAttributeName) -> Range<Int>? {
        for attribute in attributes where attribute.name == name { return attribute.valueRange }
        return nil
    }

    /// Emits the text from `position` to an end, or nothing where there is none.
    mutating func text(to end: Int, then next: Int) -> Token? {
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

    /// The data state with its tag open states.
    ///
    /// Each `<` that begins something ends the text before it.
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
