internal import AFCURL

/// Reads the style sheets and assets that a script built by Vite names.
///
/// Vite puts the addresses that a dynamic import preloads into a table of the script: `m.f=[…]` in `__vite__mapDeps`
/// (5.3 and later), `__vite__fileDeps=[…]` (5.2), `viteFileDeps = […]` (5.0 and 5.1), and `["…"]` after each import (2
/// to 4). The table makes its scripts certain, which are imported dynamically or import each other. Assets are literals
/// with a hash, such as `"/assets/logo-BxK2m0vQ.svg"`.
///
/// Entries that start with a dot are relative to the script, and others to the `base` of the site. That base follows
/// from an import of a script in the table, or else from the folder of the script. Files of the `public` folder have no
/// hash and no table; literals that look like media of the site are guesses. Not found are addresses that a function of
/// `renderBuiltUrl` computes, and scripts for browsers without modules (`@vitejs/plugin-legacy`).
enum ViteRecipe: RecipeReader {
    /// The longest table, in entries.
    private static let tableLimit = 16_384
    /// The largest number of imports that are compared with a table.
    private static let importLimit = 1_024
    /// The endings of files that a page shows or plays.
    private static let media: Set<String> = [
        "avif", "gif", "ico", "jpeg", "jpg", "m4a", "mp3", "mp4", "ogg", "png", "svg", "ttf", "wav", "webm", "webp",
        "woff",
        "woff2",
    ]
    /// The longest path of a folder of assets, in bytes.
    private static let folderLimit = 1_024
    /// The size of the parts of a script that are searched for the table's function, in bytes.
    private static let window = 4_096

    static func read(_ script: RecipeScript, into found: inout RecipeReferences) {
        guard script.goal == .module else { return }
        let text = script.text
        if let start = tableStart(text) {
            addEntries(of: table(text, at: start).entries, script, into: &found)
        } else {
            addEntries(of: inlineTables(text), script, into: &found)
        }
        if isHashed(script.name) || isHash(script) { addAssets(script, into: &found) }
    }

    // MARK: Tables

    /// Returns the position of the bracket that opens the table, or nil if there is no table.
    private static func tableStart(_ text: ScanBuffer) -> Int? {
        let head = ScanBuffer(text.slice(0..<min(window, text.count)))
        var name = head.position(of: "__vite__mapDeps=(") ?? head.position(of: "__vite__fileDeps=")
        if name == nil { name = head.position(of: "__vite__mapDeps(indexes)") }
        if name == nil {
            // Vite 5.0 appends the function to the script.
            let tail = ScanBuffer(text.slice(max(0, text.count - window / 16)..<text.count))
            guard tail.position(of: "viteFileDeps[i]") != nil else { return nil }
            name = text.position(of: "__vite__mapDeps(indexes)")
        }
        guard let name else { return nil }
        let end = min(name + window / 16, text.count)
        let bracket = text.find(UInt8(ascii: "["), from: name, to: end)
        return bracket < end ? bracket : nil
    }

    /// Returns the strings of an array, and the position after it.
    ///
    /// Other elements are expressions that compute an address; they are skipped up to the next comma or bracket.
    private static func table(_ text: ScanBuffer, at start: Int) -> (entries: [String], end: Int) {
        var entries: [String] = []
        var index = start + 1
        while let byte = text.at(index), entries.count < tableLimit {
            if byte == UInt8(ascii: "]") { return (entries, index + 1) }
            guard let literal = JavaScriptText.literal(text, at: index, to: text.count) else {
                index += 1
                continue
            }
            index = literal.upperBound + 1
            guard isEndOfElement(text.at(index)), !isArgument(text, literal) else { continue }
            if let entry = JavaScriptText.string(text, literal) { entries.append(entry) }
        }
        return (entries, index)
    }

    private static func isEndOfElement(_ byte: UInt8?) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") || byte?.isSpace == true
    }

    /// Returns true if a string is an operand or an argument of an expression.
    private static func isArgument(_ text: ScanBuffer, _ literal: Range<Int>) -> Bool {
        var index = literal.lowerBound - 2
        while index > 0, text[index].isSpace { index -= 1 }
        return index >= 0 && text[index] != UInt8(ascii: ",") && text[index] != UInt8(ascii: "[")
    }

    /// Returns the entries of the arrays of file names that are last arguments, or precede `import.meta.url`.
    private static func inlineTables(_ text: ScanBuffer) -> [String] {
        var entries: [String] = []
        var seen: Set<String> = []
        var index = 0
        while entries.count < tableLimit {
            index = text.find(UInt8(ascii: "["), from: index)
            guard index < text.count else { return entries }
            guard index > 0, text[index - 1] == UInt8(ascii: ","), text.at(index + 1) == UInt8(ascii: "\"") else {
                index += 1
                continue
            }
            var names: [String] = []
            index += 1
            while let literal = JavaScriptText.literal(text, at: index, to: min(text.count, index + window)),
                let name = JavaScriptText.string(text, literal), name.hasSuffix(".js") || name.hasSuffix(".css")
            {
                names.append(name)
                index = literal.upperBound + 1
                guard text.at(index) == UInt8(ascii: ",") else { break }
                index += 1
            }
            let isLast = text.at(index) == UInt8(ascii: "]") && text.at(index + 1) == UInt8(ascii: ")")
            guard isLast || text.hasPrefix("],import.meta.url)", at: index) else { continue }
            for name in names where seen.insert(name).inserted { entries.append(name) }
        }
        return entries
    }

    // MARK: Entries

    private static func addEntries(of entries: [String], _ script: RecipeScript, into found: inout RecipeReferences) {
        let files = entries.filter { $0.hasSuffix(".css") || $0.hasSuffix(".js") }
        guard !files.isEmpty else { return }
        let base = files.contains(where: isRelativeToBase) ? base(of: entries, script) : nil
        for file in files {
            let loads: Destination = file.hasSuffix(".css") ? .style : .module
            if !isRelativeToBase(file) {
                found.add(file, loads)
            } else if let base {
                found.add(base + file, loads)
            }
        }
    }

    private static func isRelativeToBase(_ entry: String) -> Bool {
        !entry.hasPrefix(".") && !entry.hasPrefix("/") && !entry.contains("://")
    }

    /// Returns the site's base path, which precedes the entries.
    private static func base(of entries: [String], _ script: RecipeScript) -> String? {
        var entriesByName: [Substring: [String]] = [:]
        for entry in entries where entry.hasSuffix(".js") && isRelativeToBase(entry) {
            entriesByName[entry.lastSegment, default: []].append(entry)
        }
        if !entriesByName.isEmpty, let base = base(of: entriesByName, script) { return base }
        let path = script.url.path
        let folder = path.prefix(upTo: path.lastSegment.startIndex)
        for entry in entries where isRelativeToBase(entry) {
            let entryFolder = entry.prefix(upTo: entry.lastSegment.startIndex)
            if !entryFolder.isEmpty, folder.hasSuffix("/" + entryFolder) {
                return String(folder.dropLast(entryFolder.count))
            }
        }
        return nil
    }

    /// Returns the part of an imported script's path that precedes its entry in the table.
    private static func base(of entriesByName: [Substring: [String]], _ script: RecipeScript) -> String? {
        let text = script.text
        var index = 0
        for _ in 0..<importLimit {
            while true {
                index = text.find(UInt8(ascii: "("), from: index)
                guard index < text.count else { return nil }
                index += 1
                if text.hasSuffix("import", at: index - 1, from: 0) { break }
            }
            guard let literal = JavaScriptText.literal(text, at: index, to: min(text.count, index + window)),
                let specifier = JavaScriptText.string(text, literal), specifier.hasPrefix("."),
                let guesses = entriesByName[specifier.lastSegment], let path = path(specifier, script.url)
            else { continue }
            for entry in guesses where path.hasSuffix("/" + entry) { return String(path.dropLast(entry.count)) }
        }
        return nil
    }

    private static func path(_ specifier: String, _ base: WebURL) -> String? {
        do throws(WebURL.ParseError) {
            return try WebURL(specifier, base: base).path
        } catch {
            return nil
        }
    }

    // MARK: Assets

    /// Adds the addresses of files with a hash in the folder of assets, and of media at the site's base as guesses.
    private static func addAssets(_ script: RecipeScript, into found: inout RecipeReferences) {
        let text = script.text
        let folder = assetFolder(script.url.path)
        guard folder.utf8.count > 1, folder.utf8.count <= folderLimit else { return }
        let base = base(ofAssetFolder: folder)
        let folderBytes = Array(folder.utf8)
        var index = 0
        while true {
            index = text.find(UInt8(ascii: "/"), from: index)
            guard index < text.count else { return }
            let start = index
            index += 1
            guard start > 0, !isInAddress(text[start - 1]), text[start - 1] != UInt8(ascii: "/") else { continue }
            let isAsset =
                start + folderBytes.count <= text.count
                && text.slice(start..<start + folderBytes.count).elementsEqual(folderBytes)
            guard isAsset || isQuotationMark(text[start - 1]) else { continue }
            while let byte = text.at(index), isInAddress(byte) || byte == UInt8(ascii: "/") { index += 1 }
            let address = text.string(start..<index)
            let name = address.lastSegment
            if isAsset, isHashed(name), !name.hasSuffix(".js"), !name.hasSuffix(".map") {
                found.add(address, name.hasSuffix(".css") ? .style : .other, at: start)
            } else if text.at(index) == text[start - 1], address.hasPrefix(base), !address.hasPrefix("//"),
                isMedia(name)
            {
                found.addGuess(address, .other, at: start)
            }
        }
    }

    private static func isQuotationMark(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "`")
    }

    /// Returns true for a picture, a sound, a film or a font.
    private static func isMedia(_ name: Substring) -> Bool {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return false }
        return media.contains(name[name.index(after: dot)...].lowercased())
    }

    /// Returns the base of the site, which is the parent of the folder of assets, or of SvelteKit's `_app/immutable`.
    private static func base(ofAssetFolder folder: Substring) -> Substring {
        let path = folder.hasSuffix("/immutable/") ? folder.dropLast("immutable/".count) : folder
        let parent = path.dropLast()
        return parent.lastIndex(of: "/").map { parent[...$0] } ?? folder
    }

    /// The folder of assets: `immutable` in SvelteKit, the folder of `chunks` in VitePress, else the script's.
    private static func assetFolder(_ path: String) -> Substring {
        let folder = path.prefix(upTo: path.lastSegment.startIndex)
        var segments = folder.split(separator: "/", omittingEmptySubsequences: false)
        if let index = segments.lastIndex(of: "immutable") { segments = segments.prefix(through: index) + [""] }
        if segments.count > 2, segments[segments.count - 2] == "chunks" { segments.remove(at: segments.count - 2) }
        return Substring(segments.joined(separator: "/"))
    }

    /// Returns true for a character that continues an address to the left or the right.
    private static func isInAddress(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "%"),
            UInt8(ascii: "@"), UInt8(ascii: "+"), UInt8(ascii: "}"), UInt8(ascii: ":"):
            true
        default: byte.isLetter || byte.isDigit || byte >= 0x80
        }
    }

    /// Returns true for the scripts of Nuxt since 3.9, whose names are a hash.
    private static func isHash(_ script: RecipeScript) -> Bool {
        let stem = script.name.utf8.dropLast(3)
        return script.name.hasSuffix(".js") && stem.count == 8 && script.url.path.hasSuffix("/_nuxt/" + script.name)
            && stem.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }

    /// Returns true for `name-hash.extension` and `name.hash.extension` with a hash of eight characters.
    private static func isHashed(_ name: Substring) -> Bool {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return false }
        let stem = Array(name.utf8[..<dot])
        guard stem.count > 9 else { return false }
        let separator = stem[stem.count - 9]
        return (separator == UInt8(ascii: "-") || separator == UInt8(ascii: "."))
            && stem.suffix(8).allSatisfy {
                $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            }
    }
}
