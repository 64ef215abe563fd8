package import AFCCache
package import AFCURL

/// Alternative URLs under which a missing resource may be stored.
package enum NearURLs {
    private static let pageEndings = [".html", ".htm", ".xhtml", ".php"]
    private static let indexNames = ["index.html", "index.htm"]

    /// Returns URLs that differ in what people and links often get wrong: slashes, an ending, the query, case, `www`, the
    /// scheme.
    ///
    /// - Parameters:
    ///   - url: The URL that isn't stored.
    ///   - includesFolders: False to leave out the folders above.
    /// - Returns: Other URLs, the most likely first; the folders above come last.
    static func of(_ url: WebURL, includesFolders: Bool = true) -> [WebURL] {
        guard url.isHTTP, let host = url.host else { return [] }
        let port = url.port.map { ":\($0)" } ?? ""
        let origins = [url.scheme, url.scheme == "http" ? "https" : "http"].flatMap { scheme in
            [host, host.hasPrefix("www.") ? String(host.dropFirst(4)) : "www." + host].map {
                "\(scheme)://\($0)\(port)"
            }
        }
        var paths: [String] = []
        func add(_ path: String) { if !paths.contains(path) { paths.append(path) } }
        let query = url.query.map { "?" + $0 } ?? ""
        add(url.path + query)
        for path in spellings(of: url.path) { add(path) }
        if let merged = DoubledSlash.merged(url)?.url { spellings(of: merged.path).forEach(add) }
        let lowered = url.path.lowercased()
        if lowered != url.path { spellings(of: lowered).forEach(add) }
        var urls = paths.flatMap { path in origins.compactMap { try? WebURL($0 + path) } }
        if includesFolders { urls += folders(above: url.path).compactMap { try? WebURL(origins[0] + $0) } }
        return urls.filter { $0 != url }
    }

    private static func spellings(of path: String) -> [String] {
        var spellings = [path]
        if path.hasSuffix("/") {
            spellings += indexNames.map { path + $0 }
            if path.utf8.count > 1 { spellings += ["", ".html"].map { path.dropLast() + $0 } }
        } else {
            spellings += [path + "/"] + indexNames.map { path + "/" + $0 }
            spellings += pageEndings.map { path + $0 }
            for end in indexNames where path.hasSuffix("/" + end) { spellings.append(String(path.dropLast(end.count))) }
            for end in pageEndings where path.hasSuffix(end) {
                let stem = String(path.dropLast(end.count))
                spellings += [stem, stem + "/"] + pageEndings.filter { $0 != end }.map { stem + $0 }
            }
        }
        return spellings
    }

    /// Returns the three closest folders above a path, with their index pages.
    private static func folders(above path: String) -> [String] {
        var folders: [String] = []
        var rest = path.hasSuffix("/") ? path.dropLast() : path[...]
        while let slash = rest.lastIndex(of: "/"), folders.count < 6 {
            rest = rest[..<slash]
            folders += ["\(rest)/", "\(rest)/index.html"]
        }
        return folders
    }
}

extension NearURLs {
    /// Returns at most five stored URLs similar to one.
    ///
    /// - Parameters:
    ///   - url: The URL that isn't stored.
    ///   - includesFolders: False to leave out the folders above.
    ///   - contains: Returns whether a URL is stored.
    /// - Returns: The URLs, the most likely first.
    /// - Throws: The errors of `contains`.
    package static func found(
        for url: WebURL,
        includesFolders: Bool = true,
        _ contains: (WebURL) throws -> Bool
    ) throws -> [WebURL] {
        var found: [WebURL] = []
        for near in of(url, includesFolders: includesFolders) where found.count < 5 {
            if try contains(near) { found.append(near) }
        }
        return found
    }
}

extension OfflineAnswering {
    /// Returns a host's start page; nil if there is none.
    func startPage(host: String) throws(CacheError) -> WebURL? {
        try origins().first { $0.host == host && $0.start != nil }?.start
    }

    /// Returns true if there is a resource whose URL begins with one.
    package func hasResources(beginningWith url: WebURL) throws(CacheError) -> Bool {
        if try contains(url) { return true }
        return try resources(after: url, limit: 1).first?.url.description.hasPrefix(url.description) ?? false
    }
}
