internal import AFCURL

/// Replaces the references of HTML, XHTML and SVG, at the places where discovery finds them.
struct HTMLRewriting {
    /// The deepest nesting of documents in `srcdoc`.
    private static let maxDepth = 4

    private let text: ScanBuffer
    private let rewriter: ReferenceRewriter
    private let depth: Int
    private var addresses: AddressRewriting
    private var edits: [Edit] = []
    private var styles: [ChangedStyle] = []
    private var added = AddedParts()
    private var styleBytes = 0

    /// The largest size of styles that are kept for policies, in bytes.
    private static let maxStyles = 1 << 20

    /// Returns what has to be replaced in a document, and the encoding that a `meta` element names.
    ///
    /// - Parameters:
    ///   - text: The document.
    ///   - syntax: Its syntax.
    ///   - rewriter: The rewriter with its URLs.
    ///   - encoding: Its encoding.
    ///   - depth: The number of documents around it.
    /// - Returns: What has to be replaced.
    static func replacements(
        in text: ScanBuffer,
        _ syntax: HTMLReferences.Syntax,
        _ rewriter: ReferenceRewriter,
        _ encoding: TextEncoding,
        depth: Int = 0
    ) -> (found: Replacements, metaCharset: String?) {
        let changes = rewriter.changes
        var collector = HTMLReferenceCollector(
            text,
            syntax == .html ? .html : .xml,
            .rewriting,
            findsAdditionPlaces: rewriter.addition != nil,
            isForFiles: rewriter.place != .server
        ) {
            changes.mayApply(to: $0, $1)
        }
        collector.run()
        // A part of the references would be no better than none.
        guard !collector.result.isFull else { return (Replacements(), collector.result.metaCharset) }
        let addresses = AddressRewriting(rewriter, baseHref: collector.result.baseHref, encoding)
        var rewriting = HTMLRewriting(text: text, rewriter: rewriter, depth: depth, addresses: addresses)
        rewriting.run(collector.placed, collector.additionPlaces)
        let found = Replacements(edits: rewriting.edits, styles: rewriting.styles, added: rewriting.added)
        return (found, collector.result.metaCharset)
    }

    private init(text: ScanBuffer, rewriter: ReferenceRewriter, depth: Int, addresses: AddressRewriting) {
        self.text = text
        self.rewriter = rewriter
        self.depth = depth
        self.addresses = addresses
    }

    private mutating func run(_ found: [PlacedReference], _ places: AdditionPlaces?) {
        func isBefore(_ first: ReferencePlace, _ second: ReferencePlace) -> Bool {
            (first.holder.lowerBound, first.range.lowerBound) < (second.holder.lowerBound, second.range.lowerBound)
        }
        // Most are in order already.
        let isSorted = zip(found, found.dropFirst()).allSatisfy { !isBefore($1.place, $0.place) }
        let found = isSorted ? found : found.sorted { isBefore($0.place, $1.place) }
        var policies: [PlacedReference] = []
        var rest = found[...]
        while let first = rest.first {
            let group = rest.prefix { $0.place.holder == first.place.holder }
            rest = rest.dropFirst(group.count)
            let count = edits.count
            if first.place.notation == .policy {
                policies += group
            } else if first.place.isDecoded {
                decoded(group, first.place)
            } else {
                group.forEach { replace($0) }
                if first.place.notation == .css, edits.count > count { note(first.place, edits[count...]) }
            }
        }
        let parts = places.map { add($0, found) } ?? []
        let others = edits
        edits = []
        // A policy may have the digest of any style of the page.
        for item in policies {
            let old = item.reference.text
            var new = rewriter.policy?(old, styles) ?? old
            if added.hasScript, let addition = rewriter.addition { new = addition.policy(new, added.importMap) }
            if new != old { replace(item.place.range, by: Array(new.utf8), item.place) }
        }
        guard !edits.isEmpty || !parts.isEmpty else { return edits = others }
        // Where two begin at the same place, the parts come first, since they are added before it.
        edits = (parts + others + edits).sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// Returns the edits that add a script and entries of the import map, if the page needs them.
    private mutating func add(_ places: AdditionPlaces, _ found: [PlacedReference]) -> [Edit] {
        guard let addition = rewriter.addition, let start = places.start,
            places.runsScripts || leadsOut(found, addition)
        else { return [] }
        added.hasScript = true
        var parts = [Edit(range: start..<start, text: Array(addition.script.utf8))]
        if let range = places.ownMap {
            let text = ScanBuffer(text.slice(range))
            var own = edits.filter {
                range.lowerBound <= $0.range.lowerBound && $0.range.upperBound <= range.upperBound
            }
            .map { $0.moved(by: -range.lowerBound) }
            for edit in ImportMapPlace.edits(adding: addition.imports.parts, to: text) {
                parts.append(edit.moved(by: range.lowerBound))
                own.insert(edit, at: own.firstIndex { $0.range.lowerBound >= edit.range.lowerBound } ?? own.count)
            }
            guard !own.isEmpty else { return parts }
            added.importMap = own.applied(to: text).withUnsafeBufferPointer {
                Array(HTMLText.string(ScanBuffer($0), 0..<$0.count, .rawText).utf8)
            }
        } else if !addition.imports.parts.isEmpty {
            let members = addition.imports.parts.map { "\"\($0.name)\":{\($0.members)}" }.joined(separator: ",")
            let map = "{\(members)}"
            parts[0].text += Array("<script type=\"importmap\">\(map)</script>".utf8)
            added.importMap = Array(map.utf8)
        }
        return parts
    }

    /// Returns true if a link of the page leads out of the packages.
    private mutating func leadsOut(_ found: [PlacedReference], _ addition: PageAddition) -> Bool {
        addresses.leadsOut(addition)
            || found.contains { item in
                (item.reference.kind == .link || item.reference.kind == .redirect)
                    && addresses.leadsOut(item.reference, addition)
            }
    }

    /// Notes that a style was changed in the document's own text.
    private mutating func note(_ place: ReferencePlace, _ edits: ArraySlice<Edit>) {
        guard rewriter.policy != nil else { return }
        let parts = edits.map { $0.moved(by: -place.holder.lowerBound) }
        let new = parts.applied(to: ScanBuffer(text.slice(place.holder)))
        note(
            string(text, place.holder, place.content),
            new.withUnsafeBufferPointer {
                string(ScanBuffer($0), 0..<new.count, place.content)
            }
        )
    }

    private mutating func note(_ old: String, _ new: String) {
        let size = old.utf8.count + new.utf8.count
        guard rewriter.policy != nil, styleBytes + size <= Self.maxStyles else { return }
        styleBytes += size
        styles.append(ChangedStyle(old: old, new: new))
    }

    private func string(_ text: ScanBuffer, _ range: Range<Int>, _ content: ReferencePlace.Content) -> String {
        switch content {
        case .attribute: HTMLText.attribute(text, range)
        case .text: HTMLText.string(text, range, .data)
        case .rawText: HTMLText.string(text, range, .rawText)
        }
    }

    /// Replaces references in a text that has to be decoded, such as one with character references.
    private mutating func decoded(_ group: ArraySlice<PlacedReference>, _ place: ReferencePlace) {
        var old = string(text, place.holder, place.content)
        let new = old.withUTF8 { buffer -> [UInt8]? in
            let decoded = ScanBuffer(buffer)
            var parts: [Edit] = []
            for item in group {
                guard let new = replacement(of: item, in: decoded) else { continue }
                parts.append(Edit(range: item.place.range, text: new))
            }
            return parts.isEmpty ? nil : parts.applied(to: decoded)
        }
        guard let new else { return }
        replace(place.holder, by: new, place)
        if place.notation == .css { note(old, String(decoding: new, as: UTF8.self)) }
    }

    private mutating func replace(_ item: PlacedReference) {
        let place = item.place
        switch place.notation {
        case .base: if let base = addresses.base { replace(place.range, by: base, place) }
        case .document: if let new = document(item) { replace(place.range, by: new, place) }
        // The bodies of style sheets change, so that their digests don't fit any more.
        case .integrity:
            if addresses.mapped(item.reference) != nil { edits.append(Edit(range: place.range, text: [])) }
        case .removed: edits.append(Edit(range: place.range, text: []))
        case .policy: break
        case .address, .module, .css:
            if let new = replacement(of: item, in: text) { replace(place.range, by: new, place) }
        }
    }

    /// Returns what to write in place of an address; nil to keep it.
    private mutating func replacement(of item: PlacedReference, in text: ScanBuffer) -> [UInt8]? {
        guard let new = addresses.replacement(of: item.reference) else { return nil }
        switch item.place.notation {
        case .css: return CSSRewriting.escaped(new, in: text, item.place.range)
        // The loader adds the suffix again.
        case .module: return Array((new.hasSuffix(".js") ? new.dropLast(3) : new[...]).utf8)
        case .address, .base, .document, .integrity, .removed, .policy: return Array(new.utf8)
        }
    }

    /// Returns a document in an attribute with its references replaced; nil if nothing has to be.
    private mutating func document(_ item: PlacedReference) -> [UInt8]? {
        guard depth < Self.maxDepth else { return nil }
        var document = HTMLText.attribute(text, item.place.range)
        let bases = addresses.bases(precedingBase: item.reference.precedesBase)
        let inner = rewriter.at(bases.real, shown: bases.shown)
        let depth = depth + 1
        let result = document.withUTF8 { buffer -> (document: [UInt8], styles: [ChangedStyle])? in
            let text = ScanBuffer(buffer)
            let found = Self.replacements(in: text, .html, inner, .utf8, depth: depth).found
            return found.edits.isEmpty ? nil : (found.edits.applied(to: text), found.styles)
        }
        // The page's policies apply to it, too.
        result?.styles.forEach { note($0.old, $0.new) }
        return result?.document
    }

    // MARK: Writing

    private mutating func replace(_ range: Range<Int>, by new: [UInt8], _ place: ReferencePlace) {
        guard range.lowerBound >= edits.last?.range.upperBound ?? 0 else { return }
        switch place.content {
        case .attribute:
            let before = place.holder.lowerBound > 0 ? text[place.holder.lowerBound - 1] : 0
            let quote = before == 0x22 || before == 0x27 ? before : 0
            edits.append(Edit(range: range, text: Self.escaped(new, quote: quote)))
        case .text: edits.append(Edit(range: range, text: Self.escaped(new, quote: nil)))
        case .rawText: edits.append(Edit(range: range, text: new))
        }
    }

    /// Escapes a text for an attribute, or for text in XML if there is no quote; 0 stands for an unquoted value.
    ///
    /// What isn't ASCII, which only the rest of a decoded text has, becomes character references.
    static func escaped(_ text: [UInt8], quote: UInt8?) -> [UInt8] {
        let isUnquoted = quote == 0
        guard text.contains(where: { isSpecial($0, quote, isUnquoted) }) else { return text }
        var result: [UInt8] = []
        result.reserveCapacity(text.count + text.count / 4)
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            guard scalar.isASCII else {
                result += Array("&#\(scalar.value);".utf8)
                continue
            }
            let byte = UInt8(truncatingIfNeeded: scalar.value)
            if byte == UInt8(ascii: "&") {
                result += Array("&amp;".utf8)
            } else if byte == UInt8(ascii: "<"), isSpecial(byte, quote, isUnquoted) {
                result += Array("&lt;".utf8)
            } else if isSpecial(byte, quote, isUnquoted) {
                result += Array("&#\(byte);".utf8)
            } else {
                result.append(byte)
            }
        }
        return result
    }

    private static func isSpecial(_ byte: UInt8, _ quote: UInt8?, _ isUnquoted: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), 0x0D, 0x80...: true
        case UInt8(ascii: "<"): quote != 0x22 && quote != 0x27
        case UInt8(ascii: "\""), UInt8(ascii: "'"): isUnquoted || byte == quote
        case UInt8(ascii: ">"), UInt8(ascii: "="), 0x60, 0x20, 0x09, 0x0A, 0x0C: isUnquoted
        default: false
        }
    }
}
