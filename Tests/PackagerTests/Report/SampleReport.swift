import AFCCaching
import AFCCrawlRules
import AFCCrawler
import AFCHTTP
import AFCPackager
import AFCURL

/// Reports that several tests look at.
enum SampleReport {
    /// A report with something in each of its parts, and with what a hostile site may put there.
    static func hostile() throws -> CrawlReport {
        var report = CrawlReport()
        let seed = try WebURL("http://docs.example/")
        report.seeds = [seed]
        report.generator = "afcache/0.1.0"
        report.started = Timestamp(secondsSinceEpoch: 1_000_000_000)
        report.finished = Timestamp(secondsSinceEpoch: 1_000_000_090)
        report.elapsed = .milliseconds(90_250)
        report.resumed = 1
        report.package = CrawlReport.Package(name: "<b>docs</b>.zip", bytes: 1234)
        (report.requests, report.retries) = (20, 3)
        report.noteFetched(
            seed,
            status: 200,
            mediaType: "text/html",
            bytes: 2_000,
            received: 900,
            elapsed: .milliseconds(20),
            depth: 0,
            referrer: nil
        )
        report.noteFetched(
            try WebURL("http://docs.example/o'clock?<script>"),
            status: 200,
            mediaType: "text/<b onclick=x>",
            bytes: 5_000_000,
            received: 5_000_000,
            elapsed: .seconds(2),
            depth: 1,
            referrer: seed
        )
        report.noteRedirect(
            try WebURL("http://docs.example/old"),
            status: 301,
            to: try WebURL("http://docs.example/new"),
            referrer: seed
        )
        report.noteFailure(
            .init(
                url: try WebURL("http://docs.example/new"),
                reason: .status(404, reason: "<img src=x onerror=alert(1)>\u{1B}[31m\u{202E}\"'&"),
                referrer: seed
            )
        )
        report.noteFailure(.init(url: try WebURL("http://gone.example/"), reason: .unknownHost, referrer: nil))
        report.noteCut(
            .init(url: try WebURL("http://docs.example/large"), limits: [.references, .text], referrer: seed)
        )
        report.noteSkip(try WebURL("javascript:alert('<script>\"</a>')"), .scheme)
        report.noteSkip(try WebURL("http://other.example/"), .scope)
        report.noteChange(try WebURL("http://docs.example/a"), .added)
        report.noteChange(try WebURL("http://docs.example/c"), .changed)
        report.noteChange(try WebURL("http://docs.example/r"), .removed)
        report.noteChange(seed, .unchanged)
        return report
    }
}
