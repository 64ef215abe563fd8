/// An address, or the end of one, that a script or the data in a page names in a text.
///
/// Only a request can tell whether there is such a resource, and which base the script resolves the address against.
public struct ScriptText: Hashable, Sendable {
    /// The certainty that a script loads what a text names.
    public enum Strength: Int, Comparable, Sendable, CaseIterable {
        /// The text is an argument of a function that loads something, or is assigned to `src` and the like.
        case loaded
        /// The text has the form of a data file's address.
        case named

        /// Orders the stronger one first.
        public static func < (one: Strength, other: Strength) -> Bool { one.rawValue < other.rawValue }
    }

    /// The part of the address that precedes the tail.
    public enum Head: Int, Sendable {
        /// Nothing precedes it.
        case none
        /// A value that only a running script knows.
        case unknown
        /// The address is relative to the script's own URL, whichever page loads it.
        case script
    }

    /// The address without query and fragment, at most 200 ASCII characters; it may be a whole URL.
    public var tail: String
    /// The certainty that it is loaded.
    public var strength: Strength
    /// The part before the tail.
    public var head: Head

    /// Creates a text.
    ///
    /// - Parameters:
    ///   - tail: The address, or its end.
    ///   - strength: The certainty that it is loaded.
    ///   - head: The part before it.
    public init(_ tail: String, _ strength: Strength, _ head: Head) {
        self.tail = tail
        self.strength = strength
        self.head = head
    }

    /// True for a file name without a folder.
    public var isBare: Bool { !tail.utf8.contains(UInt8(ascii: "/")) }

    /// The destination of the request, by the suffix.
    public var loads: Destination {
        switch Self.suffix(of: tail.lastSegment) {
        case "html", "htm": .document
        case "js", "mjs": .script
        case "css": .style
        case let suffix where Self.images.contains(suffix): .image
        case let suffix where Self.fonts.contains(suffix): .font
        case let suffix where Self.media.contains(suffix): .media
        default: .other
        }
    }

    private static let images: Set<String> = ["svg", "png", "jpg", "jpeg", "gif", "webp", "avif", "ico", "bmp"]
    private static let fonts: Set<String> = ["woff", "woff2", "ttf", "otf", "eot"]
    private static let media: Set<String> = [
        "mp4", "m4v", "m4a", "webm", "ogv", "ogg", "oga", "opus", "mp3", "wav", "flac", "aac", "mov", "m3u8", "mpd",
        "vtt",
    ]
    /// The suffixes of data files, whose addresses count wherever they occur.
    private static let data: Set<String> = [
        "json", "jsonl", "geojson", "topojson", "csv", "tsv", "yaml", "yml", "toml", "wasm", "webmanifest",
        "properties",
        "ftl", "pbf",
    ]
    /// The further suffixes of files that scripts load.
    private static let files: Set<String> = [
        "js", "mjs", "css", "html", "htm", "xml", "md", "txt", "bin", "dat", "glb", "gltf", "pdf", "zip",
    ]

    /// The longest tail, in bytes.
    static let longestTail = 200

    private static func suffix(of name: Substring) -> String {
        guard let dot = name.lastIndex(of: ".") else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }
}

extension ScriptText {
    /// Returns the text for an address in a script, or nil if it has not the form of a file's address.
    ///
    /// - Parameters:
    ///   - address: The decoded text.
    ///   - strength: The certainty that it is loaded.
    ///   - head: The part before it.
    /// - Returns: The text.
    static func of(_ address: String, _ strength: Strength, _ head: Head) -> ScriptText? {
        var tail = address.prefix { $0 != "?" && $0 != "#" }
        var path = tail
        if let scheme = ["https://", "http://"].first(where: tail.hasPrefix) {
            guard head == .none else { return nil }
            path = path.dropFirst(scheme.count)
            guard let slash = path.firstIndex(of: "/") else { return nil }
            path = path[slash...]
        } else {
            while tail.hasPrefix("./") { tail = tail.dropFirst(2) }
            if head == .unknown, tail.hasPrefix("/") { tail = tail.dropFirst() }
            path = tail
        }
        guard (3...longestTail).contains(tail.utf8.count), isPath(path, head) else { return nil }
        let name = path.lastSegment
        let suffix = suffix(of: name)
        guard name.dropLast(suffix.count + 1).utf8.contains(where: \.isLetter), isNamed(name, suffix, strength) else {
            return nil
        }
        return ScriptText(String(tail), strength, head)
    }

    /// Returns true for a file name that texts of a strength may have.
    private static func isNamed(_ name: Substring, _ suffix: String, _ strength: Strength) -> Bool {
        if data.contains(suffix) { return true }
        if suffix == "js" || suffix == "mjs", name.lowercased().contains("worker") { return true }
        guard strength == .loaded else { return false }
        return files.contains(suffix) || images.contains(suffix) || fonts.contains(suffix) || media.contains(suffix)
    }

    /// Returns true for a path of ordinary segments, which may begin with `..`.
    private static func isPath(_ path: Substring, _ head: Head) -> Bool {
        var isInside = false
        var rest = path.utf8[...]
        if head == .unknown, let first = rest.first, "-_~=+".utf8.contains(first) { return false }
        if rest.first == UInt8(ascii: "/") {
            isInside = true
            rest = rest.dropFirst()
        }
        while let first = rest.first {
            let segment = rest.prefix { $0 != UInt8(ascii: "/") }
            let isParent = segment.elementsEqual("..".utf8)
            guard first != UInt8(ascii: "/"), !segment.elementsEqual(".".utf8), !(isParent && isInside) else {
                return false
            }
            isInside = isInside || !isParent
            guard isSegment(segment) else { return false }
            rest = rest[segment.endIndex...].dropFirst()
        }
        return isInside && path.utf8.last != UInt8(ascii: "/")
    }

    private static func isSegment(_ segment: Substring.UTF8View.SubSequence) -> Bool {
        var escape = 0
        for byte in segment {
            if escape > 0 {
                guard byte.hexValue != nil else { return false }
                escape -= 1
            } else if byte == UInt8(ascii: "%") {
                escape = 2
            } else if !byte.isLetter, !byte.isDigit, !"-._~@+=,".utf8.contains(byte) {
                return false
            }
        }
        return escape == 0
    }
}
