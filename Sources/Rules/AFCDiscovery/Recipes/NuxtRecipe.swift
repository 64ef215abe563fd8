internal import AFCURL

/// Reads the files that the scripts of Nuxt 3 and 4 load besides their modules.
///
/// The files `builds/meta/ID.json` and `builds/latest.json` list the prerendered pages and the latest build. A script
/// that loads them has `builds/meta/` in it. Up to release 3.11 it also has the ID, as `nuxt:{buildId:"…"}`; its folder
/// is that of `builds`. Later, the ID and the folder are in the page, in `app` of `window.__NUXT__.config`; since an app
/// may be built without these files, they are guesses then.
///
/// The data of a prerendered page, `_payload.json`, is named by a preload; if the page has its data in itself
/// (`payloadExtraction: 'client'`), the address is a guess. The files of Nuxt 2, such as `payload.js`, `state.js` and
/// `manifest.js`, are named by preloads in each page.
///
/// Nuxt Content 3 searches in a database, for which the script loads a dump of each collection,
/// `__nuxt_content/NAME/sql_dump.txt`. Not found are the queries of Nuxt Content 2, and scripts in a folder other than
/// `_nuxt`.
enum NuxtRecipe: RecipeReader {
    /// The default folder of scripts.
    private static let assetFolder = "/_nuxt/"
    /// The largest number of collections of Nuxt Content.
    private static let collectionLimit = 64

    static func read(_ page: RecipePage, into found: inout RecipeReferences) {
        guard let data = page.scripts.first(where: { $0.id == "__NUXT_DATA__" }) else { return }
        for script in page.scripts where script.type.isEmpty {
            let text = ScanBuffer(page.text.slice(script.range))
            guard text.hasPrefix("window.__nuxt__", at: 0), let app = text.position(of: "app:{baseURL:") else {
                continue
            }
            guard let id = value(of: "buildId:", in: text, from: app), isName(id),
                let folder = value(of: "buildAssetsDir:", in: text, from: app),
                let base = value(of: "baseURL:", in: text, from: app),
                let origin = value(of: "cdnURL:", in: text, from: app)
            else { return }
            let root = joined(origin.isEmpty ? base : origin, folder)
            let offset = script.range.lowerBound
            found.addGuess(joined(root, "builds/meta/\(id).json"), .other, at: offset)
            found.addGuess(joined(root, "builds/latest.json"), .other, at: offset)
            addPayload(of: page, data, buildID: id, into: &found)
            return
        }
    }

    static func read(_ script: RecipeScript, into found: inout RecipeReferences) {
        guard script.goal == .module, let folder = script.url.path.firstRange(of: assetFolder) else { return }
        let text = script.text
        if let meta = text.position(of: "/meta/${"), text.hasSuffix("builds", at: meta, from: 0),
            let app = text.position(of: "nuxt:{buildId:"), let id = value(of: "buildId:", in: text, from: app),
            isName(id)
        {
            found.add("builds/meta/\(id).json", .other, at: app)
            found.add("builds/latest.json", .other, at: app)
        }
        if text.position(of: "/__nuxt_content/${") != nil {
            addCollections(text, base: script.url.path[..<folder.lowerBound], into: &found)
        }
    }

    // MARK: Nuxt Content

    /// Adds the dump of each collection of Nuxt Content, whose checksums are a table such as `{docs:"v3.5.0--8wld"}`.
    private static func addCollections(_ text: ScanBuffer, base: Substring, into found: inout RecipeReferences) {
        let name = text.position(of: "sql_dump.txt") == nil ? "sql_dump" : "sql_dump.txt"
        let rules = rules(text)
        var index = 0
        for _ in 0..<collectionLimit {
            guard let entry = nextChecksum(text, from: index) else { return }
            index = entry.value.upperBound
            let path = "/__nuxt_content/\(entry.key)/\(name)"
            let address = "\(base)\(path)?v=\(text.string(entry.value))"
            // A rule of prerendering, if there is one, tells that the collection isn't private.
            if rules.contains(path) {
                found.add(address, .other, at: entry.value.lowerBound)
            } else {
                found.addGuess(address, .other, at: entry.value.lowerBound)
            }
        }
    }

    /// Returns the addresses of Nuxt Content in the rules of routes.
    private static func rules(_ text: ScanBuffer) -> Set<String> {
        var rules: Set<String> = []
        var index = 0
        while rules.count < collectionLimit, let position = text.position(of: "\"/__nuxt_content/", from: index) {
            index = position + 1
            if let rule = JavaScriptText.literal(text, at: position, to: min(text.count, position + 1_024)) {
                rules.insert(text.string(rule))
                index = rule.upperBound
            }
        }
        return rules
    }

    /// Returns the next member of an object whose value is a release and a checksum.
    private static func nextChecksum(_ text: ScanBuffer, from start: Int) -> (key: String, value: Range<Int>)? {
        var index = start
        while true {
            index = text.find(UInt8(ascii: ":"), from: index)
            guard index + 2 < text.count else { return nil }
            index += 1
            guard text[index + 1] == UInt8(ascii: "v"),
                let value = JavaScriptText.literal(text, at: index, to: min(text.count, index + 128)),
                isChecksum(text, value)
            else { continue }
            let isQuoted = text.at(index - 2) == UInt8(ascii: "\"")
            let end = isQuoted ? index - 2 : index - 1
            var begin = end
            while begin > max(0, end - 128), isInKey(text[begin - 1]) { begin -= 1 }
            if begin < end { return (text.string(begin..<end), value) }
        }
    }

    private static func isChecksum(_ text: ScanBuffer, _ range: Range<Int>) -> Bool {
        let release = text.slice(range).dropFirst().prefix { $0.isDigit || $0 == UInt8(ascii: ".") }
        let rest = range.lowerBound + 1 + release.count
        return !release.isEmpty && range.upperBound - rest > 16 && text.hasPrefix("--", at: rest)
            && text.slice(rest..<range.upperBound).allSatisfy { isInKey($0) || $0 == UInt8(ascii: "-") }
    }

    private static func isInKey(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
    }

    // MARK: Pages

    private static func addPayload(
        of page: RecipePage,
        _ data: RecipePage.InlineScript,
        buildID: String,
        into found: inout RecipeReferences
    ) {
        let text = ScanBuffer(page.text.slice(data.range))
        guard text.position(of: "\"prerenderedAt\"") != nil, isRendered(page, data),
            !page.references.contains(where: { $0.mentions("/_payload.json") })
        else { return }
        let path = page.url.path
        let payload = joined(path, "_payload.json")
        // Release 4.5.2 changed the query.
        found.addGuess("\(payload)?_b=\(buildID)", .other, at: data.range.lowerBound)
        found.addGuess("\(payload)?\(buildID)", .other, at: data.range.lowerBound)
    }

    /// Returns true if the page's content was made by a server.
    private static func isRendered(_ page: RecipePage, _ data: RecipePage.InlineScript) -> Bool {
        guard let tag = page.startTag(of: data) else { return false }
        return ScanBuffer(page.text.slice(tag)).position(of: "data-ssr=\"true\"") != nil
    }

    /// Returns the string after a key.
    private static func value(of key: StaticString, in text: ScanBuffer, from start: Int) -> String? {
        guard let position = text.position(of: key, from: start),
            let range = JavaScriptText.literal(text, at: position + key.utf8CodeUnitCount, to: text.count),
            range.count < 1_024
        else { return nil }
        return JavaScriptText.string(text, range)
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") }
    }

    private static func joined(_ folder: String, _ name: String) -> String {
        let name = name.hasPrefix("/") ? String(name.dropFirst()) : name
        return folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }
}
