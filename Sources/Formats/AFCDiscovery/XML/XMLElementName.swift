/// The elements, by their local names, that tell XML's formats apart or have references in sitemaps and feeds.
enum XMLElementName: String, CaseIterable, Sendable {
    case other = ""

    // What a document may begin with.
    case feed, rdf, rss, sitemapindex, stylesheet, transform, urlset

    // Sitemaps.
    case image, loc, sitemap, url, video
    case contentLocation = "content_loc"
    case thumbnail = "thumbnail_loc"

    // XSLT.
    case `import`, include

    // Feeds.
    case channel, content, enclosure, entry, icon, item, link, logo, textinput

    static let byKey = NameTable<XMLElementName>(otherwise: .other)
}
