internal import AFCURL

/// Reads the addresses that the assemblies of Blazor's applications contain.
///
/// The texts of a program are in its assembly in UTF-16 (ECMA-335 §II.24.2.4), also if that is packed as WebAssembly. Some are
/// addresses, such as `./_content/Lib/menu.js` of a component's script and `sample-data/weather.json`; others are parts of
/// pages with `src="images/a.png"`. All are relative to the application, whose folder has `_framework`.
enum BlazorRecipe: RecipeReader {
    /// The most addresses of an assembly.
    private static let limit = 1_024
    /// The longest address, in characters.
    private static let longest = 512
    /// The assemblies of the platform, which have many texts but no addresses.
    private static let platform = ["System.", "Microsoft.", "mscorlib.", "netstandard.", "WindowsBase.", "dotnet."]
    /// The endings of files that applications load.
    private static let endings: Set<Substring> = [
        "js", "mjs", "css", "json", "png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "mp3", "ogg", "wav",
        "mp4",
        "webm", "woff", "woff2", "ttf", "md", "txt", "csv", "xml", "pdf", "glb",
    ]

    static func reads(dataAt url: WebURL) -> Bool {
        let name = url.lastSegment
        guard name.hasSuffix(".wasm") || name.hasSuffix(".dll") else { return false }
        return depth(of: url) != nil && !platform.contains(where: name.hasPrefix)
    }

    /// Returns the number of folders from the file up to that of the application, of which `_framework` is one; nil for others.
    private static func depth(of url: WebURL) -> Int? {
        let folders = url.pathSegments.map(String.init).dropLast().suffix(2)
        return folders.last == "_framework" ? 1 : folders.first == "_framework" ? 2 : nil
    }

    static func read(_ data: RecipeData, into found: inout RecipeReferences) {
        let folder = String(repeating: "../", count: depth(of: data.url) ?? 1)
        var seen: Set<String> = []
        func add(_ text: Substring, _ offset: Int, isAttribute: Bool = false) {
            let path = text.hasPrefix("./") ? text.dropFirst(2) : text
            guard isAddress(path, mayHaveSpaces: isAttribute), seen.insert(String(path)).inserted else { return }
            found.addGuess(folder + path, path.hasSuffix("js") ? .module : .other, at: offset, limit: limit)
        }
        forEachText(data.text) { text, offset in
            guard text.contains("<") else { return add(text[...], offset) }
            for mark in ["src=\"", "href=\""] {
                for range in text.ranges(of: mark) {
                    add(text[range.upperBound...].prefix { $0 != "\"" }, offset, isAttribute: true)
                }
            }
        }
    }

    /// Returns true for a relative path with a folder and a file's ending, such as `images/a.png`.
    private static func isAddress(_ path: Substring, mayHaveSpaces: Bool) -> Bool {
        guard path.utf8.count <= longest, let dot = path.lastIndex(of: "."), !path[..<dot].hasSuffix("/"),
            endings.contains(path[path.index(after: dot)...]), let first = path.first, first.isLetter || first == "_",
            path.contains("/")
        else { return false }
        return path.utf8.allSatisfy { byte in
            byte > (mayHaveSpaces ? 0x1F : 0x20) && !"\"'<>\\^`{|}:*?#%,;()=".utf8.contains(byte)
        }
    }

    /// Calls a body for each text of printable ASCII letters in UTF-16, and its offset.
    private static func forEachText(_ bytes: ScanBuffer, _ body: (String, Int) -> Void) {
        var index = 0
        while index + 1 < bytes.count {
            guard isLetter(bytes, index) else {
                index += 1
                continue
            }
            let start = index
            var letters: [UInt8] = []
            while isLetter(bytes, index) {
                letters.append(bytes[index])
                index += 2
            }
            if letters.count > 4 { body(String(decoding: letters, as: UTF8.self), start) }
        }
    }

    private static func isLetter(_ bytes: ScanBuffer, _ index: Int) -> Bool {
        guard index + 1 < bytes.count, bytes[index + 1] == 0 else { return false }
        return (0x20...0x7E).contains(bytes[index]) || [0x09, 0x0A, 0x0D].contains(bytes[index])
    }
}
