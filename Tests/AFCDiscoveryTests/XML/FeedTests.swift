import AFCURL
import Testing

@testable import AFCDiscovery

struct FeedTests {
    private func lines(_ text: String, _ type: String = "application/xml", _ destination: Destination? = nil) throws
        -> [String]
    {
        let found = ReferenceExtractor.references(
            in: Array(text.utf8),
            mediaType: type,
            charset: nil,
            url: try WebURL("https://docs.example/f/feed.xml"),
            destination: destination
        )
        return found.references.map { "\($0.kind) \($0.reference.loads) \($0.url.description.dropFirst(20))" }
    }

    /// See https://www.rssboard.org/rss-specification.
    @Test(
        arguments: [
            ("application/rss+xml", nil), ("text/xml", nil), ("application/xml", .document), ("text/plain", .feed),
            ("", .feed),
        ] as [(String, Destination?)]
    )
    func `RSS 2 has links, enclosures and a picture`(type: String, destination: Destination?) throws {
        let text = """
            <?xml version="1.0"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>/no</title>
            <link>https://docs.example/</link><atom:link rel="self" href="/no"/><atom:link rel="next" href="?p=2"/>
            <image><url>/logo.png</url><title>no</title><link>/no</link></image><textInput><link>/no</link></textInput>
            <item><link>/one?a=1&amp;b=2</link><description>&lt;img src="/no"&gt;</description><guid>/no</guid>
            <content:encoded><![CDATA[<a href="/no">x</a>]]></content:encoded><enclosure url="/e.mp3" type="audio/mpeg"/></item>
            <item><link><![CDATA[/two]]></link></item></channel></rss>
            """
        #expect(
            try lines(text, type, destination) == [
                "link document /", "link feed /f/feed.xml?p=2", "requisite image /logo.png",
                "link document /one?a=1&b=2",
                "link other /e.mp3", "link document /two",
            ]
        )
    }

    /// See https://web.resource.org/rss/1.0/.
    @Test func `RSS 1 has links and a picture`() throws {
        let text = """
            <rdf:RDF><channel rdf:about="/no"><link>/a</link><image rdf:resource="/no"/></channel><image rdf:about="/no">
            <url>/i.png</url><link>/no</link></image><item rdf:about="/no"><link>/b</link></item></rdf:RDF>
            """
        #expect(try lines(text) == ["link document /a", "requisite image /i.png", "link document /b"])
    }

    /// RFC 4287, RFC 5005.
    @Test func `Atom has links, pictures and bases`() throws {
        let text = """
            <feed xmlns="http://www.w3.org/2005/Atom" xml:base="/base/"><link rel="self" href="no"/><link href="a"/>
            <link rel="next" href="/f/2"/><link rel="hub" href="/no"/><icon>i.ico</icon><logo>/l.png</logo>
            <entry xml:base="e/"><link rel="alternate" href="b"/><link rel="enclosure" href="c.mp3"/>
            <link rel="edit" href="/no"/><content type="html">&lt;a href="/no"></content></entry>
            <entry><content src="d" type="text/html"/><link rel="related" href="#x"/></entry></feed>
            """
        #expect(
            try lines(text) == [
                "link document /base/a", "link feed /f/2", "requisite image /base/i.ico", "requisite image /l.png",
                "link document /base/e/b", "link other /base/e/c.mp3", "link document /base/d", "link document /base/",
            ]
        )
    }

    /// XSLT 1.0 §2.6.
    @Test func `an XSLT style sheet includes others`() throws {
        let text =
            "<xsl:stylesheet><xsl:include href='a.xsl'/><x><xsl:import href='/b.xsl'/></x><img src='/no'/></xsl:stylesheet>"
        #expect(try lines(text) == ["requisite other /f/a.xsl", "requisite other /b.xsl"])
    }

    @Test func `other XML is read as a browser may show it`() throws {
        #expect(try lines("<x><link href='/no'/><image href='/i'/></x>") == ["requisite image /i"])
    }
}
