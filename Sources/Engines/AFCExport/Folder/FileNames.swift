internal import AFCHTTP
internal import AFCText
package import AFCURL
internal import Crypto

/// Gives resources the names of files that Windows, macOS and Linux take, each a different one;
/// docs/reference/export.md.
///
/// Case and the composition of letters make no difference. A name has no character with a meaning in a shell, a URL or a
/// Windows path, and the suffix that tells a browser the type, since a file has no other sign of it.
package struct FileNames {
    /// The most bytes of a file's or a folder's name, and of a path.
    private static let (nameLimit, pathLimit) = (80, 160)
    /// The bytes of a longer name that are kept; eight digits of its hash follow.
    private static let keptBytes = 48

    /// The names at the top that belong to the export itself.
    private let reserved: Set<String>
    /// The folders, folded.
    private var folders: Set<String>
    /// The files by their folded paths.
    private var files: [String: File] = [:]

    /// The folder of the last resource, since most follow others of theirs, and what it depends on.
    private var last = (origin: "", path: "", folder: "")

    /// A file that a resource has, and the digest of its body; nil if it isn't known.
    private struct File {
        var path: String
        var digest: String?
    }

    /// The folder and the name that a resource should have.
    private struct Place {
        var folder: String
        var stem: String
        var suffix: String

        func path(_ number: Int) -> String {
            "\(folder)/\(stem)\(number == 1 ? "" : "-\(number)")\(suffix)"
        }
    }

    /// Creates the names for a set of resources.
    ///
    /// - Parameters:
    ///   - resources: All resources, which tell the names of the folders.
    ///   - reserved: The names at the top that belong to the export itself, in lower case.
    package init(_ resources: some Sequence<(url: WebURL, essence: String?)>, reserved: [String]) {
        self.reserved = Set(reserved)
        folders = self.reserved
        var last = ""
        for (url, essence) in resources {
            let next = place(url, essence).folder
            guard next != last else { continue }
            last = next
            var folder = Self.folded(next)
            while !folder.isEmpty, folders.insert(folder).inserted {
                folder = folder.lastIndex(of: "/").map { String(folder[..<$0]) } ?? ""
            }
        }
    }

    /// Returns the path of the next resource.
    ///
    /// - Parameters:
    ///   - url: Its URL.
    ///   - essence: Its media type without parameters; nil if it has none.
    ///   - digest: The digest of its body; nil if it isn't known.
    /// - Returns: A relative path that no other resource has, but for one with the same body, such as `/` and `/index.html`.
    package mutating func next(_ url: WebURL, _ essence: String?, digest: String? = nil) -> String {
        next(place(url, essence), digest)
    }

    /// Returns the path of the next page, as Markdown.
    ///
    /// - Parameters:
    ///   - url: Its URL.
    ///   - digest: The digest of its body; nil if it isn't known.
    /// - Returns: A relative path that ends in `.md`, in place of the suffix of a page.
    package mutating func next(markdown url: WebURL, digest: String? = nil) -> String {
        var place = place(url, "text/html")
        place.suffix = ".md"
        return next(place, digest)
    }

    private mutating func next(_ place: Place, _ digest: String?) -> String {
        var number = 1
        while true {
            let path = place.path(number)
            let folded = Self.folded(path)
            if !folders.contains(folded) {
                guard let other = files[folded] else {
                    files[folded] = File(path: path, digest: digest)
                    return path
                }
                if digest != nil, other.digest == digest { return other.path }
            }
            number += 1
        }
    }

    /// Returns a text that is the same for all names that a file system may take for one.
    ///
    /// Swift compares texts by their composed letters. The names have no letter of which another mapping of case makes
    /// several, so that this is at least as coarse as the full case folding of ext4 and APFS, and as NTFS's upper case.
    private static func folded(_ path: String) -> String {
        let lower = path.lowercased()
        return lower.utf8.allSatisfy { $0 < 0x80 } ? lower : lower.uppercased().lowercased()
    }

    // MARK: Places

    private mutating func place(_ url: WebURL, _ essence: String?) -> Place {
        let path = url.path
        let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        let origin = (url.host ?? "") + (url.port.map { "-\($0)" } ?? "")
        if last.origin != origin || last.path[...] != path[..<start] {
            last = (origin, String(path[..<start]), Self.folder(origin, path[..<start], reserved))
        }
        return Self.place(String(path[start...]), in: last.folder, of: url, essence)
    }

    private static func place(_ name: String, in folder: String, of url: WebURL, _ essence: String?) -> Place {
        var stem = name.isEmpty ? "index" : decoded(name)
        var suffix = ""
        if let dot = stem.lastIndex(of: "."), dot != stem.startIndex {
            let end = stem[stem.index(after: dot)...]
            if (1...8).contains(end.utf8.count), end.utf8.allSatisfy(isAlphanumeric) {
                suffix = String(stem[dot...])
                stem = String(stem[..<dot])
            }
        }
        if let needed = essence.flatMap({ suffixes[$0] }), !fits(suffix, essence) {
            stem += suffix
            suffix = needed
        }
        if let query = url.query { stem += "@" + decoded(query) }
        let digest = { hash(url.description) }
        stem = clean(stem, limit: nameLimit - suffix.utf8.count, digest)
        if let inert = inertSuffix(stem + suffix, essence) {
            stem = clean(stem + suffix, limit: nameLimit - inert.utf8.count, digest)
            suffix = inert
        }
        if isShort(stem + suffix) { stem.replace("~", with: "_") }
        guard folder.utf8.count + stem.utf8.count + suffix.utf8.count >= pathLimit else {
            return Place(folder: folder, stem: stem, suffix: suffix)
        }
        // A deep path is replaced by its hash, below the origin.
        return Place(folder: "\(folder.prefix { $0 != "/" })/~\(hash(folder))", stem: stem, suffix: suffix)
    }

    /// Returns the folder of a path, below that of its origin: the host, and the port if it isn't the default.
    private static func folder(_ origin: String, _ path: Substring, _ reserved: Set<String>) -> String {
        var folder = clean(origin, limit: nameLimit) { hash(origin) }
        if reserved.contains(folded(folder)) { folder = "_" + folder }
        for name in path.split(separator: "/") {
            let part = clean(decoded(String(name)), limit: nameLimit) { hash(String(name)) }
            folder += "/" + (isShort(part) ? part.replacing("~", with: "_") : part)
        }
        return folder
    }

    /// Returns a name of characters that each system takes.
    private static func clean(_ name: String, limit: Int, _ digest: () -> String) -> String {
        var result = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", "~", "@", "=", ",", "+":
                result.unicodeScalars.append(scalar)
            default: result += scalar.isASCII || !isLetter(scalar) ? "_" : unfolded(scalar)
            }
        }
        // Windows drops dots at the end, and others hide names with one at the beginning.
        while result.hasSuffix(".") { result.removeLast() }
        if result.isEmpty || result.hasPrefix(".") || isDevice(result) { result = "_" + result }
        guard result.utf8.count > limit else { return result }
        var kept = ""
        for character in result {
            guard kept.utf8.count + String(character).utf8.count <= min(keptBytes, limit - 9) else { break }
            kept.append(character)
        }
        return kept + "~" + digest()
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .decimalNumber, .letterNumber, .otherNumber:
            // Some file systems skip these.
            !scalar.properties.isDefaultIgnorableCodePoint
        default: false
        }
    }

    /// Returns a letter, or several in place of one that is several in another case, such as ß, and an iota below.
    private static func unfolded(_ scalar: Unicode.Scalar) -> String {
        let properties = scalar.properties
        let (upper, lower) = (properties.uppercaseMapping, properties.lowercaseMapping)
        if lower.unicodeScalars.count > 1 { return lower }
        return upper.unicodeScalars.count > 1 || scalar == "\u{345}" ? upper.lowercased() : String(scalar)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 }

    /// Returns true for a name that means a device in Windows, whatever its suffix.
    private static func isDevice(_ name: String) -> Bool {
        let stem = name.prefix { $0 != "." }.uppercased()
        if ["CON", "PRN", "AUX", "NUL"].contains(stem) { return true }
        guard stem.count == 4, let last = stem.last, "0123456789¹²³".contains(last) else { return false }
        return stem.hasPrefix("COM") || stem.hasPrefix("LPT")
    }

    /// Returns true for a name that Windows may have given another file as its short one, such as `LONGNA~1.TXT`.
    private static func isShort(_ name: String) -> Bool {
        guard name.utf8.count <= 12, let tilde = name.lastIndex(of: "~"), tilde != name.startIndex else { return false }
        let end = name[name.index(after: tilde)...].prefix { $0 != "." }
        return !end.isEmpty && end.utf8.allSatisfy { $0 &- 0x30 < 10 }
    }

    /// Returns the suffix of a file that a browser would show as a page although it has another type, or that a file manager
    /// would follow; nil for other files.
    private static func inertSuffix(_ name: String, _ essence: String?) -> String? {
        // No other XML has a policy, but any may have elements of a page.
        if let essence, isUnpoliced(essence) { return ".txt" }
        guard let dot = name.lastIndex(of: ".") else { return nil }
        let suffix = String(name[dot...])
        return opened.contains(suffix.lowercased()) && !fits(suffix, essence) ? ".bin" : nil
    }

    /// Returns a text of a URL without escapes; what isn't UTF-8 stays escaped.
    private static func decoded(_ text: String) -> String {
        String(validating: text.percentDecoded, as: UTF8.self) ?? text
    }

    /// Returns eight digits that depend on a text.
    private static func hash(_ text: String) -> String {
        Hexadecimal.text(SHA256.hash(data: Array(text.utf8)).prefix(4))
    }

    /// Returns true for a type of XML that may have elements of a page, and gets no policy.
    static func isUnpoliced(_ essence: String) -> Bool {
        (essence.hasSuffix("/xml") || essence.hasSuffix("+xml")) && !policed.contains(essence)
    }

    // MARK: Suffixes

    /// The types of XML that an export makes harmless.
    private static let policed: Set<String> = ["application/xhtml+xml", "image/svg+xml"]
    /// The suffixes of files that a browser shows as pages, and of those that Windows and other systems follow.
    private static let opened: Set<String> = [
        ".html", ".htm", ".shtml", ".shtm", ".xhtml", ".xht", ".xhtm", ".svg", ".svgz", ".xml", ".xsl", ".xslt", ".xbl",
        ".rdf",
        ".mht", ".mhtml", ".eml", ".hta", ".htc", ".url", ".lnk", ".scf", ".desktop", ".webloc", ".website", ".theme",
        ".inf",
        ".library-ms", ".search-ms", ".searchconnector-ms", ".appref-ms",
    ]

    /// Returns true if a browser takes a file with this suffix for the type.
    private static func fits(_ suffix: String, _ essence: String?) -> Bool {
        // A server makes pages of scripts; a browser takes those for text.
        if essence == "text/html" { return [".html", ".htm"].contains(suffix.lowercased()) }
        guard let essence, let type = MediaType(suffixOf: "x" + suffix)?.essence else { return false }
        return type == essence || suffixes[type] != nil && suffixes[type] == suffixes[essence]
    }

    /// The suffix of each type that browsers tell by the suffix of a file, or that other programs open.
    private static let suffixes: [String: String] = [
        "text/html": ".html", "application/xhtml+xml": ".xhtml", "text/css": ".css", "text/plain": ".txt",
        "text/javascript": ".js", "application/javascript": ".js", "application/x-javascript": ".js",
        "application/json": ".json", "application/manifest+json": ".webmanifest", "application/wasm": ".wasm",
        "image/svg+xml": ".svg", "image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif",
        "image/webp": ".webp", "image/avif": ".avif", "image/x-icon": ".ico", "image/vnd.microsoft.icon": ".ico",
        "font/woff": ".woff", "font/woff2": ".woff2", "font/ttf": ".ttf", "font/otf": ".otf",
        "application/pdf": ".pdf", "application/xml": ".xml", "text/xml": ".xml", "video/mp4": ".mp4",
        "video/webm": ".webm", "audio/mpeg": ".mp3", "audio/ogg": ".ogg", "audio/wav": ".wav", "text/vtt": ".vtt",
        "application/zip": ".zip",
    ]
}
