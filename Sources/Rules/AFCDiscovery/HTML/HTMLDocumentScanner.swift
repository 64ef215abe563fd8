/// Connects the tokenizer with the parts of the tree builder that affect it.
///
/// These are content models, foreign content and templates (HTML §13.2.6).
///
/// There is no tree: a stack records only where foreign content starts (`svg`, `math`) and where HTML resumes within
/// it. Scripting is off, so the content of `noscript` is markup. In XML every element is read as markup, CDATA sections
/// are allowed everywhere, and only the local part of names counts.
struct HTMLDocumentScanner {
    /// The syntax rules for a document.
    enum Syntax: Sendable { case html, xml }

    /// The namespace of a tag.
    enum Namespace: Sendable {
        case html, svg, math
        /// Any namespace, because XML prefixes are ignored.
        case any
    }

    private enum Entry: Equatable {
        case svg, math
        case integration(HTMLElementName)
    }

    private(set) var tokenizer: HTMLTokenizer
    /// The current tag's namespace.
    private(set) var namespace = Namespace.html
    /// The number of open inert templates.
    private(set) var templateDepth = 0
    /// True within `noscript`, whose content is text if scripting is on.
    private(set) var isInNoscript = false
    private let syntax: Syntax
    private var stack: [Entry] = []
    /// True for each open template that is inert; that of a declarative shadow root isn't.
    private var templates: [Bool] = []

    /// The largest depth of the stack; deeper nesting is read as if it were flat.
    private static let maxDepth = 256

    init(_ bytes: ScanBuffer, _ syntax: Syntax) {
        tokenizer = HTMLTokenizer(bytes)
        self.syntax = syntax
        if syntax == .xml {
            namespace = .any
            tokenizer.allowsCDATA = true
            tokenizer.isXML = true
        }
    }

    /// Returns the next token, or nil at the end.
    mutating func next() -> HTMLTokenizer.Token? {
        guard let token = tokenizer.next() else { return nil }
        switch (syntax, token) {
        case (.html, .startTag): started()
        case (.html, .endTag): ended()
        case (.xml, .startTag), (.xml, .endTag): useLocalName()
        default: break
        }
        if tokenizer.element == .noscript {
            if token == .endTag { isInNoscript = false }
            if token == .startTag, namespace == .html { isInNoscript = true }
        }
        return token
    }

    private var isForeign: Bool { stack.last == .svg || stack.last == .math }

    private mutating func started() {
        let element = tokenizer.element
        namespace = .html
        if isForeign {
            guard endsForeignContent(element) else {
                startedForeign(element)
                return
            }
            popForeign()
        }
        switch element {
        case .svg, .math:
            namespace = element == .svg ? .svg : .math
            if !tokenizer.isSelfClosing { push(element == .svg ? .svg : .math) }
        case .template:
            guard templates.count < Self.maxDepth else { return }
            let isInert = tokenizer.value(of: .shadowrootmode) == nil
            templates.append(isInert)
            templateDepth += isInert ? 1 : 0
        default:
            tokenizer.contentModel = element.contentModel
        }
    }

    private mutating func startedForeign(_ element: HTMLElementName) {
        namespace = stack.last == .svg ? .svg : .math
        guard !tokenizer.isSelfClosing else { return }
        switch (namespace, element) {
        case (_, .svg): push(.svg)
        case (.math, .math): push(.math)
        case (.svg, .foreignobject), (.svg, .desc), (.svg, .title): push(.integration(element))
        case (.math, .mi), (.math, .mo), (.math, .mn), (.math, .ms), (.math, .mtext): push(.integration(element))
        case (.math, .annotationXML):
            guard let value = tokenizer.value(of: .encoding) else { return }
            let encoding = HTMLText.attribute(tokenizer.bytes, value).lowercased()
            if encoding == "text/html" || encoding == "application/xhtml+xml" { push(.integration(element)) }
        default: break
        }
    }

    private mutating func ended() {
        let element = tokenizer.element
        namespace = .html
        switch element {
        case .svg, .math:
            pop(through: element == .svg ? .svg : .math)
        case .foreignobject, .desc, .title, .mi, .mo, .mn, .ms, .mtext, .annotationXML:
            pop(through: .integration(element))
        case .p, .br:
            if isForeign { popForeign() }
        case .template:
            if templates.popLast() == true { templateDepth -= 1 }
        default: break
        }
    }

    private func endsForeignContent(_ element: HTMLElementName) -> Bool {
        if element == .font {
            return [.color, .face, .size].contains { tokenizer.value(of: $0) != nil }
        }
        return element.endsForeignContent
    }

    private mutating func push(_ entry: Entry) {
        guard stack.count < Self.maxDepth else { return }
        stack.append(entry)
        tokenizer.allowsCDATA = isForeign
    }

    private mutating func pop(through entry: Entry) {
        guard let index = stack.lastIndex(of: entry) else { return }
        stack.removeSubrange(index...)
        tokenizer.allowsCDATA = isForeign
    }

    private mutating func popForeign() {
        while isForeign { stack.removeLast() }
        tokenizer.allowsCDATA = false
    }

    /// Identifies an XML element by its name without the prefix.
    private mutating func useLocalName() {
        guard tokenizer.element == .other else { return }
        let name = tokenizer.range
        let colon = tokenizer.bytes.find(UInt8(ascii: ":"), from: name.lowerBound, to: name.upperBound)
        guard colon < name.upperBound, let key = PackedName(tokenizer.bytes, colon + 1..<name.upperBound) else {
            return
        }
        tokenizer.element = tokenizer.elements.name(of: key)
    }
}
