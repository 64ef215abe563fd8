internal import AFCURL

/// Reads the name of the index of searches that run in the browser, in Docusaurus.
///
/// Scripts in the folder `assets/js` of the site name the index of @easyops-cn/docusaurus-search-local (0.1 to 0.55:
/// `search-index{dir}.json`) and of docusaurus-lunr-search (1 to 3: `search-doc-….json`, `lunr-index-….json`).
///
/// Not found: indexes of further contexts and versions of @easyops-cn/docusaurus-search-local.
enum LocalSearchRecipe: RecipeReader {
    static func read(_ script: RecipeScript, into found: inout RecipeReferences) {
        guard script.url.path.dropLast(script.name.utf8.count).hasSuffix("/assets/js/") else { return }
        docusaurus(script.text, into: &found)
    }

    /// Finds the names in a bundle: `"search-index{dir}.json?_=1a2b"`, `"search-doc-1.json"`, `"lunr-index-1.json"`.
    private static func docusaurus(_ text: ScanBuffer, into found: inout RecipeReferences) {
        var index = 0
        while true {
            index = text.find(UInt8(ascii: "-"), from: index)
            guard index < text.count else { return }
            let dash = index
            index += 1
            let start: Int
            if text.hasPrefix("-index", at: dash) {
                if text.hasSuffix("search", at: dash, from: 0) {
                    start = dash - 6
                } else if text.hasSuffix("lunr", at: dash, from: 0) {
                    start = dash - 4
                } else {
                    continue
                }
            } else if text.hasPrefix("-doc", at: dash), text.hasSuffix("search", at: dash, from: 0) {
                start = dash - 6
            } else {
                continue
            }
            while index < text.count, isNameByte(text[index]), index - start < 256 { index += 1 }
            guard start > 0, isBeforeName(text[start - 1]), index < text.count, isAfterName(text[index]) else {
                continue
            }
            let name = text.string(start..<index)
            if name.hasPrefix("search-index{dir}"), name.contains(".json") {
                found.add("../../" + name.replacing("{dir}"), .other, at: start)
            } else if !name.contains("{"), name.hasSuffix(".json"), !name.hasPrefix("search-index") {
                found.add("../../" + name, .other, at: start)
            }
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit
            || [
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "{"), UInt8(ascii: "}"),
                UInt8(ascii: "?"), UInt8(ascii: "="),
            ].contains(byte)
    }

    /// Returns true for a quote, and for the end of a substitution in a template.
    private static func isBeforeName(_ byte: UInt8) -> Bool { isQuote(byte) || byte == UInt8(ascii: "}") }

    private static func isAfterName(_ byte: UInt8) -> Bool { isQuote(byte) || byte == UInt8(ascii: "\\") }

    private static func isQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "`")
    }
}

extension String {
    /// Returns the text without the first occurrence of a part.
    fileprivate func replacing(_ part: String) -> String {
        var result = ""
        var rest = self[...]
        while !rest.isEmpty {
            if rest.hasPrefix(part) { return result + rest.dropFirst(part.count) }
            result.append(rest.removeFirst())
        }
        return result
    }
}
