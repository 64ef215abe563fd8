internal import AFCURL

/// Reads the manifest of routes of React Router 7 and Remix, and names the data of their pages.
///
/// The manifest, `window.__reactRouterManifest={…}` or `window.__remixManifest={…}`, is in `assets/manifest-HASH.js`, or
/// in the page, which then has only its own routes. It names the modules and style sheets of each route. A page whose
/// context has data of loaders has a file of data, `NAME.data` or `_root.data`, which a reader who comes from another
/// page loads.
///
/// The routes without parameters are guesses of pages, below the folder that contains the folder `assets` of the
/// manifest; those of a page's own manifest are its own.
///
/// Not found are the routes that a server adds later (`/__manifest`), and the data of Remix without `singleFetch`, which
/// only a server can answer.
enum ReactRouterRecipe: RecipeReader {
    /// The members of a route, or of `entry`, that are addresses of modules.
    private static let modules: Set<String> = [
        "module", "clientActionModule", "clientLoaderModule", "clientMiddlewareModule", "hydrateFallbackModule",
    ]
    /// The largest number of addresses in a manifest.
    private static let limit = 65_536

    static func read(_ script: RecipeScript, into found: inout RecipeReferences) {
        guard script.name.hasPrefix("manifest-") else { return }
        guard
            script.text.hasPrefix("window.__reactroutermanifest", at: 0)
                || script.text.hasPrefix("window.__remixmanifest", at: 0)
        else { return }
        let open = readManifest(script.text, 0, into: &found)
        if let open, let mark = script.url.path.ranges(of: "/assets/").last {
            addRoutes(open, String(script.url.path[...mark.lowerBound]), into: &found)
        }
    }

    static func read(_ page: RecipePage, into found: inout RecipeReferences) {
        let contexts: [StaticString] = ["window.__reactroutercontext", "window.__remixcontext"]
        let starts = page.scripts.filter { script in
            script.type.isEmpty && contexts.contains { page.text.hasPrefix($0, at: script.range.lowerBound) }
        }
        guard let context = starts.first else { return }
        for script in page.scripts where script.type == "module" {
            let text = ScanBuffer(page.text.slice(script.range))
            let names: [StaticString] = ["__reactRouterManifest", "__remixManifest"]
            guard let start = names.lazy.compactMap({ text.position(of: $0) }).first else { continue }
            _ = readManifest(text, start, into: &found)
        }
        if starts.contains(where: { hasLoaderData(ScanBuffer(page.text.slice($0.range))) }) {
            addData(of: page, ScanBuffer(page.text.slice(context.range)), into: &found)
        }
    }

    // MARK: Manifest

    /// Adds the addresses of the first object after a position.
    ///
    /// - Returns: The object, or nil if there is none.
    private static func readManifest(
        _ text: ScanBuffer,
        _ start: Int,
        into found: inout RecipeReferences
    ) -> ScanBuffer? {
        let open = text.find(UInt8(ascii: "{"), from: start)
        guard let end = objectEnd(text, open) else { return nil }
        let object = ScanBuffer(text.slice(open..<end))
        var rest = limit
        _ = JSONWalk.forEachString(in: object) { string in
            guard rest > 0, let loads = destination(of: string), let address = string.text(limit: 4_096),
                isAddress(address)
            else { return }
            rest -= 1
            found.add(address, loads, at: open + string.range.lowerBound)
        }
        return object
    }

    /// Adds the pages of `routes.ID.path`, which continues the path of `routes.ID.parentId`.
    private static func addRoutes(_ manifest: ScanBuffer, _ base: String, into found: inout RecipeReferences) {
        var paths: [String: String] = [:]
        var parents: [String: String] = [:]
        var ids: [String] = []
        _ = JSONWalk.forEachString(in: manifest) { string in
            guard string.path.count == 3, string.name(ofStep: 0, limit: 16) == "routes", ids.count < RouteRecipe.limit,
                let id = string.name(ofStep: 1, limit: 256), let name = string.name(ofStep: 2, limit: 16),
                let value = string.text(limit: 256)
            else { return }
            if name == "id" { ids.append(id) }
            if name == "path" { paths[id] = value }
            if name == "parentId" { parents[id] = value }
        }
        for id in ids where paths[id] != nil {
            var route = ""
            var next: String? = id
            for _ in 0..<16 {
                guard let id = next else { break }
                if let part = paths[id], !part.isEmpty { route = "/" + part.drop { $0 == "/" } + route }
                next = parents[id]
            }
            RouteRecipe.add(route, 0, base, into: &found)
        }
    }

    /// Returns the position after an object, or nil if it isn't JSON.
    private static func objectEnd(_ text: ScanBuffer, _ open: Int) -> Int? {
        guard open < text.count else { return nil }
        var scanner = JSONScanner(ScanBuffer(text.slice(open..<text.count)))
        var depth = 0
        do throws(JSONScanner.Malformed) {
            while let token = try scanner.next() {
                switch token {
                case .objectStart, .arrayStart: depth += 1
                case .objectEnd, .arrayEnd: depth -= 1
                case .key, .string, .scalar: continue
                }
                if depth == 0 { return open + scanner.position }
            }
            return nil
        } catch {
            return nil
        }
    }

    /// Returns the destination of a string by its path: `entry.module`, `routes.ID.module`, and lists `imports` and `css`.
    private static func destination(of string: JSONWalk.Found) -> Destination? {
        let isRoute = string.name(ofStep: 0, limit: 16) == "routes"
        let index = isRoute ? 2 : 1
        guard isRoute || string.name(ofStep: 0, limit: 16) == "entry", string.path.count > index,
            let name = string.name(ofStep: index, limit: 64)
        else { return nil }
        switch string.path.count - index {
        case 1: return modules.contains(name) ? .module : nil
        case 2: return name == "imports" ? .module : name == "css" ? .style : nil
        default: return nil
        }
    }

    private static func isAddress(_ text: String) -> Bool {
        text.hasPrefix("/") || text.hasPrefix("./") || text.contains("://")
    }

    // MARK: Data

    /// Returns true if a stream has data of a loader: a `loaderData` whose object isn't empty.
    private static func hasLoaderData(_ text: ScanBuffer) -> Bool {
        guard text.position(of: ".streamController.enqueue(") != nil else { return false }
        let key: StaticString = #"\"loaderData\",{"#
        guard let position = text.position(of: key) else { return false }
        return text.at(position + key.utf8CodeUnitCount) == UInt8(ascii: "\\")
    }

    private static func addData(of page: RecipePage, _ context: ScanBuffer, into found: inout RecipeReferences) {
        let path = page.url.path
        guard !path.hasSuffix(".html") else { return }
        let stem = path.hasSuffix("/") ? String(path.dropLast()) : path
        let key: StaticString = "\"basename\":\""
        var base = "/"
        if let position = context.position(of: key),
            let range = JavaScriptText.literal(context, at: position + key.utf8CodeUnitCount - 1, to: context.count)
        {
            base = JavaScriptText.string(context, range) ?? base
        }
        let baseStem = base.hasSuffix("/") ? String(base.dropLast()) : base
        let plain = stem == baseStem ? stem + "/_root.data" : stem + ".data"
        let exact = path.hasSuffix("/") ? path + "_.data" : path + ".data"
        if context.position(of: "railingSlashAwareDataRequests\":true") != nil {
            found.add(exact, .other)
        } else if context.position(of: "\"future\":{}") != nil || stem == baseStem && !stem.isEmpty {
            // Releases without options differ in how they name the data, and others for the root of a folder.
            found.addGuess(plain, .other)
            if exact != plain { found.addGuess(exact, .other) }
        } else {
            found.add(plain, .other)
        }
    }
}
