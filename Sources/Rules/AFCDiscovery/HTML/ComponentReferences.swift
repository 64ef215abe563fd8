/// Finds what the scripts of common libraries load or open because of a tag's attributes.
///
/// These are custom elements with `src`, descriptions of interfaces (`spec-url`), parts of pages (htmx, W3.JS), slides
/// of reveal.js, and pages that a click opens. What the library loads by itself is certain; what depends on the
/// library's settings, or on a library that isn't known, is a guess.
enum ComponentReferences {
    struct Found {
        var text: String
        var kind: Reference.Kind
        var loads: Destination
        /// The attribute's name.
        var attribute: String
        /// The place of the value.
        var value: Range<Int>
        /// The place of the text in the decoded value; nil for all of it.
        var part: Range<Int>?
        var isGuess: Bool
    }

    /// Returns what a start tag refers to in this way.
    ///
    /// - Parameters:
    ///   - tag: The tokenizer, whose current token is the tag.
    ///   - element: The element's name in lower case.
    ///   - limit: The longest value that is read, in bytes.
    /// - Returns: The references; their texts are not empty.
    static func references(of tag: HTMLTokenizer, element: String, limit: Int) -> [Found] {
        var found: [Found] = []
        for attribute in tag.attributes where attribute.valueRange.count <= limit && !attribute.valueRange.isEmpty {
            func text() -> String { HTMLText.attribute(tag.bytes, attribute.valueRange).trimmedASCII }
            func add(
                _ text: String,
                _ kind: Reference.Kind,
                _ loads: Destination,
                isGuess: Bool,
                _ name: String? = nil,
                part: Range<Int>? = nil
            ) {
                guard isAddress(text) else { return }
                found.append(
                    Found(
                        text: text,
                        kind: kind,
                        loads: loads,
                        attribute: name ?? attribute.name.rawValue,
                        value: attribute.valueRange,
                        part: part,
                        isGuess: isGuess
                    )
                )
            }
            switch attribute.name {
            case .src where tag.element == .other && element.utf8.contains(UInt8(ascii: "-")):
                let text = text()
                if let known = LoadingElement.loads(element) {
                    add(text, known.kind, known.loads, isGuess: false)
                } else if text.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/") }) {
                    add(text, .requisite, LoadingElement.destination(of: text), isGuess: true)
                }
            case .poster where element == "model-viewer": add(text(), .requisite, .image, isGuess: false)
            case .other where tag.element == .other && element.utf8.contains(UInt8(ascii: "-")):
                let name = HTMLText.name(tag.bytes, attribute.nameRange)
                for (text, part) in LoadingElement.addresses(in: text(), of: name, element) {
                    add(text, .requisite, LoadingElement.destination(of: text), isGuess: true, name, part: part)
                }
            case .specURL:
                add(text(), .requisite, .other, isGuess: !LoadingElement.specifications.contains(element))
            case .hxGet, .dataHxGet:
                let trigger = value(of: attribute.name == .hxGet ? .hxTrigger : .dataHxTrigger, in: tag, limit)
                guard let isCertain = loadsAtOnce(trigger) else { continue }
                add(text(), .frame, .document, isGuess: !isCertain)
            case .includeHTML: add(text(), .frame, .document, isGuess: false)
            case .dataMarkdown:
                let text = text()
                if LoadingElement.isMarkdown(text) { add(text, .requisite, .other, isGuess: tag.element != .section) }
            case .dataHref: add(text(), .link, .document, isGuess: true)
            case .onclick:
                var script = text()
                script.withUTF8 { buffer in
                    ScanBuffer(buffer).forEachOpenedPage { add($0, .link, .document, isGuess: false) }
                }
            case .other where tag.uses.contains(.slide):
                let name = HTMLText.name(tag.bytes, attribute.nameRange)
                guard let (kind, loads) = slides[name] else { continue }
                guard kind != .frame else {
                    add(text(), kind, loads, isGuess: true, name)
                    continue
                }
                for (text, part) in HTMLText.attribute(tag.bytes, attribute.valueRange).trimmedParts(
                    separator: UInt8(ascii: ",")
                ).prefix(64) {
                    add(text, kind, loads, isGuess: true, name, part: part)
                }
            default: continue
            }
        }
        return found
    }

    /// The backgrounds of slides (https://revealjs.com/backgrounds).
    private static let slides: [String: (kind: Reference.Kind, loads: Destination)] = [
        "data-background-image": (.requisite, .image),
        "data-background-video": (.requisite, .media),
        "data-background-iframe": (.frame, .document),
    ]

    /// Returns true for a trigger that loads with the page, false for one that loads what comes into view, else nil.
    private static func loadsAtOnce(_ trigger: String?) -> Bool? {
        guard let trigger else { return nil }
        let events = trigger.split(separator: ",").compactMap { $0.split { $0 == " " || $0 == "[" }.first }
        if events.contains("load") { return true }
        return events.contains("revealed") || events.contains("intersect") ? false : nil
    }

    private static func value(of name: HTMLAttributeName, in tag: HTMLTokenizer, _ limit: Int) -> String? {
        guard let range = tag.value(of: name), range.count <= limit else { return nil }
        return HTMLText.attribute(tag.bytes, range)
    }

    /// Returns false for a fragment, a template into which a script inserts something, or an empty text.
    private static func isAddress(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != UInt8(ascii: "#"), !ReferenceText.needsNoRequest(text) else {
            return false
        }
        return !text.utf8.contains { templateBytes.contains($0) }
    }

    private static let templateBytes = Array("{}<>[]".utf8)
}

extension ScanBuffer {
    /// Calls a closure for each address that the script in an attribute opens.
    fileprivate func forEachOpenedPage(_ body: (String) -> Void) {
        ScriptNavigation.forEach(in: self, 0..<count) { body($0.text) }
    }
}
