public import AFCURL

/// The files that the query of a page's URL names, as in `viewer.html?file=guide.pdf`.
///
/// Viewers, players and emulators load the file by a script that reads the query.
public enum QueryFile {
    /// The largest number of files in one query.
    private static let limit = 8
    /// The longest path of a file, in bytes.
    private static let longest = 200
    /// The suffixes of pages, programs and parts of pages, which a query names for other reasons.
    private static let others: Set<String> = [
        "html", "htm", "xhtml", "php", "asp", "aspx", "jsp", "cgi", "js", "mjs", "css",
    ]
    /// The ends of names of hosts.
    private static let domains: Set<String> = ["com", "org", "net", "edu", "gov", "io", "dev", "app", "info"]

    /// Returns the URLs of the files.
    ///
    /// - Parameters:
    ///   - page: The URL of the page.
    ///   - base: The base of the page's addresses.
    /// - Returns: The URLs on the page's origin, at most eight.
    public static func urls(in page: WebURL, base: WebURL) -> [WebURL] {
        guard let query = page.query else { return [] }
        var urls: [WebURL] = []
        for parameter in query.utf8.split(separator: UInt8(ascii: "&")) where urls.count < limit {
            guard let mark = parameter.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let value = String(decoding: PercentDecoding.decode(parameter[mark...].dropFirst()), as: UTF8.self)
            guard isFile(value), let url = try? WebURL(value, base: base), url.origin == page.origin else { continue }
            urls.append(url)
        }
        return urls
    }

    /// Returns true for the path of a file.
    private static func isFile(_ path: String) -> Bool {
        guard path.utf8.count <= longest,
            path.utf8.allSatisfy({ $0.isLetter || $0.isDigit || "-._~/,".utf8.contains($0) }),
            !path.contains("//")
        else { return false }
        let name = path.lastSegment
        guard let dot = name.lastIndex(of: "."), name[..<dot].utf8.contains(where: \.isLetter) else { return false }
        let suffix = name[name.index(after: dot)...].lowercased()
        guard (2...5).contains(suffix.utf8.count), suffix.utf8.allSatisfy({ $0.isLetter || $0.isDigit }) else {
            return false
        }
        // `app.2024` and `docs.example` are no files.
        let hasFolder = path.utf8.contains(UInt8(ascii: "/"))
        return !others.contains(suffix)
            && (hasFolder || suffix.utf8.contains(where: \.isLetter) && !domains.contains(suffix))
    }
}
