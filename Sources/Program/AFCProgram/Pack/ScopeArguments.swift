import AFCCrawlRules
import AFCDiscovery
import AFCLinter
import AFCText
import AFCURL
import ArgumentParser

/// The options for where a crawl starts and which links it follows.
struct ScopeArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Also start from the URLs in this file, one per line ('#' starts a comment, '-' reads standard input).",
            valueName: "file"
        ),
        completion: .file()
    )
    var list: String?

    @Flag(
        help: """
            Also follow the URLs listed in the sitemaps that robots.txt names, or else in /sitemap.xml. With \
            '--ignore-robots', only the latter is tried.
            """
    )
    var sitemaps = false

    @Option(
        help: ArgumentHelp(
            """
            Which links to follow: none ('page'), those below the folder of a start URL ('prefix'), on its host ('host'), \
            on all hosts of its domain ('domain') or everywhere ('any').
            """,
            valueName: "extent"
        )
    )
    var scope: CrawlScope.Extent = .host

    @Option(
        help: ArgumentHelp(
            """
            The most links to follow from a start URL to a page; with 0, only the start URLs and what they need are \
            fetched. (default: no limit)
            """,
            valueName: "links"
        )
    )
    var depth: Int?

    @Option(
        help: ArgumentHelp(
            """
            Follow only links that match: a glob for path and query (for the whole URL if it contains '://'), or a \
            regular expression written as re:…, searched for in the URL. Repeatable; one match is enough.
            """,
            valueName: "pattern"
        )
    )
    var include: [String] = []

    @Flag(
        inversion: .prefixedNo,
        help: "Also fetch what pages need from hosts outside the scope. (default: only with '--scope page')"
    )
    var foreignRequisites: Bool?

    @Flag(
        help: ArgumentHelp(
            "Don't find what scripts will load, from the tables of bundlers, site generators and search functions.",
            visibility: .hidden
        )
    )
    var noRecipes = false

    @Option(
        help: ArgumentHelp(
            """
            Also use the recipes in this JSON file, which say where a kind of site names the files that its scripts \
            load. Repeatable.
            """,
            valueName: "file",
            visibility: .hidden
        ),
        completion: .file(extensions: ["json"])
    )
    var recipes: [String] = []

    @Flag(
        help: ArgumentHelp(
            "Also fetch the images that pages name for previews in search engines and social networks.",
            visibility: .hidden
        )
    )
    var previewImages = false

    @Option(
        help: ArgumentHelp(
            """
            The streams to fetch of a video or sound whose playlist (HLS, DASH) offers several: all, best, smallest, or \
            none to fetch only the playlist. (default: all)
            """,
            valueName: "streams",
            visibility: .hidden
        )
    )
    var media: MediaSelection?

    /// Returns the start URLs: those of the command line, then those of the list.
    func seeds(named urls: [String]) throws -> [WebURL] {
        var seeds: [WebURL] = []
        var seen: Set<WebURL> = []
        for url in try urls.map({ try Self.seed($0) }) + (try list.map { try URLList.read($0) } ?? [])
        where seen.insert(url).inserted {
            seeds.append(url)
        }
        return seeds
    }

    /// Checks a URL that a crawl would begin with.
    ///
    /// - Throws: A usage error that says what to write.
    static func requireSeed(_ text: String) throws {
        _ = try seed(text)
    }

    /// Returns the URL that a user wrote, if its scheme is http or https.
    private static func seed(_ text: String) throws -> WebURL {
        let url = try WebURL.argument(text)
        guard !url.isHTTP else { return url }
        let near = NearestName.nearest(to: url.scheme, among: ["http", "https"])
        let remedy =
            near.map { "did you mean \(PrintableText.quoted($0 + text.drop { $0 != ":" }))?" }
            ?? "fetch the files with another program, and pack their folder with '--folder'"
        throw ValidationError("\(PrintableText.quoted(text)): the scheme is neither http nor https; \(remedy)")
    }

    func apply(to options: inout CrawlOptions, exclude: [URLPattern]) throws {
        options.scope.extent = scope
        options.usesSitemaps = sitemaps
        options.usesRecipes = !noRecipes
        for path in recipes { try options.recipes.add(path) }
        options.takesPreviews = previewImages
        options.media = media ?? .all
        options.scope.depth = depth
        options.scope.takesForeignRequisites = foreignRequisites
        options.scope.include = try include.map { try URLPattern.argument($0) }
        options.scope.exclude = exclude
    }

    func validate() throws {
        guard !noRecipes || recipes.isEmpty else {
            throw ValidationError("'--no-recipes' turns off all recipes; remove it or '--recipes'")
        }
        guard depth.map({ $0 >= 0 }) ?? true else { throw ValidationError("'--depth' must not be negative") }
    }
}

extension RecipeTable {
    /// Adds the recipes in a file that the user wrote.
    ///
    /// - Throws: An error if it can't be read, or a usage error that names the line if it is malformed.
    fileprivate mutating func add(_ path: String) throws {
        let bytes = try SmallFile.read(path, limit: Self.byteLimit)
        do throws(RecipeTableError) {
            try add(bytes)
        } catch {
            throw ValidationError("'--recipes': \(PrintableText.quoted(path)), line \(error.line): \(error.message)")
        }
    }
}

extension URLPattern {
    /// Returns the pattern that a user wrote.
    ///
    /// - Throws: A usage error.
    static func argument(_ text: String) throws -> URLPattern {
        let pattern: URLPattern
        do throws(URLPattern.ParseError) {
            pattern = try URLPattern(text)
        } catch {
            throw ValidationError("\(PrintableText.quoted(text)) is not a pattern: \(error)")
        }
        guard !pattern.canMatch else { return pattern }
        if let advice = advice(for: text) {
            throw ValidationError(
                "\(PrintableText.quoted(text)) can match no URL, since a path begins with '/'; \(advice)"
            )
        }
        let meant = text.contains("*") ? text : "\(text)*"
        let isHost = text.prefix { $0 != "/" }.contains(".") && text.contains("/")
        throw ValidationError(
            "\(PrintableText.quoted(text)) can match no URL, since a path begins with '/'; write "
                + PrintableText.quoted((isHost ? "*://" : "*") + meant)
        )
    }

    /// Returns what to write instead of a glob that is meant as a regular expression or has braces; nil for others.
    private static func advice(for text: String) -> String? {
        guard !text.hasPrefix("re:") else { return nil }
        let marks = [#"\."#, #"\d"#, #"\w"#, "|", ".*", ".+"]
        if text.hasPrefix("^") || text.hasSuffix("$") || marks.contains(where: text.contains) {
            return "a regular expression is written \(PrintableText.quoted("re:" + text))"
        }
        return text.contains("{") ? "braces have no meaning; write an option for each of the texts" : nil
    }

    /// False for a glob for paths that doesn't match the slash with which every path begins.
    private var canMatch: Bool {
        guard !description.hasPrefix("re:"), !description.contains("://"), let first = description.first else {
            return true
        }
        return "/*?[".contains(first)
    }

    /// Returns a warning for patterns that excluded nothing; nil if there are none.
    static func warning(ofUnused patterns: [String]) -> String? {
        warning(patterns, of: "--exclude", "left nothing out", "*/old/*")
    }

    /// Returns a warning for patterns that no link matches; nil if there are none.
    static func warning(ofUnmatched patterns: [String]) -> String? {
        warning(patterns, of: "--include", "\(patterns.count == 1 ? "matches" : "match") no link", "*/guide/*")
    }

    private static func warning(_ patterns: [String], of option: String, _ what: String, _ example: String) -> String? {
        guard !patterns.isEmpty else { return nil }
        let shown = patterns.prefix(3).map { PrintableText.quoted("\(option) \($0)") }.joined(separator: ", ")
        let advice = patterns.lazy.compactMap(advice).first
        return "warning: \(shown) \(what); \(advice ?? "'*' stands for any characters, as in '\(example)'")"
    }
}
