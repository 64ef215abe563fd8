import AFCPackageFormat
import Testing

/// How lines are written is counted while they are read.
struct ManifestTextureTests {
    static func texture(_ text: String) -> ManifestTexture {
        var reader = ManifestReader(Array(text.utf8))
        while reader.next() != nil {}
        return reader.texture
    }

    @Test func `lines are counted by kind, and the first of each kind is known`() {
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
