internal import AFCURL

/// Replaces the references of HTML, XHTML and SVG.
///
/// Discovery says where references are, and the same scanner then finds the attributes and texts that hold them.
struct HTMLRewriting {
    /// The deepest nesting of documents in `srcdoc`.
    private static let maxDepth = 4

    private let text: ScanBuffer
    private let syntax: HTMLReferences.Syntax
    private let encoding: TextEncoding
    private let map: (WebURL) -> WebURL?
    private let depth: Int
    private var addresses: AddressRewriting
    /// The references by their places, of which those before `next` are done.
    private let references: [Reference]
    private var next = 0
    private var edits: [Edit] = []

    /// Returns the edits of a document.
    static func edits(
        in text: ScanBuffer,
        _ syntax: HTMLReferences.Syntax,
        url: WebURL,
        shown: WebURL,
        _ encoding: TextEncoding,
        depth: Int = 0,
        _ map: @escaping (WebURL) -> WebURL?
    ) -> [Edit] {
        let found = HTMLReferences(repeatsIn: text, syntax)
        // A part of the references would be no better than none.
        guard !found.isFull else { return [] }
        let addresses = AddressRewriting(
            url: url,
            shown: shown,
            baseHref: found.baseHref,
            encoding: encoding,
            map: map
        )
        let references = found.references.sorted { $0.offset < $1.offset }
        var rewriting = HTMLRewriting(
            text: text,
            syntax: syntax,
            encoding: encoding,
            map: map,
            depth: depth,
            addresses: addresses,
            references: references
        )
        rewriting.run()
        return rewriting.edits
    }

    private init(
        text: ScanBuffer,
        syntax: HTMLReferences.Syntax,
        encoding: TextEncoding,
        map: @escaping (WebURL) -> WebURL?,
        depth: Int,
        addresses: AddressRewriting,
        references: [Reference]
    ) {
        self.text = text
        self.syntax = syntax
        self.encoding = encoding
        self.map = map
        self.depth = depth
        self.addresses = addresses
        self.references = references
    }

    private mutating func run() {
        var scanner = HTMLDocumentScanner(text, syntax == .html ? .html : .xml)
        var hasBase = false
        while let token = scanner.next() {
            let tokenizer = scanner.tokenizer
            switch token {
            case .startTag:
                let isBase = tokenizer.element == .base && !scanner.isInNoscript && scanner.templateDepth == 0
                if isBase, !hasBase, let range = tokenizer.value(of: .href) {
                    hasBase = true
                    if let base = addresses.base { replace(range, by: base) }
                }
                tag(tokenizer)
            case .text: content(tokenizer)
            case .comment: instruction(tokenizer)
            case .endTag, .doctype: break
            }
        }
    }

    /// Returns the references in a part of the text, which follows the last one.
    private mutating func references(in range: Range<Int>) -> ArraySlice<Reference> {
        while next < references.count, references[next].offset < range.lowerBound { next += 1 }
        let start = next
        while next < references.count, references[next].offset < range.upperBound { next += 1 }
        return references[start..<next]
    }

    // MARK: Tags

    private mutating func tag(_ tokenizer: HTMLTokenizer) {
        let found = references(in: tokenizer.tokenStart..<tokenizer.position)
        if tokenizer.element == .iframe, let range = tokenizer.value(of: .srcdoc) { nested(range) }
        guard !found.isEmpty else { return }
        // Attributes and references are both in order, so that a hostile tag takes linear time.
        var rest = found
        for attribute in tokenizer.attributes where !attribute.valueRange.isEmpty && attribute.name != .srcdoc {
            rest = rest.drop { $0.offset < attribute.valueRange.lowerBound }
            guard let first = rest.first, first.offset < attribute.valueRange.upperBound else { continue }
            value(attribute, first, tokenizer)
        }
        // The bodies of style sheets change, so that their digests don't fit any more.
        guard tokenizer.element == .link, let sheet = found.first(where: { $0.loads == .style }),
            addresses.mapped(sheet) != nil
        else { return }
        let names = tokenizer.attributes.filter {
            $0.name == .other && HTMLText.name(text, $0.nameRange) == "integrity"
        }
        for attribute in names {
            let isQuoted = text.at(attribute.valueRange.upperBound).map { $0 == 0x22 || $0 == 0x27 } ?? false
            let end = max(attribute.nameRange.upperBound, attribute.valueRange.upperBound + (isQuoted ? 1 : 0))
            insert(Edit(range: attribute.nameRange.lowerBound..<min(end, text.count), text: []))
        }
    }

    private mutating func value(_ attribute: HTMLTokenizer.Attribute, _ reference: Reference, _ tag: HTMLTokenizer) {
        let range = attribute.valueRange
        let old = HTMLText.attribute(text, range)
        var new: String?
        switch attribute.name {
        case .srcset, .imagesrcset, .lazySrcset, .lazyBgset: new = candidates(old, reference)
        case .content where tag.element == .meta && reference.kind == .redirect: new = refresh(old, reference)
        case .values: new = parts(old, ";", reference)
        case .other where tag.uses.contains(.slide) && reference.kind != .frame: new = parts(old, ",", reference)
        // Scripts aren't changed.
        case .onclick: return
        case let name where !name.uses.isDisjoint(with: [.style, .paint]) || old.hasPrefix("url("):
            new = css(old, .declarations, precedesBase: reference.precedesBase)
        case .dataMain: new = module(old, reference)
        default: new = replacement(of: old, reference)
        }
        if let new, new != old { replace(range, by: Array(new.utf8)) }
    }

    private mutating func replacement(of text: some StringProtocol, _ reference: Reference) -> String? {
        var reference = reference
        reference.text = String(text)
        return addresses.replacement(of: reference)
    }

    /// Replaces the addresses of a `srcset`, with the separators as they are.
    private mutating func candidates(_ old: String, _ reference: Reference) -> String? {
        let set = SourceSet(old)
        let bytes = Array(old.utf8)
        var new: [UInt8] = []
        var position = 0
        for (address, range) in zip(set.addresses, set.ranges) {
            guard let written = replacement(of: address, reference) else { continue }
            new += bytes[position..<range.lowerBound] + Array(written.utf8)
            position = range.upperBound
        }
        return String(decoding: new + bytes[position...], as: UTF8.self)
    }

    private mutating func refresh(_ old: String, _ reference: Reference) -> String? {
        guard let address = RefreshDirective.address(in: old), let range = old.ranges(of: address).last,
            let written = replacement(of: address, reference)
        else { return nil }
        return old.replacingCharacters(range, with: written)
    }

    private mutating func parts(_ old: String, _ separator: Character, _ reference: Reference) -> String? {
        var parts: [String] = []
        for part in old.split(separator: separator, omittingEmptySubsequences: false) {
            parts.append(replacement(of: String(part).trimmedASCII, reference) ?? String(part))
        }
        return parts.joined(separator: String(separator))
    }

    /// Replaces the main module of an AMD loader, which is written with or without its suffix.
    private mutating func module(_ old: String, _ reference: Reference) -> String? {
        guard let new = addresses.replacement(of: reference) else { return nil }
        return old.hasSuffix(".js") || !new.hasSuffix(".js") ? new : String(new.dropLast(3))
    }

    private mutating func css(_ old: String, _ form: CSSReferences.Form, precedesBase: Bool) -> String {
        var old = old
        var rest = addresses
        let new = old.withUTF8 { buffer in
            let text = ScanBuffer(buffer)
            let edits = CSSRewriting.edits(in: text, 0..<text.count, form, precedesBase: precedesBase, &rest)
            return String(decoding: edits.applied(to: text), as: UTF8.self)
        }
        addresses = rest
        return new
    }

    /// Replaces the references of a document in an attribute.
    private mutating func nested(_ range: Range<Int>) {
        guard depth < Self.maxDepth else { return }
        var document = HTMLText.attribute(text, range)
        let bases = addresses.bases
        let new = document.withUTF8 { buffer -> [UInt8]? in
            let text = ScanBuffer(buffer)
            let edits = Self.edits(
                in: text,
                .html,
                url: bases.real,
                shown: bases.shown,
                .utf8,
                depth: depth + 1,
                map
            )
            return edits.isEmpty ? nil : edits.applied(to: text)
        }
        if let new { replace(range, by: new) }
    }

    // MARK: Texts

    private mutating func content(_ tokenizer: HTMLTokenizer) {
        let range = tokenizer.range
        guard let first = references(in: range).first, first.element == "style" || first.attribute == "importmap" else {
            return
        }
        if first.attribute == "importmap" {
            let map = ScanBuffer(text.slice(range))
            edits += JSONRewriting.importMap(
                map,
                offset: range.lowerBound,
                precedesBase: first.precedesBase,
                &addresses
            )
            return
        }
        let isDecoded = tokenizer.textModel == .data || tokenizer.textModel == .rcdata
        // A style in foreign content may have character references, which make its places in the text unknown.
        if isDecoded, text.find(UInt8(ascii: "&"), from: range.lowerBound, to: range.upperBound) < range.upperBound {
            let old = HTMLText.string(text, range, tokenizer.textModel)
            let new = css(old, .styleSheet, precedesBase: first.precedesBase)
            if new != old { edits.append(Edit(range: range, text: Self.escaped(Array(new.utf8), quote: nil))) }
            return
        }
        edits += CSSRewriting.edits(in: text, range, .styleSheet, precedesBase: first.precedesBase, &addresses).map {
            isDecoded ? Edit(range: $0.range, text: Self.escaped($0.text, quote: nil)) : $0
        }
    }

    /// Replaces the address in `<?xml-stylesheet href="…"?>`.
    private mutating func instruction(_ tokenizer: HTMLTokenizer) {
        let range = tokenizer.range
        guard let reference = references(in: range).first, reference.element == "?xml-stylesheet",
            let new = addresses.replacement(of: reference)
        else { return }
        var index = range.lowerBound
        while index < range.upperBound, !text.hasPrefix("href", at: index) { index += 1 }
        index = text.find(UInt8(ascii: "="), from: min(index, range.upperBound), to: range.upperBound) + 1
        while index < range.upperBound, text[index].isSpace { index += 1 }
        guard index < range.upperBound, text[index] == 0x22 || text[index] == 0x27 else { return }
        let end = text.find(text[index], from: index + 1, to: range.upperBound)
        edits.append(Edit(range: index + 1..<end, text: Self.escaped(Array(new.utf8), quote: text[index])))
    }

    // MARK: Writing

    /// Replaces an attribute's value.
    private mutating func replace(_ range: Range<Int>, by value: [UInt8]) {
        let before = range.lowerBound > 0 ? text[range.lowerBound - 1] : 0
        let quote = before == 0x22 || before == 0x27 ? before : 0
        insert(Edit(range: range, text: Self.escaped(value, quote: quote)))
    }

    /// Adds an edit of the current tag, whose attributes may be replaced in any order.
    private mutating func insert(_ edit: Edit) {
        let index = edits.lastIndex { $0.range.lowerBound < edit.range.lowerBound }.map { $0 + 1 } ?? 0
        edits.insert(edit, at: index)
    }

    /// Escapes a text for an attribute, or for text in XML if there is no quote; 0 stands for an unquoted value.
    ///
    /// What isn't ASCII, which only the rest of a nested document has, becomes character references.
    private static func escaped(_ text: [UInt8], quote: UInt8?) -> [UInt8] {
        var result: [UInt8] = []
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "&": result += Array("&amp;".utf8)
            case "<" where quote != 0x22 && quote != 0x27: result += Array("&lt;".utf8)
            case _ where quote.map { $0 == scalar.value } ?? false, _ where !scalar.isASCII,
                "\"" where quote == 0, "'" where quote == 0, ">" where quote == 0, "=" where quote == 0,
                "`" where quote == 0, " " where quote == 0, "\n" where quote == 0, "\t" where quote == 0,
                "\u{C}" where quote == 0, "\r":
                result += Array("&#\(scalar.value);".utf8)
            default: result.append(UInt8(truncatingIfNeeded: scalar.value))
            }
        }
        return result
    }
}

extension String {
    fileprivate func replacingCharacters(_ range: Range<Index>, with text: String) -> String {
        String(self[..<range.lowerBound]) + text + self[range.upperBound...]
    }
}
