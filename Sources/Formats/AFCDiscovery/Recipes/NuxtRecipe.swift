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
/// `manifest.js`, are named by preloads in each page. Not found are the queries of Nuxt Content.
enum NuxtRecipe: RecipeReader {
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
            found.addCandidate(joined(root, "builds/meta/\(id).json"), .other, at: offset)
            found.addCandidate(joined(root, "builds/latest.json"), .other, at: offset)
            addPayload(of: page, data, buildID: id, into: &found)
            return
        }
    }

    static func read(_ script: RecipeScript, into found: inout RecipeReferences) {
        let text = script.text
        guard script.goal == .module, script.url.path.contains("/_nuxt/"),
            let meta = text.position(of: "/meta/${"), text.hasSuffix("builds", at: meta, from: 0),
            let app = text.position(of: "nuxt:{buildId:"), let id = value(of: "buildId:", in: text, from: app),
            isName(id)
        else { return }
        found.add("builds/meta/\(id).json", .other, at: app)
        found.add("builds/latest.json", .other, at: app)
    }

    private static func addPayload(
        of page: RecipePage,
        _ data: RecipePage.InlineScript,
        buildID: String,
        into found: inout RecipeReferences
    ) {
        let text = ScanBuffer(page.text.slice(data.range))
        guard text.position(of: "\"prerenderedAt\"") != nil, isRendered(page, data),
            !page.references.contains(where: { $0.text.contains("/_payload.json") })
        else { return }
        let path = page.url.path
        let payload = joined(path, "_payload.json")
        // Release 4.5.2 changed the query.
        found.addCandidate("\(payload)?_b=\(buildID)", .other, at: data.range.lowerBound)
        found.addCandidate("\(payload)?\(buildID)", .other, at: data.range.lowerBound)
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
