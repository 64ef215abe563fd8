/// Collects the references and metadata of a document.
struct HTMLReferenceCollector {
    /// The parent of a `source` element, which decides which of its attributes applies.
    private enum SourceParent { case none, picture, media }

    private let bytes: ScanBuffer
    private let limits: DiscoveryLimits
    private let syntax: HTMLDocumentScanner.Syntax
    private var scanner: HTMLDocumentScanner
    private(set) var result: HTMLReferences
    private var sourceParent = SourceParent.none
    /// The crawler's name in lower case, which a `meta` element may address.
    private let productToken: String
    /// True to find the images that a page names for others' previews of it.
    private let findsPreviews: Bool
    /// True if the references are replaced by the paths of files.
    private let isForFiles: Bool
    /// The kind of the next text if the element's content isn't markup.
    private var expected: Embedded?
    /// The last `script` element without an address.
    private var inlineScript = RecipePage.InlineScript(id: "", type: "", range: 0..<0)
    /// The text so far of an open element whose text may arrive in pieces, with its start.
    private var pieces: (content: Embedded, text: [UInt8], start: Int)?
    /// The pieces of that text, if references are to be replaced.
    private var pieceList: [ReferenceSource.Piece] = []
    /// Returns true if an address may have to be replaced, as written; nil if references are only found.
    private let mayReplace: ((ScanBuffer, Range<Int>) -> Bool)?
    /// The references with their places, if they are to be replaced.
    private(set) var placed: [PlacedReference] = []
    /// The places of parts that the page may be given; nil if it gets none.
    private(set) var additionPlaces: AdditionPlaces?
    /// The number of guesses that may still be taken from attributes.
    private var lazyRest = 1_024
    /// True within a form that is sent as a query, false within another one, nil outside forms.
    private var isQueryForm: Bool?
    /// The open menu.
    private var menu: SelectMenu?
    /// The pages that functions of the page's scripts open, with their positions.
    private var opened: [(text: String, offset: Int)] = []
    /// The number of characters of text, of which only the first are counted.
    private var textCount = 0

    /// A kind of element text that is read.
    private enum Embedded {
        case style
        case script(ScriptType)
        case data
        case title
    }

    init(
        _ bytes: ScanBuffer,
        _ syntax: HTMLDocumentScanner.Syntax,
        _ limits: DiscoveryLimits,
        productToken: String = "afcache",
        findsPreviews: Bool = false,
        findsAdditionPlaces: Bool = false,
        isForFiles: Bool = false,
        mayReplace: ((ScanBuffer, Range<Int>) -> Bool)? = nil
    ) {
        self.bytes = bytes
        result = HTMLReferences()
        self.limits = limits
        self.syntax = syntax
        self.productToken = productToken.lowercased()
        self.findsPreviews = findsPreviews
        self.isForFiles = isForFiles
        self.mayReplace = mayReplace
        scanner = HTMLDocumentScanner(bytes, syntax)
        if findsAdditionPlaces { additionPlaces = AdditionPlaces(syntax) }
        if isReplacing { textCount = Self.shortText }
    }

    /// True if references are to be replaced; then each occurrence counts, but nothing that scripts do.
    private var isReplacing: Bool { mayReplace != nil }

    mutating func run() {
        while !result.isFull, let token = scanner.next() {
            switch token {
            case .startTag:
                additionPlaces?.note(scanner, bytes)
                startTag()
            case .endTag:
                endTag(scanner.tokenizer.element)
            case .text:
                additionPlaces?.noteText(scanner.tokenizer.range)
                if expected != nil || pieces != nil {
                    embeddedText()
                } else if textCount < Self.shortText {
                    countText()
                }
            case .comment:
                if syntax == .xml { processingInstruction() }
            case .doctype:
                break
            }
        }
        finishPieces()
        finishMenu()
        finishOpened()
    }

    /// Counts the characters of a text that aren't white space.
    private mutating func countText() {
        for byte in bytes.slice(scanner.tokenizer.range).prefix(4 * Self.shortText) where !byte.isSpace {
            textCount += 1
        }
    }

    /// The length of a text that only says where a redirect leads.
    private static let shortText = 512

    private mutating func endTag(_ element: HTMLElementName) {
        // An empty title has no text token.
        if case .title? = expected { result.noteTitle("") }
        expected = nil
        switch element {
        case .style, .script: finishPieces()
        case .picture, .video, .audio: sourceParent = .none
        case .form: isQueryForm = nil
        case .select: finishMenu()
        default: break
        }
    }

    // MARK: Adding

    /// The current tag's name; for an unknown element, as written.
    private var elementName: String {
        let element = scanner.tokenizer.element
        return element == .other ? HTMLText.name(bytes, scanner.tokenizer.range) : element.rawValue
    }

    /// Adds the reference in an attribute's value.
    private mutating func add(
        _ name: HTMLAttributeName,
        _ kind: Reference.Kind,
        _ loads: Destination,
        isNofollow: Bool = false,
        isLate: Bool = false,
        isConditional: Bool = false
    ) {
        guard let range = scanner.tokenizer.value(of: name), !ReferenceText.needsNoRequest(bytes.slice(range)) else {
            return
        }
        guard range.count <= limits.referenceBytes else { return result.cut(.referenceBytes) }
        guard mayReplace?(bytes, range) ?? true else { return }
        addDecoded(
            HTMLText.attribute(bytes, range),
            kind,
            loads,
            elementName,
            name.rawValue,
            at: range.lowerBound,
            ReferencePlace(range),
            isNofollow: isNofollow,
            isLate: isLate,
            isConditional: isConditional
        )
    }

    /// Adds a reference, unless it needs no request.
    ///
    /// A late reference, such as a link that is followed, becomes a URL after the whole page was read; others do at
    /// once.
    private mutating func addDecoded(
        _ text: String,
        _ kind: Reference.Kind,
        _ loads: Destination,
        _ element: String,
        _ attribute: String,
        at offset: Int,
        _ place: ReferencePlace?,
        isNofollow: Bool = false,
        isLate: Bool = false,
        isGuess: Bool = false,
        isConditional: Bool = false,
        resolution: Reference.Resolution = .address
    ) {
        let first = text.utf8.first { $0 > 0x20 }
        if kind != .link, first == nil || first == UInt8(ascii: "#") { return }
        var reference = Reference(text, kind, loads, element: element, attribute: attribute, at: offset)
        reference.isNofollow = isNofollow
        reference.isInert = scanner.templateDepth > 0
        reference.precedesBase = result.baseHref == nil && !isLate && kind != .link
        reference.isGuess = isGuess
        reference.isConditional = isConditional
        reference.resolution = resolution
        if isReplacing { add(reference, place) } else { result.add(reference, limits) }
    }

    /// Adds a reference that can be replaced.
    private mutating func add(_ reference: Reference, _ place: ReferencePlace?) {
        guard let place, !ReferenceText.needsNoRequest(reference.text) else { return }
        guard placed.count < limits.references else { return result.cut(.references) }
        placed.append(PlacedReference(reference: reference, place: place))
    }

    /// Reads `<?xml-stylesheet href="…"?>`, which the tokenizer returns as a comment.
    private mutating func processingInstruction() {
        let range = scanner.tokenizer.range
        guard let found = XMLStylesheet(bytes, range, limit: limits.referenceBytes) else { return }
        let place = ReferencePlace(found.place)
        addDecoded(found.href, .requisite, found.loads, "?xml-stylesheet", "href", at: range.lowerBound, place)
    }
}

/// The attributes that hold references: those of HTML, its obsolete elements, and SVG.
extension HTMLReferenceCollector {
    private mutating func startTag() {
        let element = scanner.tokenizer.element
        let uses = scanner.tokenizer.uses
        if uses.contains(.style) { declarations(.style) }
        if isForFiles, uses.contains(.integrity) { removeDemands() }
        let isComponent = element == .other && LoadingElement.hasOwnAttributes(scanner.tokenizer.range, in: bytes)
        guard element != .other || isComponent || !uses.isDisjoint(with: Self.usesOfAnyElement) else { return }
        let namespace = scanner.namespace
        if namespace == .html || namespace == .any {
            html(element)
            if uses.contains(.lazy) { lazyAddresses(element) }
            if uses.contains(.data), !isReplacing { dataFiles() }
        }
        if namespace == .html,
            isComponent || element == .other && uses.contains(.source) || !uses.isDisjoint(with: [.loading, .slide])
        {
            components()
        }
        if namespace == .svg || namespace == .any {
            svg(element)
            if uses.contains(.paint) { HTMLAttributeName.paints.forEach { declarations($0) } }
        }
    }

    /// The uses of attributes that may refer to something on an element that isn't known.
    private static let usesOfAnyElement: HTMLAttributeUses = [.paint, .lazy, .loading, .slide, .source, .data]

    private mutating func html(_ element: HTMLElementName) {
        switch element {
        case .a, .area: link()
        case .astroIsland: island()
        // Most browsers run scripts, and for them the content of `noscript` doesn't exist.
        case .base where scanner.templateDepth == 0 && !scanner.isInNoscript:
            base()
        case .body, .col, .colgroup, .table, .thead, .tbody, .tfoot, .tr, .td, .th:
            add(.background, .requisite, .image, isLate: true)
        case .embed: add(.src, .requisite, .document)
        case .track: add(.src, .requisite, .media)
        case .frame: add(.src, .frame, .document)
        case .iframe: iframe()
        case .img: image()
        // The tree builder converts `image` to `img`.
        case .image where scanner.namespace == .html: image()
        case .button: formAction()
        case .form: form()
        case .input:
            if isValue(of: .type, "image") { add(.src, .requisite, .image) }
            formAction()
        case .link: linkElement()
        case .meta: meta()
        case .object: add(.data, .requisite, .document)
        case .option: option()
        case .picture: sourceParent = .picture
        case .script:
            main()
            script(.src)
        case .select: select()
        case .source: source()
        case .style: style()
        case .title where scanner.namespace == .html && scanner.templateDepth == 0: open(.title)
        case .audio, .video:
            sourceParent = .media
            add(.src, .requisite, .media)
            if element == .video { add(.poster, .requisite, .image) }
        default: break
        }
    }

    private mutating func svg(_ element: HTMLElementName) {
        let address: HTMLAttributeName = scanner.tokenizer.value(of: .href) != nil ? .href : .xlinkHref
        switch element {
        case .a where scanner.namespace == .svg || address == .xlinkHref: link(address)
        case .animate, .set: animation()
        case .feimage, .image, .use: add(address, .requisite, .image)
        case .script where scanner.namespace == .svg || scanner.tokenizer.value(of: .src) == nil: script(address)
        case .style where scanner.namespace == .svg: style()
        default: break
        }
    }

    /// Notes the data files and images that `data-` attributes name for scripts, such as `data-search-index-url="search.json"`.
    private mutating func dataFiles() {
        for attribute in scanner.tokenizer.attributes where attribute.name == .other {
            let range = attribute.valueRange
            guard range.count <= 2 * ScriptText.longestTail,
                bytes.find(UInt8(ascii: "."), from: range.lowerBound, to: range.upperBound) < range.upperBound
            else { continue }
            let name = HTMLText.name(bytes, attribute.nameRange)
            guard lazyRest > 0, name.hasPrefix("data-") else { continue }
            let value = HTMLText.attribute(bytes, range).trimmedASCII
            if let text = ScriptText.of(value, .named, .none), Self.dataWords.contains(where: name.contains) {
                lazyRest -= 1
                result.noteText(text)
            } else if LoadingElement.isImage(value), EmbeddedAddresses.file(value) != nil,
                Self.imageWords.contains(where: name.contains)
            {
                addGuess(value, .requisite, .image, elementName, name, ReferencePlace(range))
            }
        }
    }

    /// The words in names of attributes that have the address of another image for the element.
    private static let imageWords = [
        "large", "zoom", "thumb", "lazyload", "image", "img", "photo", "picture", "poster", "cover", "full", "hires",
        "retina", "preview", "icon", "logo",
    ]
    /// The words in names of attributes whose value a script loads; others may hold a file's name to show it.
    private static let dataWords = ["url", "src", "href", "json", "index", "source", "spec", "manifest"]

    // MARK: Elements

    private mutating func base() {
        guard let range = scanner.tokenizer.value(of: .href), let href = text(of: .href) else { return }
        if result.baseHref == nil, isReplacing {
            let base = Reference(href, .link, .document, attribute: "base", at: range.lowerBound)
            placed.append(PlacedReference(reference: base, place: ReferencePlace(range, .base)))
        }
        result.noteBase(href)
    }

    private mutating func link(_ address: HTMLAttributeName = .href) {
        let relations = isReplacing ? [] : text(of: .rel)?.lowercasedTokens ?? []
        add(address, .link, .document, isNofollow: relations.contains("nofollow"))
    }

    private mutating func image() {
        add(.src, .requisite, .image)
        candidates(.srcset)
    }

    /// Reads a script's address, or else its text, which may refer to modules.
    private mutating func script(_ address: HTMLAttributeName) {
        let typeText = text(of: .type)
        let type = ScriptType(type: typeText, language: text(of: .language))
        if scanner.tokenizer.value(of: address) == nil {
            inlineScript.id = text(of: .id) ?? ""
            inlineScript.type = typeText ?? ""
            open(type.map { .script($0) } ?? .data)
        } else if let type, type != .importMap {
            add(address, .requisite, type == .module ? .module : .script)
        } else if type == .importMap, typeText?.trimmedASCII.lowercased() != "importmap" {
            // Browsers read maps in the page only, SystemJS also files.
            add(address, .requisite, .other)
        } else if type == nil, let range = scanner.tokenizer.value(of: address), range.count <= limits.referenceBytes {
            // Browsers ignore it; the library for which it is fetches it, such as a compiler or a program for shaders.
            let text = HTMLText.attribute(bytes, range)
            guard text.utf8.contains(where: Self.isPathByte) else { return }
            addGuess(text, .requisite, .other, elementName, address.rawValue, ReferencePlace(range))
        }
    }

    private mutating func linkElement() {
        guard let relations = text(of: .rel)?.lowercasedTokens else { return }
        let type = text(of: .type)
        if let kind = LinkRelation.kind(relations, type: type) {
            let loads = LinkRelation.loads(relations, type: type, as: text(of: .as))
            let isLate = !LinkRelation.isLoadedAtOnce(relations)
            // A sheet that is only preloaded is a hint, unless a script makes it a style sheet once it has loaded.
            let isHint =
                loads == .style && relations.contains("preload") && !relations.contains("stylesheet")
                && tagBytes.position(of: "onload") == nil
            let isNofollow = relations.contains("nofollow")
            add(.href, kind, loads, isNofollow: isNofollow, isLate: isLate, isConditional: isHint)
            if loads == .style, isReplacing, !isForFiles { integrity(isLate: isLate) }
        } else if isReplacing, relations.contains("dns-prefetch") || relations.contains("preconnect") {
            // A browser connects to the host at once.
            if isForFiles { remove(.rel) } else { add(.href, .requisite, .other) }
        }
        if relations.contains("preload") { candidates(.imagesrcset) }
        if relations.contains("stylesheet/less"), let range = scanner.tokenizer.value(of: .href),
            range.count <= limits.referenceBytes
        {
            // A compiler in the page fetches it.
            let text = HTMLText.attribute(bytes, range)
            addGuess(text, .requisite, .other, "link", HTMLAttributeName.href.rawValue, ReferencePlace(range))
        }
    }

    /// Notes the digest of a style sheet, whose body changes when its references are replaced.
    private mutating func integrity(isLate: Bool) {
        guard scanner.tokenizer.uses.contains(.integrity), let href = text(of: .href) else { return }
        var sheet = Reference(href, .requisite, .style, attribute: "integrity", at: scanner.tokenizer.tokenStart)
        sheet.precedesBase = result.baseHref == nil && !isLate
        for attribute in scanner.tokenizer.attributes where attribute.name == .integrity {
            add(sheet, ReferencePlace(whole(attribute), .integrity))
        }
    }

    /// Returns the place of an attribute with its value and quotes.
    private func whole(_ attribute: HTMLTokenizer.Attribute) -> Range<Int> {
        let quote = bytes.at(attribute.valueRange.upperBound)
        let isQuoted =
            attribute.valueRange.lowerBound > attribute.nameRange.upperBound
            && (quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"))
        return attribute.nameRange.lowerBound..<attribute.valueRange.upperBound + (isQuoted ? 1 : 0)
    }

    /// Notes the attributes that demand what a browser can't check of a file: digests, and permissions of other origins.
    private mutating func removeDemands() {
        remove(.integrity)
        remove(.crossorigin)
    }

    private mutating func remove(_ name: HTMLAttributeName) {
        let place = scanner.tokenizer.tokenStart
        for attribute in scanner.tokenizer.attributes where attribute.name == name {
            let none = Reference("", .requisite, .other, attribute: name.rawValue, at: place)
            add(none, ReferencePlace(whole(attribute), .removed))
        }
    }

    /// Reads an `iframe`, whose document is in `srcdoc` if present, else at `src`.
    private mutating func iframe() {
        guard let range = scanner.tokenizer.value(of: .srcdoc) else {
            add(.src, .frame, .document)
            return
        }
        guard !isReplacing else {
            let offset = range.lowerBound
            return addDecoded(
                "srcdoc",
                .frame,
                .document,
                "iframe",
                "srcdoc",
                at: offset,
                ReferencePlace(range, .document)
            )
        }
        guard limits.srcdocDepth > 0 else { return result.cut(.srcdocDepth) }
        guard range.count <= limits.attributeBytes else { return result.cut(.attributeBytes) }
        var inner = limits
        inner.srcdocDepth -= 1
        inner.references -= result.references.count
        var document = HTMLText.attribute(bytes, range)
        let references = document.withUTF8 {
            HTMLReferences(utf8: $0, limits: inner, productToken: productToken, findsPreviews: findsPreviews)
        }
        result.adopt(references, at: range.lowerBound, isInert: scanner.templateDepth > 0, limits)
    }

    /// The attributes of the current tag.
    private var tagBytes: ScanBuffer {
        let start = scanner.tokenizer.range.upperBound
        return ScanBuffer(bytes.slice(start..<max(start, scanner.tokenizer.position)))
    }

    /// Reads an island of Astro, which its own script imports.
    private mutating func island() {
        add(.componentURL, .requisite, .module)
        add(.rendererURL, .requisite, .module)
        // The name is too long for a packed name.
        let name: StaticString = "before-hydration-url=\""
        let tag = tagBytes
        guard let position = tag.position(of: name) else { return }
        let value = position + name.utf8CodeUnitCount
        let end = tag.find(UInt8(ascii: "\""), from: value)
        guard end < tag.count, end > value, end - value <= limits.referenceBytes else { return }
        let text = HTMLText.attribute(tag, value..<end)
        let start = scanner.tokenizer.range.upperBound
        let place = ReferencePlace(start + value..<start + end)
        addDecoded(text, .requisite, .module, elementName, "before-hydration-url", at: start + value, place)
    }

    private mutating func source() {
        switch sourceParent {
        case .picture: candidates(.srcset)
        case .media: add(.src, .requisite, .media)
        case .none: break
        }
    }

    /// Reads an animation of an address, which has several values.
    private mutating func animation() {
        guard let name = text(of: .attributename)?.lowercased(), name == "href" || name == "xlink:href" else { return }
        add(.from, .requisite, .image)
        add(.to, .requisite, .image)
        guard let range = list(of: .values) else { return }
        let element = elementName
        let (text, source) = decoded(range)
        for (address, part) in text.trimmedParts(separator: UInt8(ascii: ";")) {
            addDecoded(address, .requisite, .image, element, "values", at: range.lowerBound, source.place(of: part))
        }
    }

    // MARK: Forms and menus

    /// Reads a form; one that is sent as a query leads to the page at its address.
    private mutating func form() {
        isQueryForm = isQuery(.method)
        // A form of another kind must not be sent to the live site either.
        if isQueryForm == true || isReplacing { addForm(.action) }
    }

    private mutating func formAction() {
        guard scanner.tokenizer.value(of: .formaction) != nil else { return }
        let isQuery = scanner.tokenizer.value(of: .formmethod) == nil ? isQueryForm == true : isQuery(.formmethod)
        if isQuery || isReplacing { addForm(.formaction) }
    }

    /// Returns true if a method is GET, which is also the default; HTML §4.10.19.6.
    private func isQuery(_ name: HTMLAttributeName) -> Bool {
        let method = text(of: name)?.trimmedASCII.lowercased()
        return method != "post" && method != "dialog"
    }

    /// Adds a form's address without its query, which the fields replace.
    private mutating func addForm(_ name: HTMLAttributeName) {
        guard let range = scanner.tokenizer.value(of: name), range.count <= limits.referenceBytes else { return }
        let text = HTMLText.attribute(bytes, range).trimmedASCII
        let address = String(text.prefix { $0 != "?" && $0 != "#" })
        guard !address.isEmpty, !ReferenceText.needsNoRequest(address),
            !address.utf8.contains(where: { Self.templateBytes.contains($0) })
        else { return }
        let isNofollow = self.text(of: .rel)?.lowercasedTokens.contains("nofollow") ?? false
        addDecoded(
            isReplacing ? text : address,
            .link,
            .document,
            elementName,
            name.rawValue,
            at: range.lowerBound,
            ReferencePlace(range),
            isNofollow: isNofollow
        )
    }

    private mutating func select() {
        finishMenu()
        var script = text(of: .onchange) ?? ""
        for attribute in scanner.tokenizer.attributes.prefix(16)
        where attribute.name == .other && attribute.nameRange.count + attribute.valueRange.count <= 256 {
            let name = HTMLText.name(bytes, attribute.nameRange)
            let value = HTMLText.attribute(bytes, attribute.valueRange).lowercased()
            guard name.hasPrefix("data-"), (name + value).contains("navigat") || (name + value).contains("redirect")
            else { continue }
            script += " location=value"
        }
        menu = SelectMenu(script: script)
    }

    private mutating func option() {
        guard menu != nil, let range = scanner.tokenizer.value(of: .value), range.count <= limits.referenceBytes else {
            return
        }
        menu?.add(HTMLText.attribute(bytes, range), at: range)
    }

    /// Adds the pages of the open menu as guesses.
    private mutating func finishMenu() {
        guard let menu else { return }
        self.menu = nil
        for (text, range) in menu.addresses {
            addGuess(text, .link, .document, "option", HTMLAttributeName.value.rawValue, ReferencePlace(range))
        }
    }

    // MARK: Components and scripts

    private mutating func components() {
        let element = elementName
        let found = ComponentReferences.references(
            of: scanner.tokenizer,
            element: element,
            limit: limits.referenceBytes
        )
        for item in found where !isReplacing || item.attribute != HTMLAttributeName.onclick.rawValue {
            let place = item.part.flatMap { decoded(item.value).source.place(of: $0) } ?? ReferencePlace(item.value)
            if item.isGuess {
                addGuess(item.text, item.kind, item.loads, element, item.attribute, place)
            } else {
                let offset = item.value.lowerBound
                addDecoded(item.text, item.kind, item.loads, element, item.attribute, at: offset, place, isLate: true)
            }
        }
    }

    /// Reads the main module of an AMD loader (https://requirejs.org/docs/api.html#data-main).
    private mutating func main() {
        guard let text = text(of: .dataMain)?.trimmedASCII, !text.isEmpty, !text.contains("!"),
            let range = scanner.tokenizer.value(of: .dataMain)
        else { return }
        var loader = result.loader
        (loader.main, loader.isUsed) = (loader.main ?? text, true)
        result.note(loader)
        let address = text.hasSuffix(".js") || text.contains("?") ? text : text + ".js"
        let place = ReferencePlace(range, address == text ? .address : .module)
        // Other libraries use an attribute of this name, too.
        if self.text(of: .src)?.lowercased().contains("require") ?? false {
            addDecoded(address, .requisite, .script, "script", "data-main", at: range.lowerBound, place, isLate: true)
        } else {
            addGuess(address, .requisite, .script, "script", "data-main", place)
        }
    }

    /// Adds the pages that functions of scripts open, if the page shows nothing else.
    private mutating func finishOpened() {
        let isEmpty =
            textCount < Self.shortText
            && !result.references.contains {
                $0.kind == .link && !$0.isGuess || $0.kind == .frame || $0.loads == .image && $0.element != "link"
            }
        guard isEmpty else { return }
        for (text, offset) in opened {
            addDecoded(text, .redirect, .document, "script", "location", at: offset, nil, isLate: true)
        }
    }

    // MARK: Lazy loaders

    /// Reads the attributes from which common scripts take addresses when an element comes into view.
    private mutating func lazyAddresses(_ element: HTMLElementName) {
        switch element {
        case .img:
            addLazy(.lazySrc)
            addLazy(.lazyLazySrc)
            addLazy(.lazyOriginal)
            addLazyGuesses()
            addLazyFile(.lazyLazy)
            addLazyFile(.lazyEcho)
        case .source where sourceParent == .picture: addLazyGuesses()
        case .source where sourceParent == .media: addLazy(.lazySrc, .requisite, .media)
        case .audio, .video:
            addLazy(.lazySrc, .requisite, .media)
            addLazy(.lazyPoster)
        case .iframe: addLazy(.lazySrc, .frame, .document)
        default: break
        }
        addLazyBackground(.lazyBg)
        addLazyBackground(.lazyBackground)
        addLazyBackground(.lazySetbg)
        addLazyBackgrounds()
        for name in [HTMLAttributeName.lazyFull, .lazyImage, .lazyImageSrc] { addLazyFile(name, isImage: true) }
    }

    /// Reads an address; the attribute may also be a setting.
    private mutating func addLazyFile(_ name: HTMLAttributeName, isImage: Bool = false) {
        guard let text = text(of: name)?.trimmedASCII, let range = scanner.tokenizer.value(of: name),
            isImage ? LoadingElement.isImage(text) : text.utf8.contains(where: Self.isPathByte)
        else { return }
        addLazy(text, .requisite, .image, name, ReferencePlace(range))
    }

    private static func isPathByte(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ".") || byte == UInt8(ascii: "/") }

    /// Reads the candidates of a background, which `|` separates into groups with a condition in brackets each.
    private mutating func addLazyBackgrounds() {
        guard let range = list(of: .lazyBgset) else { return }
        let (text, source) = decoded(range)
        for group in text.split(separator: "|").prefix(64) {
            let start = text.utf8.distance(from: text.startIndex, to: group.startIndex)
            let set = SourceSet(String(group.prefix { $0 != "[" }))
            for (address, part) in zip(set.addresses, set.ranges) {
                let place = source.place(of: part.lowerBound + start..<part.upperBound + start)
                addLazy(address, .requisite, .image, .lazyBgset, place)
            }
        }
    }

    private mutating func addLazy(
        _ name: HTMLAttributeName,
        _ kind: Reference.Kind = .requisite,
        _ loads: Destination = .image
    ) {
        guard let range = scanner.tokenizer.value(of: name), range.count <= limits.referenceBytes else { return }
        addLazy(HTMLText.attribute(bytes, range), kind, loads, name, ReferencePlace(range))
    }

    private mutating func addLazyGuesses() {
        guard let range = list(of: .lazySrcset) else { return }
        let (text, source) = decoded(range)
        let set = SourceSet(text)
        for (address, part) in zip(set.addresses, set.ranges) {
            addLazy(address, .requisite, .image, .lazySrcset, source.place(of: part))
        }
    }

    /// Reads an address, or one within `url()`; the attribute may also be a color.
    private mutating func addLazyBackground(_ name: HTMLAttributeName) {
        guard let range = scanner.tokenizer.value(of: name), range.count <= limits.referenceBytes else { return }
        let (value, source) = decoded(range)
        var text = value.trimmedASCII
        let isFunction = text.hasPrefix("url(") && text.hasSuffix(")")
        if isFunction {
            text = String(text.dropFirst(4).dropLast()).trimmedASCII
            if let quote = text.first, quote == "'" || quote == "\"", text.utf8.count > 1, text.last == quote {
                text = String(text.dropFirst().dropLast())
            }
        }
        guard text.utf8.contains(where: Self.isPathByte), !text.utf8.contains(UInt8(ascii: "("))
        else { return }
        guard isFunction, let start = value.utf8.firstRange(of: text.utf8)?.lowerBound else {
            return addLazy(text, .requisite, .image, name, ReferencePlace(range))
        }
        let offset = value.utf8.distance(from: value.startIndex, to: start)
        addLazy(text, .requisite, .image, name, source.place(of: offset..<offset + text.utf8.count, .css))
    }

    /// Adds a guess of the current element.
    private mutating func addLazy(
        _ text: String,
        _ kind: Reference.Kind,
        _ loads: Destination,
        _ name: HTMLAttributeName,
        _ place: ReferencePlace?
    ) {
        addGuess(text, kind, loads, elementName, name.rawValue, place)
    }

    /// Adds a guess, unless it is a template into which a script inserts something.
    private mutating func addGuess(
        _ text: String,
        _ kind: Reference.Kind,
        _ loads: Destination,
        _ element: String,
        _ attribute: String,
        _ place: ReferencePlace?
    ) {
        guard let place else { return }
        guard lazyRest > 0, !ReferenceText.needsNoRequest(text),
            !text.utf8.contains(where: { Self.templateBytes.contains($0) })
        else { return }
        lazyRest -= 1
        let offset = place.holder.lowerBound
        addDecoded(text, kind, loads, element, attribute, at: offset, place, isLate: true, isGuess: true)
    }

    private static let templateBytes = Array("{}<>[]".utf8)

    // MARK: Texts

    private mutating func style() {
        let type = text(of: .type)?.lowercased() ?? ""
        if type.isEmpty || type == "text/css" { open(.style) }
    }

    private mutating func meta() {
        if let charset = text(of: .charset) { result.noteCharset(charset) }
        guard let content = text(of: .content) else { return }
        if isValue(of: .httpEquiv, "refresh") {
            guard let part = RefreshDirective.place(in: Array(content.utf8)),
                let range = scanner.tokenizer.value(of: .content)
            else { return }
            let address = String(decoding: Array(content.utf8)[part], as: UTF8.self)
            let place = decoded(range).source.place(of: part)
            addDecoded(address, .redirect, .document, "meta", "content", at: range.lowerBound, place)
        } else if isReplacing, isValue(of: .httpEquiv, "content-security-policy") {
            scanner.tokenizer.value(of: .content).map { range in
                let policy = Reference(content, .requisite, .other, attribute: "content", at: range.lowerBound)
                add(policy, ReferencePlace(range, .policy))
            }
        } else if isValue(of: .httpEquiv, "content-type") {
            MetaPrescan.charset(inContentType: Array(content.utf8)).map { result.noteCharset($0) }
        }
        if findsPreviews, isPreviewImage(.property) || isPreviewImage(.name),
            let range = scanner.tokenizer.value(of: .content), !ReferenceText.needsNoRequest(content)
        {
            let place = ReferencePlace(range)
            addDecoded(content, .requisite, .image, "meta", "content", at: range.lowerBound, place, isLate: true)
        }
        guard let name = text(of: .name)?.lowercased() else { return }
        if name == "robots" || name == productToken { result.noteRobots(content) }
        if name == "generator" { result.noteGenerator(content) }
    }

    /// Returns true if an attribute says that the element's content is an image for previews (https://ogp.me).
    private func isPreviewImage(_ attribute: HTMLAttributeName) -> Bool {
        text(of: attribute).map { Self.previewNames.contains($0.lowercased().trimmedASCII) } ?? false
    }

    private static let previewNames: Set = [
        "og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src",
    ]

    /// Adds each candidate of a `srcset`.
    private mutating func candidates(_ name: HTMLAttributeName) {
        guard let range = list(of: name) else { return }
        let element = elementName
        let (text, source) = decoded(range)
        let set = SourceSet(text)
        for (address, part) in zip(set.addresses, set.ranges) {
            let place = source.place(of: part)
            addDecoded(address, .requisite, .image, element, name.rawValue, at: range.lowerBound, place)
        }
    }

    // MARK: Attributes

    /// Returns the value of an attribute that may hold many addresses, within the limit.
    private mutating func list(of name: HTMLAttributeName) -> Range<Int>? {
        guard let range = scanner.tokenizer.value(of: name) else { return nil }
        guard range.count <= limits.attributeBytes else {
            result.cut(.attributeBytes)
            return nil
        }
        return range
    }

    /// Returns an attribute's value decoded, and its relation to the document.
    private func decoded(_ range: Range<Int>) -> (text: String, source: ReferenceSource) {
        let text = HTMLText.attribute(bytes, range)
        // Repaired bytes make the text longer.
        let isPlain = text.utf8.count == range.count && HTMLText.isPlain(bytes, range)
        return (text, isPlain ? .document(range, shift: range.lowerBound, .attribute) : .attribute(range))
    }

    private func text(of name: HTMLAttributeName) -> String? {
        guard let range = scanner.tokenizer.value(of: name), range.count <= limits.referenceBytes else { return nil }
        return HTMLText.attribute(bytes, range)
    }

    private func isValue(of name: HTMLAttributeName, _ expected: String) -> Bool {
        text(of: name)?.lowercased() == expected
    }
}

/// Styles and scripts within a document, both as elements and as attributes.
extension HTMLReferenceCollector {
    /// Records the start of an element whose text isn't markup.
    private mutating func open(_ content: Embedded) {
        if scanner.namespace == .html {
            expected = content
        } else if !scanner.tokenizer.isSelfClosing {
            finishPieces()
            pieces = (content, [], scanner.tokenizer.position)
            pieceList = []
        }
    }

    private mutating func embeddedText() {
        let range = scanner.tokenizer.range
        if let content = expected {
            expected = nil
            if scanner.templateDepth == 0, !isReplacing { noteScript(content, range) }
            embedded(content, bytes, range, .document(range, shift: 0, .rawText))
            return
        }
        guard var open = pieces else { return }
        // A second reference to the text would cause a copy for each piece.
        pieces = nil
        if isReplacing { notePiece(at: open.text.count) }
        // A section has no character references, and CSS reads its line ends itself.
        let isSection = isReplacing && scanner.tokenizer.textModel == .cdata
        if isSection {
            open.text += bytes.slice(range)
        } else {
            HTMLText.append(bytes, range, scanner.tokenizer.textModel, to: &open.text)
        }
        pieces = open
    }

    private mutating func notePiece(at position: Int) {
        let (range, model) = (scanner.tokenizer.range, scanner.tokenizer.textModel)
        let isText = model == .data || model == .rcdata
        let isDecoded = isText && !HTMLText.isPlain(bytes, range)
        let content: ReferencePlace.Content = isText ? .text : .rawText
        pieceList.append(.init(position: position, range: range, isDecoded: isDecoded, content: content))
    }

    private mutating func finishPieces() {
        guard let (content, text, start) = pieces else { return }
        pieces = nil
        let source = ReferenceSource.pieces(pieceList, start: start)
        text.withUnsafeBufferPointer { buffer in
            embedded(content, ScanBuffer(buffer), 0..<buffer.count, source)
        }
    }

    /// Records a script's or a data block's place for recipes.
    private mutating func noteScript(_ content: Embedded, _ range: Range<Int>) {
        switch content {
        case .script, .data:
            inlineScript.range = range
            result.note(inlineScript)
        case .style, .title: break
        }
    }

    /// Adds the references in an element's text.
    private mutating func embedded(
        _ content: Embedded,
        _ text: ScanBuffer,
        _ range: Range<Int>,
        _ source: ReferenceSource
    ) {
        switch content {
        case .title: result.noteTitle(HTMLText.string(text, range, .rcdata))
        case .style: style(text, range, .styleSheet, element: "style", source)
        case .data:
            if findsPreviews { linkedData(text, range, source) }
            if !isReplacing, Self.templateTypes.contains(inlineScript.type.trimmedASCII.lowercased()) {
                templates(text, range)
            }
        case .script(.importMap): importMap(text, range, source)
        case .script where isReplacing: break
        case .script(let type):
            JavaScriptReferences.forEach(in: text, range, type == .module ? .module : .script) { found in
                addDecoded(
                    found.text,
                    .requisite,
                    found.loads,
                    "script",
                    found.notation.rawValue,
                    at: source.offset(of: found.start),
                    nil,
                    isConditional: found.notation.isConditional,
                    resolution: found.notation.resolution
                )
                return !result.isFull
            }
            navigation(text, range, source)
            if type == .classic { modules(text, range, source) }
        }
    }

    /// The types of the templates of common libraries.
    private static let templateTypes: Set<String> = [
        "text/template", "text/x-template", "text/html", "text/x-handlebars", "text/x-handlebars-template",
        "text/ng-template", "text/x-jquery-tmpl", "text/x-mustache", "text/x-tmpl", "x-tmpl-mustache",
        "text/x-jsrender",
    ]

    /// Notes what elements of a template load; a script writes them into the page.
    private mutating func templates(_ text: ScanBuffer, _ range: Range<Int>) {
        guard let markup = MarkupText(text.string(range)) else { return }
        for address in markup.addresses where lazyRest > 0 {
            guard let text = ScriptText.of(address, .loaded, .none) else { continue }
            lazyRest -= 1
            result.noteText(text)
        }
    }

    /// Adds the pages that a script opens; those that a function opens only once it is known that nothing else is shown.
    private mutating func navigation(_ text: ScanBuffer, _ range: Range<Int>, _ source: ReferenceSource) {
        ScriptNavigation.forEach(in: text, range) { found in
            guard found.notation == .location else { return }
            let position = source.offset(of: found.start)
            if found.isImmediate {
                addDecoded(found.text, .redirect, .document, "script", "location", at: position, nil, isLate: true)
            } else if opened.count < 16 {
                opened.append((found.text, position))
            }
        }
    }

    /// Adds the modules that a script names for an AMD loader.
    private mutating func modules(_ text: ScanBuffer, _ range: Range<Int>, _ source: ReferenceSource) {
        let modules = AMDReferences.read(text, range, result.loader)
        result.note(modules.loader)
        for found in modules.found {
            addDecoded(
                found.text,
                .requisite,
                found.loads,
                "script",
                "require",
                at: source.offset(of: found.start),
                nil,
                isLate: true,
                isGuess: found.isGuess,
                isConditional: !found.isGuess
            )
        }
    }

    /// Adds the images that JSON-LD names (https://schema.org).
    private mutating func linkedData(_ text: ScanBuffer, _ range: Range<Int>, _ source: ReferenceSource) {
        guard inlineScript.type.lowercased().trimmedASCII == "application/ld+json" else { return }
        var addresses: [String] = []
        let isJSON = JSONWalk.forEachString(in: ScanBuffer(text.slice(range))) { found in
            guard addresses.count < 64, found.isImageOfLinkedData,
                let address = found.text(limit: limits.referenceBytes)
            else { return }
            addresses.append(address)
        }
        guard isJSON else { return }
        for address in addresses where !ReferenceText.needsNoRequest(address) {
            addDecoded(
                address,
                .requisite,
                .image,
                elementName,
                "ld+json",
                at: source.offset(of: range.lowerBound),
                nil,
                isLate: true,
                resolution: .utf8Address
            )
        }
    }

    /// Adds the addresses of an import map, but not its prefixes, which are not resources.
    private mutating func importMap(_ text: ScanBuffer, _ range: Range<Int>, _ source: ReferenceSource) {
        guard scanner.templateDepth == 0 else { return }
        let map = ImportMap(ScanBuffer(text.slice(range)), limits)
        for entry in map.entries where isReplacing || !entry.address.hasSuffix("/") {
            let place = entry.range.lowerBound + range.lowerBound..<entry.range.upperBound + range.lowerBound
            addDecoded(
                entry.address,
                .requisite,
                .module,
                "script",
                "importmap",
                at: source.offset(of: place.lowerBound),
                source.place(of: place),
                resolution: .importMapAddress
            )
        }
        result.add(map)
    }

    /// Adds the references in CSS.
    ///
    /// - Parameters:
    ///   - text: The document, or text decoded from it.
    ///   - range: The part of the text that is CSS.
    ///   - form: The kind of CSS text.
    ///   - element: The name of the element.
    ///   - source: The relation of the text to the document.
    private mutating func style(
        _ text: ScanBuffer,
        _ range: Range<Int>,
        _ form: CSSReferences.Form,
        element: String,
        _ source: ReferenceSource
    ) {
        CSSReferences.forEach(in: text, range, form) { found in
            addDecoded(
                found.address,
                .requisite,
                found.loads,
                element,
                found.notation.rawValue,
                at: source.offset(of: found.start),
                source.place(of: found.range, .css),
                // Declarations in an attribute belong to no style sheet and don't use its encoding.
                resolution: form == .styleSheet ? found.notation.resolution : .utf8Address
            )
            return !result.isFull
        }
    }

    /// Adds the references in an attribute that holds declarations.
    private mutating func declarations(_ name: HTMLAttributeName) {
        guard let range = scanner.tokenizer.value(of: name) else { return }
        // An address needs a parenthesis, be it plain, escaped or a character reference.
        guard bytes.slice(range).contains(where: { $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: "&") }) else { return }
        guard range.count <= limits.attributeBytes else { return result.cut(.attributeBytes) }
        guard bytes.find(UInt8(ascii: "&"), from: range.lowerBound, to: range.upperBound) < range.upperBound else {
            style(bytes, range, .declarations, element: elementName, .document(range, shift: 0, .attribute))
            return
        }
        var text = HTMLText.attribute(bytes, range)
        text.withUTF8 { buffer in
            let text = ScanBuffer(buffer)
            style(text, 0..<text.count, .declarations, element: elementName, .attribute(range))
        }
    }
}

extension JSONWalk.Found {
    /// True for the value of a property for images, or for the address of an object that is such a value.
    fileprivate var isImageOfLinkedData: Bool {
        var names = path.indices.compactMap { name(ofStep: $0, limit: 32) }
        guard let last = names.popLast() else { return false }
        if Self.imageProperties.contains(last) { return true }
        return ["url", "contentUrl", "@id"].contains(last)
            && names.last.map { Self.imageProperties.contains($0) } ?? false
    }

    private static let imageProperties: Set = [
        "image", "logo", "photo", "primaryImageOfPage", "thumbnail", "thumbnailUrl",
    ]
}
