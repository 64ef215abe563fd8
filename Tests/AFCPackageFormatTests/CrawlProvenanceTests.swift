import AFCURL
import Testing

@testable import AFCPackageFormat

/// `.afcache/crawl.json`, read and written; docs/reference/format.md is its contract.
struct CrawlProvenanceTests {
    private let text = """
        {
          "resources": "5e",
          "options": "0a",
          "robots": {"http://a.example":"none","http://b.example":"1b"},
          "failed": [{"url":"http://a.example/x","status":404,"foundOn":"http://a.example/"},{"url":"http://b.example/","status":410}],
          "skipped": {"robots":1,"scope":12}
        }

        """

    private func provenance() throws -> CrawlProvenance {
        var provenance = CrawlProvenance(
            options: "0a",
            robots: ["http://b.example": "1b", "http://a.example": "none"],
            failed: [
                .init(url: try WebURL("http://a.example/x"), status: 404, foundOn: try WebURL("http://a.example/")),
                .init(url: try WebURL("http://b.example/"), status: 410, foundOn: nil),
            ],
            skipped: ["scope": 12, "robots": 1]
        )
        provenance.resources = "5e"
        return provenance
    }

    @Test func `the provenance is written with sorted names, one member per line`() throws {
        #expect(String(decoding: try provenance().bytes, as: UTF8.self) == text)
    }

    @Test func `what was written is read again`() throws {
        #expect(CrawlProvenance(Array(text.utf8)) == (try provenance()))
    }

    @Test func `guesses and the usual icon aren't missing`() throws {
        var provenance = try provenance()
        #expect(provenance.missing == 2)
        provenance.failed[0].importance = "guess"
        #expect(provenance.missing == 1)
        var icon = CrawlProvenance.Failure(url: try WebURL("http://a.example/favicon.ico"), status: 404, foundOn: nil)
        icon.importance = "optional"
        provenance.failed.append(icon)
        #expect(provenance.missing == 1)
    }

    @Test func `unknown members are ignored`() {
        let text = #"{"resources":"5","options":"0","robots":{},"failed":[],"skipped":{},"later":[1]}"#
        #expect(CrawlProvenance(Array(text.utf8))?.options == "0")
    }

    @Test(
        arguments: [
            "", "[]", "{", #"{"resources":"5","options":1,"robots":{},"failed":[],"skipped":{}}"#,
            #"{"resources":"5","robots":{},"failed":[],"skipped":{}}"#,
            #"{"options":"0","robots":{},"failed":[],"skipped":{}}"#,
            #"{"resources":"5","options":"0","robots":{"a":1},"failed":[],"skipped":{}}"#,
            #"{"resources":"5","options":"0","robots":{},"failed":["x"],"skipped":{}}"#,
            #"{"resources":"5","options":"0","robots":{},"failed":[{"url":"x","status":404}],"skipped":{}}"#,
            #"{"resources":"5","options":"0","robots":{},"failed":[{"url":"http://a.example/","status":200}],"skipped":{}}"#,
            #"{"resources":"5","options":"0","robots":{},"failed":[{"url":"http://a.example/","status":404,"foundOn":"x"}],"skipped":{}}"#,
            #"{"resources":"5","options":"0","robots":{},"failed":[],"skipped":{"scope":-1}}"#,
            #"{"resources":"5","options":"0","robots":{},"failed":[],"skipped":{"scope":1e99}}"#,
        ]
    )
    func `values that aren't as documented are ignored`(text: String) {
        #expect(CrawlProvenance(Array(text.utf8)) == nil)
    }
}
