import AFCCaching
import AFCCrawlRules
import AFCCrawler
import AFCPackager
import AFCURL
import Testing

struct CrawlReportTests {
    private func url(_ path: String) throws -> WebURL { try WebURL("http://d.example/" + path) }

    private func note(_ recorder: inout CrawlRecorder, _ path: String, type: String? = "text/css", bytes: Int64 = 1)
        throws
    {
        try note(&recorder, url(path), type: type, bytes: bytes, referrer: nil)
    }

    private func note(
        _ recorder: inout CrawlRecorder,
        _ url: WebURL,
        type: String?,
        bytes: Int64 = 1,
        referrer: WebURL?
    ) throws {
        recorder.noteFetched(
            url,
            status: 200,
            mediaType: type,
            bytes: bytes,
            received: 0,
            elapsed: .milliseconds(bytes),
            depth: referrer == nil ? 0 : 1,
            referrer: referrer
        )
    }

    @Test func `bytes, resources and statuses add up`() throws {
        var recorder = CrawlRecorder()
        try note(&recorder, "a", bytes: 10)
        try note(&recorder, "b", type: "TEXT/CSS", bytes: 20)
        try note(&recorder, "c", type: nil, bytes: 5)
        recorder.noteFailure(.init(url: try url("d"), reason: .status(404, reason: ""), referrer: nil))
        recorder.noteFailure(.init(url: try url("e"), reason: .timeout, referrer: nil))
        let report = recorder.report
        #expect(report.fetched == 3)
        #expect(report.bytes == 35)
        #expect(report.failed == 2)
        #expect(report.types.largestFirst.map(\.key) == ["text/css", ""])
        #expect(report.types.largestFirst.map(\.share.bytes) == [30, 5])
        #expect(report.statuses.sorted.map(\.key) == [200, 404])
        #expect(report.statuses.sorted.map(\.share.count) == [3, 1])
    }

    @Test(arguments: [
        (seeds: ["docs/start.html"], inside: 10, outside: 20, isPart: true), (["docs/"], 18, 20, true),
        (["docs/"], 19, 20, false),
        (["docs/"], 30, 29, false), (["docs/"], 0, 19, false), (["docs/", "docs/b.html"], 5, 30, true),
        (["docs/", "blog/"], 5, 30, false), ([""], 30, 30, false),
    ])
    func `a start page whose folder is a small part of the site is noticed`(
        seeds: [String],
        inside: Int,
        outside: Int,
        isPart: Bool
    ) throws {
        var recorder = CrawlRecorder()
        for seed in seeds { try note(&recorder, url(seed), type: "text/html", referrer: nil) }
        let pages =
            (0..<inside).map { "docs/\($0)/" } + (0..<outside).map { "other/\($0)/" } + ["docs/a.css", "other/b.png"]
        for page in pages {
            try note(
                &recorder,
                url(page),
                type: page.hasSuffix("/") ? "text/html" : "text/css",
                referrer: url(seeds[0])
            )
        }
        for index in 0..<40 {
            let foreign = try WebURL("http://e.example/\(index)")
            try note(&recorder, foreign, type: "text/html", referrer: url(seeds[0]))
        }
        #expect((recorder.report.folder?.isSmallPart ?? false) == isPart)
    }

    @Test func `the first hundred types are distinguished, and the rest counts as one`() throws {
        var recorder = CrawlRecorder()
        for index in 0..<250 { try note(&recorder, "\(index)", type: "x/\(index)", bytes: 2) }
        let report = recorder.report
        #expect(report.types.shares.count == 100)
        #expect(report.types.other.count == 150)
        #expect(report.types.other.bytes == 300)
        #expect(report.types.total == 250)
        #expect(report.types.shares["x/99"]?.count == 1)
    }

    @Test func `the largest and slowest twenty don't depend on the order of arrival`() throws {
        var (forward, backward) = (CrawlRecorder(), CrawlRecorder())
        for index in 0..<60 { try note(&forward, "\(index + 100)", bytes: Int64(index / 2)) }
        for index in (0..<60).reversed() { try note(&backward, "\(index + 100)", bytes: Int64(index / 2)) }
        #expect(forward.report.largest == backward.report.largest)
        #expect(forward.report.slowest == backward.report.slowest)
        #expect(forward.report.largest.places.count == 20)
        #expect(forward.report.largest.places.map(\.measure).prefix(4) == [29, 29, 28, 28])
        #expect(forward.report.largest.places.map(\.url.path).prefix(4) == ["/158", "/159", "/156", "/157"])
    }

    @Test func `failures beyond ten thousand are counted`() throws {
        var recorder = CrawlRecorder()
        for index in 0..<10_050 {
            recorder.noteFailure(.init(url: try url("\(index)"), reason: .refused, referrer: nil))
        }
        let report = recorder.report
        #expect(report.failures.count == 10_000)
        #expect(report.unlistedFailures == 50)
        #expect(report.failed == 10_050)
    }

    @Test func `failures with long texts are listed up to eight mebibytes`() throws {
        var recorder = CrawlRecorder()
        let long = String(repeating: "x", count: 1 << 20)
        for index in 0..<20 {
            recorder.noteFailure(.init(url: try url("\(index)"), reason: .location(long), referrer: nil))
        }
        recorder.noteFailure(.init(url: try url("short"), reason: .timeout, referrer: nil))
        let report = recorder.report
        #expect(report.failures.count == 7)
        #expect(report.failed == 21)
    }

    @Test func `the URLs that a rule skipped are counted, with ten short examples`() throws {
        var recorder = CrawlRecorder()
        recorder.noteSkip(try WebURL("data:," + String(repeating: "x", count: 20_000)), .scheme)
        for index in 0..<12 { recorder.noteSkip(try url("\(index)"), .scope) }
        recorder.noteSkip(try url("x"), .depth)
        let report = recorder.report
        #expect(report.skipped.map(\.rule) == [.depth, .scheme, .scope])
        #expect(report.skipped.map(\.count) == [1, 1, 12])
        #expect(report.skipped.map(\.examples.count) == [1, 0, 10])
        #expect(report.skipped.last?.examples.last?.path == "/9")
        #expect(report.skippedCount == 14)
    }

    @Test func `consecutive redirects are a chain, and the first link gets the advice`() throws {
        var recorder = CrawlRecorder()
        for (from, to, status) in [("a", "b", 301), ("x", "y", 302), ("b", "c", 308), ("c", "d", 301)] {
            recorder.noteRedirect(try url(from), status: status, to: try url(to), referrer: try url(""))
        }
        try note(&recorder, "d")
        recorder.noteRedirect(try url("d2"), status: 301, to: try url("d"), referrer: nil)
        let report = recorder.report
        #expect(report.redirects == 5)
        #expect(report.redirection.permanent == 4)
        #expect(report.redirection.chains == 1)
        #expect(report.redirection.longestChain == 3)
        #expect(report.redirection.advice.map(\.url.path) == ["/a", "/d2"])
        #expect(report.redirection.advice.map(\.target.path) == ["/b", "/d"])
    }

    @Test func `changes are counted, and the first thousand of each kind listed`() throws {
        var recorder = CrawlRecorder()
        #expect(recorder.report.changes == nil)
        recorder.noteComparison()
        #expect(recorder.report.changes?.count == 4)
        for index in 0..<1001 { recorder.noteChange(try url("\(index)"), .removed) }
        recorder.noteChange(try url("n"), .added)
        #expect(recorder.report.changes?[.removed]?.count == 1001)
        #expect(recorder.report.changes?[.removed]?.urls.count == 1000)
        #expect(recorder.report.changes?[.added]?.urls.map(\.path) == ["/n"])
        #expect(recorder.report.changes?[.unchanged]?.count == 0)
    }

    @Test func `depths beyond 100 count as one`() throws {
        var recorder = CrawlRecorder()
        for depth in [0, 2, 2, 99, 100, 5_000_000] {
            recorder.noteFetched(
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
        let report = recorder.report
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
        var recorder = CrawlRecorder()
        for _ in 0..<resources { try note(&recorder, "a") }
        for _ in 0..<failures { recorder.noteFailure(.init(url: try url("f"), reason: .timeout, referrer: nil)) }
        var report = recorder.report
        report.ending = ending
        #expect(report.outcome == expected)
    }
}
