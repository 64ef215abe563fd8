internal import AFCURL

/// Reads the data that a click on a link to a SvelteKit page loads.
///
/// The script at the end of a page starts the app with the data of the page's `load` functions. An entry
/// `{type:"data",…}` is from a server's `load`; then the page has a file `__data.json`, also if it was prerendered. With
/// `server_route:` the page has a `__route.js`. An element `script data-sveltekit-fetched` has the response to a request
/// of a universal `load`, which a reader who comes from another page sends. `_app/version.json` tells whether the app is
/// current.
///
/// Imports in the page name the scripts, and `ViteRecipe` reads their tables. Not found are the data of pages whose URL
/// ends in `.html`, because their route is unknown, and of remote functions. The script adds a query to the address of
/// data, such as `?x-sveltekit-invalidated=01`.
enum SvelteKitRecipe: RecipeReader {
    static func read(_ page: RecipePage, into found: inout RecipeReferences) {
        guard let app = page.references.first(where: { $0.isScript && $0.mentions("/immutable/") }),
            let range = app.text.ranges(of: "/immutable/").last
        else { return }
        found.add(app.text[..<range.lowerBound] + "/version.json", .other, at: app.offset)
        for script in page.scripts {
            if script.type == "application/json" {
                readFetched(page, script, into: &found)
            } else if script.type.isEmpty || script.type == "module" {
                readStart(page, script.range, into: &found)
            }
        }
    }

    private static func readStart(_ page: RecipePage, _ range: Range<Int>, into found: inout RecipeReferences) {
        let script = ScanBuffer(page.text.slice(range))
        let path = page.url.path
        guard !path.hasSuffix(".html"), let start = script.position(of: "node_ids:") else { return }
        let stem = path.hasSuffix("/") ? String(path.dropLast()) : path
        if script.position(of: "{type:\"data\",data:", from: start) != nil {
            found.add(stem + "/__data.json", .other, at: range.lowerBound)
        }
        if script.position(of: "server_route:", from: start) != nil {
            found.add(stem + "/__route.js", .module, at: range.lowerBound)
        }
    }

    /// Adds the address of a request without header fields and body whose response is in the page.
    private static func readFetched(
        _ page: RecipePage,
        _ script: RecipePage.InlineScript,
        into found: inout RecipeReferences
    ) {
        guard page.text.hasPrefix("{\"status\":200,", at: script.range.lowerBound),
            let range = page.startTag(of: script)
        else { return }
        let tag = ScanBuffer(page.text.slice(range))
        let key: StaticString = "data-url=\""
        guard tag.position(of: "data-sveltekit-fetched") != nil, tag.position(of: "data-hash=") == nil,
            let url = tag.position(of: key)
        else { return }
        let start = url + key.utf8CodeUnitCount
        let end = tag.find(UInt8(ascii: "\""), from: start)
        guard end < tag.count, end > start else { return }
        found.add(HTMLText.attribute(tag, start..<end), .other, at: range.lowerBound + start)
    }
}
