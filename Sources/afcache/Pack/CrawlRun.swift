import ArgumentParser
import PackageFile
import PackageFormat
import Packager
import Synchronization
import URLStandard

/// One crawl from its beginning to its exit code: the package, what is shown meanwhile, and the report however it ends.
struct CrawlRun {
    let options: CrawlOptions
    let fetching: HTTPFetcher.Options
    let target: Packaging.Output
    let report: ReportFile?

    /// Crawls and packs.
    ///
    /// - Parameter show: Prints what was written.
    /// - Throws: What went wrong, or the exit code.
    func run(show: (PackageWriter.Summary) -> Void) async throws {
        if let report { try WholeFile.requireWritable(report.path) }
        let progress = CrawlProgress()
        let last = Mutex(CrawlReport())
        do {
            let (summary, found) = try await progress.whileShown {
                try await Packaging.pack(options, fetching: fetching, to: target) { event in
                    if case .ended(let report) = event { last.withLock { $0 = report } }
                    progress.note(event)
                }
            }
            var report = found
            if let summary {
                let name = target.path.split(separator: "/").last.map(String.init) ?? target.path
                report.package = CrawlReport.Package(name: name, bytes: summary.packageBytes)
            }
            try write(report)
            list(report)
            guard let summary else {
                Console.complain("error: nothing could be fetched, so no package was written")
                throw ExitStatus.nothingToPack.code
            }
            show(summary)
            if report.failed > 0 { throw ExitStatus.incomplete.code }
        } catch let error as ExitCode {
            throw error
        } catch {
            var report = last.withLock { $0 }
            report.ending =
                error is CancellationError ? .interrupted : .error(Failure.describe(error)?.0 ?? "\(error)")
            try write(report)
            throw error
        }
    }

    private func write(_ report: CrawlReport) throws {
        guard let file = self.report else { return }
        var report = report
        if report.seeds.isEmpty { report.seeds = options.seeds.map(\.removingCredentials) }
        report.generator = target.generator
        try file.write(report)
    }

    private func list(_ report: CrawlReport) {
        for failure in report.failures {
            let place = failure.referrer.map { ", found on \(PrintableText.escaped($0.description))" } ?? ""
            let reason = PrintableText.escaped(failure.reason.description)
            Console.complain("failed: \(PrintableText.escaped(failure.url.description)): \(reason)\(place)")
        }
        if report.unlistedFailures > 0 {
            Console.complain("failed: \(Size.count(report.unlistedFailures, "further URL"))")
        }
        for skip in report.skipped {
            Console.complain("skipped: \(Size.count(skip.count, "URL")) \(skip.rule.description)")
        }
    }
}
