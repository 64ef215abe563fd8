internal import AFCURL

/// Reads the tables of Pagefind, a search whose index is static files.
///
/// The search, `pagefind.js`, loads `pagefind-entry.json` beside it. That file names the program (`wasm.en.pagefind`)
/// and the table (`pagefind.HASH.pf_meta`) of each language. The table is CBOR after a signature, in a gzip file, and
/// names the index, the filters, and a fragment for each page. Since release 1.5, `pagefind.js` also starts
/// `pagefind-worker.js`.
///
/// One of the interfaces, such as `pagefind-ui.js`, imports `pagefind.js` from its own folder, or from the folder that
/// the site's script passes as `bundlePath`. A path that ends in `/pagefind.js` elsewhere in a script is a guess, to
/// which the base of a Next.js site is added. A literal `import("/pagefind/pagefind.js")` needs no recipe.
///
/// Not found are an attribute `bundle-path`, a `bundlePath` that isn't literal, and the indexes of other sites that
/// `mergeIndex` adds, unless they are on a page too.
enum PagefindRecipe: RecipeReader {
    private static let entry = "pagefind-entry.json"
    private static let signature: StaticString = "pagefind_dcd"
    /// The scripts of the interfaces, which import `pagefind.js`.
    private static let interfaces: Set<Substring> = [
        "pagefind-ui.js", "pagefind-modular-ui.js", "pagefind-component-ui.js",
    ]
    /// The longest name of a file of the index.
    private static let nameLimit = 128
    /// The longest address of `pagefind.js`.
    private static let addressLimit = 64

    // MARK: Scripts

    static func read(_ page: RecipePage, into found: inout RecipeReferences) {
        for script in page.scripts where ScriptType(type: script.type, language: nil) != nil {
            let text = ScanBuffer(page.text.slice(script.range))
            readFolder(text, at: script.range.lowerBound, into: &found)
            readPaths(text, at: script.range.lowerBound, base: "", into: &found)
        }
    }

    static func read(_ script: RecipeScript, into found: inout RecipeReferences) {
        let name = script.name
        if name == "pagefind.js" || name == "pagefind-worker.js" {
            guard let position = script.text.position(of: "pagefind-entry.json") else { return }
            found.add(entry, .other, at: position)
            if name == "pagefind.js", let worker = script.text.position(of: "pagefind-worker.js") {
                found.add("pagefind-worker.js", .script, at: worker)
            }
        } else if interfaces.contains(name) {
            guard let position = script.text.position(of: "}pagefind.js") else { return }
            // The interface may also be a copy in another folder.
            let folder = script.url.path.dropLast(name.utf8.count)
            if folder.hasSuffix("/pagefind/") || folder.hasSuffix("/_pagefind/") {
                found.add("pagefind.js", .module, at: position)
            } else {
                found.addGuess("pagefind.js", .module, at: position)
            }
        } else {
            let path = script.url.path
            let base = path.firstRange(of: "/_next/static/").map { String(path[..<$0.lowerBound]) }
            readFolder(script.text, at: 0, into: &found)
            readPaths(script.text, at: 0, base: base ?? "", into: &found)
        }
    }

    /// Reads the option `bundlePath`, such as `"/pagefind/"` or `"/docs/".replace(/\/$/,"")+"/pagefind/"`.
    private static func readFolder(_ text: ScanBuffer, at offset: Int, into found: inout RecipeReferences) {
        var index = 0
        while let position = text.position(of: "Path:", from: index) {
            index = position + 5
            guard text.hasSuffix("bundlePath", at: position + 4, from: 0) else { continue }
            while text.at(index)?.isSpace == true { index += 1 }
            guard let folder = folder(text, &index), folder.hasPrefix("/") || folder.contains("://") else { continue }
            if folder.hasSuffix("/pagefind/") || folder.hasSuffix("/_pagefind/") {
                found.add(folder + "pagefind.js", .module, at: offset + position)
            } else {
                found.addGuess(folder + "pagefind.js", .module, at: offset + position)
            }
        }
    }

    private static func folder(_ text: ScanBuffer, _ index: inout Int) -> String? {
        guard var folder = literal(text, &index) else { return nil }
        let replacement: StaticString = #".replace(/\/$/,"#
        if text.hasPrefix(replacement, at: index) {
            index += replacement.utf8CodeUnitCount
            while text.at(index)?.isSpace == true { index += 1 }
            guard literal(text, &index) == "", text.at(index) == UInt8(ascii: ")") else { return nil }
            index += 1
            if folder.hasSuffix("/") { folder.removeLast() }
        }
        while text.at(index)?.isSpace == true { index += 1 }
        guard text.at(index) == UInt8(ascii: "+") else { return folder }
        index += 1
        while text.at(index)?.isSpace == true { index += 1 }
        return literal(text, &index).map { folder + $0 }
    }

    private static func literal(_ text: ScanBuffer, _ index: inout Int) -> String? {
        guard let range = JavaScriptText.literal(text, at: index, to: min(text.count, index + addressLimit)) else {
            return nil
        }
        index = range.upperBound + 1
        return JavaScriptText.string(text, range)
    }

    /// Reads literal paths that end in `/pagefind.js`.
    private static func readPaths(
        _ text: ScanBuffer,
        at offset: Int,
        base: String,
        into found: inout RecipeReferences
    ) {
        let end: StaticString = "/pagefind.js"
        var index = 0
        while let position = text.position(of: end, from: index) {
            index = position + end.utf8CodeUnitCount
            var start = position
            let first = max(0, position - addressLimit)
            while start > first, isInPath(text[start - 1]) { start -= 1 }
            guard start > 0, let range = JavaScriptText.literal(text, at: start - 1, to: min(text.count, index + 1)),
                text[start] == UInt8(ascii: "/"), text.at(start + 1) != UInt8(ascii: "/")
            else { continue }
            let path = text.string(range)
            found.addGuess(path.hasPrefix(base + "/") ? path : base + path, .module, at: offset + start)
        }
    }

    private static func isInPath(_ byte: UInt8) -> Bool {
        isInName(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "~")
    }

    // MARK: Data

    static func reads(dataNamed name: Substring) -> Bool { name == entry || name.hasSuffix(".pf_meta") }

    static func read(_ data: RecipeData, into found: inout RecipeReferences) {
        if data.name == entry { readEntry(data.text, into: &found) } else { readTable(data.text, into: &found) }
    }

    /// Reads `{"languages":{"en":{"hash":"en_…","wasm":"en"}}}`; without `wasm`, a language uses the common program.
    private static func readEntry(_ text: ScanBuffer, into found: inout RecipeReferences) {
        var files: [(address: String, offset: Int)] = []
        var languages = 0
        var programs = 0
        let isJSON = JSONWalk.forEachString(in: text) { string in
            guard string.path.count == 3, string.name(ofStep: 0, limit: 9) == "languages",
                let key = string.name(ofStep: 2, limit: 4), let value = string.text(limit: nameLimit),
                value.utf8.allSatisfy(isInName), !value.isEmpty
            else { return }
            switch key {
            case "hash":
                languages += 1
                files.append(("pagefind.\(value).pf_meta", string.range.lowerBound))
            case "wasm":
                programs += 1
                files.append(("wasm.\(value).pagefind", string.range.lowerBound))
            default: break
            }
        }
        guard isJSON else { return }
        for file in files { found.add(file.address, .other, at: file.offset) }
        if programs < languages { found.add("wasm.unknown.pagefind", .other) }
    }

    /// Reads `[release, [[fragment, words]], [[from, to, index]], [[name, filter]], …]`.
    ///
    /// What precedes a cut or a defect is taken.
    private static func readTable(_ text: ScanBuffer, into found: inout RecipeReferences) {
        guard text.hasPrefix(signature, at: 0) else { return }
        _ = CBORWalk.forEachText(in: text, from: signature.utf8CodeUnitCount) { path, range in
            guard path.count == 3, !range.isEmpty, range.count <= nameLimit, text.slice(range).allSatisfy(isInName)
            else { return }
            switch (path[0], path[2]) {
            case (1, 0): found.add("fragment/\(text.string(range)).pf_fragment", .other, at: range.lowerBound)
            case (2, 2): found.add("index/\(text.string(range)).pf_index", .other, at: range.lowerBound)
            case (3, 1): found.add("filter/\(text.string(range)).pf_filter", .other, at: range.lowerBound)
            default: break
            }
        }
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
}
