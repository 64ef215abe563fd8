import AFCCrawlRules
import AFCCrawler
import AFCPackageFormat
import AFCPackager
import AFCText
import AFCURL
import Testing

struct CrawlPlanTests {
    private static func url(_ text: String) throws -> WebURL { try WebURL(text) }

    @Test func `each URL has a line, and all are counted`() throws {
        let home = try Self.url("http://d.example/")
        let events: [CrawlEvent] = [
            .planned(home, role: .seed, depth: 0, referrer: nil),
            .fetched(home, bytes: 10),
            .planned(try Self.url("http://d.example/s.css"), role: .requisite, depth: 0, referrer: home),
            .planned(try Self.url("http://d.example/a"), role: .link, depth: 1, referrer: home),
            .skipped(try Self.url("http://other.example/"), .scope, referrer: home),
            .skipped(try Self.url("javascript:alert('\"<b>')"), .scheme, referrer: home),
            .failed(
                .init(url: try Self.url("http://d.example/a"), reason: .status(404, reason: "\u{1B}"), referrer: home)
            ),
            .failed(.init(url: try Self.url("http://d.example/robots.txt"), reason: .timeout, referrer: nil)),
        ]
        var plan = CrawlPlan()
        let lines = events.compactMap { plan.take($0) }
        #expect(
            lines.map(\.text) == [
                "page      0                 http://d.example/",
                "requisite 0                 http://d.example/s.css  on http://d.example/",
                "page      1                 http://d.example/a  on http://d.example/",
                "skip      scope             http://other.example/  on http://d.example/",
                "skip      scheme            javascript:alert('\"<b>')  on http://d.example/",
                "fail      404               http://d.example/a  on http://d.example/",
                "fail      timeout           http://d.example/robots.txt",
            ]
        )
        #expect(
            lines.map(\.json) == [
                #"{"action":"fetch","role":"page","depth":0,"url":"http://d.example/","foundOn":null}"#,
                #"{"action":"fetch","role":"requisite","depth":0,"url":"http://d.example/s.css","foundOn":"http://d.example/"}"#,
                #"{"action":"fetch","role":"page","depth":1,"url":"http://d.example/a","foundOn":"http://d.example/"}"#,
                #"{"action":"skip","rule":"scope","url":"http://other.example/","foundOn":"http://d.example/"}"#,
                #"{"action":"skip","rule":"scheme","url":"javascript:alert('\"<b>')","foundOn":"http://d.example/"}"#,
                #"{"action":"fail","kind":"status","message":"status 404 \u001b","url":"http://d.example/a","foundOn":"http://d.example/"}"#,
                #"{"action":"fail","kind":"timeout","message":"the request timed out","url":"http://d.example/robots.txt","foundOn":null}"#,
            ]
        )
        #expect(plan.json == #"{"action":"total","pages":2,"requisites":1,"skipped":2,"failed":2}"#)
    }

    @Test(
        arguments: [
            ("plain ünï", "plain ünï"), ("a\u{1B}[2Jb", "a\\u{1b}[2Jb"), ("a\r\nb\tc", "a\\u{d}\\u{a}b\\u{9}c"),
            ("\u{202E}x\u{2066}", "\\u{202e}x\\u{2066}"), ("\u{9B}", "\\u{9b}"), ("\u{FEFF}", "\\u{feff}"),
            ("a\u{2800}\u{3164}\u{FFA0}\u{115F}", "a\\u{2800}\\u{3164}\\u{ffa0}\\u{115f}"), ("\u{34F}", "\\u{34f}"),
            ("a\u{A0}b\u{3000}", "a\u{A0}b\u{3000}"),
        ]
    ) func `invisible characters, and those that move the cursor, are shown as numbers`(text: String, expected: String)
    {
        #expect(PrintableText.escaped(text) == expected)
    }
}
