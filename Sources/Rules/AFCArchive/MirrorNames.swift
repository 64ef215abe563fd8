package import AFCHTTP

/// The URLs of the files in a mirror by wget or wget2, below the folder of one host.
///
/// File names aren't URLs: a folder's page is `index.html`, `?` may be `@`, pages may have got `.html`, and the page that the
/// server sent may be a file with `.orig`, beside one with other links.
package struct MirrorNames: Sendable {
    /// A file's place in the site.
    package struct Target: Equatable, Sendable {
        /// The path and query of the URL, without the first slash.
        package var path: String
        /// Other URLs by which pages may refer to the file, as `path` has them; they count only where no file has them.
        package var aliases: [String]
        /// The media type by the file's name; nil if it says nothing.
        package var type: MediaType?
    }

    /// True if wget kept pages as the server sent them, beside those whose links it changed.
    package let hasOriginals: Bool
    private let paths: Set<String>
    /// The byte between path and query.
    private let mark: UInt8
    /// True if wget gave pages the suffix `.html`.
    private let isAdjusted: Bool

    /// Takes the names of a mirror.
    ///
    /// - Parameter paths: The paths of all files below the folder of the host.
    package init(_ paths: Set<String>) {
        self.paths = paths
        mark = paths.contains { $0.utf8.contains(UInt8(ascii: "?")) } ? UInt8(ascii: "?") : UInt8(ascii: "@")
        hasOriginals = paths.contains { Self.original($0, in: paths) != nil }
        var (adjusted, plain) = (0, 0)
        for path in paths {
            if let page = Self.original(path, in: paths) {
                // A page without the suffix, whose changed copy has it.
                if !paths.contains(page) { adjusted += 1 }
            } else if let query = Self.query(in: path, mark) {
                if Self.isPage(path) {
                    adjusted += 1
                } else if MediaType(suffixOf: path[..<query]) == nil {
                    plain += 1
                }
            }
        }
        isAdjusted = adjusted > plain
    }

    /// Returns the place of a file; nil for a page with changed links, of which there is another file as the server sent it.
    ///
    /// - Parameter path: The path below the folder of the host.
    /// - Returns: The place.
    package func target(of path: String) -> Target? {
        if let page = Self.original(path, in: paths) {
            let isPage = paths.contains(page + ".html") || Self.isPage(page)
            return target(page, aliases: [], type: isPage ? Self.html : suffixType(page[...]))
        }
        let originals = [("", ".orig"), (".html", ".orig"), (".css", "orig")]
        for (suffix, end) in originals where path.hasSuffix(suffix) {
            guard !paths.contains(path.dropLast(suffix.count) + end) else { return nil }
        }
        var name = path[...]
        for suffix in [".gz", ".br", ".zlib"] where name.hasSuffix(suffix) {
            let rest = name.dropLast(suffix.count)
            // A coded page that wget kept as it came.
            if isAdjusted || !hasOriginals, Self.isPage(String(rest)), !paths.contains(String(rest)) { name = rest }
        }
        let type = Self.isPage(String(name)) ? Self.html : nil
        guard isAdjusted, name.hasSuffix(".html") else {
            return target(String(name), aliases: literal(path), type: type ?? suffixType(name))
        }
        let rest = String(name.dropLast(".html".count))
        if Self.query(in: rest, mark) != nil { return target(rest, aliases: literal(path), type: type) }
        let page = rest.split(separator: "/").last ?? ""
        let isFree = page != "index" && !page.isEmpty && !paths.contains(rest)
        return target(String(name), aliases: (isFree ? [Self.escaped(rest[...])] : []) + literal(path), type: type)
    }

    // MARK: Parts

    private static let html = MediaType("text/html")

    private static func isPage(_ path: String) -> Bool {
        let end = path.utf8.suffix(5).map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
        return end.elementsEqual(".html".utf8) || end.suffix(4).elementsEqual(".htm".utf8)
    }

    /// Returns the name of a page that the server sent, without `.orig`; nil if the file isn't one.
    ///
    /// Of a name to which wget added `.css`, it replaces four characters by `orig`, as if they were those of `html`.
    private static func original(_ path: String, in paths: Set<String>) -> String? {
        guard path.hasSuffix("orig") else { return nil }
        let page = String(path.dropLast("orig".count))
        guard page.hasSuffix(".") else { return paths.contains(page + ".css") ? page : nil }
        let name = String(page.dropLast())
        return paths.contains(name) || paths.contains(name + ".html") ? name : nil
    }

    /// Returns the place of the mark before a query in a file's name; nil if it has none.
    private static func query(in path: String, _ mark: UInt8) -> String.Index? {
        let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.startIndex
        guard let place = path.utf8[start...].firstIndex(of: mark), place > start else { return nil }
        guard mark == UInt8(ascii: "@") else { return place }
        // The sign is common in names, too.
        let rest = path.utf8[path.utf8.index(after: place)...]
        let isQuery = rest.isEmpty || rest.contains(UInt8(ascii: "=")) || rest.elementsEqual(".html".utf8)
        return isQuery || MediaType(suffixOf: path[start..<place]) != nil ? place : nil
    }

    private func suffixType(_ name: Substring) -> MediaType? {
        let query = Self.query(in: String(name), mark)
        return MediaType(suffixOf: query.map { name[..<$0] } ?? name)
    }

    /// Returns the URL that changed links have for a file.
    private func literal(_ path: String) -> [String] {
        hasOriginals || Self.query(in: path, mark) == nil && !path.hasSuffix(".gz") ? [] : [Self.escaped(path[...])]
    }

    private func target(_ name: String, aliases: [String], type: MediaType?) -> Target {
        let place = Self.query(in: name, mark)
        let path = Self.escaped(place.map { name[..<$0] } ?? name[...])
        let query = place.map { "?" + Self.escaped(name[name.utf8.index(after: $0)...], isQuery: true) } ?? ""
        let page = "index.html"
        guard path == page || path.hasSuffix("/" + page) else {
            return Target(path: path + query, aliases: aliases.filter { $0 != path + query }, type: type)
        }
        return Target(path: path.dropLast(page.count) + query, aliases: [path + query] + aliases, type: type)
    }

    /// Returns a name with escapes for what means something else in a URL; those that wget wrote stay.
    private static func escaped(_ name: Substring, isQuery: Bool = false) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = Array(name.utf8)
        var result: [UInt8] = []
        func isDigit(_ index: Int) -> Bool {
            index < bytes.count && [0x30...0x39, 0x41...0x46, 0x61...0x66].contains { $0.contains(bytes[index]) }
        }
        for (index, byte) in bytes.enumerated() {
            let isEscape = byte == UInt8(ascii: "%") && isDigit(index + 1) && isDigit(index + 2)
            let isSpecial = byte <= 0x20 || byte == 0x7F || "#\\\"<>".utf8.contains(byte)
            if !isEscape, isSpecial || byte == UInt8(ascii: "%") || !isQuery && byte == UInt8(ascii: "?") {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
