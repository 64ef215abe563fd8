import AFCCaching
import AFCCrawlRules
import AFCCrawler
import AFCPackager
import AFCURL
import Testing

struct CrawlReportTests {
    private func url(_ path: String) throws -> WebURL { try WebURL("http://d.example/" + path) }

    private func note(_ report: inout CrawlReport, _ path: String, type: String? = "text/css", bytes: Int64 = 1) throws
    {
        report.noteFetched(
            try url(path),
            status: 200,
            mediaType: type,
            bytes: bytes,
            received: 0,
            elapsed: .milliseconds(bytes),
            depth: 0,
            referrer: nil
        )
    }

    @Test func `bytes, resources and statuses add up`() throws {
        var report = CrawlReport()
        try note(&report, "a", bytes: 10)
        try note(&report, "b", type: "TEXT/CSS", bytes: 20)
        try note(&report, "c", type: nil, bytes: 5)
        report.noteFailure(.init(url: try url("d"), reason: .status(404, reason: ""), referrer: nil))
        report.noteFailure(.init(url: try url("e"), reason: .timeout, referrer: nil))
        #expect(report.fetched == 3)
        #expect(report.bytes == 35)
        #expect(report.failed == 2)
        #expect(report.types.largestFirst.map(\.key) == ["text/css", ""])
        #expect(report.types.largestFirst.map(\.share.bytes) == [30, 5])
        #expect(report.statuses.sorted.map(\.key) == [200, 404])
        #expect(report.statuses.sorted.map(\.share.count) == [3, 1])
    }

    @Test func `the first hundred types are told apart, the rest is one`() throws {
        var report = CrawlReport()
        for index in 0..<250 { try note(&report, "\(index)", type: "x/\(index)", bytes: 2) }
        #expect(report.types.shares.count == 100)
        #expect(report.types.other.count == 150)
        #expect(report.types.other.bytes == 300)
        #expect(report.types.total == 250)
        #expect(report.types.shares["x/99"]?.count == 1)
    }

    @Test func `the largest and slowest twenty don't depend on the order of arrival`() throws {
        var (forward, backward) = (CrawlReport(), CrawlReport())
        for index in 0..<60 { try note(&forward, "\(index + 100)", bytes: Int64(index / 2)) }
        for index in (0..<60).reversed() { try note(&backward, "\(index + 100)", bytes: Int64(index / 2)) }
        #expect(forward.largest == backward.largest)
        #expect(forward.slowest == backward.slowest)
        #expect(forward.largest.places.count == 20)
        #expect(forward.largest.places.map(\.measure).prefix(4) == [29, 29, 28, 28])
        #expect(forward.largest.places.map(\.url.path).prefix(4) == ["/158", "/159", "/156", "/157"])
    }

    @Test func `failures beyond ten thousand are counted`() throws {
        var report = CrawlReport()
        for index in 0..<10_050 {
            report.noteFailure(.init(url: try url("\(index)"), reason: .refused, referrer: nil))
        }
        #expect(report.failures.count == 10_000)
        #expect(report.unlistedFailures == 50)
        #expect(report.failed == 10_050)
    }

    @Test func `failures with long texts are listed up to eight mebibytes`() throws {
        var report = CrawlReport()
        let long = String(repeating: "x", count: 1 << 20)
        for index in 0..<20 {
            report.noteFailure(.init(url: try url("\(index)"), reason: .location(long), referrer: nil))
        }
        report.noteFailure(.init(url: try url("short"), reason: .timeout, referrer: nil))
        #expect(report.failures.count == 7)
        #expect(report.failed == 21)
    }

    @Test func `what a rule skipped is counted, with ten examples that aren't too long`() throws {
        var report = CrawlReport()
        report.noteSkip(try WebURL("data:," + String(repeating: "x", count: 20_000)), .scheme)
        for index in 0..<12 { report.noteSkip(try url("\(index)"), .scope) }
        report.noteSkip(try url("x"), .depth)
        #expect(report.skipped.map(\.rule) == [.depth, .scheme, .scope])
        #expect(report.skipped.map(\.count) == [1, 1, 12])
        #expect(report.skipped.map(\.examples.count) == [1, 0, 10])
        #expect(report.skipped.last?.examples.last?.path == "/9")
        #expect(report.skippedCount == 14)
    }

    @Test func `redirects that follow one another are a chain, and its first link is advised about`() throws {
        var report = CrawlReport()
        for (from, to, status) in [("a", "b", 301), ("x", "y", 302), ("b", "c", 308), ("c", "d", 301)] {
            report.noteRedirect(try url(from), status: status, to: try url(to), referrer: try url(""))
        }
        try note(&report, "d")
        report.noteRedirect(try url("d2"), status: 301, to: try url("d"), referrer: nil)
        #expect(report.redirects == 5)
        #expect(report.redirection.permanent == 4)
        #expect(report.redirection.chains == 1)
        #expect(report.redirection.longestChain == 3)
        #expect(report.redirection.advice.map(\.url.path) == ["/a", "/d2"])
        #expect(report.redirection.advice.map(\.target.path) == ["/b", "/d"])
    }

    @Test func `changes are counted, and the first thousand of each kind listed`() throws {
        var report = CrawlReport()
        #expect(report.changes == nil)
        report.noteComparison()
        #expect(report.changes?.count == 4)
        for index in 0..<1001 { report.noteChange(try url("\(index)"), .removed) }
        report.noteChange(try url("n"), .added)
        #expect(report.changes?[.removed]?.count == 1001)
        #expect(report.changes?[.removed]?.urls.count == 1000)
        #expect(report.changes?[.added]?.urls.map(\.path) == ["/n"])
        #expect(report.changes?[.unchanged]?.count == 0)
    }

    @Test func `depths beyond the hundredth are one`() throws {
        var report = CrawlReport()
        for depth in [0, 2, 2, 99, 100, 5_000_000] {
            report.noteFetched(
                try url("\(depth)"),
                status: 200,
                mediaType: nil,
                bytes: 0,
                received: 0,
                elapsed: .zero,
                depth: depth,
                referrer: nil
            )
        }
        #expect(report.depths.count == 100)
        #expect(report.depths.prefix(4) == [1, 0, 2, 0])
        #expect(report.depths.last == 3)
    }

    @Test(
        arguments: [
            (.finished, 0, 0, .empty), (.finished, 0, 1, .empty), (.finished, 1, 0, .complete),
            (.finished, 1, 1, .incomplete), (.interrupted, 1, 1, .interrupted), (.interrupted, 0, 0, .interrupted),
            (.error("full"), 1, 0, .error),
        ] as [(CrawlReport.Ending, Int, Int, CrawlReport.Outcome)]
    ) func `an outcome is one word`(
        ending: CrawlReport.Ending,
        resources: Int,
        failures: Int,
        expected: CrawlReport.Outcome
    ) throws {
        var report = CrawlReport()
        report.ending = ending
        for _ in 0..<resources { try note(&report, "a") }
        for _ in 0..<failures { report.noteFailure(.init(url: try url("f"), reason: .timeout, referrer: nil)) }
        #expect(report.outcome == expected)
    }
}
