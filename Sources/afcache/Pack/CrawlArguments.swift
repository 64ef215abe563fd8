import ArgumentParser
import HTTPCaching
import Packager
import URLStandard

/// All that says how URLs become a package.
struct CrawlArguments: ParsableArguments {
    @OptionGroup(title: "Which URLs") var scope: ScopeArguments
    @OptionGroup(title: "How much") var limits: LimitArguments
    @OptionGroup(title: "How politely") var politeness: PolitenessArguments
    @OptionGroup(title: "Access") var access: AccessArguments
    @OptionGroup(title: "What is shown") var report: ReportArguments

    func options(urls: [String], package: PackageArguments, pinned: Timestamp?) throws -> CrawlOptions {
        var options = CrawlOptions(seeds: try scope.seeds(named: urls)) { Clock.now }
        try scope.apply(to: &options, exclude: package.exclude)
        limits.apply(to: &options)
        politeness.apply(to: &options)
        try access.apply(to: &options)
        options.maxAge = package.maxAge
        options.pinnedTime = pinned
        return options
    }

    var fetching: HTTPFetcher.Options {
        var fetching = HTTPFetcher.Options()
        politeness.apply(to: &fetching)
        return fetching
    }
}
