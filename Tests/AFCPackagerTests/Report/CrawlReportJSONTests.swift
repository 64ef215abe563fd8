import AFCCaching
import AFCCrawlRules
import AFCCrawler
import AFCHTTP
import AFCPackager
import AFCURL
import Foundation
import Testing

struct CrawlReportJSONTests {
    @Test func `the document is as documented, byte by byte`() throws {
        var report = CrawlReport()
        let seed = try WebURL("http://d.example/")
        report.seeds = [seed]
        report.generator = "afcache/0.1.0"
        report.started = Timestamp(secondsSinceEpoch: 1_000_000_000)
        report.elapsed = .milliseconds(1_005)
        report.requests = 2
        var recorder = CrawlRecorder(report)
        recorder.noteFetched(
            seed,
            status: 200,
            mediaType: "text/html",
            bytes: 12,
            received: 10,
            elapsed: .milliseconds(7),
            depth: 0,
            referrer: nil
        )
        recorder.noteFailure(
            .init(url: try WebURL("http://d.example/x"), reason: .status(404, reason: "a\"\n"), referrer: seed)
        )
        let expected = #"""
            {
            "version": 1,
            "generator": "afcache/0.1.0",
            "outcome": "incomplete",
            "error": null,
            "seeds": ["http://d.example/"],
            "started": "2001-09-09T01:46:40Z",
            "finished": null,
            "seconds": 1.005,
            "resumed": 0,
            "package": null,
            "totals": {"requests":2,"retries":0,"resources":1,"redirects":0,"failures":1,"seedFailures":0,"requisiteFailures":0,"cuts":0,"skipped":0,"bytes":12,"received":10},
            "failures": [
              {"url":"http://d.example/x","kind":"status","status":404,"message":"status 404 a\"\n","foundOn":"http://d.example/","importance":"link"}
            ],
            "unlistedFailures": 0,
            "cuts": [],
            "unlistedCuts": 0,
            "skipped": [],
            "changes": null,
            "statuses": [
              {"status":200,"count":1},
              {"status":404,"count":1}
            ],
            "types": [
              {"type":"text/html","count":1,"bytes":12}
            ],
            "otherTypes": {"count":0,"bytes":0},
            "hosts": [
              {"host":"d.example","count":1,"bytes":12}
            ],
            "otherHosts": {"count":0,"bytes":0},
            "disallowedUsages": [],
            "depths": [1],
            "largest": [
              {"url":"http://d.example/","bytes":12,"type":"text/html","foundOn":null}
            ],
            "slowest": [
              {"url":"http://d.example/","seconds":0.007,"bytes":12,"type":"text/html","foundOn":null}
            ],
            "redirects": {"permanent":0,"chains":0,"longestChain":0,"advice":[]},
            "needsScripts": {"count":0,"examples":[]},
            "answeredWithPage": {"count":0,"examples":[]},
            "unreadCalls": {"count":0,"examples":[]},
            "unfoundFiles": {"count":0,"examples":[]},
            "absentGuesses": 0,
            "guessesLeftOut": 0,
            "renderings": 0
            }

            """#
        #expect(String(decoding: recorder.report.json(), as: UTF8.self) == expected)
    }

    @Test func `every member is in the table of the documentation, and every line of the table has its member`() throws
    {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appendingPathComponent("docs/reference/crawl-report.md"),
            encoding: .utf8
        )
        let table = page.components(separatedBy: "## Outcomes")[0].split(separator: "\n").filter { $0.hasPrefix("| `") }
        let documented = table.flatMap { line in
            line.split(separator: "|")[0].split(separator: "`").map(String.init).filter { $0.first?.isLetter == true }
        }
        let value = try JSONSerialization.jsonObject(with: Data(try SampleReport.hostile().json()))
        #expect(Set(documented) == paths(value, "").union(["changes", "package"]))
        #expect(Set(documented).count == documented.count)
    }

    /// The paths of all values that are no objects, as the documentation writes them.
    private func paths(_ value: Any, _ path: String) -> Set<String> {
        if let object = value as? [String: Any] {
            return object.reduce(into: []) {
                $0.formUnion(paths($1.value, path.isEmpty ? $1.key : "\(path).\($1.key)"))
            }
        }
        if let array = value as? [Any], array.first is [String: Any] {
            return array.reduce(into: []) { $0.formUnion(paths($1, path + "[]")) }
        }
        return [path]
    }

    @Test func `a hostile site's content stays within its string`() throws {
        let bytes = try SampleReport.hostile().json()
        #expect(!bytes.contains { $0 < 0x20 && $0 != 0x0A || $0 == 0x7F })
        let value = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        let failures = try #require(value["failures"] as? [[String: Any]])
        #expect(
            failures.first?["message"] as? String
                == "status 404 <img src=x onerror=alert(1)>\u{1B}[31m\u{202E}\"'&"
        )
        #expect(failures.last?["kind"] as? String == "unknown-host")
        #expect(failures.last?["foundOn"] is NSNull)
        let skipped = try #require(value["skipped"] as? [[String: Any]])
        #expect(skipped.first?["examples"] as? [String] == ["javascript:alert('<script>\"</a>')"])
    }
}
