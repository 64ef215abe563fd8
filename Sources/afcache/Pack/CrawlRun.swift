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
        if let report { try report.requirePlace(overwrites: target.overwrites) }
        let progress = CrawlProgress()
        let last = LastReport()
        do {
            let (summary, found) = try await StopSignals.cancelling {
                try await progress.whileShown {
                    try await Packaging.pack(options, fetching: fetching, to: target) { event in
                        if case .ended(let report) = event { last.take(report) }
                        if case .started(let count, _) = event, count > 0 { Self.tellResumption(count) }
                        progress.note(event)
                    }
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
            try end(last.report, with: error)
            throw error
        }
    }

    /// Writes the report of a crawl that an error or a signal ended, and says how much of it is kept.
    private func end(_ report: CrawlReport, with error: any Error) throws {
        var report = report
        let stopped = error as? Stopped
        let isStopped = stopped != nil || error is CancellationError
        report.ending = isStopped ? .interrupted : .error(Failure.describe(error)?.0 ?? "\(error)")
        try write(report)
        guard let stopped, report.fetched > 0 else { return }
        let kept = report.fetched + report.redirects
        Console.note(
            "stopped: \(Size.count(kept, "resource")) \(kept == 1 ? "is" : "are") kept; the same command goes on"
        )
        throw ExitCode(128 + stopped.signal)
    }

    private func write(_ report: CrawlReport) throws {
        guard let file = self.report else { return }
        var report = report
        if report.seeds.isEmpty { report.seeds = options.seeds.map(\.removingCredentials) }
        report.generator = target.generator
        try file.write(report)
    }

    private static func tellResumption(_ count: Int) {
        Console.endProgress()
        Console.note(
            "going on with \(Size.count(count, "resource")) of an interrupted crawl; '--restart' begins anew"
        )
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
            Console.note("skipped: \(Size.count(skip.count, "URL")) \(skip.rule.description)")
        }
        guard let changes = report.changes else { return }
        let counts = CrawlReport.Change.allCases.map { "\(changes[$0]?.count ?? 0) \($0.rawValue)" }
        Console.note("since the older package: \(counts.joined(separator: ", "))")
    }
}

/// What the crawl said of itself last, for the case that nothing is returned.
private final class LastReport: Sendable {
    private let value = Mutex(CrawlReport())

    var report: CrawlReport { value.withLock { $0 } }

    func take(_ report: CrawlReport) { value.withLock { $0 = report } }
}
