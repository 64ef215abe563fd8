import TestSupport
import Testing

@testable import AFCDiscovery

/// Descriptions of DASH, by the sections of ISO/IEC 23009-1.
struct DASHManifestTests {
    private func found(
        _ body: String,
        _ attributes: String = "type=\"static\" mediaPresentationDuration=\"PT10S\"",
        _ media: MediaSelection = .all,
        _ limits: DiscoveryLimits = DiscoveryLimits()
    ) throws -> FoundMedia {
        let text = "<?xml version=\"1.0\"?><MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" \(attributes)>\(body)</MPD>"
        return try FoundMedia(text, "application/dash+xml", media, limits)
    }

    private func set(_ text: String) -> String { "<Period><AdaptationSet>\(text)</AdaptationSet></Period>" }

    private static let numbers =
        "<SegmentTemplate media=\"$RepresentationID$/$Number%03d$.m4s\" initialization=\"$RepresentationID$/i.mp4\""

    @Test(arguments: [
        // §5.3.9.4.4: numbers to the end of the period; the last segment is shorter.
        (
            numbers + " duration=\"4\" startNumber=\"0\"/><Representation id=\"a\" bandwidth=\"1\"/>",
            ["/v/a/i.mp4", "/v/a/000.m4s", "/v/a/001.m4s", "/v/a/002.m4s"]
        ),
        (
            numbers + " duration=\"5000\" timescale=\"1000\"/><Representation id=\"a\"/><Representation id=\"b\"/>",
            ["/v/a/i.mp4", "/v/a/001.m4s", "/v/a/002.m4s", "/v/b/i.mp4", "/v/b/001.m4s", "/v/b/002.m4s"]
        ),
        (numbers + " endNumber=\"2\"/><Representation id=\"a\"/>", ["/v/a/i.mp4", "/v/a/001.m4s", "/v/a/002.m4s"]),
        // §5.3.9.6: a time line with repeats, a jump, and a repeat to the end.
        (
            "<SegmentTemplate media=\"$Bandwidth$-$Time$.m4s\"><SegmentTimeline><S t=\"5\" d=\"2\" r=\"1\"/><S t=\"20\" d=\"3\"/></SegmentTimeline></SegmentTemplate><Representation id=\"a\" bandwidth=\"99\"/>",
            ["/v/99-5.m4s", "/v/99-7.m4s", "/v/99-20.m4s"]
        ),
        (
            "<SegmentTemplate timescale=\"10\" media=\"$Number$-$Time$\"><SegmentTimeline><S d=\"40\" r=\"-1\"/></SegmentTimeline></SegmentTemplate><Representation id=\"a\"/>",
            ["/v/1-0", "/v/2-40", "/v/3-80"]
        ),
        (
            "<SegmentTemplate media=\"$Number$\"><SegmentTimeline><S t=\"0\" d=\"2\" r=\"-1\"/><S t=\"4\" d=\"1\"/></SegmentTimeline></SegmentTemplate><Representation id=\"a\"/>",
            ["/v/1", "/v/2", "/v/3"]
        ),
        // §5.3.9.3
        (
            "<Representation><SegmentList duration=\"5\"><Initialization sourceURL=\"i.mp4\"/><SegmentURL media=\"1.m4s\"/><SegmentURL media=\"2.m4s\" index=\"2.x\"/></SegmentList></Representation>",
            ["/v/i.mp4", "/v/1.m4s", "/v/2.m4s", "/v/2.x"]
        ),
        (
            "<Representation><BaseURL>a.mp4</BaseURL><SegmentList><SegmentURL mediaRange=\"0-9\"/></SegmentList></Representation>",
            ["/v/a.mp4"]
        ),
        // §5.3.9.2
        (
            "<Representation><BaseURL>\n a&amp;b.mp4 </BaseURL><SegmentBase indexRange=\"1-2\"><Initialization range=\"0-1\"/></SegmentBase></Representation>",
            ["/v/a&b.mp4"]
        ),
        ("<Representation mimeType=\"text/vtt\"><BaseURL>en.vtt</BaseURL></Representation>", ["/v/en.vtt"]),
        ("<BaseURL>x/</BaseURL><Representation id=\"a\"/>", []),
        ("<SegmentTemplate media=\"all-$RepresentationID$$$.mp4\"/><Representation id=\"a\"/>", ["/v/all-a$.mp4"]),
        ("<SegmentTemplate media=\"$Unknown$.mp4\" duration=\"1\"/><Representation id=\"a\"/>", []),
        ("<SegmentTemplate media=\"$Number\" duration=\"1\"/><Representation id=\"a\"/>", []),
        ("<SegmentTemplate media=\"$Number%99d$\" duration=\"1\"/><Representation id=\"a\"/>", []),
    ])
    func `each way to name segments is read`(body: String, expected: [String]) throws {
        let found = try found(set(body))
        #expect(found.paths == expected)
        #expect(found.loads.allSatisfy { $0 == .segment } && found.cuts == [])
    }

    @Test func `each level's base is relative to that of the level above (§5.6)`() throws {
        let body = """
            <BaseURL>/cdn/</BaseURL><BaseURL>/other/</BaseURL><Period duration="PT4S"><BaseURL>p1/</BaseURL><AdaptationSet><BaseURL>video/</BaseURL>
            <SegmentTemplate media="$Number$.m4s" duration="4"/><Representation id="a"><BaseURL>a/</BaseURL></Representation>
            <Representation id="b"><SegmentTemplate startNumber="7"/></Representation></AdaptationSet></Period>
            <Period><AdaptationSet><Representation><BaseURL>https://other.example/x.mp4</BaseURL></Representation></AdaptationSet></Period>
            """
        #expect(
            try found(body).paths == ["/cdn/p1/video/a/1.m4s", "/cdn/p1/video/7.m4s", "https://other.example/x.mp4"]
        )
    }

    @Test func `a period ends where the next one starts`() throws {
        let template = "<AdaptationSet><SegmentTemplate media=\"$RepresentationID$$Number$\" duration=\"2\"/>"
        let body = """
            <Period>\(template)<Representation id="a"/></AdaptationSet></Period>
            <Period start="PT3S">\(template)<Representation id="b"/></AdaptationSet></Period>
            <p:Period start="PT0H0M8.0S">\(template)<Representation id="c"/></AdaptationSet></p:Period>
            """
        #expect(try found(body).paths == ["/v/a1", "/v/a2", "/v/b1", "/v/b2", "/v/b3", "/v/c1"])
    }

    @Test(arguments: [
        (MediaSelection.all, ["/v/a1", "/v/b1", "/v/c1"]), (.best, ["/v/b1", "/v/c1"]),
        (.smallest, ["/v/a1", "/v/c1"]), (.none, []),
    ])
    func `of each set, streams are chosen by their bit rate`(selection: MediaSelection, expected: [String]) throws {
        let template = "<SegmentTemplate media=\"$RepresentationID$$Number$\" duration=\"10\"/>"
        let body = """
            <Period><AdaptationSet>\(template)<Representation id="a" bandwidth="5"/><Representation id="b" bandwidth="9"/></AdaptationSet>
            <AdaptationSet>\(template)<Representation id="c" bandwidth="1"/></AdaptationSet></Period>
            """
        #expect(try found(body, "mediaPresentationDuration=\"PT10S\"", selection).paths == expected)
    }

    @Test func `a live presentation gives what it lists, which is said`() throws {
        let live = try found(
            set(
                "<SegmentTemplate initialization=\"i\" media=\"$Time$\"><SegmentTimeline><S t=\"7\" d=\"1\" r=\"-1\"/></SegmentTimeline></SegmentTemplate><Representation/>"
            ),
            "type=\"dynamic\" availabilityStartTime=\"2020-01-01T00:00:00Z\""
        )
        #expect(live.paths == ["/v/i"] && live.cuts == [.live])
        let numbers = try found(
            set("<SegmentTemplate media=\"$Number$\" duration=\"1\"/><Representation/>"),
            "type=\"dynamic\""
        )
        #expect(numbers.paths == [] && numbers.cuts == [.live])
    }

    @Test func `protected sets are skipped and named`() throws {
        let body = """
            <Period><AdaptationSet><ContentProtection schemeIdUri="urn:mpeg:dash:mp4protection:2011" value="cenc"/>
            <Representation><BaseURL>a.mp4</BaseURL></Representation></AdaptationSet>
            <AdaptationSet><Representation><BaseURL>b.mp4</BaseURL></Representation><Representation><ContentProtection/><BaseURL>c.mp4</BaseURL></Representation></AdaptationSet></Period>
            """
        let found = try found(body)
        #expect(found.paths == ["/v/b.mp4"] && found.cuts == [.protection])
    }

    @Test(arguments: [
        // A duration is missing, so that nobody knows the last segment.
        ("<SegmentTemplate media=\"$Number$\" duration=\"1\"/><Representation/>", "", 0),
        (
            "<SegmentTemplate media=\"$Number$\" duration=\"1\" timescale=\"9223372036854775807\"/><Representation/>",
            "mediaPresentationDuration=\"P9D\"", 0
        ),
        (
            "<SegmentTemplate media=\"$Number$\" duration=\"1\" timescale=\"1000000\"/><Representation/>",
            "mediaPresentationDuration=\"P9D\"", 0
        ),
        (
            "<SegmentTemplate media=\"$Time$\"><SegmentTimeline><S d=\"1\" r=\"9223372036854775806\"/></SegmentTimeline></SegmentTemplate><Representation/>",
            "", 100
        ),
        ("<SegmentTemplate media=\"x$Number%01d$\" endNumber=\"2000000000\"/><Representation/>", "", 100),
    ])
    func `counts are limited, which is said`(body: String, attributes: String, count: Int) throws {
        var limits = DiscoveryLimits()
        limits.references = 100
        let found = try found(set(body), attributes, .all, limits)
        #expect(found.paths.count == count && found.cuts == [.references])
    }

    @Test(arguments: [
        "<S t=\"-9223372036854775808\" d=\"9223372036854775807\" r=\"-1\"/><S t=\"9223372036854775807\" d=\"1\"/>",
        "<S t=\"1152921504606846976\" d=\"1152921504606846976\" r=\"99\"/>", "<S d=\"0\"/><S d=\"-1\"/><S/>",
    ])
    func `extreme numbers are survived`(runs: String) throws {
        _ = try found(
            set(
                "<SegmentTemplate media=\"$Time$\" presentationTimeOffset=\"9223372036854775807\" startNumber=\"-5\"><SegmentTimeline>\(runs)</SegmentTimeline></SegmentTemplate><Representation/>"
            )
        )
        _ = try found(
            set(
                "<SegmentTemplate media=\"$Number$\" startNumber=\"2147483647\" endNumber=\"2147483648\" duration=\"9223372036854775807\"/><Representation/>"
            )
        )
    }

    @Test func `repeated and mangled elements are read in time`() throws {
        for part in [
            "<Period>", "<AdaptationSet>", "<Representation>", "</Representation>", "<BaseURL>", "<BaseURL>a</BaseURL>",
            "<S d=\"1\" r=\"9\"/>",
            "<SegmentTemplate media=\"$Number$\">", "<SegmentURL media=\"a\"/>", "<ContentProtection>", "</MPD>",
            "<MPD>",
            "<Period><AdaptationSet><SegmentTemplate media=\"$Number$\" duration=\"1\"/><Representation/>",
        ] {
            _ = try found(String(repeating: part, count: Rounds.count(4_000)))
            _ = try found(set(String(repeating: part, count: Rounds.count(4_000))))
        }
        let lines = String(repeating: "<S d=\"1\" r=\"999\"/>", count: 2_000)
        let representations = String(repeating: "<Representation/>", count: 2_000)
        let many = try found(
            set(
                "<SegmentTemplate media=\"$Number$\"><SegmentTimeline>\(lines)</SegmentTimeline></SegmentTemplate>\(representations)"
            )
        )
        #expect(many.cuts.contains(.references) || many.cuts.contains(.urlBytes))
    }

    @Test(arguments: [
        ("PT10S", 10), ("PT1H2M3.5S", 3_723.5), ("P1DT1S", 86_401), ("P1Y", 31_536_000), (" PT0.04S ", 0.04),
        ("P2M", 5_184_000),
    ])
    func `durations are read`(text: String, seconds: Double) {
        #expect(DASHDuration.seconds(text) == seconds)
    }

    @Test(arguments: ["", "10", "T1S", "P1S", "PT1D", "PT1", "PT-1S", "PT1e9S", "P9999Y", "PT99999999999999999999999S"])
    func `other texts are no durations`(text: String) { #expect(DASHDuration.seconds(text) == nil) }

    @Test func `elements elsewhere are referred to, and read (§5.5)`() throws {
        let zero = "urn:mpeg:dash:resolve-to-zero:2013"
        let text =
            "<BaseURL>b/</BaseURL><Period xlink:href=\"ad.xml?a=1&amp;b=2\" xlink:actuate=\"onLoad\"/><Period xlink:href=\"\(zero)\"/>"
            + "<Period><AdaptationSet xlink:href=\"/set.xml\"/><AdaptationSet><Representation><SegmentList xlink:href=\"list.xml\"/></Representation></AdaptationSet></Period>"
        #expect(try found(text).paths == ["/v/b/ad.xml?a=1&b=2", "/set.xml", "/v/b/list.xml"])
        #expect(try found(text, "", .none).paths == [])
        let representation = "<Representation><BaseURL>a.mp4</BaseURL></Representation>"
        for (element, type, paths) in [
            ("<Period><AdaptationSet>\(representation)</AdaptationSet></Period>", "application/xml", ["/v/a.mp4"]),
            ("<?xml version='1.0'?><AdaptationSet>\(representation)</AdaptationSet>", "text/xml", ["/v/a.mp4"]),
            ("<SegmentList><SegmentURL media='1.m4s'/></SegmentList>", "application/dash+xml", ["/v/1.m4s"]),
            ("<Period></Period><Period><AdaptationSet>\(representation)", "application/dash+xml", ["/v/a.mp4"]),
            ("<SegmentURL media='1.m4s'/>", "application/dash+xml", []),
        ] {
            #expect(try FoundMedia(element, type).paths == paths)
        }
    }
}
