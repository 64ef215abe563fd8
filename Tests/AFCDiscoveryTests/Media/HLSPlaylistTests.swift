import AFCURL
import Testing

@testable import AFCDiscovery

/// Playlists of HTTP Live Streaming, by the sections of RFC 8216.
struct HLSPlaylistTests {
    private static let type = "application/vnd.apple.mpegurl"

    private static let multivariant = """
        #EXTM3U
        #EXT-X-VERSION:6
        #EXT-X-SESSION-DATA:DATA-ID="com.example.x",URI="data.json"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="hi",NAME="en, loud",URI="audio/hi.m3u8"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="lo",NAME="en",URI="audio/lo.m3u8"
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="de",URI="subs/de.m3u8"
        #EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="cc",NAME="x",INSTREAM-ID="CC1"
        #EXT-X-STREAM-INF:BANDWIDTH=800000,CODECS="avc1.4d401e,mp4a.40.2",AUDIO="lo",SUBTITLES="s"
        low.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=4000000,AUDIO="hi",SUBTITLES="s"

        high.m3u8?a=1
        #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=90000,URI="iframes.m3u8"
        """

    @Test(arguments: [
        (
            MediaSelection.all,
            [
                "/v/data.json", "/v/low.m3u8", "/v/high.m3u8?a=1", "/v/audio/hi.m3u8", "/v/audio/lo.m3u8",
                "/v/subs/de.m3u8", "/v/iframes.m3u8",
            ]
        ),
        (.best, ["/v/data.json", "/v/high.m3u8?a=1", "/v/audio/hi.m3u8", "/v/subs/de.m3u8"]),
        (.smallest, ["/v/data.json", "/v/low.m3u8", "/v/audio/lo.m3u8", "/v/subs/de.m3u8"]),
        (.none, []),
    ])
    func `streams of a multivariant playlist are chosen with their renditions (§4.3.4)`(
        selection: MediaSelection,
        expected: [String]
    ) throws {
        let found = try FoundMedia(Self.multivariant, Self.type, selection)
        #expect(found.paths == expected)
        #expect(found.cuts == [])
    }

    @Test(arguments: [
        // §4.3.2.1, §4.3.2.2: ranges of one file.
        (
            "#EXTINF:1,\n#EXT-X-BYTERANGE:10@0\na.ts\n#EXTINF:1,\n#EXT-X-BYTERANGE:10\na.ts\n#EXTINF:1,\nb.ts",
            ["/v/a.ts", "/v/b.ts"]
        ),
        // §4.3.2.5
        ("#EXT-X-MAP:URI=\"init.mp4\",BYTERANGE=\"616@0\"\n#EXTINF:1,\ns0.m4s", ["/v/init.mp4", "/v/s0.m4s"]),
        // §4.3.2.4
        ("#EXT-X-KEY:METHOD=AES-128,URI=\"k?x=1,2\",IV=0x1\n#EXTINF:1,\na.ts", ["/v/k?x=1,2", "/v/a.ts"]),
        ("#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"/k\"\n#EXTINF:1,\na.ts", ["/k", "/v/a.ts"]),
        ("#EXT-X-KEY:METHOD=NONE\n#EXTINF:1,\nhttps://cdn.example/a.ts", ["https://cdn.example/a.ts"]),
        ("#EXTINF:1,a title with, commas\n../a%20b.ts", ["/a%20b.ts"]),
        ("# a comment\n#EXTINF:1\r\na.ts\r\n\r\n", ["/v/a.ts"]),
        ("#EXTINF:1,\n#", []),
    ])
    func `segments, sections and keys of a media playlist are taken`(lines: String, expected: [String]) throws {
        let found = try FoundMedia("#EXTM3U\n#EXT-X-TARGETDURATION:2\n\(lines)\n#EXT-X-ENDLIST\n", Self.type)
        #expect(found.paths == expected)
        #expect(found.loads.allSatisfy { $0 == .segment })
        #expect(found.cuts == [])
    }

    @Test(arguments: [
        ("#EXT-X-DEFINE:NAME=\"p\",VALUE=\"x/y\"\n#EXTINF:1,\n{$p}/a.ts", ["/v/x/y/a.ts"]),
        ("#EXT-X-DEFINE:QUERYPARAM=\"t\"\n#EXT-X-MAP:URI=\"i.mp4?t={$t}\"", ["/v/i.mp4?t=1"]),
        (
            "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"b\"\n#EXT-X-DEFINE:NAME=\"c\",VALUE=\"{$a}{$a}\"\n#EXTINF:1,\n{$c}.ts",
            ["/v/bb.ts"]
        ),
        ("#EXT-X-DEFINE:IMPORT=\"p\"\n#EXTINF:1,\n{$p}/a.ts\n#EXTINF:1,\n{$p\n#EXTINF:1,\nb.ts", ["/v/b.ts"]),
    ])
    func `variables are substituted`(lines: String, expected: [String]) throws {
        let found = try FoundMedia("#EXTM3U\n\(lines)", Self.type, at: "http://d.example/v/m.m3u8?s=0&t=1")
        #expect(found.paths == expected)
    }

    @Test func `a stream imports the variables of the playlist that names it (8216bis §4.4.2.3)`() throws {
        let url = try WebURL("http://d.example/v/m.m3u8?t=1")
        func read(_ lines: String, _ variables: [String: String] = [:]) -> DiscoveredReferences {
            ReferenceExtractor.references(
                in: Array("#EXTM3U\n\(lines)".utf8),
                mediaType: Self.type,
                charset: nil,
                url: url,
                destination: .rendition,
                variables: variables
            )
        }
        let defined = read("#EXT-X-DEFINE:NAME=\"p\",VALUE=\"x\"\n#EXT-X-DEFINE:QUERYPARAM=\"t\"").variables
        #expect(defined == ["p": "x", "t": "1"])
        let stream = "#EXT-X-DEFINE:IMPORT=\"p\"\n#EXT-X-MAP:URI=\"{$p}/i\"\n#EXTINF:1,\n{$p}/a.ts\n#EXTINF:1,\n{$t}.ts"
        let found = read(stream, defined)
        // Only what is imported is known in the stream.
        #expect(found.references.map(\.url.path) == ["/v/x/i", "/v/x/a.ts"])
        #expect(found.cuts == [.variables])
        #expect(read(stream).references == [])
        #expect(read("#EXTINF:1,\n{$p}.ts", defined).cuts == [.variables])
    }

    @Test(arguments: [
        ("#EXTINF:1,\na.ts", [DiscoveryCut.live]), ("#EXTINF:1,\na.ts\n#EXT-X-ENDLIST", []),
        ("#EXT-X-PLAYLIST-TYPE:VOD\n#EXTINF:1,\na.ts", []), ("#EXT-X-PLAYLIST-TYPE:EVENT\n#EXTINF:1,\na.ts", [.live]),
    ])
    func `a live playlist is a snapshot, which is said`(lines: String, cuts: [DiscoveryCut]) throws {
        let found = try FoundMedia("#EXTM3U\n#EXT-X-TARGETDURATION:2\n\(lines)", Self.type)
        #expect(found.paths == ["/v/a.ts"])
        #expect(found.cuts == Set(cuts))
        #expect(try FoundMedia("#EXTM3U\n#EXTINF:9,Song\na.mp3", "audio/x-mpegurl").cuts == [])
    }

    private static let fairPlay =
        "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://x\",KEYFORMAT=\"com.apple.streamingkeydelivery\",KEYFORMATVERSIONS=\"1\"\n"

    @Test(arguments: [
        (fairPlay + "#EXT-X-MAP:URI=\"i.mp4\"\n#EXTINF:1,\na.ts", [], true),
        (fairPlay + "#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n#EXTINF:1,\na.ts", ["/v/k", "/v/a.ts"], false),
        (fairPlay + "#EXTINF:1,\na.ts\n#EXT-X-KEY:METHOD=NONE\n#EXTINF:1,\nb.ts", ["/v/b.ts"], true),
        (fairPlay.replacing("-KEY:", with: "-SESSION-KEY:"), [], true),
        ("#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"k\"", ["/v/k"], false),
    ])
    func `protected segments are skipped and named`(lines: String, expected: [String], isProtected: Bool) throws {
        let found = try FoundMedia("#EXTM3U\n\(lines)\n#EXT-X-ENDLIST", Self.type)
        #expect(found.paths == expected)
        #expect(found.cuts == (isProtected ? [.protection] : []))
    }

    @Test func `the playlist of a stream names no further streams`() throws {
        let found = try FoundMedia(Self.multivariant, Self.type, as: .rendition)
        #expect(found.paths == ["/v/data.json"])
        #expect(try FoundMedia("#EXTM3U\n#EXTINF:1,\na.ts", "text/plain", as: .rendition).paths == ["/v/a.ts"])
        #expect(try FoundMedia("#EXTM3U\n#EXTINF:1,\na.ts", Self.type, as: .segment).paths == [])
    }

    @Test(arguments: [
        ("application/x-mpegURL; charset=utf-8", "m", 1), ("AUDIO/MPEGURL", "m", 1), ("", "m.m3u8", 1),
        ("application/octet-stream", "m.M3U8", 1), ("text/plain", "m.m3u8", 1), ("text/plain", "m.txt", 0),
        ("application/octet-stream", "m.mp4", 0), ("video/mp2t", "m.m3u8", 0), ("text/html", "m.m3u8", 0),
    ])
    func `the type or the name tells a playlist`(type: String, name: String, count: Int) throws {
        let text = "#EXTM3U\n#EXTINF:1,\na.ts\n#EXT-X-ENDLIST"
        #expect(try FoundMedia(text, type, at: "http://d.example/v/\(name)").paths.count == count)
        #expect(try FoundMedia("EXTM3U\na.ts", type, at: "http://d.example/v/\(name)").paths == [])
    }

    @Test func `hostile playlists stay within the limits`() throws {
        var limits = DiscoveryLimits()
        limits.references = 100
        let many = "#EXTM3U\n" + (0..<1_000).map { "\($0).ts" }.joined(separator: "\n")
        let found = try FoundMedia(many, Self.type, .all, limits)
        #expect(found.paths.count == 100 && found.cuts == [.references])
        let double = String(repeating: "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"{$a}{$a}x\"\n", count: 200)
        _ = try FoundMedia(
            "#EXTM3U\n#EXT-X-DEFINE:NAME=\"a\",VALUE=\"\(String(repeating: "b", count: 999))\"\n\(double){$a}",
            Self.type
        )
        for part in ["#EXT-X-KEY:A=\"", "{$", "#EXT-X-STREAM-INF:", "=,", "\"", "#EXT-X-MAP:URI=\"\n"] {
            _ = try FoundMedia("#EXTM3U\n#EXT-X-KEY:" + String(repeating: part, count: 20_000), Self.type)
        }
    }
}
