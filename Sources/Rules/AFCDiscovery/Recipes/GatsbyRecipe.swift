internal import AFCURL

/// Reads the tables of Gatsby, releases 2.9 to 5.
///
/// A page has `window.___chunkMapping`, which names the scripts of all page templates, and `window.pagePath`, from which
/// the address of the page's data follows. That data (`page-data.json`) names static queries and slices.
///
/// The data of a page is found when the page is crawled. Redirects and functions have no table.
enum GatsbyRecipe: RecipeReader {
    /// The longest path that is read, in bytes.
    private static let maxPath = 2048

    static func read(_ page: RecipePage, into found: inout RecipeReferences) {
        guard let mapping = page.scripts.first(where: { $0.id == "gatsby-chunk-mapping" }) else { return }
        var chunks: [String] = []
        chunkNames(page.text, mapping.range, into: &chunks)
        guard let prefix = prefix(of: page, chunks) else { return }
        for chunk in chunks {
            let isStyle = chunk.hasSuffix(".css")
            guard isStyle || chunk.hasSuffix(".js") else { continue }
            found.add(prefix + chunk, isStyle ? .style : .script, at: mapping.range.lowerBound)
        }
        guard let script = page.scripts.first(where: { $0.id == "gatsby-script-loader" }),
            let path = pagePath(page.text, script.range)
        else { return }
        let folder = path.split(separator: "/", omittingEmptySubsequences: true).joined(separator: "/")
        found.add("\(prefix)/page-data/\(folder.isEmpty ? "index" : folder)/page-data.json", .other)
        // Pages of release 2 name this file themselves, if there is one.
        if !page.generator.hasPrefix("Gatsby 2") { found.add(prefix + "/page-data/app-data.json", .other) }
    }

    static func reads(dataNamed name: Substring) -> Bool { name == "page-data.json" }

    static func read(_ data: RecipeData, into found: inout RecipeReferences) {
        let path = data.url.path
        guard let mark = path.firstRange(of: "/page-data/") else { return }
        let root = String(path[..<mark.lowerBound])
        var names: [(String, Int)] = []
        let isJSON = JSONWalk.forEachString(in: data.text) { string in
            let isQuery = string.isAt(["staticQueryHashes", ""])
            guard isQuery || string.path.count == 2, isQuery || string.name(ofStep: 0, limit: 64) == "slicesMap",
                let name = string.text(limit: maxPath), !name.isEmpty
            else { return }
            let file = isQuery ? "/page-data/sq/d/\(name).json" : "/slice-data/\(name).json"
            names.append((root + file, string.range.lowerBound))
        }
        guard isJSON else { return }
        for (address, offset) in names { found.add(address, .other, at: offset) }
    }

    // MARK: The page

    /// Reads the names in `___chunkMapping`, which is an object or, since release 5, JSON in a string.
    private static func chunkNames(_ text: ScanBuffer, _ range: Range<Int>, into names: inout [String]) {
        let script = ScanBuffer(text.slice(range))
        guard let mark = script.position(of: "___chunkMapping") else { return }
        var index = script.find(UInt8(ascii: "="), from: mark) + 1
        while let byte = script.at(index), byte.isSpace { index += 1 }
        if let literal = JavaScriptText.literal(script, at: index, to: script.count) {
            guard let json = JavaScriptText.string(script, literal) else { return }
            Array(json.utf8).withUnsafeBufferPointer { literals(ScanBuffer($0), from: 0, into: &names) }
        } else {
            literals(script, from: index, into: &names)
        }
    }

    private static func literals(_ text: ScanBuffer, from start: Int, into names: inout [String]) {
        var index = start
        while index < text.count {
            guard let literal = JavaScriptText.literal(text, at: index, to: text.count) else {
                index += 1
                continue
            }
            index = literal.upperBound + 1
            guard literal.count <= maxPath, text[literal.lowerBound] == UInt8(ascii: "/"),
                let name = JavaScriptText.string(text, literal)
            else { continue }
            names.append(name)
        }
    }

    /// Returns what precedes the names in the addresses of the page's scripts.
    private static func prefix(of page: RecipePage, _ chunks: [String]) -> String? {
        let names = Set(chunks)
        for reference in page.references where reference.isScript {
            let text = reference.text
            guard let slash = text.lastIndex(of: "/"), names.contains(String(text[slash...])) else { continue }
            return String(text[..<slash])
        }
        return nil
    }

    private static func pagePath(_ text: ScanBuffer, _ range: Range<Int>) -> String? {
        let script = ScanBuffer(text.slice(range))
        guard let mark = script.position(of: "pagePath") else { return nil }
        let index = script.find(UInt8(ascii: "="), from: mark) + 1
        guard let literal = JavaScriptText.literal(script, at: index, to: script.count), literal.count <= maxPath else {
            return nil
        }
        return JavaScriptText.string(script, literal)
    }
}
