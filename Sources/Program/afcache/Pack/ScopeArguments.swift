import AFCCrawlRules
import AFCText
import AFCURL
import ArgumentParser

/// Which URLs a crawl asks for.
struct ScopeArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Also start from the URLs in this file, one per line ('#' starts a comment, '-' reads standard input).",
            valueName: "file"
        ),
        completion: .file()
    )
    var list: String?

    @Flag(help: "Ask for what the sitemaps list that robots.txt names, too, as far as it is in scope.")
    var sitemaps = false

    @Option(
        help: ArgumentHelp(
            """
            Where links are followed: 'page' follows none, 'prefix' those below a start's folder, 'host' those on its host, \
            'domain' those on all hosts of its domain.
            """,
            valueName: "extent"
        )
    )
    var scope: CrawlScope.Extent = .host

    @Option(help: ArgumentHelp("How many links away from the start a page may be. (default: any)", valueName: "links"))
    var depth: Int?

    @Option(
        help: ArgumentHelp(
            "Follow only links that match: a glob, or a regular expression as re:…. Repeatable.",
            valueName: "pattern"
        )
    )
    var include: [String] = []

    @Flag(
        inversion: .prefixedNo,
        help: "Take what pages need from other hosts, too. (default: only with '--scope page')"
    )
    var foreignRequisites: Bool?

    /// Where the crawl begins: what the command line names, then what the list does.
    func seeds(named urls: [String]) throws -> [WebURL] {
        var seeds: [WebURL] = []
        var seen: Set<WebURL> = []
        for url in try urls.map({ try WebURL.argument($0) }) + (try list.map { try URLList.read($0) } ?? [])
        where seen.insert(url).inserted {
            seeds.append(url)
        }
        return seeds
    }

    func apply(to options: inout CrawlOptions, exclude: [String]) throws {
        options.scope.extent = scope
        options.usesSitemaps = sitemaps
        options.scope.depth = depth
        options.scope.takesForeignRequisites = foreignRequisites
        options.scope.include = try include.map { try URLPattern.argument($0) }
        options.scope.exclude = try exclude.map { try URLPattern.argument($0) }
    }

    func validate() throws {
        guard depth.map({ $0 >= 0 }) ?? true else { throw ValidationError("--depth must not be negative") }
    }
}

extension URLPattern {
    /// A pattern that a user wrote.
    ///
    /// - Throws: A usage error.
    static func argument(_ text: String) throws -> URLPattern {
        do throws(URLPattern.ParseError) {
            return try URLPattern(text)
        } catch {
            throw ValidationError("\(PrintableText.quoted(text)) is no pattern: \(error)")
        }
    }
}
