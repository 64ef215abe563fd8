import AFCPackageFormat
import Testing

/// A glance at a URL shows what may be in it.
struct URLGlanceTests {
    /// The entry of a line that another follows: the last is near the manifest's end, and read byte by byte.
    static func item(_ url: String) throws -> ManifestReader.Item {
        var reader = ManifestReader(Array("\(url) ; NULL\nhttp://z.example/ ; NULL\n".utf8))
        let item = reader.next()
        return try #require(item)
    }

    @Test(
        arguments: [
            ("http://d.example/", []), ("http://d.example/a?b", []), ("http://d.example/%C3%A4/%20", []),
            ("http://d.example/%41", .encoded), ("http://d.example/%2525", .encoded),
            ("http://d.example/100%", .encoded),
            ("http://d.example/%2", .encoded), ("http://d.example/%zz", .encoded), ("http://d.example/%7e", .encoded),
            ("http://d.example/?a=b", .parameters), ("http://d.example/a;b", .parameters),
            ("http://d.example/?", .emptyQuery), ("http://d.example/a?", .emptyQuery), ("http://d.example/a??", []),
            ("http://d.example/a//b", .emptySegment), ("http://d.example//", .emptySegment),
            ("http://d.example/abcdefg//b", .emptySegment), ("http://d.example/abcdef//b", .emptySegment),
            ("http://d.example/.git", .hiddenName), ("http://d.example/abcdefg/.git", .hiddenName),
            ("http://d.example/abcdefgh/.git", .hiddenName), ("http://d.example/a.b", []),
            ("http://localhost/", .unusualHost), ("http://a.localhost/", .unusualHost),
            ("http://d.example./", .unknown), ("http://t/", []), ("http://d.test:8080/a", []),
            ("http://127.0.0.1/", .unknown), ("ftp://d.example/", .unknown), ("http://D.example/", .unknown),
        ] as [(String, URLGlance.Traits)]
    )
    func `a trait is set wherever its check may find something`(url: String, traits: URLGlance.Traits) throws {
        let item = try Self.item(url)
        #expect(item.urlGlance.traits == traits)
    }

    @Test(arguments: [
        ("http://d.example/", ""), ("http://d.example/a.html", "html"), ("http://d.example/a.tar.GZ?b.c", "gz"),
        ("http://d.example/.html", ""), ("http://d.example/a.b/c", ""), ("http://d.example/a.", ""),
        ("http://d.example/a.12345678", "12345678"), ("http://d.example/a..b", "b"),
    ])
    func `a suffix is recognized`(url: String, suffix: String) throws {
        let item = try Self.item(url)
        let glance = item.urlGlance
        #expect(glance.suffix == suffix.utf8.reduce(0) { $0 << 8 | UInt64($1) })
        #expect(glance.count == url.utf8.count)
    }

    @Test func `a long suffix is only known to be one`() throws {
        let item = try Self.item("http://d.example/a.webmanifest")
        #expect(item.urlGlance.suffix == URLGlance.longSuffix)
    }
}
