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
        options.maxAge = package.maxAge
        options.pinnedTime = pinned
        return options
    }

    func fetching() throws -> HTTPFetcher.Options {
        var fetching = HTTPFetcher.Options()
        politeness.apply(to: &fetching)
        try access.apply(to: &fetching)
        return fetching
    }
}
