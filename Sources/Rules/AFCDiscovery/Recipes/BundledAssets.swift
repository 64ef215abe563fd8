/// The files that a bundled script names below the bundler's public path: `e.exports=r.p+"static/media/logo.1a2b.svg"`.
struct BundledAssets {
    struct Asset {
        /// The path below the public path.
        var name: String
        var loads: Destination
        var offset: Int
    }

    /// The largest number of files in one script.
    private static let maxAssets = 10_000
    /// The longest name, in bytes.
    private static let maxName = 1024
    /// The number of bytes at the start of a chunk that name the list of chunks.
    private static let headLength = 256

    private let text: ScanBuffer

    init(_ text: ScanBuffer) { self.text = text }

    /// Returns true for a chunk, which begins with the name of the list that it adds itself to.
    static func isChunk(_ text: ScanBuffer) -> Bool {
        let head = ScanBuffer(text.slice(0..<min(text.count, headLength)))
        return ["webpackChunk", "webpackJsonp", "rspackChunk"].contains { head.position(of: $0) != nil }
    }

    /// Returns the files in the order of the script.
    func all() -> [Asset] {
        var assets: [Asset] = []
        var index = 0
        while assets.count < Self.maxAssets {
            index = text.find(UInt8(ascii: "."), from: index)
            guard index + 4 < text.count else { break }
            index += 1
            guard text[index] == UInt8(ascii: "p"), index > 1, text[index - 2].isNamePart else { continue }
            var next = index + 1
            if text[next].isSpace { next += 1 }
            guard text.at(next) == UInt8(ascii: "+") else { continue }
            next += 1
            if text.at(next)?.isSpace == true { next += 1 }
            let end = min(text.count, next + Self.maxName)
            guard let literal = JavaScriptText.literal(text, at: next, to: end) else { continue }
            index = literal.upperBound + 1
            guard isComplete(after: index), let name = JavaScriptText.string(text, literal),
                let loads = Self.destination(of: name)
            else { continue }
            assets.append(Asset(name: name, loads: loads, offset: literal.lowerBound))
        }
        return assets
    }

    /// Returns true if nothing is added to the string that ends at a position.
    private func isComplete(after index: Int) -> Bool {
        var index = index
        if text.at(index)?.isSpace == true { index += 1 }
        guard let byte = text.at(index) else { return true }
        return byte != UInt8(ascii: "+") && byte != UInt8(ascii: ".") && byte != UInt8(ascii: "[")
    }

    /// Returns the destination of a file by its extension; nil for a text that isn't a file's name.
    private static func destination(of name: String) -> Destination? {
        let path = name.prefix { $0 != "?" && $0 != "#" }
        guard let dot = path.lastIndex(of: "."), dot > path.startIndex, path.first != "/", !name.contains(" ") else {
            return nil
        }
        return destinations[String(path[path.index(after: dot)...])]
    }

    private static let destinations: [String: Destination] = {
        let kinds: [(Destination, [String])] = [
            (.image, ["png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "bmp"]),
            (.font, ["woff", "woff2", "ttf", "otf", "eot"]), (.script, ["js"]), (.module, ["mjs"]), (.style, ["css"]),
            (
                .other,
                [
                    "mp4", "webm", "ogv", "mp3", "ogg", "wav", "m4a", "wasm", "json", "pdf", "txt", "csv", "md", "glb",
                    "gltf", "hdr", "bin", "zip",
                ]
            ),
        ]
        return Dictionary(uniqueKeysWithValues: kinds.flatMap { kind in kind.1.map { ($0, kind.0) } })
    }()

    /// Returns the output folder from the path of a chunk in it, if the chunk and a file are in one folder below it.
    ///
    /// - Parameters:
    ///   - name: The file's path below the output folder.
    ///   - folder: The path of the chunk's folder.
    /// - Returns: The path, or nil if the paths have no folder in common.
    static func root(of name: String, chunksIn folder: String) -> String? {
        guard let slash = name.firstIndex(of: "/") else { return nil }
        let first = "/" + name[...slash]
        var start = folder.endIndex
        // The last of several folders of that name is the most likely one.
        while start > folder.startIndex {
            start = folder.index(before: start)
            if folder[start] == "/", folder[start...].hasPrefix(first) { return String(folder[...start]) }
        }
        return nil
    }
}
