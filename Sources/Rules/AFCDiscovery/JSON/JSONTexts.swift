/// Reads the files that JSON names, such as the pictures of a gallery; docs/reference/discovery.md, "Addresses in scripts".
enum JSONTexts {
    /// The suffixes of JSON whose media type says nothing.
    static let suffixes = [".json", ".gltf", ".tmj", ".tsj", ".webmanifest"]

    /// Keys whose values name a file, with any suffix of data, models and media.
    private static let fileKeys: Set<String> = [
        "url", "src", "file", "path", "image", "img", "icon", "logo", "thumbnail", "thumb", "poster", "cover", "avatar",
        "photo", "picture", "background", "imageurl", "imagesrc", "imgurl", "imgsrc", "iconurl", "source", "json",
        "data", "dataurl", "texture", "atlas", "model", "video", "audio", "sound", "music", "sprite", "spritesheet",
        "filename", "filepath", "href", "full", "large", "medium", "small", "preview", "urls", "files", "images",
        "photos", "pictures", "sources", "assets", "textures", "sounds", "videos", "models", "tracks", "screenshots",
        "markdown", "content", "uri", "$ref",
    ]
    /// Keys whose values are relative to the file itself, by the formats that have them: glTF, 3D Tiles, JSON Reference.
    private static let ownKeys: Set<String> = ["uri", "$ref"]
    /// Keys of an address, beside which those of a name only say what it is called.
    private static let addressKeys: Set<String> = ["url", "src", "uri", "href", "path", "filepath"]
    /// Keys of a name.
    private static let nameKeys: Set<String> = ["filename", "name", "title", "label"]
    /// The suffixes of programs and pages, which JSON lists for tools and readers, and of what readers save.
    private static let ignored: Set<String> = ["js", "mjs", "css", "html", "htm", "xml", "pdf", "zip"]
    /// The longest key that is compared.
    private static let longestKey = 16

    /// Reads a text; what isn't JSON names nothing.
    ///
    /// - Parameter bytes: The text in UTF-8.
    /// - Returns: The addresses, each once, in the order of their first mention, at most ``ScriptTextReader/limit``.
    static func read(_ bytes: ScanBuffer) -> [ScriptText] {
        var scanner = JSONScanner(bytes)
        /// For each open object and array, the key of its current value.
        var keys: [Range<Int>?] = [nil]
        var texts: [ScriptText] = []
        var places: [String: Int] = [:]
        /// For each open object, the names without a folder in it, and whether it also has an address.
        var owners: [(names: [String], hasAddress: Bool)] = [([], false)]
        var (titles, addresses): (Set<String>, Set<String>) = ([], [])
        do throws(JSONScanner.Malformed) {
            while let token = try scanner.next() {
                switch token {
                case .key: keys[keys.count - 1] = scanner.range
                case .objectStart:
                    keys.append(nil)
                    owners.append(([], false))
                // The elements of an array are what its key says.
                case .arrayStart: keys.append(keys[keys.count - 1])
                case .arrayEnd: keys.removeLast()
                case .objectEnd:
                    keys.removeLast()
                    // With an address, a file's name says only how to call it.
                    let owner = owners.removeLast()
                    if owner.hasAddress { titles.formUnion(owner.names) }
                case .string:
                    guard let (text, key) = text(bytes, scanner.range, key: keys[keys.count - 1]) else { continue }
                    if text.isBare, nameKeys.contains(key) {
                        owners[owners.count - 1].names.append(text.tail)
                    } else if addressKeys.contains(key) {
                        owners[owners.count - 1].hasAddress = true
                        addresses.insert(text.tail)
                    }
                    if let place = places[text.tail] {
                        texts[place].strength = min(texts[place].strength, text.strength)
                    } else if texts.count < ScriptTextReader.limit {
                        places[text.tail] = texts.count
                        texts.append(text)
                    }
                case .scalar: continue
                }
            }
            return titles.isEmpty ? texts : texts.filter { !titles.contains($0.tail) || addresses.contains($0.tail) }
        } catch {
            return []
        }
    }

    /// Returns what a string names, and its key in lower case; a long key is none.
    private static func text(_ bytes: ScanBuffer, _ range: Range<Int>, key: Range<Int>?) -> (ScriptText, key: String)? {
        guard (3...4 * ScriptText.longestTail).contains(range.count), ScriptText.hasSuffix(bytes.slice(range)),
            let address = JavaScriptText.string(bytes, range)
        else { return nil }
        let name = key.flatMap { $0.count <= longestKey ? bytes.string($0).lowercased() : nil } ?? ""
        let isFileKey = fileKeys.contains(name)
        // A name without a folder, and what a format resolves so, is beside the file.
        let isBeside = ownKeys.contains(name) || !address.utf8.contains(UInt8(ascii: "/"))
        let isMedium = ScriptText.isMediumInFolder(address)
        guard isFileKey || isMedium || !isBeside,
            let text = ScriptText.of(
                address,
                isFileKey ? .loaded : .named,
                isBeside ? .script : .none,
                isMedium: isMedium
            ), !ignored.contains(text.suffix)
        else { return nil }
        return (text, name)
    }
}
