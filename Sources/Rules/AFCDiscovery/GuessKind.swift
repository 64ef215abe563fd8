public import AFCURL

/// A kind of guesses of which a site has either all or none.
///
/// A crawl tries one of a kind before the others, and gives the kind up if the site has none.
public enum GuessKind: Hashable, Sendable {
    /// Pages, such as routes of an application that no page links to.
    case page
    /// The data beside each page of a Next.js export.
    case nextData
    /// The tree of segments beside each page of a Next.js export.
    case nextTree
    /// The sidebars of folders in a Docsify site.
    case folderSidebar
    /// The translations in the list of a PDF.js viewer, of which many copies have only English.
    case translation
    /// The files that queries of pages name; see ``QueryFile``.
    case queryFile
    /// The modules in one folder that scripts in one folder import only when they run.
    ///
    /// Generators copy a library of such imports to each site, and only the modules that the site uses.
    case dynamicImport(from: String, to: String)

    /// True if pages name what they need of this kind, so that nothing else is needed: the library of Observable Framework
    /// imports all that any site may use, and each page preloads what it uses.
    public var isNamedByPages: Bool {
        guard case .dynamicImport(let from, _) = self else { return false }
        return from.split(separator: "/").contains("_observablehq")
    }

    /// Creates the kind of a module that a script in a file imports when it runs; nil if a page imports it.
    ///
    /// - Parameters:
    ///   - module: The module's URL.
    ///   - script: The URL of the script.
    public init?(ofImport module: WebURL, by script: WebURL) {
        guard script.lastSegment.hasSuffix("js"), module.origin == script.origin else { return nil }
        let from = script.path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let to = module.path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let common = zip(from, to).prefix { $0 == $1 }.count
        // The folder of the module, or the one of many packages that contains it.
        self = .dynamicImport(from: from.joined(separator: "/"), to: to.prefix(common + 1).joined(separator: "/"))
    }

    /// Creates the kind of a guess; nil if it has none.
    ///
    /// - Parameters:
    ///   - url: The URL that was guessed.
    ///   - destination: The destination of the request.
    ///   - page: The URL of the document in which it was found.
    public init?(of url: WebURL, loads destination: Destination, in page: WebURL) {
        if destination.showsPages {
            self = .page
            return
        }
        if url.lastSegment == "_sidebar.md", page.lastSegment == "_sidebar.md" {
            self = .folderSidebar
            return
        }
        if url.lastSegment.hasSuffix(".ftl"), page.lastSegment == "locale.json",
            !url.path.lowercased().contains("/en-us/")
        {
            self = .translation
            return
        }
        if page.query != nil,
            QueryFile.urls(in: page, base: page).contains(where: { $0.lastSegment == url.lastSegment })
        {
            self = .queryFile
            return
        }
        guard url.lastSegment.hasSuffix(".txt"), let data = NextPageFiles(of: page.path) else { return nil }
        if url.path == data.payload {
            self = .nextData
        } else if url.path == data.tree {
            self = .nextTree
        } else {
            return nil
        }
    }
}
