internal import AFCText

/// Keeps a drawing that is opened by itself, or in a frame, from running scripts and from loading anything.
///
/// A drawing can't have a policy. But in an image, browsers neither run scripts nor load anything, so a drawing that might
/// do either becomes an image within another drawing. Such a drawing can't be used by parts.
enum DrawingFence {
    /// Returns the drawing in place of another one; nil if that can stay.
    ///
    /// - Parameter body: The drawing, in SVG.
    /// - Returns: A drawing in UTF-8 that looks the same.
    static func drawing(_ body: [UInt8]) -> [UInt8]? {
        let text = String(validating: body, as: UTF8.self)
        let root = text.map { Self.root(of: $0) } ?? [:]
        if let text, isHarmless(text) { return nil }
        var size = ""
        for name in ["width", "height"] {
            if let value = root[name], isLength(value) { size += " \(name)=\"\(value)\"" }
        }
        let box = (root["viewBox"] ?? "").split { $0 == " " || $0 == "," }.compactMap { Double($0) }
        if box.count == 4 { size += " viewBox=\"0 0 \(box[2]) \(box[3])\"" }
        return Array(
            ("<svg xmlns=\"http://www.w3.org/2000/svg\"\(size)><image width=\"100%\" height=\"100%\" "
                + "href=\"data:image/svg+xml;base64,\(Base64.encode(body))\"/></svg>\n").utf8
        )
    }

    /// The elements that run scripts, or contain other documents.
    private static let active: Set<String> = [
        "script", "foreignobject", "handler", "listener", "iframe", "embed", "object", "audio", "video", "link", "meta",
    ]
    /// What isn't in a drawing that loads nothing: entities, other languages, escapes, and functions that load.
    private static let signs = ["<!entity", "<?xml-", "1999/xhtml", "\\", "@import", "image-set(", "image(", "src("]

    private static func isHarmless(_ text: String) -> Bool {
        let folded = text.lowercased()
        guard !text.utf8.contains(0), !signs.contains(where: folded.contains), hasHarmlessStyles(folded) else {
            return false
        }
        var reader = Reader(text: Array(text.utf8))
        while let tag = reader.next() {
            guard !active.contains(tag.name) else { return false }
            for (name, value) in tag.attributes {
                guard isHarmless(name, value, on: tag.name) else { return false }
            }
        }
        return reader.isAtEnd
    }

    private static func isHarmless(_ name: String, _ value: String, on element: String) -> Bool {
        // A character reference could hide anything.
        if name.hasPrefix("on") || value.contains("&#") { return false }
        let value = value.lowercased().trimmed
        switch name {
        case "base": return false
        case "attributename": return !value.contains("href") && !value.contains("src") && !value.hasPrefix("on")
        case "href" where element == "a":
            let schemes = ["http://", "https://", "mailto:"]
            return schemes.contains(where: value.hasPrefix)
                || !value.contains { $0 == ":" || $0.isNewline || $0 == "\t" }
        case "href", "src": return isInside(value)
        default: return true
        }
    }

    /// Returns true if each `url()` leads into the drawing or the folder.
    private static func hasHarmlessStyles(_ text: String) -> Bool {
        text.split(separator: "url(", omittingEmptySubsequences: false).dropFirst().allSatisfy { rest in
            isInside(
                String(rest.prefix { $0 != ")" }).replacing("&quot;", with: "").filter { $0 != "\"" && $0 != "'" }
                    .trimmed
            )
        }
    }

    /// Returns true for a part of the drawing, a relative path, and an image in the address.
    private static func isInside(_ address: String) -> Bool {
        if address.hasPrefix("#") { return true }
        if ["png", "jpeg", "gif", "webp"].contains(where: { address.hasPrefix("data:image/\($0)") }) { return true }
        return !address.hasPrefix("/") && !address.contains { ":&".contains($0) || $0.isNewline || $0 == "\t" }
    }

    private static func isLength(_ value: String) -> Bool {
        let number = value.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        return Double(number) != nil
            && ["", "px", "pt", "em", "mm", "cm", "in", "pc", "%"].contains(value.dropFirst(number.count))
    }

    private static func root(of text: String) -> [String: String] {
        var reader = Reader(text: Array(text.prefix(1 << 16).utf8))
        return Dictionary(reader.next()?.asWritten ?? []) { first, _ in first }
    }

    /// A start tag; names are in lower case and without prefixes.
    private struct Tag {
        var name: String
        var attributes: [(name: String, value: String)] = []
        var asWritten: [(String, String)] = []
    }

    /// Reads the start tags of well-formed XML.
    private struct Reader {
        let text: [UInt8]
        private var index = 0

        init(text: [UInt8]) { self.text = text }

        /// True if the whole text was understood.
        var isAtEnd: Bool { index >= text.count }

        /// Returns the next start tag; nil at the end, or at what isn't well-formed.
        mutating func next() -> Tag? {
            while let start = text[min(index, text.count)...].firstIndex(of: UInt8(ascii: "<")) {
                index = start
                let skipped: String? =
                    starts("<!--")
                    ? "-->"
                    : starts("<![CDATA[") ? "]]>" : starts("<?") ? "?>" : starts("<!") || starts("</") ? ">" : nil
                guard let end = skipped else { return tag() }
                // The end of '<!-->' isn't that of a comment in XML.
                index += end == "-->" ? 4 : 2
                guard skip(through: end) else { return nil }
            }
            index = text.count
            return nil
        }

        private func starts(_ prefix: String) -> Bool { text[index...].starts(with: prefix.utf8) }

        private mutating func skip(through end: String) -> Bool {
            while index < text.count {
                if starts(end) {
                    index += end.utf8.count
                    return true
                }
                index += 1
            }
            index = text.count - 1
            return false
        }

        private mutating func tag() -> Tag? {
            let start = index
            index += 1
            let name = word()
            guard !name.isEmpty else { return fail(start) }
            var tag = Tag(name: Self.local(name))
            while true {
                space()
                guard index < text.count else { return fail(start) }
                if text[index] == UInt8(ascii: ">") || starts("/>") {
                    index += starts("/>") ? 2 : 1
                    return tag
                }
                let name = word()
                space()
                guard !name.isEmpty, index < text.count, text[index] == UInt8(ascii: "=") else { return fail(start) }
                index += 1
                space()
                guard index < text.count, text[index] == UInt8(ascii: "\"") || text[index] == UInt8(ascii: "'"),
                    let end = text[(index + 1)...].firstIndex(of: text[index])
                else { return fail(start) }
                let value = String(decoding: text[(index + 1)..<end], as: UTF8.self)
                index = end + 1
                tag.attributes.append((Self.local(name), value))
                tag.asWritten.append((name, value))
            }
        }

        private mutating func fail(_ start: Int) -> Tag? {
            index = start
            return nil
        }

        private mutating func word() -> String {
            let start = index
            while index < text.count, text[index] > 0x20, !"=/>\"'<".utf8.contains(text[index]) { index += 1 }
            return String(decoding: text[start..<index], as: UTF8.self)
        }

        private mutating func space() { while index < text.count, text[index] <= 0x20 { index += 1 } }

        private static func local(_ name: String) -> String {
            String(name.split(separator: ":", omittingEmptySubsequences: false).last ?? "").lowercased()
        }
    }
}

extension String {
    /// The text without white space at both ends.
    fileprivate var trimmed: String {
        let start = drop { $0.isWhitespace }
        return String(
            start.prefix(
                start.lastIndex { !$0.isWhitespace }.map { start.distance(from: start.startIndex, to: $0) + 1 } ?? 0
            )
        )
    }
}
