internal import AFCURL

/// Reads the data of pages of Swift-DocC, releases 5.5 and later.
///
/// All pages are the same file: `var baseUrl = "/base/"`, and scripts that load the data of the page, whose address
/// follows from the page's path: `/base/documentation/lamp/` has `/base/data/documentation/lamp.json`. That data names
/// the pages to which it links, and the pictures and videos in it. `index/index.json` is the navigation.
///
/// A picture's address in data is relative to the base, also if it begins with a slash.
enum DocCRecipe: RecipeReader {
    private static let roots = ["/documentation", "/tutorials"]
    /// The longest address that is read, in bytes.
    private static let maxAddress = 2_048
    /// The largest number of pages whose data a page's data names.
    private static let maxPages = 4_096

    static func read(_ page: RecipePage, into found: inout RecipeReferences) {
        guard let base = base(of: page),
            page.references.contains(where: { $0.isScript && $0.text.hasPrefix(base + "/js/index.") })
        else { return }
        found.addGuess(base + "/theme-settings.json", .other)
        found.addGuess(base + "/index/index.json", .other)
        var path = page.url.path.dropFirst(base.utf8.count)
        if path.last == "/" { path.removeLast() }
        guard page.url.path.hasPrefix(base), isPage(path) else { return }
        found.addGuess("\(base)/data\(path).json", .other)
    }

    static func reads(dataAt url: WebURL) -> Bool { url.path.hasSuffix(".json") && base(ofDataAt: url) != nil }

    static func read(_ data: RecipeData, into found: inout RecipeReferences) {
        guard let base = base(ofDataAt: data.url).map(String.init) else { return }
        var pages: [(String, Int)] = []
        var files: [(String, Int)] = []
        let isJSON = JSONWalk.forEachString(in: data.text) { string in
            let isPage = string.isTarget(of: 3)
            guard isPage || string.isTarget(of: 5) && string.name(ofStep: 2, limit: 16) == "variants",
                let address = string.text(limit: maxAddress), address.hasPrefix("/"), !address.hasPrefix("//")
            else { return }
            let place = (address, string.range.lowerBound)
            if isPage { pages.append(place) } else { files.append(place) }
        }
        guard isJSON else { return }
        for (address, offset) in files { found.add(base + address, .other, at: offset) }
        for (address, offset) in pages {
            let path = address.prefix { $0 != "#" && $0 != "?" }
            guard isPage(path) || path.hasPrefix("/downloads/") else { continue }
            found.addLink("\(base)\(path)", isPage(path) ? .document : .other, at: offset)
            if isPage(path) { found.addGuess("\(base)/data\(path).json", .other, at: offset, limit: maxPages) }
        }
    }

    private static func isPage(_ path: Substring) -> Bool {
        roots.contains { path == $0 || path.hasPrefix($0 + "/") }
    }

    /// Returns the base without its last slash.
    private static func base(of page: RecipePage) -> String? {
        for script in page.scripts where script.type.isEmpty {
            let text = ScanBuffer(page.text.slice(script.range))
            guard let mark = text.position(of: "baseUrl") else { continue }
            var index = text.find(UInt8(ascii: "="), from: mark) + 1
            while let byte = text.at(index), byte.isSpace { index += 1 }
            guard let literal = JavaScriptText.literal(text, at: index, to: text.count), literal.count <= maxAddress,
                let base = JavaScriptText.string(text, literal), base.hasPrefix("/"), !base.hasPrefix("//")
            else { return nil }
            return base.hasSuffix("/") ? String(base.dropLast()) : base
        }
        return nil
    }

    private static func base(ofDataAt url: WebURL) -> Substring? {
        for root in roots {
            guard let mark = url.path.firstRange(of: "/data" + root) else { continue }
            let rest = url.path[mark.upperBound...]
            if rest.hasPrefix("/") || rest == ".json" { return url.path[..<mark.lowerBound] }
        }
        return nil
    }
}

extension JSONWalk.Found {
    /// Returns true for the `url` of a reference, at a depth.
    fileprivate func isTarget(of depth: Int) -> Bool {
        path.count == depth && name(ofStep: depth - 1, limit: 8) == "url" && name(ofStep: 0, limit: 16) == "references"
    }
}
