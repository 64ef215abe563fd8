import AFCCrawlRules
import AFCPackager
internal import AFCText
import ArgumentParser
import Synchronization

/// A crawl that only prints what it would fetch.
struct DryRun {
    let isJSON: Bool
    let failOn: CrawlReport.Threshold

    /// Prints a line for each URL as the crawl meets it, and the counts at its end.
    ///
    /// - Parameter crawl: Crawls, and reports events.
    /// - Throws: An error of the crawl, or the exit code.
    func run(_ crawl: @escaping @Sendable (@escaping @Sendable (CrawlEvent) -> Void) async throws -> Void) async throws
    {
        let plan = PlanPrinter(isJSON: isJSON)
        try await StopSignals.cancelling {
            try await crawl { plan.print($0) }
        }
        let counts = plan.plan
        if isJSON {
            Console.print(counts.json)
        } else {
            let failures = counts.failed > 0 ? ", \(counts.failed) failed" : ""
            Console.complain(
                "would fetch \(Quantity.count(counts.pages, "page")) and \(Quantity.count(counts.requisites, "requisite")), "
                    + "skip \(counts.skipped)\(failures)"
            )
        }
        Console.flush()
        if counts.pages + counts.requisites == 0 { throw ExitStatus.nothingToPack.code }
        if plan.report.isFailed(at: failOn) { throw ExitStatus.incomplete.code }
    }
}

/// Prints a plan's lines in the order of the events.
private final class PlanPrinter: Sendable {
    private let state = Mutex(CrawlPlan())
    private let end = Mutex(CrawlReport())
    private let isJSON: Bool

    init(isJSON: Bool) { self.isJSON = isJSON }

    var plan: CrawlPlan { state.withLock { $0 } }

    /// The final report of the crawl.
    var report: CrawlReport { end.withLock { $0 } }

    func print(_ event: CrawlEvent) {
        if case .ended(let report) = event { end.withLock { $0 = report } }
        state.withLock { plan in
            guard let line = plan.take(event) else { return }
            Console.print(isJSON ? line.json : line.text)
        }
    }
}
