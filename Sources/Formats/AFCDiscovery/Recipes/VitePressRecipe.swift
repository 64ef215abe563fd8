internal import AFCURL

/// Reads the scripts of a VitePress page that a click loads.
///
/// A page preloads its lean script, `assets/NAME.md.HASH.lean.js`, because the page itself has the content. A reader who
/// comes from another page of the site needs the full script, `assets/NAME.md.HASH.js`. The table of all scripts,
/// `__VP_HASH_MAP__`, has names in lower case, so it can't name the files of other pages; each page names its own.
/// The base in `__VP_SITE_DATA__`, which is in the page or in `assets/chunks/metadata.HASH.js` (`metaChunk`), tells
/// where `hashmap.json` is, which the script asks for when a page is missing.
///
/// Imports name the other scripts, and among them the index of the local search. Releases 0.10 to 2.0 name lean scripts;
/// release 1.0 and later have a generator, without which `hashmap.json` isn't found.
enum VitePressRecipe: RecipeReader {
    private static let leanEnd = ".lean.js"

    static func read(_ page: RecipePage, into found: inout RecipeReferences) {
        let isVitePress = page.generator.hasPrefix("VitePress")
        for reference in page.references where reference.isScript || isVitePress {
            let text = reference.text
            guard text.utf8.count > leanEnd.utf8.count, text.hasSuffix(leanEnd) else { continue }
            let stem = text.dropLast(leanEnd.count)
            if stem.contains(".md.") { found.add(stem + ".js", .module, at: reference.offset) }
        }
        guard isVitePress else { return }
        for script in page.scripts {
            guard let base = siteBase(ScanBuffer(page.text.slice(script.range))) else { continue }
            found.add(base + "hashmap.json", .other, at: script.range.lowerBound)
            return
        }
    }

    static func read(_ script: RecipeScript, into found: inout RecipeReferences) {
        guard script.name.hasPrefix("metadata."), let base = siteBase(script.text) else { return }
        found.add(base + "hashmap.json", .other)
    }

    /// Returns the base in the site's data, which is JSON in a string.
    private static func siteBase(_ text: ScanBuffer) -> String? {
        let key: StaticString = #"\"base\":\""#
        guard let data = text.position(of: "__VP_SITE_DATA__"), let start = text.position(of: key, from: data) else {
            return nil
        }
        let first = start + key.utf8CodeUnitCount
        let end = text.find(UInt8(ascii: "\\"), from: first)
        guard end < text.count, text.at(end + 1) == UInt8(ascii: "\"") else { return nil }
        let base = text.string(first..<end)
        return base.hasPrefix("/") || base.contains("://") ? base : nil
    }
}
