/// The tokenizer together with what the tree builder would tell it: the one place that knows about content models,
/// foreign content and templates (HTML §13.2.6).
///
/// There is no tree: a stack remembers only where foreign content begins (`svg`, `math`) and where HTML begins again
/// within it. Scripts are off, so the content of `noscript` is markup. In XML every element is read as markup, sections
/// are allowed everywhere, and names are told apart by their local part alone.
struct HTMLDocumentScanner {
    /// By which rules the document is read.
    enum Syntax: Sendable { case html, xml }

    /// Which namespace the current tag is in.
    enum Namespace: Sendable {
        case html, svg, math
        /// XML without looking at prefixes.
        case any
    }

    private enum Entry: Equatable {
        case svg, math
        case integration(HTMLElementName)
    }

    private(set) var tokenizer: HTMLTokenizer
    /// The current tag's namespace.
    private(set) var namespace = Namespace.html
    /// How many inert templates are open.
    private(set) var templateDepth = 0
    /// Whether a `noscript` is open; with scripts on, all up to its end tag is text.
    private(set) var isInNoscript = false
    private let syntax: Syntax
    private var stack: [Entry] = []
    /// For each open template whether it is inert, which one for a declarative shadow root isn't.
    private var templates: [Bool] = []

    /// Deeper nesting is read as if it were flat.
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

    /// The next token, or nil at the end.
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

    /// Tells XML's elements apart by what follows the prefix.
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
