internal import AFCURL

/// Reads the name of the index of searches that run in the browser.
///
/// Scripts of Docusaurus, which are in the folder `assets/js` of the site, name the index of
/// @easyops-cn/docusaurus-search-local (0.1 to 0.55: `search-index{dir}.json`) and of docusaurus-lunr-search (1 to 3:
/// `search-doc-….json`, `lunr-index-….json`). `just-the-docs.js` names `search-data.json`. Quarto's index `search.json`
/// is two folders above its script. Pages of Docsy name the index in an attribute, those of Hexo in their configuration
/// (as a guess).
///
/// Not found: indexes of further contexts and versions of @easyops-cn/docusaurus-search-local.
enum LocalSearchRecipe: RecipeReader {
    static func read(_ script: RecipeScript, into found: inout RecipeReferences) {
        if script.name == "just-the-docs.js" {
            justTheDocs(script.text, into: &found)
        } else if script.name == "quarto-search.js" {
            guard script.url.path.hasSuffix("/site_libs/quarto-search/quarto-search.js") else { return }
            found.add("../../search.json", .other)
        } else if script.url.path.dropLast(script.name.utf8.count).hasSuffix("/assets/js/") {
            docusaurus(script.text, into: &found)
        }
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

    /// Finds `request.open('GET', '/assets/js/search-data.json', true)`.
    private static func justTheDocs(_ text: ScanBuffer, into found: inout RecipeReferences) {
        var index = 0
        while true {
            index = text.find(UInt8(ascii: "("), from: index)
            guard index < text.count else { return }
            index += 1
            guard text.hasSuffix("open", at: index - 1, from: 0),
                let method = JavaScriptText.literal(text, at: index, to: min(text.count, index + 8)),
                text.string(method) == "GET"
            else { continue }
            var start = method.upperBound + 1
            while start < text.count, text[start].isSpace || text[start] == UInt8(ascii: ",") { start += 1 }
            guard let literal = JavaScriptText.literal(text, at: start, to: min(text.count, start + 4096)),
                let address = JavaScriptText.string(text, literal), address.hasSuffix("search-data.json")
            else { continue }
            found.add(address, .other, at: literal.lowerBound)
            return
        }
    }

    // MARK: Pages

    static func read(_ page: RecipePage, into found: inout RecipeReferences) {
        if page.generator.hasPrefix("Hugo") {
            // Docsy loads lunr, so that other pages of Hugo aren't searched.
            guard page.references.contains(where: { $0.isScript && $0.text.contains("/lunr") }),
                let place = page.text.position(of: "-offline-search-index-json-src"),
                let index = TagText(page.text, around: place).value(of: "data-offline-search-index-json-src")
            else { return }
            found.add(index, .other, at: place)
        } else if page.generator.hasPrefix("Hexo") {
            for script in page.scripts { hexo(page.text, script.range, into: &found) }
        }
    }

    /// Finds `"path":"search.xml"` in the configuration, which is relative to the site.
    private static func hexo(_ text: ScanBuffer, _ range: Range<Int>, into found: inout RecipeReferences) {
        var tokenizer = JavaScriptTokenizer(text, range, hasHTMLComments: true)
        while let token = tokenizer.next(all: true) {
            guard token == .string, tokenizer.range.count <= 256,
                let address = JavaScriptText.string(text, tokenizer.range)
            else { continue }
            guard hexoNames.contains(address.lastSegment) else { continue }
            found.addGuess(address.hasPrefix("/") ? address : "/" + address, .other, at: tokenizer.range.lowerBound)
        }
    }

    private static let hexoNames: Set<Substring> = [
        "search.xml", "search.json", "local-search.xml", "localsearch.json", "content.json",
    ]
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
