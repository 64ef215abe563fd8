import AFCCrawlRules
import AFCCrawler
import AFCOrigin
import AFCPackageFile
import AFCPackageFormat
import AFCPackager
internal import AFCText
import AFCURL
import ArgumentParser
import Synchronization

/// One crawl from its start to its exit code: the package, the progress, and the report.
struct CrawlRun {
    let options: CrawlOptions
    let fetching: HTTPFetcher.Options
    let target: Packaging.Output
    let report: ReportFile?
    /// The importance of failures from which on the exit code is 5.
    var failOn = CrawlReport.Threshold.requisite
    /// The path of the events file, if one is wanted.
    var events: String?

    /// Crawls and packs.
    ///
    /// - Parameter show: Prints a summary of the package.
    /// - Throws: An error, or the exit code.
    func run(show: (PackageWriter.Summary) -> Void) async throws {
        if let report { try report.requirePlace(overwrites: target.overwrites) }
        let progress = CrawlProgress()
        let eventFile = try events.map { try EventFile(path: $0, overwrites: target.overwrites) }
        let last = LastReport()
        do {
            let (summary, found) = try await StopSignals.cancelling {
                try await progress.whileShown {
                    try await Packaging.pack(options, fetching: fetching, to: target) { event in
                        if case .ended(let report) = event { last.take(report) }
                        if case .started(let count, _) = event, count > 0 { Self.tellResumption(count) }
                        progress.note(event)
                        eventFile?.note(event)
                    }
                }
            }
            try eventFile?.finish()
            var report = found
            if let summary {
                let name = target.path.split(separator: "/").last.map(String.init) ?? target.path
                report.package = CrawlReport.Package(name: name, bytes: summary.packageBytes)
            }
            try write(report)
            if !report.skipped.contains(where: { $0.rule == .excluded }),
                let warning = URLPattern.warning(ofUnused: options.scope.exclude.map(\.description))
            {
                Console.complain(warning)
            }
            // Only start URLs and what they need were taken.
            if report.skipped.contains(where: { $0.rule == .notIncluded }),
                report.depths.dropFirst().allSatisfy({ $0 == 0 }),
                let warning = URLPattern.warning(ofUnmatched: options.scope.include.map(\.description))
            {
                Console.complain(warning)
            }
            let roots = fetching.access.trustRoots
            let shown = CrawlSummary(report: report, hasReport: self.report != nil, trustRoots: roots)
            for line in shown.lines { Console.note(line) }
            guard let summary else {
                Console.complain("error: \(Self.reason(of: report))")
                throw ExitStatus.nothingToPack.code
            }
            show(summary)
            if report.isFailed(at: failOn) { throw ExitStatus.incomplete.code }
        } catch let error as ExitCode {
            throw error
        } catch {
            try end(last.report, with: error)
            throw error
        }
    }

    /// Writes the report of a crawl that an error or a signal ended, and prints how much of it is kept.
    private func end(_ report: CrawlReport, with error: any Error) throws {
        var report = report
        let stopped = error as? Stopped
        let isStopped = stopped != nil || error is CancellationError
        report.ending = isStopped ? .interrupted : .error(Failure.describe(error)?.0 ?? "\(error)")
        try write(report)
        let kept = report.fetched + report.redirects + report.early
        guard let stopped else {
            // After a full disk, for example, the state file still has what was fetched.
            if kept > 0, let error = error as? PackagingError, error.code == .inputOutput {
                let resources = "\(Quantity.count(kept, "resource")) \(kept == 1 ? "is" : "are") kept"
                Console.note("stopped: \(resources); when the cause is removed, the same command resumes the crawl")
            }
            return
        }
        guard kept > 0 else { return }
        Console.note(
            "stopped: \(Quantity.count(kept, "resource")) \(kept == 1 ? "is" : "are") kept; the same command resumes the crawl"
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

    /// Returns the reason why there is no package.
    private static func reason(of report: CrawlReport) -> String {
        let end = "so no package was written"
        if report.removesTooMuch { return "the update would remove more than '--max-removed' allows, \(end)" }
        guard report.isLoggedOut, let form = report.loginForms.first else {
            return "nothing could be fetched, \(end)"
        }
        let found = "the site sent nothing but a login form (\(PrintableText.escaped(form.description)))"
        return report.hadLogin
            ? "\(found): the login that was given is wrong or has expired, \(end)"
            : "\(found), and the package there has more, \(end); log in with a browser and name a file of its cookies with "
                + "'--cookies', or replace the package with '--overwrite'"
    }

    private static func tellResumption(_ count: Int) {
        Console.endProgress()
        Console.note(
            "resuming an interrupted crawl with \(Quantity.count(count, "resource")); '--restart' starts over"
        )
    }
}

/// The latest report of the crawl, for crawls that end without returning one.
private final class LastReport: Sendable {
    private let value = Mutex(CrawlReport())

    var report: CrawlReport { value.withLock { $0 } }

    func take(_ report: CrawlReport) { value.withLock { $0 = report } }
}
