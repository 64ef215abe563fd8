import AFCFiles
import AFCText
import AFCURL
import ArgumentParser

/// A list of URLs in a file, one per line.
enum URLList {
    /// Parses a list.
    ///
    /// White space around a URL is ignored, and so is a comment: a `#` at the beginning of a line or after white space.
    /// Lines end with any of CR, LF and CRLF.
    ///
    /// - Parameters:
    ///   - bytes: The list, in UTF-8, or in UTF-16 with a byte order mark.
    ///   - name: The name of the file for errors.
    /// - Returns: The URLs in their order, each once.
    /// - Throws: A usage error that names the line.
    static func parse(_ bytes: [UInt8], name: String) throws -> [WebURL] {
        var urls: [WebURL] = []
        var seen: Set<WebURL> = []
        let text = utf8(bytes)
        try TextFile.requireUTF8(text, name: name)
        var rest = text[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        var number = 0
        while !rest.isEmpty {
            number += 1
            let line = rest.prefix { $0 != 0x0A && $0 != 0x0D }
            rest = rest[line.endIndex...]
            rest = rest.dropFirst(rest.starts(with: [0x0D, 0x0A]) ? 2 : 1)
            let text = withoutComment(line)
            guard !text.isEmpty else { continue }
            let place = "\(name):\(number): "
            let url = try Self.url(String(decoding: text, as: UTF8.self), after: urls.last, place)
            try requireSeed(url, place: place)
            if seen.insert(url).inserted { urls.append(url) }
        }
        return urls
    }

    /// Returns the URL in a line; a path is reported with the URL that it means beside that of the line before.
    private static func url(_ text: String, after last: WebURL?, _ place: String) throws -> WebURL {
        let suffixes = [".html", ".htm", ".php", ".asp", ".aspx", ".pdf"]
        let isPath =
            text.hasPrefix("/") && !text.hasPrefix("//") || suffixes.contains(where: text.lowercased().hasSuffix)
        if isPath, !text.contains("://"), !namesHost(text), let last, let meant = try? WebURL(text, base: last) {
            throw ValidationError(
                "\(place)\(PrintableText.quoted(text)) is a path, not a URL; did you mean "
                    + "\(PrintableText.quoted(meant.description))?"
            )
        }
        return try WebURL.argument(text, place: place)
    }

    /// Returns true if a text without a scheme begins with something like `localhost`, `docs.example` or `host:8080`, and a path.
    private static func namesHost(_ text: String) -> Bool {
        guard let slash = text.firstIndex(of: "/") else { return false }
        let name = text[..<slash]
        let ending = name.split(separator: ".").dropFirst().last ?? ""
        return name == "localhost" || name.contains(":") || ending.count > 1 && ending.allSatisfy(\.isLetter)
    }

    /// Returns a line without surrounding white space and without its comment.
    private static func withoutComment(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = line.drop { $0 <= 0x20 }
        var end = start.startIndex
        var isAfterSpace = true
        for index in start.indices {
            if start[index] == UInt8(ascii: "#"), isAfterSpace { break }
            isAfterSpace = start[index] <= 0x20
            if !isAfterSpace { end = index + 1 }
        }
        return start[..<end]
    }

    /// Requires a URL from which a crawl may start, so that the error names its line.
    private static func requireSeed(_ url: WebURL, place: String) throws {
        let name = PrintableText.quoted(url.removingCredentials.description)
        guard url.isHTTP else { throw ValidationError("\(place)the scheme of \(name) is neither http nor https") }
        guard !url.hasCredentials else {
            throw ValidationError("\(place)\(name) has credentials, which a package must not contain; remove them")
        }
    }

    /// Returns the text in UTF-8, converted from UTF-16 if it has that byte order mark, as programs on Windows write it.
    private static func utf8(_ bytes: [UInt8]) -> [UInt8] {
        let isLittle = bytes.starts(with: [0xFF, 0xFE])
        guard isLittle || bytes.starts(with: [0xFE, 0xFF]) else { return bytes }
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isLittle ? second << 8 | first : first << 8 | second
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    /// Reads the list in a file, or from standard input if the path is `-`.
    static func read(_ path: String) throws -> [WebURL] {
        let isInput = path == "-"
        let bytes = try isInput ? StandardInput.read(upTo: limit) : SmallFile.read(path, limit: limit)
        let urls = try parse(bytes, name: isInput ? "standard input" : path)
        guard !urls.isEmpty else {
            let name = isInput ? "standard input" : PrintableText.quoted(path)
            throw ValidationError("'--list': \(name) has no URL; write one a line")
        }
        return urls
    }

    private static let limit = 256 << 20
}

extension WebURL {
    /// Returns the text with a scheme before it if that makes a URL with a plausible host, or else nil.
    ///
    /// Hosts of this machine, addresses, and ports other than 443 seldom have a certificate, so their scheme is http.
    private static func withScheme(_ text: String) -> String? {
        guard let first = text.first, first.isLetter || first.isNumber || first == "[" else { return nil }
        // The colon is missing.
        for scheme in ["http", "https"] where text.lowercased().hasPrefix(scheme + "//") {
            return scheme + ":" + text.dropFirst(scheme.count)
        }
        do throws(ParseError) {
            let url = try WebURL("https://" + text)
            guard let host = url.host, host.contains(".") || host.hasPrefix("[") || host == "localhost" else {
                return nil
            }
            let isBare =
                host == "localhost" || host.hasSuffix(".localhost") || url.hostKind != .domain || url.port != nil
            return (isBare ? "http://" : "https://") + text
        } catch {
            return nil
        }
    }

    /// Returns the URL that a user wrote.
    ///
    /// - Parameters:
    ///   - text: The URL.
    ///   - place: The beginning of the error.
    /// - Returns: The URL.
    /// - Throws: A usage error.
    static func argument(_ text: String, place: String = "") throws -> WebURL {
        let meant = text.contains("://") ? nil : withScheme(text)
        func failure(_ error: WebURL.ParseError) -> ValidationError {
            let remedy = remedy(for: text, meant).map { "; " + $0 } ?? ""
            return ValidationError("\(place)\(PrintableText.quoted(text)) is not an absolute URL: \(error)\(remedy)")
        }
        let url: WebURL
        do throws(WebURL.ParseError) {
            url = try WebURL(text)
        } catch {
            throw failure(error)
        }
        // A host with a port reads as a scheme: docs.example:8080/guide.
        guard meant == nil || url.isHTTP else { throw failure(.relativeWithoutBase) }
        return url
    }

    /// Returns what to write instead of a text that isn't a URL, or is one of another scheme; nil if that isn't known.
    private static func remedy(for text: String, _ meant: String?) -> String? {
        if OpenFile.isRegularFile(text) {
            return Path.isZip(text)
                ? "it is a zip: 'afcache open' shows a package, and 'afcache load' loads it"
                : "it is a file: name its folder with '--folder'"
        }
        if text.lowercased().hasSuffix(".zip"), !text.contains("/") { return "the package to write is named with '-o'" }
        if let meant { return "did you mean \(PrintableText.quoted(meant))?" }
        return text.hasPrefix("/")
            ? "write the whole URL, such as https://docs.example\(PrintableText.escaped(text))" : nil
    }
}
