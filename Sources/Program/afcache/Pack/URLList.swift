import AFCText
import AFCURL
import ArgumentParser

/// A list of URLs in a file, one per line.
enum URLList {
    /// Parses a list.
    ///
    /// White space around a URL is ignored; empty lines and lines that begin with `#` are skipped.
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
        var rest = text[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        let lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            var line = line
            while let last = line.last, last <= 0x20 { line.removeLast() }
            line = line.drop { $0 <= 0x20 }
            guard let first = line.first, first != UInt8(ascii: "#") else { continue }
            let url = try WebURL.argument(String(decoding: line, as: UTF8.self), place: "\(name):\(index + 1): ")
            if seen.insert(url).inserted { urls.append(url) }
        }
        return urls
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
        return try parse(bytes, name: isInput ? "standard input" : path)
    }

    private static let limit = 256 << 20
}

extension WebURL {
    /// Returns the text with `https://` before it if that makes a URL with a plausible host, or else nil.
    private static func withScheme(_ text: String) -> String? {
        guard let first = text.first, first.isLetter || first.isNumber || first == "[" else { return nil }
        do throws(ParseError) {
            let url = try WebURL("https://" + text)
            guard let host = url.host, host.contains(".") || host.hasPrefix("[") || host == "localhost" else {
                return nil
            }
            return "https://" + text
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
        do throws(WebURL.ParseError) {
            return try WebURL(text)
        } catch {
            let remedy = withScheme(text).map { "; did you mean \(PrintableText.quoted($0))?" } ?? ""
            throw ValidationError("\(place)\(PrintableText.quoted(text)) is not an absolute URL: \(error)\(remedy)")
        }
    }
}
