internal import AFCURL

/// Reads what the search of MkDocs and of Material for MkDocs loads.
///
/// MkDocs (1.0 to 1.6): `search/main.js` starts `search/worker.js`, which loads `search/lunr.js` and the index.
/// Material: `__config` of each page (7.0 and later), or its call of `initialize` (4.0 to 6.2), names the base of the
/// site, the worker, the features and the version selector. The index `search/search_index.json` of both names the
/// languages, each of which has a script.
///
/// Not found: the search of MkDocs before 1.0, and what Material loads from other hosts (Mermaid, the facts of a
/// repository).
enum MkDocsRecipe: RecipeReader {
    /// The largest number of languages of an index.
    private static let languageLimit = 16
    /// The path of the index, from the base of the site.
    private static let index = "search/search_index.json"

    static func read(_ page: RecipePage, into found: inout RecipeReferences) {
        if let config = page.script(id: "__config") {
            read(config: config, of: page, into: &found)
        } else if page.generator.contains("mkdocs-material") {
            for script in page.scripts where ScriptType(type: script.type, language: nil) == .classic {
                if read(call: script.range, of: page, into: &found) { return }
            }
        }
    }

    // MARK: Material

    /// What a page of Material tells its scripts.
    private struct Settings {
        var base: String?
        var worker: String?
        var isInstant = false
        var isVersioned = false
        var language: String?
    }

    private static func read(config: ScanBuffer, of page: RecipePage, into found: inout RecipeReferences) {
        var settings = Settings()
        let isJSON = JSONWalk.forEachString(in: config) { string in
            guard let text = string.text(limit: 4096) else { return }
            if string.isAt(["base"]) {
                settings.base = text
            } else if string.isAt(["search"]) {
                settings.worker = text
            } else if string.isAt(["features", ""]) {
                settings.isInstant = settings.isInstant || text.hasPrefix("navigation.instant")
            } else if string.isAt(["version", "provider"]) || string.isAt(["version", "method"]) {
                settings.isVersioned = text == "mike"
            } else if string.isAt(["translations", "search.config.lang"]) {
                settings.language = text
            }
        }
        guard isJSON, settings.worker?.contains("javascripts/workers/search") == true else { return }
        add(settings, of: page, into: &found)
    }

    /// Reads `initialize({ base: "..", features: [], search: { worker: "…" } })`, or `url: { base: "…" }` in it.
    private static func read(call range: Range<Int>, of page: RecipePage, into found: inout RecipeReferences) -> Bool {
        var tokenizer = JavaScriptTokenizer(page.text, range, hasHTMLComments: true)
        var settings = Settings()
        var isInCall = false
        var name: StaticString?
        while let token = tokenizer.next(all: true) {
            switch token {
            case .name:
                isInCall = isInCall || tokenizer.isName("initialize")
                name = names.first { tokenizer.isName($0) } ?? (tokenizer.isName("features") ? "" : nil)
            case .string where isInCall:
                guard let text = JavaScriptText.string(page.text, tokenizer.range) else { continue }
                if text == "base" || text == "worker" {
                    name = text == "base" ? "base" : "worker"
                    continue
                }
                switch name?.description {
                case "base": settings.base = text
                case "worker": settings.worker = text
                default: settings.isInstant = settings.isInstant || text == "instant"
                }
            default: continue
            }
        }
        guard isInCall, settings.base != nil else { return false }
        add(settings, of: page, into: &found)
        return true
    }

    private static let names: [StaticString] = ["base", "worker"]

    private static func add(_ settings: Settings, of page: RecipePage, into found: inout RecipeReferences) {
        if let worker = settings.worker { found.add(worker, .script) }
        guard let base = settings.base else { return }
        let root = base.isEmpty || base.hasSuffix("/") ? base : base + "/"
        // A site may have no search; then it has no form, and neither an index.
        if hasSearchForm(page.text) {
            found.add(root + index, .other)
        } else {
            found.addGuess(root + index, .other)
        }
        if settings.isInstant { found.add(root + "sitemap.xml", .other) }
        // The selector of mike belongs to the folder above this version's.
        if settings.isVersioned { found.addGuess(root + "../versions.json", .other) }
        // The translation to Slovenian names a script that isn't there.
        if let language = settings.language, isLanguage(language), language != "sl" {
            for script in materialScripts([language]) {
                found.add(root + "assets/javascripts/lunr/" + script, .script)
            }
        }
    }

    private static func hasSearchForm(_ text: ScanBuffer) -> Bool {
        var start = 0
        while let end = text.position(of: "__form", from: start) {
            if text.hasSuffix("search", at: end, from: 0) { return true }
            start = end + 1
        }
        return false
    }

    // MARK: MkDocs

    static func read(_ script: RecipeScript, into found: inout RecipeReferences) {
        guard script.name == "main.js" || script.name == "worker.js" else { return }
        let path = script.url.path
        if path.hasSuffix("/search/main.js") {
            guard script.text.position(of: "\"search/worker.js\"") != nil else { return }
            found.add("worker.js", .script)
        } else if path.hasSuffix("/search/worker.js") {
            guard let place = script.text.position(of: "'search_index.json'") else { return }
            found.add("search_index.json", .other, at: place)
            found.add("lunr.js", .script, at: place)
        }
    }

    // MARK: The index

    static func reads(dataNamed name: Substring) -> Bool { name == "search_index.json" }

    static func read(_ data: RecipeData, into found: inout RecipeReferences) {
        guard data.url.path.hasSuffix("/" + index) else { return }
        let config = IndexConfig(data.text)
        let languages = config.languages
        if config.isMaterial {
            for script in materialScripts(languages) {
                found.add("../assets/javascripts/lunr/" + script, .script)
            }
        } else {
            // The theme decides whether these are MkDocs' scripts or the theme's own.
            for script in ownScripts(languages) { found.addGuess(script, .script) }
            for script in materialScripts(languages) {
                found.addGuess("../assets/javascripts/lunr/" + script, .script)
            }
        }
    }

    /// The member `config` of an index, which precedes the documents.
    private struct IndexConfig {
        var languages: [String] = []
        /// True for an index of Material 9 and later, which configures fields and a pipeline.
        var isMaterial = false

        init(_ text: ScanBuffer) {
            var scanner = JSONScanner(text)
            var depth = 0
            var isInside = false
            var isLanguage = false
            do throws(JSONScanner.Malformed) {
                while let token = try scanner.next() {
                    switch token {
                    case .objectStart, .arrayStart: depth += 1
                    case .objectEnd, .arrayEnd:
                        depth -= 1
                        if isInside, depth == 1 { return }
                    case .key:
                        if depth == 1 {
                            isInside = text.string(scanner.range.prefix(16)) == "config"
                        } else if depth == 2, isInside {
                            let key = text.string(scanner.range.prefix(16))
                            isLanguage = key == "lang"
                            isMaterial = isMaterial || key == "pipeline"
                        }
                    case .string:
                        guard isInside, isLanguage, languages.count < languageLimit, scanner.range.count <= 16 else {
                            continue
                        }
                        let language = text.string(scanner.range)
                        if MkDocsRecipe.isLanguage(language) { languages.append(language) }
                    case .scalar: continue
                    }
                }
            } catch {
                // What was read of a cut index holds.
            }
        }
    }

    private static func isLanguage(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 16 && text.utf8.allSatisfy { $0.isLetter || $0 == UInt8(ascii: "-") }
    }

    /// Returns the scripts of languages in the folder of MkDocs' index.
    private static func ownScripts(_ languages: [String]) -> [String] {
        guard languages.count > 1 || languages.first.map({ $0 != "en" }) == true else { return [] }
        var scripts = ["lunr.stemmer.support.js"]
        if languages.count > 1 { scripts.append("lunr.multi.js") }
        if languages.contains("ja") || languages.contains("jp") { scripts.append("tinyseg.js") }
        return scripts + languages.filter { $0 != "en" }.map { "lunr.\($0).js" }
    }

    /// Returns the scripts of languages in the folder `assets/javascripts/lunr` of Material.
    private static func materialScripts(_ languages: [String]) -> [String] {
        var scripts: [String] = []
        for language in languages {
            if language == "ja" { scripts.append("tinyseg.js") }
            if language == "hi" || language == "th" { scripts.append("wordcut.js") }
            if language != "en" { scripts.append("min/lunr.\(language).min.js") }
        }
        if languages.count > 1 { scripts.append("min/lunr.multi.min.js") }
        return scripts.isEmpty ? [] : ["min/lunr.stemmer.support.min.js"] + scripts
    }
}
