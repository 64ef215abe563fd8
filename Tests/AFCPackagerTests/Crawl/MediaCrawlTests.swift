import AFCCrawlRules
import AFCCrawler
import AFCDiscovery
import AFCHTTP
import AFCPackager
import AFCURL
import TestOrigin
import Testing

/// Crawls of pages with streams.
struct MediaCrawlTests {
    private typealias Answer = TestOrigin.Answer

    private func page(_ source: String) -> [Answer] {
        [.html("<link rel=icon href=data:,><video><source src=\(source)></video>")]
    }

    private func playlist(_ lines: String...) -> [Answer] {
        [.text((["#EXTM3U"] + lines).joined(separator: "\n"), type: "application/vnd.apple.mpegurl")]
    }

    private var streams: [String: [Answer]] {
        let segment = [Answer.text("x", type: "video/mp4")]
        return [
            "/": page("v/master.m3u8"),
            "/v/master.m3u8": playlist(
                "#EXT-X-STREAM-INF:BANDWIDTH=1",
                "low/p.m3u8",
                "#EXT-X-STREAM-INF:BANDWIDTH=2",
                "high/p.m3u8"
            ),
            "/v/low/p.m3u8": playlist("#EXT-X-MAP:URI=\"i.mp4\"", "#EXTINF:1,", "0.m4s", "#EXT-X-ENDLIST"),
            "/v/high/p.m3u8": [
                .text("#EXTM3U\n#EXT-X-MAP:URI=\"i.mp4\"\n#EXTINF:1,\n0.m4s\n#EXT-X-ENDLIST", type: "text/plain")
            ],
            "/v/low/i.mp4": segment, "/v/low/0.m4s": segment, "/v/high/i.mp4": segment, "/v/high/0.m4s": segment,
        ]
    }

    @Test(arguments: [
        (MediaSelection.all, ["low", "high"]), (.best, ["high"]), (.smallest, ["low"]), (.none, []),
    ])
    func `the chosen streams are fetched with all of their pieces`(selection: MediaSelection, names: [String])
        async throws
    {
        let (targets, report) = try await crawled(streams) { $0.media = selection }
        let pieces = names.flatMap { name in ["p.m3u8", "i.mp4", "0.m4s"].map { "/v/\(name)/\($0)" } }
        #expect(targets.sorted() == (["/", "/v/master.m3u8"] + pieces).sorted())
        #expect(report.outcome == .complete)
    }

    @Test func `the option is part of what a crawl can be resumed with`() async throws {
        let url = try WebURL("http://d.example/")
        var options = CrawlOptions(seeds: [url], now: { Timestamp(secondsSinceEpoch: 0) })
        let all = options.digest(generator: "x")
        options.media = .best
        #expect(options.digest(generator: "x") != all)
    }

    @Test func `a stream whose addresses import a variable is fetched`() async throws {
        let segment = [Answer.text("x", type: "video/mp2t")]
        let (targets, report) = try await crawled([
            "/": page("m.m3u8"),
            "/m.m3u8": playlist("#EXT-X-DEFINE:NAME=\"p\",VALUE=\"x\"", "#EXT-X-STREAM-INF:BANDWIDTH=1", "{$p}.m3u8"),
            "/x.m3u8": playlist("#EXT-X-DEFINE:IMPORT=\"p\"", "#EXTINF:1,", "{$p}/0.ts", "#EXT-X-ENDLIST"),
            "/x/0.ts": segment,
        ])
        #expect(Set(targets) == ["/", "/m.m3u8", "/x.m3u8", "/x/0.ts"] && report.outcome == .complete)
        let (_, undefined) = try await crawled([
            "/": page("m.m3u8"),
            "/m.m3u8": playlist("#EXT-X-DEFINE:IMPORT=\"p\"", "#EXTINF:1,", "{$p}/0.ts", "#EXT-X-ENDLIST"),
        ])
        #expect(undefined.cuts.map(\.limits) == [[.variables]])
    }

    @Test func `a live stream and a protected one make the package incomplete`() async throws {
        let (_, live) = try await crawled([
            "/": page("l.m3u8"), "/l.m3u8": playlist("#EXT-X-TARGETDURATION:1", "#EXTINF:1,", "0.ts"),
            "/0.ts": [.text("x", type: "video/mp2t")],
        ])
        #expect(live.cuts.map(\.limits) == [[.live]] && live.outcome == .incomplete)
        #expect(!live.isFailed(at: .requisite))
        let (targets, protected) = try await crawled([
            "/": page("l.m3u8"),
            "/l.m3u8": playlist(
                "#EXT-X-KEY:METHOD=SAMPLE-AES-CTR,URI=\"data:,x\",KEYFORMAT=\"urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed\"",
                "#EXTINF:1,",
                "0.m4s",
                "#EXT-X-ENDLIST"
            ),
        ])
        #expect(protected.cuts.map(\.limits) == [[.protection]] && protected.isFailed(at: .requisite))
        #expect(Set(targets) == ["/", "/l.m3u8"])
    }

    @Test func `playlists that name each other end`() async throws {
        let (targets, _) = try await crawled([
            "/": page("a/m.m3u8"),
            "*": playlist("#EXT-X-STREAM-INF:BANDWIDTH=1", "a/m.m3u8", "#EXTINF:1,", "b/s.m3u8"),
        ])
        #expect(Set(targets) == ["/", "/a/m.m3u8", "/a/a/m.m3u8", "/a/b/s.m3u8", "/a/a/b/s.m3u8"])
    }

    @Test func `a missing segment is a failure`() async throws {
        let (_, report) = try await crawled([
            "/": page("d.mpd"),
            "/d.mpd": [
                .text(
                    "<MPD mediaPresentationDuration='PT2S'><Period><AdaptationSet><SegmentTemplate media='$Number$.m4s' duration='1'/><Representation/></AdaptationSet></Period></MPD>",
                    type: "application/dash+xml"
                )
            ], "/1.m4s": [.text("x", type: "video/iso.segment")],
        ])
        #expect(report.failures.map(\.url.path) == ["/2.m4s"])
        #expect(report.failures.map(\.importance) == [.requisite])
    }
}
