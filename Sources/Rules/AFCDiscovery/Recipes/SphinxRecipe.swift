/// Reads the call that loads the search index of Sphinx.
///
/// The search pages of Sphinx 1.0 to 2.4, and those of sphinx_rtd_theme with every release, pass its address to
/// `Search.loadIndex`. Other pages name it in a `script` element. Beside the index is `objects.inv`, which the
/// documentation of other projects reads; it is a guess. So is the list of versions of pydata-sphinx-theme, which
/// is relative to the origin.
///
/// The results of a search load the pages that match (before 2.0, their sources in `_sources`), to which other pages
/// link.
enum SphinxRecipe: RecipeReader {
    static func read(_ page: RecipePage, into found: inout RecipeReferences) {
        let isSearch = page.references.contains { $0.isScript && $0.mentions("searchtools.js") }
        let isSphinx =
            isSearch || page.references.contains { $0.isScript && $0.mentions("documentation_options.js") }
        guard isSphinx else { return }
        for script in page.scripts where ScriptType(type: script.type, language: nil) == .classic {
            if isSearch { index(page.text, script.range, into: &found) }
            switcher(page.text, script.range, into: &found)
        }
    }

    /// Finds `Search.loadIndex("searchindex.js")`.
    private static func index(_ text: ScanBuffer, _ range: Range<Int>, into found: inout RecipeReferences) {
        var index = range.lowerBound
        while true {
            index = text.find(UInt8(ascii: "("), from: index, to: range.upperBound)
            guard index < range.upperBound else { return }
            index += 1
            guard text.hasSuffix("Search.loadIndex", at: index - 1, from: range.lowerBound),
                let literal = JavaScriptText.literal(text, at: index, to: range.upperBound),
                let address = JavaScriptText.string(text, literal), !address.isEmpty
            else { continue }
            found.add(address, .script, at: literal.lowerBound)
            return
        }
    }

    /// Finds `DOCUMENTATION_OPTIONS.theme_switcher_json_url = '_static/switcher.json'`.
    private static func switcher(_ text: ScanBuffer, _ range: Range<Int>, into found: inout RecipeReferences) {
        var index = range.lowerBound
        while true {
            index = text.find(UInt8(ascii: "="), from: index, to: range.upperBound)
            guard index < range.upperBound else { return }
            var name = index
            while name > range.lowerBound, text[name - 1].isSpace { name -= 1 }
            index += 1
            guard text.hasSuffix("DOCUMENTATION_OPTIONS.theme_switcher_json_url", at: name, from: range.lowerBound)
            else { continue }
            while index < range.upperBound, text[index].isSpace { index += 1 }
            guard let literal = JavaScriptText.literal(text, at: index, to: range.upperBound),
                let address = JavaScriptText.string(text, literal), address.contains(".json")
            else { return }
            let isURL = address.hasPrefix("/") || address.hasPrefix("https:") || address.hasPrefix("http:")
            found.addGuess(isURL ? address : "/" + address, .other, at: literal.lowerBound)
            return
        }
    }

    static func read(_ script: RecipeScript, into found: inout RecipeReferences) {
        // The index may be large, and only its start identifies it.
        guard script.name == "searchindex.js", script.text.hasPrefix("search.setindex(", at: 0) else { return }
        found.addGuess("objects.inv", .other)
    }
}
