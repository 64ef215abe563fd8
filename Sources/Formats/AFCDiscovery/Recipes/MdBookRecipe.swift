/// Reads the name of the search index of mdBook (0.2 to 0.5), which `searcher.js` loads when the search is opened.
///
/// Pages of 0.4.52 and later name it in `window.path_to_searchindex_js`. In all releases except 0.4.46, `searcher.js`
/// names it after `path_to_root`, that is, beside itself; before 0.4.48, it names `searchindex.json`, too.
///
/// Pages name everything else by themselves: 0.1 also its index, others the editor and the table of contents.
enum MdBookRecipe: RecipeReader {
    static func read(_ page: RecipePage, into found: inout RecipeReferences) {
        guard page.references.contains(where: { $0.isScript && isSearcher(fileName(of: $0.text)) }) else { return }
        for script in page.scripts where ScriptType(type: script.type, language: nil) == .classic {
            let end = script.range.upperBound
            var index = script.range.lowerBound
            while true {
                index = page.text.find(UInt8(ascii: "="), from: index, to: end)
                guard index < end else { break }
                var name = index
                while name > script.range.lowerBound, page.text[name - 1].isSpace { name -= 1 }
                index += 1
                guard page.text.hasSuffix("path_to_searchindex_js", at: name, from: script.range.lowerBound) else {
                    continue
                }
                while index < end, page.text[index].isSpace { index += 1 }
                guard let literal = JavaScriptText.literal(page.text, at: index, to: end),
                    let address = JavaScriptText.string(page.text, literal), !address.isEmpty
                else { return }
                found.add(address, .script, at: literal.lowerBound)
                return
            }
        }
    }

    static func read(_ script: RecipeScript, into found: inout RecipeReferences) {
        guard isSearcher(script.name) else { return }
        let text = script.text
        var index = 0
        while true {
            index = text.find(UInt8(ascii: "+"), from: index)
            guard index < text.count else { return }
            var name = index
            while name > 0, text[name - 1].isSpace { name -= 1 }
            index += 1
            guard text.hasSuffix("path_to_root", at: name, from: 0) else { continue }
            while let byte = text.at(index), byte.isSpace { index += 1 }
            guard let literal = JavaScriptText.literal(text, at: index, to: text.count), literal.count <= 256,
                let address = JavaScriptText.string(text, literal), address.hasPrefix("searchindex")
            else { continue }
            index = literal.upperBound
            if address.hasSuffix(".js") {
                found.add(address, .script, at: literal.lowerBound)
            } else if address.hasSuffix(".json") {
                found.add(address, .other, at: literal.lowerBound)
            }
        }
    }

    private static func fileName(of address: String) -> Substring {
        address.prefix { $0 != "?" && $0 != "#" }.lastSegment
    }

    /// Returns true for `searcher.js`, and for `searcher-1a2b3c4d.js`.
    private static func isSearcher(_ name: Substring) -> Bool {
        guard name.hasPrefix("searcher"), name.hasSuffix(".js") else { return false }
        return name == "searcher.js" || name.hasPrefix("searcher-")
    }
}
