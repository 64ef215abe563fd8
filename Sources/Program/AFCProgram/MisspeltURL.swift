import AFCLinter
import AFCURL

/// The stored URL that was meant by one whose last part is misspelt.
enum MisspeltURL {
    /// The most URLs of a folder that are compared.
    static let limit = 2_000

    /// Returns the beginning of the URLs in the folder of a URL, up to its last slash.
    static func folder(of url: WebURL) -> WebURL? {
        let text = url.description.prefix { $0 != "?" }
        return text.lastIndex(of: "/").flatMap { try? WebURL(String(text[...$0])) }
    }

    /// Returns the stored URL that was meant by one whose host is misspelt; nil if its host is stored, or none is alike.
    ///
    /// - Parameters:
    ///   - url: The URL that isn't stored.
    ///   - hosts: The hosts of stored URLs.
    ///   - isStored: Returns true if a URL is stored.
    /// - Returns: The URL, or nil.
    /// - Throws: The error of `isStored`.
    static func withStoredHost(
        _ url: WebURL,
        among hosts: some Sequence<String>,
        where isStored: (WebURL) throws -> Bool
    ) rethrows -> WebURL? {
        let hosts = Set(hosts)
        guard let host = url.host, !hosts.contains(host),
            let near = NearestName.nearest(to: host, among: hosts.sorted()),
            let meant = try? WebURL(url.description.replacing("//" + host, with: "//" + near, maxReplacements: 1))
        else { return nil }
        return try isStored(meant) ? meant : nil
    }

    /// Finds the URL in the folder whose last part resembles the one that was asked for.
    ///
    /// - Parameters:
    ///   - url: The URL that isn't stored.
    ///   - stored: Stored URLs, of which those in the same folder are compared.
    /// - Returns: The URL, or nil.
    static func meant(by url: WebURL, among stored: some Sequence<WebURL>) -> WebURL? {
        guard let folder = folder(of: url)?.description else { return nil }
        let name = url.description.dropFirst(folder.count)
        // Of a shorter name, every other one is a misspelling.
        guard name.prefix(while: { $0 != "." && $0 != "?" }).count >= 3 else { return nil }
        let names = stored.lazy.map(\.description).filter { $0.hasPrefix(folder) }.map {
            String($0.dropFirst(folder.count))
        }
        .filter { !$0.contains("/") }
        return NearestName.nearest(to: String(name), among: Array(names.prefix(limit))).flatMap {
            try? WebURL(folder + $0)
        }
    }
}
