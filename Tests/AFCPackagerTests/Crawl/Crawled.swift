import AFCCaching
import AFCHTTP
import AFCOrigin
import AFCPackageFile
import AFCPackageFormat
import AFCURL
import Foundation
import TestOrigin

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

extension HTTPFetcher.Options {
    /// Waits so long that a machine that is busy with other tests is never taken for a silent server.
    static func patient() -> Self {
        var options = Self()
        options.connectTimeout = .seconds(600)
        options.readTimeout = .seconds(600)
        return options
    }
}

/// Crawls, and gives what came instead of packing it.
func crawled(
    _ options: CrawlOptions,
    fetching: HTTPFetcher.Options = .patient(),
    onEvent: @escaping @Sendable (CrawlEvent) -> Void = { _ in }
) async throws -> (resources: [PackageWriter.Resource], report: CrawlReport) {
    var fetching = fetching
    fetching.access.allowsPrivate = options.scope.allowsPrivate
    fetching.namedHosts.formUnion(options.seeds.compactMap(\.host))
    let fixed = fetching
    return try await withScratchFolder { folder in
        try await HTTPFetcher.withFetcher(options: fixed) { network in
            let output = Packaging.Output(path: folder + "/out.zip", created: options.now(), generator: "test")
            let workspace = try CrawlWorkspace.open(for: output, options)
            let crawler = Crawler(
                options: options,
                network: network,
                workspace: workspace,
                level: 6,
                onEvent: onEvent
            )
            let report = try await crawler.run().report
            var resources: [PackageWriter.Resource] = []
            let source = CrawledResources(
                state: workspace.state,
                files: workspace.files,
                maxAge: options.maxAge,
                total: 0,
                onEvent: { _ in }
            )
            try source.forEach { (resource) throws(PackageError) in resources.append(resource) }
            workspace.remove()
            return (resources, report)
        }
    }
}

/// Crawls a site from its first page, without robots.txt.
///
/// - Parameters:
///   - routes: The site.
///   - change: Changes the options.
/// - Returns: The targets of the requests, and the report.
/// - Throws: What the crawl throws, which fails the test.
func crawled(
    _ routes: [String: [TestOrigin.Answer]],
    _ change: (inout CrawlOptions) -> Void = { _ in }
) async throws -> (targets: [String], report: CrawlReport) {
    try await TestOrigin.withOrigin(routes) { origin in
        let now = Timestamp(secondsSinceEpoch: 1_000_000_000)
        var options = CrawlOptions(seeds: [try WebURL(origin.base + "/")], now: { now })
        options.ignoresRobots = true
        options.retries.retries = 1
        options.retries.backoff = .milliseconds(1)
        // Whatever defect there is, the test ends.
        options.limits.urls = 10_000
        change(&options)
        let report = try await crawled(options).report
        return (origin.targets, report)
    }
}

/// How many URLs each rule kept out.
func skips(_ report: CrawlReport) -> [SkipRule: Int] {
    Dictionary(uniqueKeysWithValues: report.skipped.map { ($0.rule, $0.count) })
}

/// Whether a path leads to anything.
func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

extension CrawlWorkspace {
    /// Opens what a crawl keeps beside a package.
    static func open(for output: Packaging.Output, _ crawl: CrawlOptions) throws -> CrawlWorkspace {
        try CrawlWorkspace(
            beside: crawl.isDryRun ? nil : output.target(replacing: crawl.updates == nil ? crawl.seeds : nil),
            path: output.path,
            crawl,
            generator: output.generator,
            level: output.level
        )
    }
}
