internal import AFCURL

/// The references and metadata of an HTML or XML document.
public struct HTMLReferences: Sendable {
    /// The syntax rules for a document.
    public enum Syntax: Sendable {
        /// HTML as browsers read it.
        case html
        /// XHTML, SVG and other XML, tolerating errors.
        case xml
    }

    /// The references in the order of the document, each once.
    public var references: [Reference] { list.references }
    private var list = ReferenceList()
    /// The address of the first `base` element that has one.
    public private(set) var baseHref: String?
    /// The character encoding that a `meta` element names first.
    public private(set) var metaCharset: String?
    /// The text of the first HTML `title` element, without surrounding white space.
    public private(set) var title: String?
    /// The content of the first `meta` element named `generator`, or an empty text.
    private(set) var generator = ""
    /// The `script` elements that contain their script or data, in order.
    private(set) var inlineScripts: [RecipePage.InlineScript] = []
    /// What scripts, data and attributes in the page name in texts.
    private(set) var scriptTexts = ScriptTexts()
    private var attributeTexts = ScriptTexts()
    /// True if a robots `meta` element marks the document as nofollow.
    public private(set) var isNofollow = false
    /// True if a robots `meta` element marks the document as noindex.
    public private(set) var isNoindex = false
    /// The document's import maps, merged in order.
    private(set) var importMap = ImportMap()
    /// What the document configures an AMD loader with.
    private(set) var loader = AMDLoader()
    /// The limits that caused references to be left out.
    public var cuts: Set<DiscoveryCut> { list.cuts }
    /// True if references were left out because of a limit.
    public var isTruncated: Bool { !cuts.isEmpty }
    /// True if there is no room for another reference.
    var isFull: Bool { list.isFull }

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - text: The document in UTF-8, without a byte order mark; encoding errors are repaired where they matter.
    ///   - syntax: The syntax rules to apply.
    ///   - limits: The limits on what is taken.
    ///   - productToken: The crawler's name; a `meta` element with that name has the same effect as one named `robots`.
    ///   - findsPreviews: Whether to find the images that the document names for previews of it.
    public init(
        utf8 text: UnsafeBufferPointer<UInt8>,
        syntax: Syntax = .html,
        limits: DiscoveryLimits = DiscoveryLimits(),
        productToken: String = "afcache",
        findsPreviews: Bool = false
    ) {
        var collector = HTMLReferenceCollector(
            ScanBuffer(text),
            syntax == .html ? .html : .xml,
            limits,
            productToken: productToken,
            findsPreviews: findsPreviews
        )
        collector.run()
        self = collector.result
        list.finish()
    }

    /// Creates references without any.
    init() {}

    /// Adds what recipes find in the document.
    mutating func use(_ recipes: RecipeTable, in text: ScanBuffer, _ url: WebURL, _ limits: DiscoveryLimits) {
        let page = RecipePage(
            text: text,
            url: url,
            generator: generator,
            scripts: inlineScripts,
            references: references
        )
        scriptTexts = attributeTexts
        scriptTexts.add(Self.texts(of: inlineScripts, in: text))
        for reference in Recipe.references(in: page, recipes) where !list.add(reference, limits) { return }
    }

    private static func texts(of scripts: [RecipePage.InlineScript], in text: ScanBuffer) -> ScriptTexts {
        var texts = ScriptTexts()
        for script in scripts {
            if let goal = goal(of: script) { texts.add(ScriptTextReader.read(text, script.range, goal)) }
        }
        return texts
    }

    /// Returns the grammar of a script that browsers run, or of data that such scripts read; nil for anything else.
    private static func goal(of script: RecipePage.InlineScript) -> JavaScriptReferences.Goal? {
        // A template engine writes an empty type for a script without one.
        switch ScriptType(type: script.type.isEmpty ? nil : script.type, language: nil) {
        case .classic: .script
        case .module: .module
        case .importMap: nil
        case nil: script.type.trimmedASCII.lowercased() == "application/json" ? .module : nil
        }
    }
}

// MARK: - Collecting

extension HTMLReferences {
    /// Adds a reference; returns false if there is no more room.
    @discardableResult
    mutating func add(_ reference: Reference, _ limits: DiscoveryLimits) -> Bool { list.add(reference, limits) }

    /// Adds what an attribute names in a text.
    mutating func noteText(_ text: ScriptText) { attributeTexts.add(ScriptTexts(texts: [text])) }

    /// Records that a limit was reached.
    mutating func cut(_ cut: DiscoveryCut) { list.cut(cut) }

    /// Adds the references of a `srcdoc` document.
    mutating func adopt(_ inner: HTMLReferences, at offset: Int, isInert: Bool, _ limits: DiscoveryLimits) {
        for cut in inner.cuts { list.cut(cut) }
        for var reference in inner.references {
            if let base = inner.baseHref, !reference.precedesBase { reference.bases.insert(base, at: 0) }
            // A document in an attribute is always UTF-8.
            if reference.resolution == .address { reference.resolution = .utf8Address }
            reference.precedesBase = baseHref == nil
            reference.offset = offset
            reference.isInert = reference.isInert || isInert
            guard add(reference, limits) else { return }
        }
    }

    /// Adds an import map, unless there are too many entries already.
    mutating func add(_ map: ImportMap) {
        guard importMap.entries.count < 10_000 else { return list.cut(.references) }
        importMap.add(map, precedesBase: baseHref == nil)
    }

    /// Takes what an AMD loader is configured with, so far.
    mutating func note(_ loader: AMDLoader) { self.loader = loader }

    mutating func noteBase(_ href: String) { baseHref = baseHref ?? href }

    mutating func noteCharset(_ label: String) { metaCharset = metaCharset ?? label }

    mutating func noteGenerator(_ content: String) { if generator.isEmpty { generator = content } }

    mutating func note(_ script: RecipePage.InlineScript) {
        guard inlineScripts.count < 1024 else { return }
        inlineScripts.append(script)
    }

    mutating func noteTitle(_ text: String) { title = title ?? text.trimmedASCII }

    mutating func noteRobots(_ content: String) {
        let separators: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0C, 0x0D, UInt8(ascii: ",")]
        for word in content.utf8.split(whereSeparator: separators.contains) {
            switch String(Substring(word)).lowercased() {
            case "nofollow": isNofollow = true
            case "noindex": isNoindex = true
            case "none":
                isNofollow = true
                isNoindex = true
            default: break
            }
        }
    }
}
