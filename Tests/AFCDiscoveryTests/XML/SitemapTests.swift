import AFCURL
import Testing

@testable import AFCDiscovery

struct SitemapTests {
    private func lines(_ text: String, _ type: String = "application/xml", _ destination: Destination? = nil) throws
        -> [String]
    {
        let found = ReferenceExtractor.references(
            in: Array(text.utf8),
            mediaType: type,
            charset: nil,
            url: try WebURL("https://docs.example/s/map.xml"),
            destination: destination
        )
        return found.references.map { "\($0.kind) \($0.reference.loads) \($0.url.description.dropFirst(20))" }
    }

    /// https://www.sitemaps.org/protocol.html and the extensions that search engines document.
    private static let urlset = """
        <?xml version="1.0" encoding="UTF-8"?><?xml-stylesheet type="text/xsl" href="/s.xsl"?><!-- <url><loc>/no</loc></url> -->
        <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:i="http://www.google.com/schemas/sitemap-image/1.1">
        <url><loc> https://docs.example/a?b=1&amp;c=2 </loc><lastmod>2026-01-01</lastmod>
        <xhtml:link rel="alternate" hreflang="de" href="https://docs.example/de/a"/><xhtml:link rel="other" href="/no"/>
        <i:image><i:loc>https://docs.example/i.png</i:loc><i:caption>/no</i:caption></i:image>
        <v:video><v:thumbnail_loc>/t.jpg</v:thumbnail_loc><v:content_loc>/v.mp4</v:content_loc><v:player_loc>/no</v:player_loc>
        </v:video></url>
        <url><loc><![CDATA[https://docs.example/d&e]]></loc></url><url><loc/></url><loc>rel</loc></urlset>
        """
    private static let expected = [
        "link document /a?b=1&c=2", "link document /de/a", "requisite image /i.png", "requisite image /t.jpg",
        "requisite other /v.mp4", "link document /d&e", "link document /s/rel", "requisite other /s.xsl",
    ]

    @Test(
        arguments: [
            ("application/xml", nil), ("text/xml; charset=utf-8", nil), ("", nil),
            ("application/octet-stream", .sitemap),
            ("text/plain", .sitemap), ("application/gzip", .sitemap), ("application/xml", .document),
        ] as [(String, Destination?)]
    )
    func `pages, translations, images and videos are found`(type: String, destination: Destination?) throws {
        #expect(try lines(Self.urlset, type, destination) == Self.expected)
    }

    /// The elements that search engines document:
    /// https://developers.google.com/search/docs/specialty/international/localized-versions.
    @Test(
        arguments: [
            ("<xhtml:link rel=\"alternate\" hreflang=\"de\" href=\"https://docs.example/de\"/>", ["link document /de"]),
            ("<xhtml:link href='/de' hreflang='de' rel='alternate'></xhtml:link>", ["link document /de"]),
            ("<link rel=\"alternate\" hreflang=\"x-default\" href=\"/\"/>", ["link document /"]),
            (
                "<x:link rel=\"Alternate\" hreflang=\"zh-Hant\" href=\"/zh?a=1&amp;b=2\"/>",
                ["link document /zh?a=1&b=2"]
            ),
            ("<xhtml:link rel=\"nofollow alternate\" hreflang=\"fr\" href=\"/fr\"/>", ["link document /fr"]),
            ("<xhtml:link rel=\"alternate\" media=\"(max-width: 640px)\" href=\"/m\"/>", ["link document /m"]),
            ("<xhtml:link rel=\"alternate\" hreflang=\"de\" href=\"de\"/>", ["link document /s/de"]),
            (
                "<xhtml:link rel=\"alternate\" hreflang=\"de\" href=\"/de\"/><xhtml:link rel=\"alternate\" hreflang=\"fr\" href=\"/fr\"/>",
                ["link document /de", "link document /fr"]
            ),
            ("<xhtml:link rel=\"canonical\" href=\"/no\"/>", []), ("<xhtml:link hreflang=\"de\" href=\"/no\"/>", []),
            ("<xhtml:link rel=\"alternate\" hreflang=\"de\"/>", []),
            ("<xhtml:link rel=\"alternate\" hreflang=\"de\">/no</xhtml:link>", []),
            ("<!-- <xhtml:link rel=\"alternate\" href=\"/no\"/> -->", []),
            ("<xhtml:links rel=\"alternate\" href=\"/no\"/>", []),
        ] as [(String, [String])]
    )
    func `translations of a page are found`(links: String, expected: [String]) throws {
        let text = "<urlset xmlns:xhtml='http://www.w3.org/1999/xhtml'><url><loc>/a</loc>\(links)</url></urlset>"
        #expect(try lines(text) == ["link document /a"] + expected)
        let first = "<urlset><url>\(links)<loc>/a</loc></url></urlset>"
        #expect(try lines(first) == expected + ["link document /a"])
    }

    @Test func `an index leads to sitemaps`() throws {
        let text =
            "<sitemapindex><sitemap><loc>/a.xml.gz</loc></sitemap><sitemap>\n<loc>/b</loc></sitemap></sitemapindex>"
        #expect(try lines(text) == ["link sitemap /a.xml.gz", "link sitemap /b"])
    }

    @Test func `a sitemap may be a list of URLs`() throws {
        let text = "\u{FEFF}https://docs.example/a\r\n\r\n https://docs.example/b \nno\n# no\nhttps://docs.example/c"
        #expect(
            try lines(text, "text/plain", .sitemap) == ["link document /a", "link document /b", "link document /c"]
        )
        #expect(try lines(text, "text/plain").isEmpty)
    }

    @Test(arguments: [
        "<x><url><loc>/no</loc></url></x>", "<urlset><loc>/no", "<urlset><loc>/no<b/></loc></urlset>", "<urlset/>",
    ])
    func `an invalid or truncated sitemap refers to nothing`(text: String) throws {
        #expect(try lines(text).isEmpty)
    }
}
