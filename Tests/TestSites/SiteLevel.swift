/// What speaks for a whole site: robots.txt, sitemaps, feeds, web app manifests.
enum SiteLevel {
    static let part = Part(
        pages: [
            .page(
                "/manifest.html",
                "<title>Manifest</title><link rel=manifest href=/r/app.webmanifest><link rel=manifest href=/r/app.json>"
            ),
            .page(
                "/feeds.html",
                """
                <title>Feeds</title><link rel=alternate type=application/rss+xml href=/r/rss.xml>
                <link rel=alternate type="application/atom+xml; charset=utf-8" href=/r/atom.xml><a href=/r/rdf.xml>x</a>
                """
            ),
        ],
        files: [
            File(path: "/robots.txt", type: "text/plain", text: robots),
            File(path: "/r/sitemap-index.xml", type: "application/xml", text: index),
            File(path: "/r/sitemap.xml", type: "text/xml", text: sitemap),
            File(
                path: "/r/sitemap.xml.gz",
                type: "application/gzip",
                text: "<urlset><url><loc>{origin}/r/sitemap-gzip.html</loc></url></urlset>",
                encode: { Bodies.gzip(Array($0.utf8)) }
            ),
            File(
                path: "/r/sitemap.txt",
                type: "text/plain",
                text: "{origin}/r/sitemap-line.html\r\n\r\n  {origin}/r/sitemap-line-2.html\n/d/sitemap-line.html\n"
            ),
            File(path: "/r/app.webmanifest", type: "application/manifest+json", text: manifest),
            File(
                path: "/r/app.json",
                type: "application/json",
                text: "{\"icons\": [{\"src\": \"\\u0061pp-json-icon.png\"}]}"
            ),
            File(path: "/r/rss.xml", type: "application/rss+xml", text: rss),
            File(path: "/r/atom.xml", type: "application/xml", text: atom),
            File(path: "/r/rdf.xml", type: "text/xml", text: rdf),
        ],
        requisites: [
            "app.webmanifest", "app.json", "app-json-icon.png", "app-icon.png", "app-screenshot.png",
            "app-shortcut.png",
            "sitemap-image.png", "rss-image.png", "atom-icon.png", "atom-logo.png",
        ].map { "/r/" + $0 },
        links: [
            "app-start.html?app=1", "app-shortcut.html", "sitemap-index.xml", "sitemap.xml", "sitemap.xml.gz",
            "sitemap.txt",
            "sitemap-loc.html?a=1&b=2", "sitemap-cdata.html", "sitemap-alternate.html", "sitemap-gzip.html",
            "sitemap-line.html",
            "sitemap-line-2.html", "rss.xml", "rss-channel.html", "rss-item.html?a=1&b=2", "rss-cdata.html",
            "rss-enclosure.mp3",
            "rss-next.xml", "atom.xml", "atom-entry.html", "atom-enclosure.mp3", "atom-content.html",
            "base/atom-base.html",
            "rdf.xml", "rdf-item.html",
        ].map { "/r/" + $0 },
        decoys: [
            "robots-comment.xml", "sitemap-comment.html", "sitemap-line.html", "sitemap-lastmod.html",
            "sitemap-license.html",
            "app-scope.html", "app-id.html", "app-share.html", "app-related.html", "app-description.png",
            "rss-description.png",
            "rss-guid.html", "rss-self.xml", "rss-input.html", "rss-content.html", "atom-self.xml", "atom-content.png",
            "atom-edit.xml",
        ].map { "/d/" + $0 }
    )

    private static let robots = """
        User-agent: *
        Allow: /
        # Sitemap: {origin}/d/robots-comment.xml
        Sitemap: {origin}/r/sitemap-index.xml
        sitemap: {origin}/r/sitemap.txt # lines

        """

    private static let index = """
        <?xml version="1.0" encoding="UTF-8"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
        <sitemap><loc>{origin}/r/sitemap.xml</loc><lastmod>2026-01-01</lastmod></sitemap>
        <sitemap><loc>
        {origin}/r/sitemap.xml.gz
        </loc></sitemap></sitemapindex>
        """

    private static let sitemap = """
        <?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
        xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml">
        <!-- <url><loc>{origin}/d/sitemap-comment.html</loc></url> -->
        <url><loc>{origin}/r/sitemap-loc.html?a=1&amp;b=2</loc><lastmod>{origin}/d/sitemap-lastmod.html</lastmod>
        <xhtml:link rel="alternate" hreflang="de" href="{origin}/r/sitemap-alternate.html"/>
        <image:image><image:loc>{origin}/r/sitemap-image.png</image:loc>
        <image:license>{origin}/d/sitemap-license.html</image:license></image:image></url>
        <url><loc><![CDATA[{origin}/r/sitemap-cdata.html]]></loc></url></urlset>
        """

    private static let manifest = """
        {"name": "Requirements", "start_url": "app-start.html?app=1", "scope": "/d/app-scope.html", "id": "/d/app-id.html",
        "description": "/d/app-description.png", "icons": [{"src": "/r/app-icon.png", "sizes": "16x16", "type": "image/png"}],
        "screenshots": [{"src": "app-screenshot.png", "sizes": "16x16"}],
        "shortcuts": [{"name": "x", "url": "./app-shortcut.html", "icons": [{"src": "app-shortcut.png"}]}],
        "share_target": {"action": "/d/app-share.html"}, "related_applications": [{"url": "{origin}/d/app-related.html"}]}
        """

    private static let rss = """
        <?xml version="1.0"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>x</title>
        <link>{origin}/r/rss-channel.html</link><description>x</description>
        <atom:link rel="self" href="{origin}/d/rss-self.xml"/><atom:link rel="next" href="/r/rss-next.xml"/>
        <image><url>{origin}/r/rss-image.png</url><title>x</title><link>{origin}/r/rss-channel.html</link></image>
        <textInput><title>x</title><link>{origin}/d/rss-input.html</link></textInput>
        <item><link>{origin}/r/rss-item.html?a=1&amp;b=2</link><description>&lt;img src="/d/rss-description.png"&gt;</description>
        <guid isPermaLink="false">{origin}/d/rss-guid.html</guid><enclosure url="{origin}/r/rss-enclosure.mp3" type="audio/mpeg" length="3"/>
        <content:encoded xmlns:content="http://purl.org/rss/1.0/modules/content/"><![CDATA[<a href="/d/rss-content.html">]]></content:encoded></item>
        <item><link><![CDATA[{origin}/r/rss-cdata.html]]></link></item></channel></rss>
        """

    private static let atom = """
        <?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="/d/atom-self.xml"/>
        <icon>/r/atom-icon.png</icon><logo>atom-logo.png</logo><entry><link href="atom-entry.html"/>
        <link rel="enclosure" href="atom-enclosure.mp3"/><link rel="edit" href="/d/atom-edit.xml"/>
        <content type="html">&lt;img src="/d/atom-content.png"></content></entry>
        <entry xml:base="base/"><link rel="alternate" href="atom-base.html"/></entry>
        <entry><content src="atom-content.html" type="text/html"/></entry></feed>
        """

    private static let rdf = """
        <?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
        <channel rdf:about="x"><link>/r/rss-channel.html</link></channel><item rdf:about="x"><link>/r/rdf-item.html</link></item></rdf:RDF>
        """
}
