import AFCCrawlRules
import AFCCrawler
import AFCHTTP
import ArgumentParser

/// The options of a crawl.
struct CrawlArguments: ParsableArguments {
    @OptionGroup(title: "Scope") var scope: ScopeArguments
    @OptionGroup(title: "Queries and traps") var queries: QueryArguments
    @OptionGroup(title: "Limits") var limits: LimitArguments
    @OptionGroup(title: "Politeness") var politeness: PolitenessArguments
    @OptionGroup(title: "Access") var access: AccessArguments
    @OptionGroup(title: "Rendering") var rendering: RenderingArguments
    @OptionGroup(title: "Resuming and updating") var update: UpdateArguments
    @OptionGroup(title: "Report") var report: ReportArguments

    func options(urls: [String], package: PackageArguments, pinned: Timestamp?) throws -> CrawlOptions {
        var options = CrawlOptions(seeds: try scope.seeds(named: urls)) { Clock.now }
        try scope.apply(to: &options, exclude: package.exclude)
        queries.apply(to: &options)
        limits.apply(to: &options)
        politeness.apply(to: &options)
        try access.apply(to: &options)
        update.apply(to: &options)
        options.asksForIcons = true
        options.tellsPlaces = report.report != nil
        options.isDryRun = report.dryRun
        try rendering.apply(to: &options)
        options.maxAge = package.maxAge
        options.pinnedTime = pinned
        return options
    }

    /// Returns the first of a program's arguments that is an option of crawls, as it is written; nil if there is none.
    ///
    /// The parser doesn't say whether an option was given, and its value may be the default.
    static func firstOption(in arguments: [String]) -> String? {
        struct Command: ParsableCommand {
            @OptionGroup var crawl: CrawlArguments
        }
        let help = Command.helpMessage(includeHidden: true, columns: 200)
        var names: Set<Substring> = []
        for line in help.split(separator: "\n") {
            let line = line.drop { $0 == " " }
            guard line.hasPrefix("-") else { continue }
            let column = line.firstRange(of: "  ").map { line[..<$0.lowerBound] } ?? line
            names.formUnion(column.split { " ,/".contains($0) }.filter { $0.hasPrefix("-") })
        }
        names.subtract(["-h", "--help"])
        for argument in arguments.prefix(while: { $0 != "--" }) {
            let name = argument.prefix { $0 != "=" }
            if names.contains(name) { return String(name) }
        }
        return nil
    }

    func fetching() throws -> HTTPFetcher.Options {
        var fetching = HTTPFetcher.Options()
        politeness.apply(to: &fetching)
        try access.apply(to: &fetching)
        return fetching
    }
}
