import AFCCrawlRules
import AFCCrawler
import AFCHTTP
import AFCURL
import ArgumentParser

/// The options of a crawl, by group.
///
/// `pack` declares the groups itself: in debug builds, the parser checks a group within a group again and again, which would
/// take a second.
struct CrawlArguments {
    let scope: ScopeArguments
    let queries: QueryArguments
    let limits: LimitArguments
    let politeness: PolitenessArguments
    let access: AccessArguments
    let rendering: RenderingArguments
    let browser: BrowserOptions
    let update: UpdateArguments
    let restart: RestartOption
    let report: ReportArguments

    func options(
        urls: [String],
        output: String,
        making: NewPackageOptions,
        sizes: NewPackageSizeOptions,
        pinned: Timestamp?
    ) throws -> CrawlOptions {
        try options(
            seeds: try scope.seeds(named: urls),
            output: output,
            making: making,
            sizes: sizes,
            pinned: pinned
        )
    }

    func options(
        seeds: [WebURL],
        output: String,
        making: NewPackageOptions,
        sizes: NewPackageSizeOptions,
        pinned: Timestamp?
    ) throws -> CrawlOptions {
        var options = CrawlOptions(seeds: seeds) { Clock.now }
        try scope.apply(to: &options, exclude: making.excludedURLs())
        queries.apply(to: &options)
        limits.apply(to: &options)
        politeness.apply(to: &options)
        try access.apply(to: &options)
        try update.apply(to: &options, output: output)
        options.restarts = restart.restart
        options.asksForIcons = true
        options.tellsPlaces = report.report != nil
        options.isDryRun = report.dryRun
        try rendering.apply(to: &options, browser)
        if let bytes = sizes.maxBodyBytes { options.limits.bodyBytes = bytes }
        options.maxAge = making.maxAge
        options.pinnedTime = pinned
        return options
    }

    /// The names of all options of crawls, as they are written; read from a help page, since the parser has no list of them.
    private static let names: Set<String> = {
        struct Command: ParsableCommand {
            @OptionGroup var scope: ScopeArguments
            @OptionGroup var queries: QueryArguments
            @OptionGroup var limits: LimitArguments
            @OptionGroup var politeness: PolitenessArguments
            @OptionGroup var access: AccessArguments
            @OptionGroup var rendering: RenderingArguments
            @OptionGroup var update: UpdateArguments
            @OptionGroup var restart: RestartOption
            @OptionGroup var report: ReportArguments
        }
        let names = UsageFailure.names(in: Command.helpMessage(includeHidden: true, columns: 200))
        return names.subtracting(["-h", "--help"])
    }()

    /// Returns the first of a program's arguments that is an option of crawls, as it is written; nil if there is none.
    ///
    /// The parser doesn't say whether an option was given, and its value may be the default.
    static func firstOption(in arguments: [String]) -> String? {
        let given = arguments.prefix { $0 != "--" }.lazy.map { String($0.prefix { $0 != "=" }) }
        return given.first(where: names.contains)
    }

    func fetching() throws -> HTTPFetcher.Options {
        var fetching = HTTPFetcher.Options()
        politeness.apply(to: &fetching)
        try access.apply(to: &fetching)
        return fetching
    }
}
