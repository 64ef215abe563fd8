import AFCText
import AFCURL
import Testing

@testable import AFCTrial

struct TrialReportTests {
    private func report() throws -> TrialReport {
        let page = try WebURL("https://docs.example/<a>")
        var report = TrialReport(package: "a&b.zip", against: "old.zip")
        var first = TrialReport.Page(url: page, title: "<script>alert(1)</script>")
        first.picture = [1, 2, 3]
        first.comparison = TrialReport.Comparison(missingWords: 0.0125, newWords: 1, differentPixels: nil)
        report.pages = [first]
        report.search = TrialSearch(.found, page: page, word: "foghorn")
        var verdict = Verdict()
        var seen = PageObservation(page: page)
        seen.requests = [.init(url: try WebURL("https://docs.example/a.js?b=1&c='2'"), type: "Script", fate: .missing)]
        seen.problems = [.init(.console, "no <b>\u{7}")]
        verdict.add(seen)
        report.findings = verdict.findings
        return report
    }

    @Test func `the JSON document is as specified`() throws {
        let json = try JSONValue(parsing: try report().json())
        #expect(json["version"]?.integer == 1)
        #expect(json["worksOffline"] == .bool(false))
        #expect(json["package"]?.string == "a&b.zip")
        #expect(json["against"]?.string == "old.zip")
        let page = try #require(json["pages"]?.array?.first)
        #expect(page["title"]?.string == "<script>alert(1)</script>")
        #expect(page["missingWords"] == .number("0.013"))
        #expect(page["newWords"] == .number("1.000"))
        #expect(page["differentPixels"] == .null)
        #expect(json["search"]?["outcome"]?.string == "found")
        let fault = try #require(json["faults"]?.array?.first)
        #expect(fault["kind"]?.string == "missing-script")
        #expect(fault["remedy"]?.string == "render")
        #expect(fault["pages"]?.integer == 1)
        #expect(json["hints"]?.array?.first?["subject"]?.string == "no <b>\\u{7}")
        #expect(json["reloaded"] == .null)
    }

    @Test func `the page has pictures, and text of the package is only text`() throws {
        let html = String(decoding: try report().html { "mend: \($0.rawValue)" }, as: UTF8.self)
        #expect(html.contains("src=\"data:image/jpeg;base64,AQID\""))
        #expect(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
        #expect(!html.contains("<script"))
        #expect(html.contains("a&amp;b.zip"))
        #expect(html.contains("doesn&#39;t work offline: 1 fault<"))
        #expect(html.contains("mend: render"))
        #expect(html.contains("default-src 'none'; style-src 'unsafe-inline'; img-src data:"))
    }

    @Test func `JUnit has a case for each page`() throws {
        let xml = String(decoding: try report().junit(), as: UTF8.self)
        #expect(xml.contains("<testsuite name=\"a&amp;b.zip\" tests=\"1\" failures=\"1\""))
        #expect(xml.contains("name=\"https://docs.example/%3Ca%3E\""))
        #expect(
            xml.contains(
                "<failure type=\"missing-script\" message=\"missing script: https://docs.example/a.js?b=1&amp;c"
            )
        )
        #expect(xml.contains("<system-out>error on the console: no &lt;b&gt;\\u{7}"))
    }

    @Test func `the verdict is one sentence`() throws {
        var report = try report()
        #expect(report.verdict == "doesn't work offline: 1 fault")
        #expect(report.missing == ["https://docs.example/a.js?b=1&c=%272%27"] || report.missing.count == 1)
        report.findings = report.hints
        #expect(report.worksOffline)
        #expect(report.verdict == "works offline: 1 page, 0 links and a search for 'foghorn'")
        #expect(TrialReport(package: "x").verdict == "doesn't work offline: it has no page")
        #expect(!TrialReport(package: "x").worksOffline)
    }

    @Test func `a page that lacks words of the other site is a fault, one that looks different a hint`() throws {
        var report = try report()
        report.search?.outcome = .nothing
        for (missing, pixels) in [(0.05, 0.01), (0.2, 0.5)] {
            report.pages[0].comparison = .init(missingWords: missing, newWords: 0, differentPixels: pixels)
            report.judge([])
            #expect(
                report.findings.map(\.kind)
                    == (missing > 0.1 ? [.differs, .searchUnjudged, .pictures] : [.searchUnjudged])
            )
        }
    }

    @Test func `words to search for come from headings of few pages, and aren't visible where the search is`() throws {
        func page(_ name: String, _ headings: String, _ text: String) throws -> SearchWords.Page {
            SearchWords.Page(url: try WebURL("https://docs.example/" + name), headings: headings, text: text)
        }
        let pages = [
            try page("a", "Handbook: Lamps", "Trim the wicks"), try page("b", "Handbook: Storms", "foghorn"),
            try page("c", "", "Soundings are in fathoms"),
        ]
        let chosen = SearchWords.choose(pages, shown: "Welcome. Lamps!", count: 3)
        #expect(chosen.map(\.word) == ["storms", "handbook", "fathoms"])
        #expect(chosen.map(\.page.path) == ["/b", "/a", "/c"])
        #expect(SearchWords.choose([], shown: "", count: 3).isEmpty)
        #expect(SearchWords.count("foghorn", in: "The FOGHORN, foghorns; not afoghorn") == 2)
    }
}
