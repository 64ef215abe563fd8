import AFCCaching
import AFCCrawlRules
import AFCCrawler
import AFCDiscovery
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
        var recorder = CrawlRecorder(report)
        recorder.noteFetched(
            seed,
            status: 200,
            mediaType: "text/html",
            bytes: 2_000,
            received: 900,
            elapsed: .milliseconds(20),
            depth: 0,
            referrer: nil
        )
        recorder.noteFetched(
            try WebURL("http://docs.example/o'clock?<script>"),
            status: 200,
            mediaType: "text/<b onclick=x>",
            bytes: 5_000_000,
            received: 5_000_000,
            elapsed: .seconds(2),
            depth: 1,
            referrer: seed
        )
        recorder.noteUsage(UsagePreferences(contentSignal: ["ai-train=no, search=yes"]))
        recorder.noteRedirect(
            try WebURL("http://docs.example/old"),
            status: 301,
            to: try WebURL("http://docs.example/new"),
            referrer: seed
        )
        recorder.noteFailure(
            .init(
                url: try WebURL("http://docs.example/new"),
                reason: .status(404, reason: "<img src=x onerror=alert(1)>\u{1B}[31m\u{202E}\"'&"),
                referrer: seed
            )
        )
        recorder.noteFailure(.init(url: try WebURL("http://gone.example/"), reason: .unknownHost, referrer: nil))
        recorder.noteCut(
            .init(url: try WebURL("http://docs.example/large"), limits: [.references, .text], referrer: seed)
        )
        recorder.noteSkip(try WebURL("javascript:alert('<script>\"</a>')"), .scheme)
        recorder.noteSkip(try WebURL("http://other.example/"), .scope)
        recorder.noteUnread([UnreadCall(line: 1, column: 9, code: "fetch('/</script><b>'+a)")], in: seed, isEarly: true)
        recorder.noteUnfound("</script>/list.json", in: seed)
        recorder.noteChange(try WebURL("http://docs.example/a"), .added)
        recorder.noteChange(try WebURL("http://docs.example/c"), .changed)
        recorder.noteChange(try WebURL("http://docs.example/r"), .removed)
        recorder.noteChange(seed, .unchanged)
        return recorder.report
    }
}
