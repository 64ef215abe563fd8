import AFCHTTP
import AFCPackageFormat
import AFCURL
import Testing

struct ManifestTests {
    static let date = "Sat, 27 Mar 2004 18:43:30 GMT"
    static let url = "http://docs.example/a.html"

    static func read(_ text: String) -> (items: [ManifestReader.Item], reader: ManifestReader) {
        var reader = ManifestReader(Array(text.utf8))
        var items: [ManifestReader.Item] = []
        while let item = reader.next() { items.append(item) }
        return (items, reader)
    }

    @Test(
        arguments: [
            ("\(url) ; \(date)", nil, nil, nil),
            ("\(url) ; \(date) ; \(date)", 1_080_413_010, nil, nil),
            ("\(url) ; \(date) ; NULL ; text/html", nil, "text/html", nil),
            ("\(url) ; \(date) ; NULL ; ", nil, nil, nil),
            ("\(url) ; \(date) ; \(date) ; text/html ; docs.example/x", 1_080_413_010, "text/html", "docs.example/x"),
            ("\(url) ; \(date) ; \(date) ; NULL ; NULL", 1_080_413_010, nil, nil),
        ] as [(String, Int64?, String?, String?)]
    )
    func `all dialects are read`(line: String, expires: Int64?, type: String?, member: String?) throws {
        for end in ["", "\n", "\r\n"] {
            let (items, reader) = Self.read(line + end)
            let entry = try #require(items.first?.entry)
            #expect(items.count == 1)
            #expect(entry.url.description == Self.url)
            #expect(entry.lastModified?.secondsSinceEpoch == 1_080_413_010)
            #expect(entry.expires?.secondsSinceEpoch == expires)
            #expect(entry.mediaType == type)
            #expect(entry.member == member)
            #expect(!reader.problems.contains { $0.severity == .error })
        }
    }

    @Test func `the header line, a byte order mark and blank lines are tolerated`() throws {
        let (items, reader) = Self.read("\u{FEFF}baseURL = http://docs.example\n\n\(Self.url) ; \(Self.date)\n  \n")
        #expect(items.count == 1)
        #expect(reader.baseURL == "http://docs.example")
        #expect(reader.problems.map(\.rule) == ["manifest.byte-order-mark"])
    }

    @Test(arguments: [
        ("http://docs.example/a.html\n", "manifest.malformed-line", 1),
        ("a ; b ; c ; d ; e ; f\n", "manifest.malformed-line", 1),
        ("docs.example/a ; \(date)\n", "url.invalid", 1),
        ("http://u:p@docs.example/ ; \(date)\n", "url.credentials", 1),
        ("http://docs.example/\u{1} ; \(date)\n", "manifest.control-character", 21),
        ("\(url) ; \(date)\n\(url) ; NULL\n", "manifest.conflicting-duplicate", 1),
    ])
    func `a line that can't be understood is an error, never dropped`(text: String, rule: String, column: Int) throws {
        let problem = try #require(Self.read(text).reader.problems.first { $0.severity == .error })
        #expect(problem.rule == rule)
        guard case .manifest(let line, let found) = problem.place else {
            Issue.record("not in the manifest")
            return
        }
        #expect(found == column)
        #expect(line == text.split(separator: "\n").count)
    }

    @Test func `bytes that aren't UTF-8 are an error`() {
        var reader = ManifestReader(Array("http://docs.example/".utf8) + [0xE4] + Array(" ; \(Self.date)\n".utf8))
        #expect(reader.next() == nil)
        #expect(reader.problems.map(\.rule) == ["manifest.not-utf8"])
    }

    @Test(arguments: [
        ("http://docs.example/a b ; \(date)\n", "url.not-normal"),
        ("http://docs.example/ä ; \(date)\n", "url.not-normal"),
        ("http://docs.example/a#b ; \(date)\n", "url.fragment"), ("\(url) ; tomorrow\n", "date.invalid"),
        ("\(url) ; Sat, 27 Mar 2004 18:43:30 GMT+00:00\n", "date.not-imf-fixdate"),
        ("\(url) ; \(date) ; \(date)\n", "date.expires-equals-last-modified"),
        ("\(url) ; \(date) ; Fri, 26 Mar 2004 18:43:30 GMT\n", "date.expires-before-last-modified"),
        ("\(url) ; \(date) ; NULL ; html\n", "type.invalid"), ("\(url) ; \(date)\r\n", "manifest.crlf"),
        ("\(url) ; \(date)\n\(url) ; \(date)\n", "manifest.duplicate"),
        ("key = value\n\(url) ; \(date)\n", "manifest.unknown-header"),
    ])
    func `an unusual line is a warning, but is read`(text: String, rule: String) {
        let (items, reader) = Self.read(text)
        #expect(items.count == 1)
        #expect(reader.problems.map(\.rule) == [rule])
        #expect(reader.problems.first?.severity == .warning)
    }

    @Test func `what was written is read back, in each dialect`() throws {
        let entries = [
            ManifestEntry(url: try WebURL("http://docs.example/")),
            ManifestEntry(
                url: try WebURL("http://docs.example/a.html"),
                lastModified: Timestamp(secondsSinceEpoch: 784_111_777),
                expires: Timestamp(secondsSinceEpoch: 784_115_377),
                mediaType: "text/html; charset=utf-8"
            ),
        ]
        for dialect in ManifestDialect.allCases {
            var writer = ManifestWriter(dialect: dialect)
            for entry in entries { try writer.append(entry, ruleName: MemberRule.name(for: entry.url)) }
            var reader = ManifestReader(writer.bytes)
            for entry in entries {
                var expected = entry
                if dialect == .three { expected.mediaType = nil }
                if dialect == .five { expected.member = MemberRule.name(for: entry.url) }
                #expect(reader.next()?.entry == expected)
            }
            #expect(reader.next() == nil)
            #expect(reader.problems.isEmpty)
        }
    }

    @Test func `a four-field line is exactly as documented`() throws {
        var writer = ManifestWriter(dialect: .afcache)
        let url = try WebURL("http://docs.example/guide/")
        let time = Timestamp(secondsSinceEpoch: 784_111_777)
        let entry = ManifestEntry(
            url: url,
            lastModified: time,
            mediaType: "text/html",
            member: "docs.example/guide/~index"
        )
        try writer.append(entry, ruleName: "")
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == "http://docs.example/guide/ ; Sun, 06 Nov 1994 08:49:37 GMT ; NULL ; text/html ; docs.example/guide/~index\n"
        )
    }

    @Test(arguments: [ManifestDialect.three, .four])
    func `a dialect that can't name a member refuses to`(dialect: ManifestDialect) throws {
        let url = try WebURL("http://docs.example/?q")
        var writer = ManifestWriter(dialect: dialect)
        #expect(throws: ManifestWriter.Refusal.dialectCannotNameMember(url, dialect)) {
            try writer.append(ManifestEntry(url: url, member: "x"), ruleName: "")
        }
    }
}
