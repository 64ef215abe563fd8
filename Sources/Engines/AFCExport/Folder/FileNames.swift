internal import AFCHTTP
internal import AFCText
package import AFCURL
internal import Crypto

/// Gives resources the names of files that Windows, macOS and Linux take, each a different one; docs/export.md.
///
/// Case and the composition of letters make no difference. A name has no character with a meaning in a shell, a URL or a
/// Windows path, and the suffix that tells a browser the type, since a file has no other sign of it.
package struct FileNames {
    /// The most bytes of a file's or a folder's name, and of a path.
    private static let (nameLimit, pathLimit) = (80, 160)
    /// The bytes of a longer name that are kept; eight digits of its hash follow.
    private static let keptBytes = 48

    /// The folders, in lower case.
    private var folders: Set<String>
    /// The files in lower case, with the digests of their bodies; nil if one has none.
    private var files: [String: String?] = [:]

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
    ///   - reserved: The folders that belong to the export itself.
    package init(_ resources: some Sequence<(url: WebURL, essence: String?)>, reserved: [String]) {
        folders = Set(reserved)
        for (url, essence) in resources {
            var folder = Self.place(url, essence).folder.lowercased()
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
        let place = Self.place(url, essence)
        var number = 1
        while true {
            let path = place.path(number)
            let folded = path.lowercased()
            if !folders.contains(folded) {
                guard let other = files[folded] else {
                    files[folded] = .some(digest)
                    return path
                }
                if digest != nil, other == digest { return path }
            }
            number += 1
        }
    }

    // MARK: Places

    private static func place(_ url: WebURL, _ essence: String?) -> Place {
        var names = url.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        let last = names.popLast() ?? ""
        var stem = last.isEmpty ? "index" : decoded(last)
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
        var parts = [origin(url)]
        for name in names where !name.isEmpty { parts.append(clean(decoded(name), limit: nameLimit) { hash(name) }) }
        var folder = parts.joined(separator: "/")
        if folder.utf8.count + stem.utf8.count + suffix.utf8.count >= pathLimit {
            // A deep path is replaced by its hash, below the origin.
            folder = "\(parts[0])/~\(hash(folder))"
        }
        return Place(folder: folder, stem: stem, suffix: suffix)
    }

    /// Returns the folder of an origin: the host, and the port if it isn't the default.
    private static func origin(_ url: WebURL) -> String {
        let host = (url.host ?? "") + (url.port.map { "-\($0)" } ?? "")
        return clean(host, limit: nameLimit) { hash(host) }
    }

    /// Returns a name of characters that each system takes.
    private static func clean(_ name: String, limit: Int, _ digest: () -> String) -> String {
        var result = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", "~", "@", "=", ",", "+":
                result.unicodeScalars.append(scalar)
            default: result.unicodeScalars.append(!scalar.isASCII && isLetter(scalar) ? scalar : "_")
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
            true
        default: false
        }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 }

    /// Returns true for a name that means a device in Windows, whatever its suffix.
    private static func isDevice(_ name: String) -> Bool {
        let stem = name.prefix { $0 != "." }.uppercased()
        if ["CON", "PRN", "AUX", "NUL"].contains(stem) { return true }
        guard stem.utf8.count == 4, let last = stem.utf8.last, last &- 0x30 < 10 else { return false }
        return stem.hasPrefix("COM") || stem.hasPrefix("LPT")
    }

    /// Returns a text of a URL without escapes; what isn't UTF-8 stays escaped.
    private static func decoded(_ text: String) -> String {
        String(validating: text.percentDecoded, as: UTF8.self) ?? text
    }

    /// Returns eight digits that depend on a text.
    private static func hash(_ text: String) -> String {
        Hexadecimal.text(SHA256.hash(data: Array(text.utf8)).prefix(4))
    }

    // MARK: Suffixes

    /// Returns true if a browser takes a file with this suffix for the type.
    private static func fits(_ suffix: String, _ essence: String?) -> Bool {
        guard let essence, let type = MediaType(suffixOf: "x" + suffix)?.essence else { return false }
        // A server makes pages of scripts; a browser takes those for text.
        if essence == "text/html" { return [".html", ".htm"].contains(suffix.lowercased()) }
        return type == essence || suffixes[type] == suffixes[essence]
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
