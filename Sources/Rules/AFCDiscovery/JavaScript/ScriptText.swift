internal import AFCURL

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

    /// True for a file name without a folder that a script only names.
    package var isMention: Bool { strength == .named && isBare }

    /// The suffix in lower case, without its dot.
    public var suffix: String { Self.suffix(of: tail.lastSegment) }

    /// The destination of the request, by the suffix.
    public var loads: Destination {
        switch suffix {
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
    /// The suffixes of data files and playlists, whose addresses count wherever they occur.
    private static let data: Set<String> = [
        "json", "jsonl", "geojson", "topojson", "csv", "tsv", "yaml", "yml", "toml", "wasm", "webmanifest",
        "properties",
        "ftl", "pbf", "m3u8", "mpd", "parquet", "pmtiles",
    ]
    /// The further suffixes of files that scripts load.
    private static let files: Set<String> = [
        "js", "mjs", "css", "html", "htm", "xml", "md", "txt", "bin", "dat", "glb", "gltf", "pdf", "zip",
        "arrow", "sqlite", "db", "kml", "gpx", "exr", "hdr", "fbx", "obj", "mtl", "stl", "ply", "dae", "ktx2",
        "wgsl", "glsl", "vert", "frag", "onnx", "tflite", "fnt", "atlas", "las", "laz", "dzi", "usdz", "splat",
        "b3dm", "i3dm", "pnts", "cmpt", "subtree", "tmx", "skel", "lottie", "drc", "basis",
    ]

    /// Returns true for the name of a data file, which counts wherever it occurs.
    package static func isData(_ name: String) -> Bool { data.contains(suffix(of: name[...])) }

    /// Returns true for the suffix of a data file, an image or a medium, with its dot.
    static func isFileSuffix(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count <= 12, text.first == UInt8(ascii: ".") else { return false }
        let suffix = String(decoding: text.dropFirst(), as: UTF8.self)
        return data.contains(suffix) || images.contains(suffix) || media.contains(suffix)
    }

    /// All suffixes that an address may have.
    private static let suffixes = Set(
        [data, files, images, fonts, media].joined().map { suffix in
            guard let name = PackedName(suffix) else { preconditionFailure("the suffix '\(suffix)' is too long") }
            return name
        }
    )

    /// The longest tail, in bytes.
    static let longestTail = 200

    /// Returns false for a text that doesn't end in a file's suffix, as most texts of scripts; nothing slower then looks at it.
    ///
    /// - Parameter address: The text, without escapes.
    /// - Returns: True if the text has a suffix that an address may have, before its query and fragment.
    static func hasSuffix(_ address: UnsafeBufferPointer<UInt8>) -> Bool {
        var (end, dot) = (0, -1)
        scan: while end < address.count {
            switch address[end] {
            case UInt8(ascii: "?"), UInt8(ascii: "#"): break scan
            case UInt8(ascii: "/"): dot = -1
            case UInt8(ascii: "."): dot = end
            default: break
            }
            end += 1
        }
        guard dot >= 0, end - dot <= 16 else { return false }
        return PackedName(ScanBuffer(address), dot + 1..<end).map(suffixes.contains) ?? false
    }

    /// Returns false for a text that doesn't end in a file's suffix.
    static func hasSuffix(_ address: String) -> Bool {
        var address = address
        return address.withUTF8(hasSuffix)
    }

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
    ///   - hasAnySuffix: True if what is loaded may have a suffix that isn't known.
    ///   - isMedium: True if the text counts wherever it occurs, because it is the path of an image or medium.
    /// - Returns: The text.
    static func of(
        _ address: String,
        _ strength: Strength,
        _ head: Head,
        hasAnySuffix: Bool = false,
        isMedium: Bool = false
    ) -> ScriptText? {
        var address = address
        guard address.withUTF8(hasSuffix) || hasAnySuffix else { return nil }
        if strength == .loaded, head == .none, let encoded = encoded(address) { address = encoded }
        var tail = address.prefix { $0 != "?" && $0 != "#" }
        var path = tail
        if let scheme = ["https://", "http://"].first(where: tail.hasPrefix) {
            guard head == .none else { return nil }
            path = path.dropFirst(scheme.count)
            guard let slash = path.firstIndex(of: "/") else { return nil }
            path = path[slash...]
        } else {
            // `.files.example/x.js` continues the name of a host, and `.data.json` that of a file.
            if head == .unknown, tail.hasPrefix("."), !tail.hasPrefix("./"), !tail.hasPrefix("../") { return nil }
            while tail.hasPrefix("./") { tail = tail.dropFirst(2) }
            if head == .unknown, tail.hasPrefix("/") { tail = tail.dropFirst() }
            path = tail
        }
        guard (3...longestTail).contains(tail.utf8.count), isPath(path, head) else { return nil }
        let name = path.lastSegment
        // `.vl.json` is the end of many names, and `Style.Csv` a member of an object.
        let suffix = suffix(of: name)
        guard name.first != ".", name.hasSuffix(suffix) || name.hasSuffix(suffix.uppercased()),
            name.dropLast(suffix.count + 1).utf8.contains(where: \.isLetter)
                || head != .unknown && isNumbered(name, suffix, isLoaded: strength == .loaded || isMedium),
            isNamed(name, suffix, isMedium ? .loaded : strength) || hasAnySuffix && isSuffix(suffix),
            !isOfMachine(path), strength == .loaded || !isInPackage(path)
        else {
            return nil
        }
        return ScriptText(String(tail), strength, head)
    }

    /// Returns an address with its spaces and letters beyond ASCII encoded, as browsers do it; nil if it has none, or is
    /// the text of a sentence or a list.
    private static func encoded(_ address: String) -> String? {
        guard address.utf8.count <= longestTail,
            address.utf8.contains(where: { $0 == UInt8(ascii: " ") || $0 >= 0x80 }), !address.contains(", "),
            !address.contains("  "), !address.hasPrefix(" "), !address.hasSuffix(" "),
            address.prefix(while: { $0 != "?" && $0 != "#" }).utf8.count(where: { $0 == UInt8(ascii: " ") }) <= 8
        else { return nil }
        return PercentEncodeSet.c0Control.encode(address).split(separator: " ", omittingEmptySubsequences: false)
            .joined(separator: "%20")
    }

    /// Returns true for a picture, medium or model that has a number for a name, such as `photos/1.jpg`.
    private static func isNumbered(_ name: Substring, _ suffix: String, isLoaded: Bool) -> Bool {
        isLoaded && name.dropLast(suffix.count + 1).utf8.allSatisfy { $0.isDigit || "-_".utf8.contains($0) }
            && (images.contains(suffix) || media.contains(suffix) || ["glb", "gltf", "b3dm"].contains(suffix))
    }

    /// Returns true for the form of a suffix, without its dot; only tools of developers load source maps.
    private static func isSuffix(_ text: String) -> Bool {
        (1...10).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isLetter || $0.isDigit }
            && text.utf8.contains(where: \.isLetter) && text != "map"
    }

    /// Returns true for a file name that texts of a strength may have.
    private static func isNamed(_ name: Substring, _ suffix: String, _ strength: Strength) -> Bool {
        if data.contains(suffix) {
            return strength == .loaded
                || !isOfTool(name) && !isOfRecipe(name) && !isGrammarScope(name) && !isReverseDomain(name)
        }
        if suffix == "js" || suffix == "mjs", name.lowercased().contains("worker") { return true }
        guard strength == .loaded else { return false }
        return files.contains(suffix) || images.contains(suffix) || fonts.contains(suffix) || media.contains(suffix)
    }

    /// Returns true for the name of a file that tools read when a site or a program is built.
    ///
    /// Documentation mentions them, and bundles contain lists of them, but a site's scripts load none.
    private static func isOfTool(_ name: Substring) -> Bool { toolFiles.contains(name.lowercased()) }

    /// Returns true for the name of a file that a recipe finds for each page that has one.
    ///
    /// The router of the tool has it as a text that it appends to a page's address.
    private static func isOfRecipe(_ name: Substring) -> Bool {
        ["__data.json", "_payload.json", "page-data.json"].contains(name)
    }

    /// Returns true for a kind of text in the grammars of editors, such as `string.yaml` and `comment.block.json`.
    private static func isGrammarScope(_ name: Substring) -> Bool {
        guard let first = name.split(separator: ".", maxSplits: 1).first else { return false }
        return grammarScopes.contains(String(first)) && name.utf8.allSatisfy { $0.isLetter || ".-".utf8.contains($0) }
    }

    /// The first words of such kinds, by the convention of TextMate's grammars.
    private static let grammarScopes: Set<String> = [
        "comment", "constant", "entity", "invalid", "keyword", "markup", "meta", "punctuation", "source", "storage",
        "string", "support", "variable", "delimiter", "attribute", "number", "tag", "identifier", "operator",
    ]

    /// Returns true for the name of a package or a class by the convention of Java, such as `org.example.model.properties`.
    private static func isReverseDomain(_ name: Substring) -> Bool {
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count >= 3 && reverseDomains.contains(String(labels[0]))
            && labels.allSatisfy { label in
                label.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
            }
    }

    private static let reverseDomains: Set<String> = [
        "com", "org", "net", "edu", "gov", "io", "java", "javax", "jakarta", "kotlin", "scala", "android", "androidx",
    ]

    /// Returns true for the path of a file in a package that a bundle was made of.
    private static func isInPackage(_ path: Substring) -> Bool {
        path.split(separator: "/").dropLast().contains("node_modules")
    }

    /// Returns true for the path of a file on the machine on which the site was built.
    private static func isOfMachine(_ path: Substring) -> Bool {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        return segments.count > 4 && segments[0].isEmpty && machineFolders.contains(String(segments[1]))
    }

    /// The folders at the root of a machine's disk that have files of users and builds.
    private static let machineFolders: Set<String> = ["home", "Users", "usr", "var", "tmp", "private", "root"]

    private static let toolFiles: Set<String> = [
        "package.json", "package-lock.json", "tsconfig.json", "jsconfig.json", "composer.json", "bower.json",
        "lerna.json", "deno.json", "angular.json", "vercel.json", "firebase.json", "netlify.toml", "cargo.toml",
        "tslint.json", "api-extractor.json", "devcontainer.json", "language-configuration.json",
        "pyproject.toml", "pnpm-workspace.yaml", "docker-compose.yml", "mkdocs.yml", "_config.yml",
    ]

    /// Returns true for the path of an image or another medium that has a folder.
    static func isMediumInFolder(_ address: String) -> Bool {
        let path = address.prefix { $0 != "?" && $0 != "#" }
        guard path.utf8.contains(UInt8(ascii: "/")) else { return false }
        let suffix = suffix(of: path.lastSegment)
        return images.contains(suffix) || media.contains(suffix)
    }

    /// Returns true for the name of an image without a folder.
    static func isBareImage(_ address: String) -> Bool {
        !address.utf8.contains(UInt8(ascii: "/")) && images.contains(suffix(of: address[...]))
    }

    /// Returns true for a path of ordinary segments, which may begin with `..`.
    private static func isPath(_ path: Substring, _ head: Head) -> Bool {
        var isInside = false
        var rest = path.utf8[...]
        // `@scope/name/file.json` and `~name/file.json` name modules of a bundle.
        if let first = rest.first, "@~".utf8.contains(first) { return false }
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

/// A call that loads an address which only a running script can compose.
public struct UnreadCall: Hashable, Sendable {
    /// The line of the call, from 1.
    public var line: Int
    /// The column of the call in bytes of UTF-8, from 1.
    public var column: Int
    /// The beginning of the call, as written.
    public var code: String

    /// The largest part of a call that is quoted, in bytes.
    static let codeLimit = 80

    /// Creates the description of a call.
    public init(line: Int, column: Int, code: String) {
        self.line = line
        self.column = column
        self.code = code
    }

    /// True for the assignment of a table's entry to `src`, which loads an image or another medium.
    public var isAssignment: Bool { code.first { "(=".contains($0) } == "=" }

    /// True for a call that only a worker can make.
    public var isOfWorker: Bool { code.hasPrefix("importScripts") }

    /// The code with each name replaced, so that calls of the same form have the same shape.
    public var shape: String {
        var shape = ""
        var isInName = false
        for scalar in code.unicodeScalars {
            let isName =
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_" || scalar == "$"
            if !isName { shape.unicodeScalars.append(scalar) } else if !isInName { shape += "x" }
            isInName = isName
        }
        return shape
    }
}

/// What was read from the texts in a script.
public struct ScriptTexts: Hashable, Sendable {
    /// The addresses, and ends of addresses.
    public var texts: [ScriptText] = []
    /// The calls whose addresses couldn't be read.
    public var calls: [UnreadCall] = []
    /// True if a call loads something by an address of which it shows nothing, as in `fetch(url)`.
    public var loadsUnknown = false

    /// Creates the result of reading a script.
    public init(texts: [ScriptText] = [], calls: [UnreadCall] = [], loadsUnknown: Bool = false) {
        self.texts = texts
        self.calls = calls
        self.loadsUnknown = loadsUnknown
    }

    /// True if nothing was found.
    public var isEmpty: Bool { texts.isEmpty && calls.isEmpty && !loadsUnknown }

    /// Adds what another script of the page names, within the limits of one script.
    mutating func add(_ other: ScriptTexts) {
        for text in other.texts where texts.count < ScriptTextReader.limit && !texts.contains(text) {
            texts.append(text)
        }
        calls += other.calls.prefix(max(0, ScriptTextReader.callLimit - calls.count))
        loadsUnknown = loadsUnknown || other.loadsUnknown
    }
}
