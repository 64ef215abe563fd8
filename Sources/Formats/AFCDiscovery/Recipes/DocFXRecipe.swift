internal import AFCURL

/// Reads what the scripts of DocFX (2.40 to 2.78) load: the navigation, the table of contents and the search.
///
/// Each page names both tables in its `meta` elements, and with a search the site's root. The default template loads the
/// tables as `toc.html`, the modern one as `toc.json`; `toc.html`, which has the links to all pages, exists in both.
/// `styles/docfx.js` of the default template names its worker.
enum DocFXRecipe: RecipeReader {
    static func read(_ page: RecipePage, into found: inout RecipeReferences) {
        let isModern = page.loadsScript(withSuffix: "public/docfx.min.js")
        guard isModern || page.loadsScript(withSuffix: "styles/docfx.js") else { return }
        for place in [page.text.position(of: "docfx:navrel"), page.text.position(of: "docfx:tocrel")] {
            guard let place, let address = TagText(page.text, around: place).value(of: "content"), !address.isEmpty
            else { continue }
            found.add(address, .other, at: place)
            if isModern, address.lowercased().hasSuffix(".html") {
                found.add(address.dropLast(5) + ".json", .other, at: place)
            }
        }
        guard let place = page.text.position(of: "docfx:rel\""),
            let root = TagText(page.text, around: place).value(of: "content")
        else { return }
        found.add(root + "index.json", .other, at: place)
        if isModern { found.add(root + "public/search-worker.min.js", .module, at: place) }
    }

    static func read(_ script: RecipeScript, into found: inout RecipeReferences) {
        let text = script.text
        if script.name == "docfx.js", script.url.path.hasSuffix("/styles/docfx.js") {
            var index = 0
            while true {
                index = text.find(UInt8(ascii: "+"), from: index)
                guard index < text.count else { return }
                var name = index
                while name > 0, text[name - 1].isSpace { name -= 1 }
                index += 1
                guard text.hasSuffix("relHref", at: name, from: 0) else { continue }
                while index < text.count, text[index].isSpace { index += 1 }
                guard let literal = JavaScriptText.literal(text, at: index, to: min(text.count, index + 256)),
                    let address = JavaScriptText.string(text, literal), address.hasPrefix("styles/search-worker")
                else { continue }
                found.add("../" + address, .script, at: literal.lowerBound)
                return
            }
        } else if script.name.hasPrefix("search-worker"), let place = text.position(of: "../search-stopwords.json") {
            found.add("../search-stopwords.json", .other, at: place)
        }
    }
}
