internal import AFCURL

/// Reads the lists of files that service workers store.
///
/// - Workbox, also as part of VitePWA and Create React App: `precacheAndRoute([{url:"…",revision:"…"}])`, readable or
///   minified, in a service worker or in a `precache-manifest.*.js`, and the `workbox-*.js` that `define` loads.
/// - sw-precache: `precacheConfig=[["…","…"]]`.
/// - Angular: `ngsw-worker.js` reads `ngsw.json`, whose `hashTable` names all files.
/// - Workers written by hand: the lists that they pass to `addAll`, and Flutter's `RESOURCES`; see ``WorkerLists``.
/// - Create React App: `asset-manifest.json`. No page names it, so it is a guess for pages of such an application, as is
///   Angular's service worker.
///
/// What a service worker stores while pages are used has no list. Source maps are left out.
enum PrecacheRecipe: RecipeReader {
    /// The longest address that is read, in bytes.
    private static let maxAddress = 2048
    /// The largest number of files in one list.
    private static let maxFiles = 100_000

    static func read(_ page: RecipePage, into found: inout RecipeReferences) {
        var polyfills: String?
        var isAngular = false
        for reference in page.references {
            if reference.isScript {
                let path = reference.path
                let name = path.lastSegment
                let folder = path[..<name.startIndex]
                if name.hasPrefix("main."), folder.hasSuffix("static/js/") {
                    found.addGuess(folder.dropLast(10) + "asset-manifest.json", .other, at: reference.offset)
                    return
                }
                // Next.js has scripts of these names, too.
                guard !folder.hasSuffix("/_next/static/chunks/") else { return }
                if name.hasPrefix("polyfills") { polyfills = polyfills ?? String(folder) }
                isAngular = isAngular || name.hasPrefix("main")
            }
        }
        // Angular's applications have a manifest exactly if they have a service worker.
        if isAngular, let polyfills, page.references.contains(where: { $0.loads == .manifest }) {
            found.addGuess(polyfills + "ngsw-worker.js", .script)
        }
    }

    static func read(_ script: RecipeScript, into found: inout RecipeReferences) {
        if script.name == "ngsw-worker.js" { return found.add("ngsw.json", .other) }
        let text = script.text
        let isGenerated = script.name == "flutter_service_worker.js"
        for file in WorkerLists(text, hasResources: isGenerated).files {
            // In Flutter's list, the root is the application's.
            let address = isGenerated && file.address.hasPrefix("/") ? "." + file.address : file.address
            add(address, file.offset, isGuess: !isGenerated, into: &found)
        }
        var index = 0
        while true {
            index = text.find(UInt8(ascii: "["), from: index)
            guard index < text.count else { return }
            var list = PrecacheList(text, after: index + 1)
            if let files = list.files() {
                for file in files.prefix(maxFiles) { add(file.address, file.offset, into: &found) }
            }
            index = max(index + 1, list.index)
        }
    }

    static func reads(dataNamed name: Substring) -> Bool { name == "ngsw.json" || name == "asset-manifest.json" }

    static func read(_ data: RecipeData, into found: inout RecipeReferences) {
        let isAngular = data.name == "ngsw.json"
        var files: [(String, Int)] = []
        let isJSON = JSONWalk.forEachString(in: data.text) { string in
            let isFile =
                isAngular
                ? string.path.count == 2 && string.name(ofStep: 0, limit: 64) == "hashTable"
                : string.path.count == 2 && string.name(ofStep: 0, limit: 64) == "files"
                    // Before release 3 of react-scripts, the members of the manifest were the files.
                    || string.path.count == 1 && string.name(ofStep: 0, limit: maxAddress)?.contains(".") == true
            guard isFile, files.count < maxFiles,
                let address = isAngular
                    ? string.name(ofStep: 1, limit: maxAddress) : string.text(limit: maxAddress)
            else { return }
            files.append((address, string.range.lowerBound))
        }
        guard isJSON else { return }
        for (address, offset) in files { add(address, offset, into: &found) }
    }

    /// Adds a file, which is read by its type: a script may be a module.
    private static func add(
        _ address: String,
        _ offset: Int,
        isGuess: Bool = false,
        into found: inout RecipeReferences
    ) {
        let path = address.prefix { $0 != "?" && $0 != "#" }
        guard !path.hasSuffix(".map"), !path.hasSuffix(".LICENSE.txt"), !address.isEmpty else { return }
        // Many hosts answer names without a dot with pages.
        let isName = path.split(separator: "/").last?.contains(".") != true
        let loads: Destination =
            path.hasSuffix(".css")
            ? .style : path.hasSuffix(".html") || path.hasSuffix("/") || isName ? .document : .other
        if isGuess {
            found.addGuess(address, loads, at: offset, limit: WorkerLists.maxGuesses)
        } else {
            found.add(address, loads, at: offset)
        }
    }
}

/// A list of files in a service worker.
struct PrecacheList {
    struct File {
        var address: String
        var offset: Int
    }

    private let text: ScanBuffer
    /// The position after what was read.
    private(set) var index: Int
    private let start: Int

    /// Creates a reader of what follows an opening bracket.
    init(_ text: ScanBuffer, after index: Int) {
        self.text = text
        self.index = index
        start = index
    }

    /// Returns the files, or nil for another kind of array.
    mutating func files() -> [File]? {
        switch peek() {
        case UInt8(ascii: "{"): return entries()
        case UInt8(ascii: "["): return isAfter("precacheConfig") ? pairs() : nil
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return isAfter("define(") ? library() : nil
        default: return nil
        }
    }

    /// Reads `{url:"…",revision:"…"},…]`, with members in any order.
    private mutating func entries() -> [File]? {
        var files: [File] = []
        var hasRevision = false
        repeat {
            guard let (file, isVersioned) = entry() else { return nil }
            hasRevision = hasRevision || isVersioned
            files.append(file)
        } while take(",") && peek() == UInt8(ascii: "{")
        return take("]") && hasRevision ? files : nil
    }

    private mutating func entry() -> (File, hasRevision: Bool)? {
        guard take("{") else { return nil }
        var file: File?
        var hasRevision = false
        repeat {
            guard let name = name(), take(":") else { return nil }
            switch name {
            case "url":
                guard let (address, offset) = string() else { return nil }
                file = File(address: address, offset: offset)
            case "revision":
                hasRevision = true
                guard string() != nil || self.name() == "null" else { return nil }
            case "integrity", "size":
                guard string() != nil || self.name() != nil else { return nil }
            default: return nil
            }
        } while take(",")
        guard take("}"), let file else { return nil }
        return (file, hasRevision)
    }

    /// Reads `["…","…"],…]`.
    private mutating func pairs() -> [File]? {
        var files: [File] = []
        repeat {
            guard take("["), let (address, offset) = string(), take(","), string() != nil, take("]") else { return nil }
            files.append(File(address: address, offset: offset))
        } while take(",")
        return take("]") ? files : nil
    }

    /// Reads the name of Workbox's own file, without `.js`.
    private mutating func library() -> [File]? {
        guard let (name, offset) = string(), name.hasPrefix("./workbox-") else { return nil }
        return [File(address: name + ".js", offset: offset)]
    }

    /// Returns true if a word precedes the bracket, perhaps with `=` between them.
    private func isAfter(_ word: StaticString) -> Bool {
        var end = start - 1
        while end > 0, text[end - 1].isSpace || text[end - 1] == UInt8(ascii: "="), start - end < 8 { end -= 1 }
        let begin = end - word.utf8CodeUnitCount
        guard begin >= 0 else { return false }
        for offset in 0..<word.utf8CodeUnitCount where text[begin + offset] != word.utf8Start[offset] { return false }
        return true
    }

    // MARK: Tokens

    private mutating func name() -> String? {
        guard let byte = peek() else { return nil }
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { return string()?.text }
        let first = index
        while let byte = text.at(index), byte.isNamePart, index - first < 32 { index += 1 }
        return index > first ? text.string(first..<index) : nil
    }

    private mutating func string() -> (text: String, offset: Int)? {
        _ = peek()
        guard let literal = JavaScriptText.literal(text, at: index, to: min(text.count, index + 4096)),
            let string = JavaScriptText.string(text, literal)
        else { return nil }
        index = literal.upperBound + 1
        return (string, literal.lowerBound)
    }

    private mutating func peek() -> UInt8? {
        while let byte = text.at(index), byte.isSpace { index += 1 }
        return text.at(index)
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }
}
