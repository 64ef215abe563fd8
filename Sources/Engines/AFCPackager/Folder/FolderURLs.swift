internal import AFCCrawlRules
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

/// The URLs of a folder's pages besides those of their files, as web servers answer them.
///
/// A URL that a file has already is never given away: files come first, then folders, then names without `.html`.
struct FolderURLs {
    /// The URLs of copies, sorted, each with the index of its file.
    private(set) var copies: [(url: WebURL, file: Int)] = []
    /// The URLs of redirects, sorted, each with the URL that it leads to.
    private(set) var redirects: [(url: WebURL, target: WebURL)] = []

    private var taken: Set<WebURL>
    private let base: WebURL

    /// Finds the URLs.
    ///
    /// - Parameters:
    ///   - files: The files that are packed.
    ///   - urls: The URL of each.
    ///   - options: The folder's options.
    /// - Throws: ``PackagingError`` if a URL can't be made.
    init(of files: [FolderWalk.File], urls: [WebURL], options: FolderOptions) throws(PackagingError) {
        (taken, base) = (Set(urls), options.baseURL)
        let unmapped = files.indices.filter { options.urls[files[$0].path] == nil }
        let parts = Dictionary(uniqueKeysWithValues: unmapped.map { ($0, Self.parts(of: files[$0].path)) })
        if options.givesFolderURLs { try addFolders(parts, redirecting: options.givesCleanURLs) }
        if options.givesCleanURLs { try addNames(parts) }
        if options.givesFolderURLs { try addQueries(parts) }
        copies.sort { $0.url < $1.url }
        redirects.sort { $0.url < $1.url }
    }

    private typealias Parts = (folder: String, name: Substring)

    private static func parts(of path: String) -> Parts {
        guard let slash = path.lastIndex(of: "/") else { return ("", path[...]) }
        return (String(path[..<slash]), path[path.index(after: slash)...])
    }

    /// Adds the URL of each folder with a page, and a redirect to it from the URL without the slash.
    private mutating func addFolders(_ files: [Int: Parts], redirecting: Bool) throws(PackagingError) {
        var pages: [String: Int] = [:]
        for name in ["index.htm", "index.html"] {
            for (index, parts) in files where parts.name == name { pages[parts.folder] = index }
        }
        for (folder, index) in pages {
            let url = try FolderPackager.url(ofFolder: folder, below: base)
            guard taken.insert(url).inserted else { continue }
            copies.append((url, index))
            guard redirecting, !folder.isEmpty else { continue }
            let plain = try FolderPackager.url(ofPath: folder, below: base)
            if taken.insert(plain).inserted { redirects.append((plain, url)) }
        }
    }

    /// Adds the URL with a query of each file whose name has one, as mirrors of sites name it: `page?x=1` is `…/page?x=1` for the
    /// links of the site, and `…/page%3Fx=1` for those that were rewritten.
    private mutating func addQueries(_ files: [Int: Parts]) throws(PackagingError) {
        for (index, parts) in files {
            guard let mark = parts.name.firstIndex(of: "?"), mark != parts.name.startIndex else { continue }
            let path = parts.folder.isEmpty ? String(parts.name[..<mark]) : "\(parts.folder)/\(parts.name[..<mark])"
            let plain = try FolderPackager.url(ofPath: path, below: base).description
            guard let url = try? WebURL(plain + parts.name[mark...]) else { continue }
            if taken.insert(url).inserted { copies.append((url, index)) }
        }
    }

    /// Adds the URL without `.html` of each page that isn't a folder's.
    private mutating func addNames(_ files: [Int: Parts]) throws(PackagingError) {
        for (index, parts) in files where parts.name != "index.html" && parts.name.hasSuffix(".html") {
            let name = parts.name.dropLast(".html".count)
            // The path of a name that consists of dots would be another folder's.
            guard name.contains(where: { $0 != "." }) else { continue }
            let path = parts.folder.isEmpty ? String(name) : "\(parts.folder)/\(name)"
            let url = try FolderPackager.url(ofPath: path, below: base)
            if taken.insert(url).inserted { copies.append((url, index)) }
        }
    }
}

/// The fallbacks of a folder's package.
struct FolderFallback {
    /// The rules; nil if there is no page.
    let rules: FallbackRules?

    /// Finds the pages among the files.
    ///
    /// - Parameters:
    ///   - files: The files that are packed.
    ///   - urls: The URL of each.
    ///   - options: The folder's options.
    /// - Throws: ``PackagingError`` if a page that the options name isn't packed below the base URL.
    init(of files: [FolderWalk.File], urls: [WebURL], options: FolderOptions) throws(PackagingError) {
        func url(of path: String) -> WebURL? { files.firstIndex { $0.path == path }.map { urls[$0] } }
        func named(_ path: String) throws(PackagingError) -> WebURL {
            if let url = url(of: path) { return url }
            throw PackagingError(
                .badOption,
                subject: path,
                message: "the page is not among the folder's files that are packed; name its path below the folder"
            )
        }
        let base = try FolderPackager.url(ofFolder: "", below: options.baseURL)
        var application: WebURL?
        if let page = options.applicationPage { application = try named(page) }
        var missing: WebURL?
        switch options.missingPage {
        case .none: break
        case .automatic:
            let page = url(of: "404.html")
            missing = page.flatMap { try? FallbackRules(base: base, application: nil, missing: $0).missing }
        case .file(let path): missing = try named(path)
        }
        guard application != nil || missing != nil else {
            rules = nil
            return
        }
        do throws(FallbackRules.Malformation) {
            rules = try FallbackRules(base: base, application: application, missing: missing)
        } catch {
            throw PackagingError(
                .badOption,
                subject: options.folder,
                message: "the page for missing URLs must have a URL below '\(base)': \(error.reason)"
            )
        }
    }
}
