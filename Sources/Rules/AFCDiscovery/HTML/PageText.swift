/// The text of a page: what a reader sees, for a search index and for lists of pages.
///
/// Navigation, scripts, and what isn't shown are left out. If the page marks its main part (`main`, `article` or
/// `role=main`), only that part counts. Reading takes linear time, and memory up to the limits.
package struct PageText: Sendable, Equatable {
    /// The limits on what is kept of a page.
    package struct Limits: Sendable {
        /// The most bytes of the text.
        package var text = 4 << 20
        /// The most bytes of all headings together.
        package var headings = 64 << 10
        /// The most bytes of the title, and of an address.
        package var title = 1 << 10

        /// Creates the default limits.
        package init() {}
    }

    /// The title in one line; empty if there is none.
    package private(set) var title = ""
    /// The primary language in lower case, such as `en`; nil if the page doesn't state it.
    package private(set) var language: String?
    /// The headings, one a line, including the terms that a page of reference defines.
    package private(set) var headings = ""
    /// The text, one block a line, including headings.
    package private(set) var text = ""
    /// True if the page asks not to be in an index of a search engine.
    package private(set) var isNoindex = false
    /// The address that the page names as its canonical one, as written; nil if there is none.
    package private(set) var canonical: String?
    /// The address of the page's icon, as written; nil if there is none.
    package private(set) var icon: String?
    /// The base of the page's addresses, as written; nil if there is none.
    package private(set) var base: String?

    /// Reads an HTML document.
    ///
    /// - Parameters:
    ///   - bytes: The document as received.
    ///   - charset: The `charset` parameter of its Content-Type, or nil.
    ///   - isXML: True for XHTML that is sent as XML.
    ///   - limits: The limits on what is kept.
    package init(
        html bytes: UnsafeBufferPointer<UInt8>,
        charset: String?,
        isXML: Bool = false,
        limits: Limits = Limits()
    ) {
        let encoding =
            isXML
            ? TextDecoding.xmlEncoding(of: bytes, charset: charset).encoding : Self.htmlEncoding(of: bytes, charset)
        self = TextDecoding.withUTF8(bytes, encoding) { text in
            var reader = PageTextReader(ScanBuffer(text), isXML: isXML, limits: limits, skipsBoilerplate: true)
            reader.read()
            if reader.isWithoutText {
                // All of the page is in elements that usually hold navigation, or one of these is never closed.
                reader = PageTextReader(ScanBuffer(text), isXML: isXML, limits: limits, skipsBoilerplate: false)
                reader.read()
            }
            return PageText(reader)
        }
    }

    /// Reads a plain text, whose title is its first line.
    ///
    /// - Parameters:
    ///   - bytes: The text as received.
    ///   - charset: The `charset` parameter of its Content-Type, or nil.
    ///   - limits: The limits on what is kept.
    package init(plain bytes: UnsafeBufferPointer<UInt8>, charset: String?, limits: Limits = Limits()) {
        let encoding = Self.htmlEncoding(of: UnsafeBufferPointer(rebasing: bytes.prefix(0)), charset)
        let isUTF8 = charset == nil && Self.isUTF8(bytes)
        self = TextDecoding.withUTF8(bytes, isUTF8 ? .utf8 : encoding) { text in
            var page = PageText()
            page.text = String(decoding: text.prefix(limits.text), as: UTF8.self)
            let first = text.prefix(limits.title).drop { $0.isSpace || $0 == UInt8(ascii: "#") }.prefix { $0 != 0x0A }
            page.title = String(decoding: first, as: UTF8.self).trimmedASCII
            return page
        }
    }

    private init() {}

    fileprivate init(_ reader: PageTextReader) {
        title = String(decoding: reader.title, as: UTF8.self).trimmedASCII
        language = reader.language
        headings = String(decoding: reader.headings, as: UTF8.self).trimmedASCII
        text = String(decoding: reader.bestText, as: UTF8.self).trimmedASCII
        isNoindex = reader.isNoindex
        canonical = reader.canonical
        icon = reader.icon ?? reader.touchIcon
        base = reader.base
    }

    /// Returns the declared encoding; without a declaration, UTF-8 if the bytes are valid in it.
    static func htmlEncoding(of bytes: UnsafeBufferPointer<UInt8>, _ charset: String?) -> TextEncoding {
        let guess = TextDecoding.htmlEncoding(of: bytes, charset: charset)
        return guess.isCertain || !isUTF8(bytes) ? guess.encoding : .utf8
    }

    private static func isUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var codec = UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var isCertain = false
        while true {
            switch codec.parseScalar(from: &iterator) {
            case .valid(let scalar): isCertain = isCertain || scalar.count > 1
            case .emptyInput: return true
            // A character that the end cuts off is no error of the encoding, unless it is the only one beyond ASCII.
            case .error: return isCertain && iterator.next() == nil
            }
        }
    }
}

/// Reads the tokens of a page and collects its text.
private struct PageTextReader {
    /// An open element that decides what happens to the text in it.
    private struct Region {
        enum Kind { case skipped, main, heading }

        var element: HTMLElementName
        var kind: Kind
        /// The number of open elements of the same name, which all must end before the region does.
        var depth = 1
    }

    /// The most regions in one another; further ones are ignored.
    private static let maxDepth = 64

    private(set) var title: [UInt8] = []
    private(set) var headings: [UInt8] = []
    private(set) var language: String?
    private(set) var isNoindex = false
    private(set) var canonical: String?
    private(set) var icon: String?
    private(set) var touchIcon: String?
    private(set) var base: String?

    private var scanner: HTMLDocumentScanner
    private let limits: PageText.Limits
    private let isXML: Bool
    private let skipsBoilerplate: Bool
    private var regions: [Region] = []
    private var skipped = 0
    private var mains = 0
    private var inHeading = 0
    private var isInTitle = false
    private var hasTitle = false
    /// The text outside and inside of the main part.
    private var text: [UInt8] = []
    private var mainText: [UInt8] = []

    init(_ bytes: ScanBuffer, isXML: Bool, limits: PageText.Limits, skipsBoilerplate: Bool) {
        scanner = HTMLDocumentScanner(bytes, isXML ? .xml : .html)
        (self.isXML, self.limits, self.skipsBoilerplate) = (isXML, limits, skipsBoilerplate)
    }

    private var bytes: ScanBuffer { scanner.tokenizer.bytes }
    var isWithoutText: Bool { skipsBoilerplate && text.count + mainText.count < 32 }
    /// The text of the main part, unless it is too short to be that.
    var bestText: [UInt8] { mainText.count >= 32 || text.count < 32 ? mainText + (mainText.isEmpty ? text : []) : text }

    mutating func read() {
        while let token = scanner.next() {
            switch token {
            case .startTag: start()
            case .endTag: end()
            case .text: addText()
            case .comment, .doctype: break
            }
            guard text.count + mainText.count <= limits.text else { return }
        }
    }

    // MARK: Tags

    private mutating func start() {
        let element = scanner.tokenizer.element
        let isForeign = scanner.namespace == .svg || scanner.namespace == .math
        if element.breaksText { separate(0x0A) } else if element == .td || element == .th { separate(0x20) }
        switch element {
        case .title where !isForeign && skipped == 0 && !hasTitle: isInTitle = true
        case .html, .body:
            if language == nil {
                language = value("lang").flatMap(Self.language) ?? value("xml:lang").flatMap(Self.language)
            }
        case .base: base = base ?? value("href")
        case .meta: noteMeta()
        case .link: noteLink()
        default: break
        }
        // The end tag of a term may be omitted.
        if element == .dt || element == .dd, let open = regions.lastIndex(where: { $0.element == .dt }) {
            close(from: open)
        }
        let isVoid = scanner.tokenizer.isSelfClosing && (isForeign || isXML)
        guard !isVoid else { return }
        if let known = regions.lastIndex(where: { $0.element == element }), element != .other {
            // Only the innermost region of a name counts, since its end comes first.
            let isOpened = kind(of: element).map { open($0, element) } ?? false
            if !isOpened { regions[known].depth += 1 }
        } else if let kind = kind(of: element) {
            _ = open(kind, element)
        }
    }

    private mutating func open(_ kind: Region.Kind, _ element: HTMLElementName) -> Bool {
        guard regions.count < Self.maxDepth else { return false }
        regions.append(Region(element: element, kind: kind))
        count(kind, 1)
        return true
    }

    private mutating func end() {
        let element = scanner.tokenizer.element
        if element.breaksText { separate(0x0A) }
        if element == .title {
            if isInTitle { hasTitle = true }
            isInTitle = false
        }
        if element.isHeading {
            // A heading ends with any heading's end tag.
            if let last = regions.lastIndex(where: { $0.element.isHeading && $0.kind == .heading }) {
                close(from: last)
            }
            return
        }
        guard let index = regions.lastIndex(where: { $0.element == element }) else {
            return element == .body || element == .html ? close(from: 0) : ()
        }
        regions[index].depth -= 1
        if regions[index].depth == 0 { close(from: index) }
    }

    private mutating func close(from index: Int) {
        for region in regions[index...] { count(region.kind, -1) }
        regions.removeSubrange(index...)
    }

    private mutating func count(_ kind: Region.Kind, _ change: Int) {
        switch kind {
        case .skipped: skipped += change
        case .main: mains += change
        case .heading:
            inHeading += change
            if headings.count < limits.headings { Self.separate(&headings, 0x0A) }
        }
    }

    /// Returns the kind of the region that the current start tag opens; nil if it opens none.
    private func kind(of element: HTMLElementName) -> Region.Kind? {
        switch element {
        case .script, .style, .noscript, .iframe, .object, .noembed, .noframes, .template, .select, .textarea, .svg,
            .audio, .video, .title:
            return .skipped
        case .h1, .h2, .h3, .h4, .h5, .h6: return .heading
        case .dt: return value("id") == nil ? nil : .heading
        default: break
        }
        guard element.isContainer else { return nil }
        if value("hidden") != nil { return .skipped }
        let role = value("role")
        guard skipsBoilerplate else { return nil }
        switch element {
        case .nav, .aside, .footer, .button: return .skipped
        // The header of an article belongs to it; that of a page doesn't.
        case .header: return mains > 0 ? nil : .skipped
        case .main, .article: return .main
        default: break
        }
        switch role {
        case "main", "article": return .main
        case "navigation", "search", "banner", "contentinfo", "complementary": return .skipped
        default: return nil
        }
    }

    private mutating func noteMeta() {
        guard value("name")?.lowercased() == "robots", let content = value("content") else { return }
        let words = content.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" || $0 == "\n" }
        if words.contains("noindex") || words.contains("none") { isNoindex = true }
    }

    private mutating func noteLink() {
        guard let relation = value("rel")?.lowercased(), let href = value("href"), !href.isEmpty else { return }
        for word in relation.split(whereSeparator: { $0 == " " || $0 == "\n" || $0 == "\t" }) {
            switch word {
            case "canonical": canonical = canonical ?? href
            case "icon": icon = icon ?? href
            case "apple-touch-icon": touchIcon = touchIcon ?? href
            default: break
            }
        }
    }

    /// Returns the value of the first attribute with a name in lower case; nil if it is missing or too long.
    private func value(_ name: StaticString) -> String? {
        for attribute in scanner.tokenizer.attributes.prefix(64)
        where attribute.nameRange.count == name.utf8CodeUnitCount
            && bytes.hasPrefix(name, at: attribute.nameRange.lowerBound)
        {
            guard attribute.valueRange.count <= 2 * limits.title else { return nil }
            return HTMLText.attribute(bytes, attribute.valueRange).trimmedASCII
        }
        return nil
    }

    /// Returns the primary language of a tag (RFC 5646), in lower case; nil if it isn't one.
    private static func language(_ tag: String) -> String? {
        let primary = tag.lowercased().prefix { $0 != "-" && $0 != "_" }
        guard (2...3).contains(primary.utf8.count), primary.utf8.allSatisfy(\.isLetter) else { return nil }
        return String(primary)
    }

    // MARK: Text

    private mutating func addText() {
        let tokenizer = scanner.tokenizer
        if isInTitle {
            Self.append(bytes, tokenizer.range, tokenizer.textModel, to: &title, limit: limits.title)
            return
        }
        guard skipped == 0, scanner.templateDepth == 0 else { return }
        if inHeading > 0 {
            Self.append(bytes, tokenizer.range, tokenizer.textModel, to: &headings, limit: limits.headings)
        }
        if mains > 0 {
            Self.append(bytes, tokenizer.range, tokenizer.textModel, to: &mainText, limit: limits.text)
        } else {
            Self.append(bytes, tokenizer.range, tokenizer.textModel, to: &text, limit: limits.text)
        }
    }

    private mutating func separate(_ byte: UInt8) {
        if mains > 0 { Self.separate(&mainText, byte) } else { Self.separate(&text, byte) }
        if inHeading > 0 { Self.separate(&headings, 0x20) }
    }

    private static func separate(_ text: inout [UInt8], _ byte: UInt8) {
        guard let last = text.last, last != 0x0A else { return }
        if last == 0x20 { text[text.count - 1] = byte } else { text.append(byte) }
    }

    /// Appends text with each run of white space as one space.
    private static func append(
        _ bytes: ScanBuffer,
        _ range: Range<Int>,
        _ model: HTMLTokenizer.ContentModel,
        to text: inout [UInt8],
        limit: Int
    ) {
        guard text.count < limit else { return }
        let range = range.lowerBound..<min(range.upperBound, range.lowerBound + 4 * (limit - text.count))
        guard HTMLText.isPlain(bytes, range) else {
            var decoded: [UInt8] = []
            HTMLText.append(bytes, range, model, to: &decoded)
            return decoded.withUnsafeBufferPointer { append($0, to: &text, limit: limit) }
        }
        append(bytes.slice(range), to: &text, limit: limit)
    }

    private static func append(_ bytes: UnsafeBufferPointer<UInt8>, to text: inout [UInt8], limit: Int) {
        var isAfterSpace = text.last.map { $0 == 0x20 || $0 == 0x0A } ?? true
        var index = 0
        while index < bytes.count, text.count < limit {
            if bytes[index].isSpace {
                if !isAfterSpace { text.append(0x20) }
                isAfterSpace = true
                index += 1
                continue
            }
            // Words are copied as a whole.
            let start = index
            let end = min(bytes.count, start + limit - text.count)
            while index < end, !bytes[index].isSpace, bytes[index] != 0 { index += 1 }
            if index > start {
                text.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<index]))
                isAfterSpace = false
            }
            if index < bytes.count, bytes[index] == 0 { index += 1 }
        }
    }
}

extension HTMLElementName {
    /// True for headings.
    fileprivate var isHeading: Bool {
        switch self {
        case .h1, .h2, .h3, .h4, .h5, .h6: true
        default: false
        }
    }

    /// True if the element starts and ends a line of text.
    fileprivate var breaksText: Bool {
        switch self {
        case .br, .p, .div, .li, .ul, .ol, .dl, .dt, .dd, .table, .tr, .tbody, .thead, .tfoot, .pre, .blockquote, .hr,
            .h1, .h2, .h3, .h4, .h5, .h6, .body, .center, .menu, .listing, .main, .article, .nav, .aside, .header,
            .footer, .section, .form, .details, .summary, .figure, .figcaption, .option, .caption:
            true
        default: false
        }
    }

    /// True if the element always has an end tag, so that it can mark a part of the page.
    fileprivate var isContainer: Bool {
        switch self {
        case .div, .section, .main, .article, .nav, .aside, .header, .footer, .form, .span, .a, .ul, .ol, .dl, .table,
            .details, .figure, .button:
            true
        default: false
        }
    }
}
