import PackageFormat
import Testing

/// How lines are written is counted while they are read.
struct ManifestTextureTests {
    static func texture(_ text: String) -> ManifestTexture {
        var reader = ManifestReader(Array(text.utf8))
        while reader.next() != nil {}
        return reader.texture
    }

    @Test func `lines are counted by what they are, and the first of each sort is known`() {
        let date = "Sat, 27 Mar 2004 18:43:30 GMT"
        let texture = Self.texture(
            """
            baseURL = http://d.example/
            http://d.example/a ; \(date) ; NULL ; text/plain

            http://d.example/b ; \(date) ; NULL ; text/plain\r
            http://d.example/c ; \(date)
            http://d.example/d ;  \(date) ; NULL
            key = value
            not a url ; NULL ; NULL ; text/plain ; d
             http://d.example/e ; NULL ; NULL ; text/plain
            """
        )
        #expect([2, 3, 4, 5].map { texture.entries(fields: $0).count } == [1, 1, 3, 1])
        #expect([2, 3, 4, 5].map { texture.entries(fields: $0).first } == [5, 6, 2, 8])
        #expect((texture.blank.count, texture.blank.first) == (1, 3))
        #expect((texture.headers.count, texture.headers.first) == (2, 1))
        #expect((texture.lateHeaders.count, texture.lateHeaders.first) == (1, 7))
        #expect((texture.spaced.count, texture.spaced.first, texture.spaced.column) == (2, 6, 19))
        #expect((texture.crlf.count, texture.crlf.first, texture.crlf.column) == (1, 4, 71))
        // The last of the nine has no end.
        #expect((texture.lf.count, texture.lf.first, texture.lf.column) == (7, 1, 28))
    }

    @Test(arguments: [
        ("", 0, 0), ("\u{FEFF}", 0, 0), ("a", 0, 0), ("a\n", 1, 0), ("a\r\n", 0, 1), ("a\r\nb", 0, 1), ("\n\r\n", 1, 1),
        ("a\r", 0, 0), (String(repeating: "y", count: 300_000) + "\r\nb\n", 1, 1),
    ])
    func `line ends are counted`(text: String, lf: Int, crlf: Int) {
        let texture = Self.texture(text)
        #expect((texture.lf.count, texture.crlf.count) == (lf, crlf))
    }
}

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
            ("http://d.example/%41", .encoded), ("http://d.example/%2525", .encoded), ("http://d.example/100%", []),
            ("http://d.example/%2", []), ("http://d.example/%7e", .encoded),
            ("http://d.example/?a=b", .parameters), ("http://d.example/a;b", .parameters),
            ("http://d.example/?", .emptyQuery), ("http://d.example/a?", .emptyQuery), ("http://d.example/a??", []),
            ("http://d.example/a//b", .emptySegment), ("http://d.example//", .emptySegment),
            ("http://d.example/abcdefg//b", .emptySegment), ("http://d.example/abcdef//b", .emptySegment),
            ("http://d.example/.git", .hiddenName), ("http://d.example/abcdefg/.git", .hiddenName),
            ("http://d.example/abcdefgh/.git", .hiddenName), ("http://d.example/a.b", []),
            ("http://localhost/", .unusualHost), ("http://a.localhost/", .unusualHost),
            ("http://d.example./", .unusualHost), ("http://t/", []), ("http://d.test:8080/a", []),
            ("http://127.0.0.1/", .unknown), ("ftp://d.example/", .unknown), ("http://D.example/", .unknown),
        ] as [(String, URLGlance.Traits)]
    )
    func `a trait is there where something may be`(url: String, traits: URLGlance.Traits) throws {
        let item = try Self.item(url)
        #expect(item.urlGlance.traits == traits)
    }

    @Test(arguments: [
        ("http://d.example/", ""), ("http://d.example/a.html", "html"), ("http://d.example/a.tar.GZ?b.c", "gz"),
        ("http://d.example/.html", ""), ("http://d.example/a.b/c", ""), ("http://d.example/a.", ""),
        ("http://d.example/a.12345678", "12345678"), ("http://d.example/a..b", "b"),
    ])
    func `a suffix is told`(url: String, suffix: String) throws {
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
