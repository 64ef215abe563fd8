import AFCCrawlRules
import AFCText
import AFCURL
import ArgumentParser

/// A list of URLs that a server of a package didn't have, as `afcache serve --missing` writes it.
///
/// A line has the number of requests, the kind (`page` or `requisite`) and the URL, or just a URL; `#` at the beginning
/// of a line starts a comment.
enum MissingList {
    /// The most URLs in a list.
    static let countLimit = 10_000
    private static let byteLimit = 32 << 20

    /// Reads the list in a file, or from standard input if the path is `-`.
    ///
    /// - Throws: A usage error that names the line.
    static func read(_ path: String) throws -> [CrawlOptions.AddedURL] {
        let isInput = path == "-"
        let bytes = try isInput ? StandardInput.read(upTo: byteLimit) : SmallFile.read(path, limit: byteLimit)
        return try parse(bytes, name: isInput ? "standard input" : path)
    }

    /// Parses a list.
    ///
    /// - Parameters:
    ///   - bytes: The list.
    ///   - name: The name of the file for errors.
    /// - Returns: The URLs in their order, each once.
    /// - Throws: A usage error that names the line.
    static func parse(_ bytes: [UInt8], name: String) throws -> [CrawlOptions.AddedURL] {
        try TextFile.requireUTF8(bytes, name: name)
        var added: [CrawlOptions.AddedURL] = []
        var seen: Set<WebURL> = []
        for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let text = String(decoding: line.filter { $0 != 0x0D }, as: UTF8.self)
            let fields = text.split { $0 == " " || $0 == "\t" }.map(String.init)
            guard let first = fields.first, !first.hasPrefix("#") else { continue }
            let place = "\(name):\(index + 1): "
            var isPage: Bool?
            if fields.count == 3, Int(first) != nil {
                guard fields[1] == "page" || fields[1] == "requisite" else {
                    throw ValidationError(
                        "\(place)the kind \(PrintableText.quoted(fields[1])) is neither 'page' nor 'requisite'"
                    )
                }
                isPage = fields[1] == "page"
            } else if fields.count != 1 {
                throw ValidationError("\(place)a line has a URL, or the number of requests, the kind and a URL")
            }
            let url = try WebURL.argument(fields.last ?? first, place: place)
            guard url.isHTTP, !url.hasCredentials else {
                let shown = PrintableText.quoted(url.removingCredentials.description)
                throw ValidationError("\(place)\(shown) has credentials, or a scheme other than http and https")
            }
            guard seen.insert(url).inserted else { continue }
            guard added.count < countLimit else {
                throw ValidationError("\(place)the list has more than \(countLimit) URLs")
            }
            added.append(CrawlOptions.AddedURL(url, isPage: isPage ?? looksLikePage(url)))
        }
        return added
    }

    private static func looksLikePage(_ url: WebURL) -> Bool {
        let name = url.path.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }
        return !name.contains(UInt8(ascii: ".")) || url.path.hasSuffix(".html") || url.path.hasSuffix(".htm")
    }
}
