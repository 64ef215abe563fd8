internal import AFCURL

/// Reads the tables of Next.js.
///
/// - The pages router: `_buildManifest.js` lists the scripts and style sheets of every page, and `__NEXT_DATA__` in a
///   page says whether the page's data is a file, which the router loads instead of the page when a reader comes from
///   another page. Data of pages that the server makes for each request isn't found.
/// - The app router: the data in a page names scripts, style sheets and fonts. An export has the data of each page in a
///   file beside it, which a click on a link to the page loads with a query (`?_rsc=`) that no file depends on, and in
///   release 16 files for its segments; see ``NextSegments``. Only an export has such files, so they are guesses; see
///   ``GuessKind``.
/// - Turbopack: scripts name the scripts and style sheets that they load.
/// - Both: scripts name images that were imported.
///
/// What scripts of webpack load is found by ``WebpackRecipe``.
enum NextRecipe: RecipeReader {
    /// The longest address within the site that is read, in bytes.
    private static let maxPath = 2048

    static func read(_ page: RecipePage, into found: inout RecipeReferences) {
        if let script = page.scripts.first(where: { $0.id == "__NEXT_DATA__" }) {
            let text = ScanBuffer(page.text.slice(script.range))
            if let data = NextPageData(text), let address = data.address(of: page.url) {
                found.add(address, .other, at: script.range.lowerBound)
            }
        }
        let flights = page.scripts.filter { isFlight(page.text, $0.range) }
        if !flights.isEmpty, let files = NextPageFiles(of: page.url.path) {
            found.addGuess(files.payload, .other)
            found.addGuess(files.tree, .other)
        }
        guard !flights.isEmpty, let root = root(of: page) else { return }
        for script in flights {
            readFlight(page.text, script.range, root, into: &found)
        }
    }

    static func read(_ script: RecipeScript, into found: inout RecipeReferences) {
        let path = script.url.path
        guard let root = root(in: path) else { return }
        let isManifest = script.name == "_buildManifest.js"
        guard isManifest || isTurbopack(script.text) else { return readMedia(script.text, into: &found) }
        var index = 0
        let text = script.text
        while index < text.count {
            guard let literal = JavaScriptText.literal(text, at: index, to: text.count) else {
                index += text[index] == UInt8(ascii: "\\") ? 2 : 1
                continue
            }
            index = literal.upperBound + 1
            guard literal.count <= maxPath, text.hasPrefix("static", at: literal.lowerBound),
                let name = JavaScriptText.string(text, literal), name.hasPrefix("static/"),
                let loads = destination(of: name)
            else { continue }
            found.add(root + (isManifest ? encoded(name) : name), loads, at: literal.lowerBound)
        }
    }

    static func reads(dataNamed name: Substring) -> Bool { name == NextPageFiles.treeName }

    static func read(_ data: RecipeData, into found: inout RecipeReferences) {
        let files = NextSegments(data.text).files
        for file in files { found.addGuess(file, .other, limit: files.count) }
    }

    /// Reads the addresses of imported images in chunks of webpack.
    private static func readMedia(_ text: ScanBuffer, into found: inout RecipeReferences) {
        var index = 0
        while let mark = text.position(of: "_next/static/media/", from: index) {
            var start = mark
            while start > index, mark - start < 256, text[start - 1] != UInt8(ascii: "\"") { start -= 1 }
            let end = text.find(UInt8(ascii: "\""), from: mark, to: min(text.count, mark + maxPath))
            index = end
            guard start > 0, text[start - 1] == UInt8(ascii: "\""), end < text.count, text[end] == UInt8(ascii: "\""),
                text[start] == UInt8(ascii: "/") || text.hasPrefix("http", at: start),
                let address = JavaScriptText.string(text, start..<end), !address.contains("$"), !address.contains(" ")
            else { continue }
            found.add(address, .other, at: start)
        }
    }

    private static func isTurbopack(_ text: ScanBuffer) -> Bool {
        ScanBuffer(text.slice(0..<min(256, text.count))).position(of: "TURBOPACK") != nil
    }

    // MARK: The app router

    private static func isFlight(_ text: ScanBuffer, _ range: Range<Int>) -> Bool {
        text.hasPrefix("self.__next_f", at: range.lowerBound) || text.hasPrefix("(self.__next_f", at: range.lowerBound)
    }

    /// Reads the names between escaped quotes that begin with `static/`, with or without the root before them.
    private static func readFlight(
        _ text: ScanBuffer,
        _ range: Range<Int>,
        _ root: String,
        into found: inout RecipeReferences
    ) {
        var index = range.lowerBound
        while true {
            index = text.find(UInt8(ascii: "\\"), from: index, to: range.upperBound)
            guard index + 2 < range.upperBound else { return }
            guard text[index + 1] == UInt8(ascii: "\"") else {
                index += 2
                continue
            }
            let start = index + 2
            let end = text.find(UInt8(ascii: "\\"), from: start, to: range.upperBound)
            index = end
            guard end + 1 < range.upperBound, text[end + 1] == UInt8(ascii: "\""), end - start <= maxPath,
                isName(text, start)
            else { continue }
            let name = text.string(start..<end)
            if name.hasPrefix(redirectMark) {
                if let page = redirect(name, root) { found.addLink(page, .document, at: start) }
                continue
            }
            let address = name.hasPrefix("static/") ? root + name : name.hasPrefix(root + "static/") ? name : nil
            if let address, let loads = destination(of: name) { found.add(address, loads, at: start) }
        }
    }

    /// The beginning of the error by which a page of an export redirects, such as `NEXT_REDIRECT;replace;/en;307;`.
    private static let redirectMark = "NEXT_REDIRECT;"

    /// Returns the address of the page to which a page redirects; nil if it isn't a path.
    private static func redirect(_ text: String, _ root: String) -> String? {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.count > 2, parts[2].hasPrefix("/"), !parts[2].hasPrefix("//") else { return nil }
        // What precedes '/_next/' is the base of all paths, without which they are written.
        let base = root.dropLast("/_next/".count)
        return parts[2].hasPrefix(base + "/") ? String(parts[2]) : "\(base)\(parts[2])"
    }

    private static func isName(_ text: ScanBuffer, _ start: Int) -> Bool {
        text.hasPrefix("next_redirect;", at: start) || text.hasPrefix("static/", at: start)
            || text[start] == UInt8(ascii: "/") || text.hasPrefix("http", at: start)
    }

    // MARK: Addresses

    /// Returns what precedes `static/` in the address of a script of the page.
    private static func root(of page: RecipePage) -> String? {
        for reference in page.references where reference.isScript && reference.mentions("/_next/static/") {
            if let root = root(in: reference.text) { return root }
        }
        return nil
    }

    private static func root(in address: String) -> String? {
        let mark = "/_next/static/"
        guard let end = address.firstRange(of: mark)?.upperBound else { return nil }
        return String(address[..<address.index(end, offsetBy: -7)])
    }

    private static func destination(of name: String) -> Destination? {
        let path = name.prefix { $0 != "?" }
        if path.hasSuffix(".js") { return .script }
        if path.hasSuffix(".css") { return .style }
        return path.hasSuffix(".woff2") || path.hasSuffix(".woff") ? .font : nil
    }

    /// Returns a path with its segments escaped as `encodeURIComponent` does.
    private static func encoded(_ path: String) -> String {
        var result: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in path.utf8 {
            let isPlain = byte.isLetter || byte.isDigit || "-_.!~*'()/".utf8.contains(byte)
            result += isPlain ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: result, as: UTF8.self)
    }
}

/// The members of `__NEXT_DATA__` that tell the address of a page's data.
struct NextPageData {
    /// The longest member that is read, in bytes.
    private static let maxLength = 2048

    private var buildID = ""
    private var page = ""
    private var assetPrefix = ""
    private var locale = ""
    private var isFile = false
    private var isFallback = false

    /// Reads the data; nil if it isn't JSON.
    init?(_ text: ScanBuffer) {
        var scanner = JSONScanner(text)
        var depth = 0
        var key = 0..<0
        var isInProps = false
        do throws(JSONScanner.Malformed) {
            while let token = try scanner.next() {
                switch token {
                case .key where depth <= 2: key = scanner.range
                case .objectStart, .arrayStart:
                    depth += 1
                    if depth == 2 { isInProps = Self.isName(text, key, "props") }
                case .objectEnd, .arrayEnd: depth -= 1
                case .string where depth == 1: note(text, key, scanner.range)
                case .scalar where depth == 1 || depth == 2 && isInProps: noteFlag(text, key, scanner.position)
                default: break
                }
            }
        } catch {
            return nil
        }
    }

    private mutating func note(_ text: ScanBuffer, _ key: Range<Int>, _ value: Range<Int>) {
        guard value.count <= Self.maxLength, let string = JavaScriptText.string(text, value) else { return }
        if Self.isName(text, key, "buildId") { buildID = string }
        if Self.isName(text, key, "page") { page = string }
        if Self.isName(text, key, "assetPrefix") { assetPrefix = string }
        if Self.isName(text, key, "locale") { locale = string }
    }

    private mutating func noteFlag(_ text: ScanBuffer, _ key: Range<Int>, _ end: Int) {
        guard end >= 4, Self.isName(text, end - 4..<end, "true") else { return }
        if Self.isName(text, key, "gsp") || Self.isName(text, key, "__N_SSG") { isFile = true }
        if Self.isName(text, key, "isFallback") { isFallback = true }
    }

    private static func isName(_ text: ScanBuffer, _ range: Range<Int>, _ name: StaticString) -> Bool {
        guard range.count == name.utf8CodeUnitCount else { return false }
        for offset in 0..<range.count where text[range.lowerBound + offset] != name.utf8Start[offset] { return false }
        return true
    }

    /// Returns the address of the page's data.
    ///
    /// - Parameter url: The page's URL, from which the parameters in its path come.
    /// - Returns: The address, or nil if the data isn't a file.
    func address(of url: WebURL) -> String? {
        guard isFile, !isFallback, !buildID.isEmpty, page.hasPrefix("/"), page != "/_error" else { return nil }
        // Without an asset prefix of its own, a site below a path has that path as its asset prefix.
        let base = assetPrefix.hasPrefix("/") && !assetPrefix.hasPrefix("//") ? assetPrefix : ""
        guard var path = page.contains("[") ? path(of: url, below: base) : page else { return nil }
        if !locale.isEmpty { path = path == "/" ? "/" + locale : "/" + locale + path }
        if path == "/" || path == "/index" || path.hasPrefix("/index/") { path = "/index" + (path == "/" ? "" : path) }
        return base + "/_next/data/" + buildID + path + ".json"
    }

    /// Returns the path of a page with parameters, within the site and without the language, if it fits the page.
    private func path(of url: WebURL, below base: String) -> String? {
        var path = url.path
        guard path.hasPrefix(base) else { return nil }
        path.removeFirst(base.count)
        for suffix in ["/index.html", ".html", "/"] where path.hasSuffix(suffix) {
            path.removeLast(suffix.count)
            break
        }
        if !locale.isEmpty, path == "/" + locale || path.hasPrefix("/" + locale + "/") {
            path.removeFirst(locale.count + 1)
        }
        let segments = path.split(separator: "/", omittingEmptySubsequences: true)
        let names = page.split(separator: "/", omittingEmptySubsequences: true)
        var index = 0
        for name in names {
            if name.hasPrefix("[[...") { return segments.isEmpty ? "/" : path }
            guard index < segments.count else { return nil }
            if name.hasPrefix("[...") { return path }
            guard name.hasPrefix("[") || name == segments[index] else { return nil }
            index += 1
        }
        return index == segments.count ? path : nil
    }
}
